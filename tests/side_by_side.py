"""Snippets of users with LdaModel and with DnmfModel, side by side, as a table.

    python tests/side_by_side.py [FILE]

The file, by default `tests/scripts/snippets.py`, has a function for each snippet. It is executed as
it is, and again with DnmfModel's import and name in the place of those of LdaModel and
LdaMulticore. The two must return values of the same form; or the second fails as it is said in
`tutorials/differences.md`. The exit code is 1 if one does neither.
"""

from __future__ import annotations

import re
import sys
import time
import traceback
import types
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
SNIPPETS = HERE / "scripts" / "snippets.py"
DIFFERENCES = HERE.parent / "tutorials" / "differences.md"
IMPORT = re.compile(r"^from gensim\.models import Lda\w+(, Lda\w+)*$", re.MULTILINE)
NAMES = re.compile(r"(?<!\.)\bLda(Model|Multicore)\b")  # with gensim's path before it, gensim's own

# Snippets that DnmfModel cannot serve: what the error says, and what the list of differences does.
REFUSED = {
    "ensemble_of_a_class": ("ValueError: topic_model_class should be", "`EnsembleLda`"),
    "compared_by_ldamodel": ("AttributeError: .* no attribute '__name__'", "`model.diff(lda)`"),
    "kind_of_a_model": ("AssertionError: DnmfModel", "`BaseTopicModel`"),
    "loads_what_ldamodel_saved": (
        "FileFormatError: .* is a pickle of gensim's LdaModel", "`DnmfModel.load`",
    ),
}  # fmt: skip


def swapped(source: str) -> str:
    """The same file for DnmfModel: another import, another name."""
    source, count = IMPORT.subn("from dnmf_topics import DnmfModel", source)
    assert count == 1, "the file must import gensim's classes in one line"
    return NAMES.sub("DnmfModel", source)


def run_all(source: str, name: str) -> dict[str, object]:
    """What each function of the file returns, or the error that it ends with."""
    module = types.ModuleType(name)
    sys.modules[name] = module  # where worker processes look for what they get
    exec(compile(source, name, "exec"), module.__dict__)
    snippets = {
        key: value for key, value in vars(module).items()
        if isinstance(value, types.FunctionType) and value.__module__ == name
    }  # fmt: skip
    outcomes: dict[str, object] = {}
    for key, snippet in snippets.items():
        start = time.perf_counter()
        try:
            outcomes[key] = snippet()
        except Exception as error:
            outcomes[key] = error
        if "--times" in sys.argv:
            print(f"{name} {key} {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return outcomes


def form(value: object) -> object:
    """What kind of value it is, so that two models of other numbers have the same."""
    match value:
        case pd.DataFrame():
            return "table", *map(str, value.columns)
        case np.ndarray():
            return "array", value.ndim, value.shape[-1:]
        case bool() | np.bool_() | str():
            return type(value).__name__
        case int() | float() | np.number():
            return "number"
        case tuple():
            return tuple(form(each) for each in value)
        case list():
            return "list", *map(form, value[:1])
        case dict():
            return "dict", *map(form, list(value.values())[:1])
    return type(value).__name__


def verdict(name: str, before: object, after: object, documented: str) -> str:
    """One cell of the table; it begins with "no" if the snippet is not served."""
    if isinstance(before, Exception):
        return f"no: fails with LdaModel: {last_line(before)}"
    if name in REFUSED:
        pattern, sentence = REFUSED[name]
        if not isinstance(after, Exception):
            return "no: it is said to fail, and does not"
        if re.match(pattern, last_line(after)) is None:
            return f"no: fails otherwise than documented: {last_line(after)}"
        return "fails as documented" if sentence in documented else f"no: {sentence} is not said"
    if isinstance(after, Exception):
        return f"no: {last_line(after)}"
    if form(before) != form(after):
        return f"no: returns {form(after)}, not {form(before)}"
    return "runs with both"


def last_line(error: Exception) -> str:
    """The error in one line."""
    line = "".join(traceback.format_exception_only(error)).strip().replace("\n", " ")
    return line.removeprefix(f"{type(error).__module__}.")


def main(path: Path) -> int:
    """Print the table of a file; how many of its snippets are not served."""
    source = path.read_text("utf-8")
    documented = DIFFERENCES.read_text("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # One after the other: LdaMulticore forks, before any thread of DnmfModel is there.
        before = run_all(source, "with_lda")
        after = run_all(swapped(source), "with_dnmf")
    verdicts = {name: verdict(name, before[name], after[name], documented) for name in before}
    for name, said in verdicts.items():
        print(f"{name:32}{said}")
    return sum(said.startswith("no") for said in verdicts.values())


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if argument != "--times"]
    sys.exit(main(Path(given[0]) if given else SNIPPETS) > 0)
