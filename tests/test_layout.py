"""Who may import whom: the table, and the check of every import in the package against it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dnmf_topics

PACKAGE = "dnmf_topics"
FOLDER = Path(dnmf_topics.__file__).parent

# The part (a module with everything below it, the longest match counts) and what it may import.
# The standard library is always allowed; a name allows everything below it. The first row is the
# package's own __init__ alone: each other part needs its own row.
MAY_IMPORT: dict[str, set[str]] = {
    "dnmf_topics": {"dnmf_topics.model.DnmfModel"},
    "dnmf_topics.core": {
        "dnmf_topics.core",
        "joblib",
        "numba",
        "numpy",
        "scipy",
        "sklearn",
        "threadpoolctl",
    },
    "dnmf_topics.evaluation": {"dnmf_topics.evaluation", "numpy", "scipy", "sklearn"},
    "dnmf_topics.model": {
        "dnmf_topics.core",
        "dnmf_topics.model",
        "dnmf_topics.storage",
        "gensim",
        "numpy",
        "pandas",
        "scipy",
        "tqdm",
    },
    "dnmf_topics.adapters": {
        "dnmf_topics.adapters",
        "gensim",
        "numpy",
        "pyLDAvis",
        "scipy",
        "sklearn",
    },
    "dnmf_topics.baselines": {
        "dnmf_topics.baselines",
        "dnmf_topics.core",
        "gensim",
        "joblib",
        "numba",
        "numpy",
        "scipy",
        "sklearn",
    },
    "dnmf_topics.naming": set(),
    "dnmf_topics.storage": {"dnmf_topics.__version__", "numpy"},
    "dnmf_topics.text": {
        "dnmf_topics.storage",
        "dnmf_topics.text",
        "gensim",
        "nltk",
        "numpy",
        "scipy",
        "spacy",
    },
    "dnmf_topics.report": {
        "dnmf_topics.adapters",
        "dnmf_topics.naming",
        "dnmf_topics.report",
        "numpy",
        "scipy",
        "sklearn",
        "threadpoolctl",
    },
    "dnmf_topics.comparison": {
        "dnmf_topics.adapters",
        "dnmf_topics.core",
        "dnmf_topics.evaluation",
        "dnmf_topics.model",
        "gensim",
        "numpy",
        "scipy",
        "sklearn",
    },
    "dnmf_topics.bench": {
        "dnmf_topics.__version__",
        "dnmf_topics.baselines",
        "dnmf_topics.bench",
        "dnmf_topics.core",
        "dnmf_topics.evaluation",
        "dnmf_topics.text",
        "gensim",
        "matplotlib",
        "numpy",
        "scipy",
        "tomli",
        "tomllib",
    },
    "dnmf_topics.__main__": {"dnmf_topics.cli"},
    "dnmf_topics.cli": {
        "dnmf_topics.__version__",
        "dnmf_topics.bench",
        "dnmf_topics.cli",
        "dnmf_topics.comparison",
        "dnmf_topics.core",
        "dnmf_topics.model",
        "dnmf_topics.naming",
        "dnmf_topics.report",
        "dnmf_topics.storage",
        "dnmf_topics.text",
        "gensim",
        "tqdm",
    },
}


def is_below(name: str, part: str) -> bool:
    return name == part or name.startswith(part + ".")


def allowed_for(module: str) -> set[str] | None:
    """What the module may import; None where the table has no row for it."""
    if module == PACKAGE:
        return MAY_IMPORT[PACKAGE]
    parts = [part for part in MAY_IMPORT if is_below(module, part) and part != PACKAGE]
    return MAY_IMPORT[max(parts, key=len)] if parts else None


def origin_of(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """The full dotted name that stands between `from` and `import`."""
    if node.level == 0:
        return node.module or ""
    # One dot is the package that holds the module, which for an __init__ is itself.
    levels_up = node.level - 1 if is_package else node.level
    home = module.rsplit(".", levels_up)[0] if levels_up else module
    return f"{home}.{node.module}" if node.module else home


def imported_by(source: str, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of each import, wherever in the source it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = origin_of(node, module, is_package=is_package)
            # `from dnmf_topics import core` imports dnmf_topics.core: inside, the names count too.
            inside = is_below(origin, PACKAGE)
            yield from (
                (node.lineno, f"{origin}.{alias.name}" if inside else origin)
                for alias in node.names
            )


def forbidden(source: str, module: str, *, is_package: bool = False) -> list[str]:
    allowed = allowed_for(module)
    assert allowed is not None, f"{module} has no row in MAY_IMPORT: add one"
    return [
        f"{module}, line {line}: {name}"
        for line, name in imported_by(source, module, is_package=is_package)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(is_below(name, part) for part in allowed)
    ]


def module_name(path: Path) -> str:
    parts = [PACKAGE, *path.relative_to(FOLDER).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=module_name)
def test_imports_keep_to_the_table(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    is_package = path.name == "__init__.py"
    assert forbidden(source, module_name(path), is_package=is_package) == []


def test_each_row_is_about_a_part_that_exists() -> None:
    modules = {module_name(path) for path in FOLDER.rglob("*.py")}
    assert set(MAY_IMPORT) <= modules


@pytest.mark.parametrize(
    "source",
    [
        "import gensim",
        "import gensim.models as models",
        "from gensim.models import LdaModel",
        "import numpy, gensim",
        "def late():\n    import gensim",
        "if TYPE_CHECKING:\n    from gensim import corpora",
        "import dnmf_topics",
        "from dnmf_topics import model",
        "from dnmf_topics.model import DnmfModel",
        "from .. import model",
        "from ..model import DnmfModel",
        "import numpy_financial",
    ],
)
def test_an_import_outside_the_table_is_found(source: str) -> None:
    assert len(forbidden(source, "dnmf_topics.core.some")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations",
        "import collections.abc",
        "import numpy as np\nfrom scipy.sparse import csr_array",
        "from dnmf_topics import core",
        "from dnmf_topics.core import progress",
        "from dnmf_topics.core.progress import Progress",
        "from . import progress",
        "from .progress import Progress",
        "from ..core.progress import Progress",
    ],
)
def test_an_import_inside_the_table_is_accepted(source: str) -> None:
    assert forbidden(source, "dnmf_topics.core.some") == []


def test_relative_imports_of_a_package_start_at_itself() -> None:
    assert forbidden("from .progress import silent", "dnmf_topics.core", is_package=True) == []
    assert forbidden("from ..model import DnmfModel", "dnmf_topics.core", is_package=True)


def test_a_module_without_a_row_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"dnmf_topics\.new has no row"):
        forbidden("", "dnmf_topics.new")
