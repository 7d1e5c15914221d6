"""Who may import whom: the table, and the check of every import in the package against it."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import dnmf_topics

PACKAGE = "dnmf_topics"
FOLDER = Path(dnmf_topics.__file__).parent

TABLE = Path(__file__).parent.parent / "CONTRIBUTING.md"


def read_table() -> dict[str, set[str]]:
    """What each part may import: full dotted names, of doors in the package or of libraries."""
    rows: dict[str, set[str]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        cells = [cell.strip().replace("\\", "") for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[0].startswith(f"`{PACKAGE}"):
            names = filter(None, (name.strip() for name in cells[2].split(",")))
            rows[cells[0].strip("`")] = {_full_name(name) for name in names}
    return rows


def _full_name(name: str) -> str:
    inside = name == "__version__" or (FOLDER / name.split(".")[0]).exists()
    inside = inside or (FOLDER / f"{name}.py").exists()
    return f"{PACKAGE}.{name}" if inside else name


MAY_IMPORT = read_table()


def is_below(name: str, part: str) -> bool:
    return name == part or name.startswith(part + ".")


def part_of(module: str) -> str:
    """The part that a module belongs to: the first name below the package's."""
    return ".".join(module.split(".")[:2])


def origin_of(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """The full dotted name that stands between `from` and `import`."""
    if node.level == 0:
        return node.module or ""
    # One dot is the package that holds the module, which for an __init__ is itself.
    levels_up = node.level - 1 if is_package else node.level
    home = module.rsplit(".", levels_up)[0] if levels_up else module
    return f"{home}.{node.module}" if node.module else home


def imported_by(source: str, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of the module of each import, wherever in the source it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = origin_of(node, module, is_package=is_package)
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                yield node.lineno, inner if origin == PACKAGE or is_module(inner) else origin


def is_module(name: str) -> bool:
    path = FOLDER.joinpath(*name.split(".")[1:])
    return name.startswith(PACKAGE) and (path.is_dir() or path.with_suffix(".py").exists())


def is_allowed(name: str, module: str, allowed: set[str]) -> bool:
    if name.partition(".")[0] in {*sys.stdlib_module_names, "tomllib"}:  # not yet in Python 3.10
        return True
    if not is_below(name, PACKAGE):
        return any(is_below(name, library) for library in allowed)
    own = part_of(module)
    if own != PACKAGE and is_below(name, own):
        return True
    # Elsewhere one enters by the door; the ground floor has one for each module.
    ground = f"{PACKAGE}.common"
    return name in allowed or (ground in allowed and is_below(name, ground))


def forbidden(source: str, module: str, *, is_package: bool = False) -> list[str]:
    allowed = MAY_IMPORT.get(part_of(module))
    assert allowed is not None, f"{module} has no row in CONTRIBUTING.md: add one"
    return [
        f"{module}, line {line}: {name}"
        for line, name in imported_by(source, module, is_package=is_package)
        if not is_allowed(name, module, allowed)
    ]


def module_name(path: Path) -> str:
    parts = [PACKAGE, *path.relative_to(FOLDER).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=module_name)
def test_imports_keep_to_the_table(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    is_package = path.name == "__init__.py"
    assert forbidden(source, module_name(path), is_package=is_package) == []


def test_a_name_of_a_module_stands_once() -> None:
    names = Counter(path.stem for path in FOLDER.rglob("*.py") if path.name != "__init__.py")
    assert [name for name, times in names.items() if times > 1] == []


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
        "from ..common.documents import read_matrix",
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
        "from dnmf_topics.core import fit",
        "from dnmf_topics.common.progress import Progress",
        "from ..common import progress",
        "from . import fit",
        "from .fit import fit_topics",
        "from ..core.fit import fit_topics",
    ],
)
def test_an_import_inside_the_table_is_accepted(source: str) -> None:
    assert forbidden(source, "dnmf_topics.core.some") == []


def test_another_part_is_entered_by_its_door() -> None:
    assert forbidden("from ..core import fit_topics", "dnmf_topics.model.some") == []
    assert forbidden("from ..core.fit import fit_topics", "dnmf_topics.model.some")
    assert forbidden("from ..core import fit", "dnmf_topics.model.some")
    assert forbidden("import dnmf_topics.core.fit", "dnmf_topics.model.some")


def test_relative_imports_of_a_package_start_at_itself() -> None:
    assert forbidden("from .progress import silent", "dnmf_topics.core", is_package=True) == []
    assert forbidden("from ..model import DnmfModel", "dnmf_topics.core", is_package=True)


def test_a_module_without_a_row_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"dnmf_topics\.new has no row"):
        forbidden("", "dnmf_topics.new")
