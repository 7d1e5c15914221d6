"""A study as a small TOML file.

    folder = "prepared"          # where the corpora are, from this file on
    methods = ["lda", "sdnmf"]   # default: all but "dnmf"
    num_topics = [3, 5]
    subsets = 10                 # random draws of classes for each number of topics
    seeds = 1                    # fits for each of them
    all_classes_seeds = 5        # fits where all classes take part: there is but one draw
    first_seed = 0               # the number of the first draw, which seeds its fit too
    timeout = 3600               # seconds for a cell
    completion = true            # measure document completion too (default: false)

    [corpus.tdt2]                # any name
    file = "tdt2-cai.dnmf"       # a saved TextCorpus; or built_in = "lee" or "planted"
    largest_classes = 30         # the others are left out
    paper = "tdt2"               # the corpus of the paper that it is compared with
    num_topics = [3, 5, 25]

    [method.lda]                 # what is different for one method
    subsets = 5

    [study.delta]                # one hyper-parameter against all measures
    setting = "delta"
    values = [0.3, 0.5, 0.7]
    methods = ["sdnmf"]
    num_topics = [5]

`subsets`, `seeds`, `all_classes_seeds` and `timeout` may stand at the top and in every table; of
several the study's counts, then the method's, then the corpus'. A method may have `settings`, a
table of hyper-parameters.

`completion` costs every cell a second fit, to nine tenths of its documents; the seconds and all
other measures are those of the first. Cells of an earlier run without it are run again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..common.checks import check_int, check_real
from .corpora import BUILT_IN, Source
from .methods import METHODS, ConfigError, check_settings
from .paper import CORPORA as PAPER_CORPORA
from .study import LIMITS, Study, Sweep, Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TOP = {
    *LIMITS, "folder", "methods", "num_topics", "first_seed", "completion", "corpus", "method",
    "study",
}  # fmt: skip
CORPUS = {*LIMITS, "file", "built_in", "largest_classes", "paper", "num_topics"}
METHOD = {*LIMITS, "settings"}
BY_DEFAULT = tuple(name for name, method in METHODS.items() if method.in_studies)
STUDY = {*LIMITS, "setting", "values", "methods", "corpora", "num_topics"}


# From TOML


def read_study(path: Path) -> Study:
    """The study of a TOML file."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is a folder or a device; name a TOML file.")
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is no TOML: {error}.") from None
    try:
        return study_of(content, path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def study_of(content: Table, folder: Path = Path()) -> Study:
    """The study of a parsed file, which lies in `folder`."""
    _known(content, TOP, "")
    methods = _names(content, "methods", "methods", BY_DEFAULT, METHODS)
    corpora, num_topics = _corpora(content, folder)
    tables = {name: _table(table, f"method.{name}") for name, table in _tables(content, "method")}
    for name, table in tables.items():
        _one_of(name, METHODS, "method")
        _known(table, METHOD, f"method.{name}.")
    study = Study(
        corpora,
        num_topics,
        methods,
        {name: _settings(name, tables.get(name, {})) for name in METHODS},
        tuple(_sweep(name, table, corpora) for name, table in _tables(content, "study")),
        _number(content, "first_seed", "first_seed", int, 0, 0),
        {("top", ""): _limits(content, "")}
        | {("corpus", name): _limits(table, f"corpus.{name}.")
           for name, table in _tables(content, "corpus")}
        | {("method", name): _limits(table, f"method.{name}.") for name, table in tables.items()},
        _flag(content, "completion"),
    )  # fmt: skip
    for sweep in study.sweeps:
        for method in sweep.methods:
            for value in sweep.values:
                study.swept_settings(sweep, method, value)
    return study


def _corpora(content: Table, folder: Path) -> tuple[dict[str, Source], dict[str, tuple[int, ...]]]:
    below = folder / Path(_text(content, "folder", "folder", ".")).expanduser()
    sources, num_topics = {}, {}
    for name, table in _tables(content, "corpus"):
        key = f"corpus.{name}."
        _known(table, CORPUS, key)
        if ("file" in table) == ("built_in" in table):
            raise ConfigError(f"{key}file or {key}built_in must be given, and not both.")
        built_in = None
        if "built_in" in table:
            built_in = _one_of(table["built_in"], BUILT_IN, f"{key}built_in")
        file = None if built_in else below / _text(table, "file", f"{key}file", "")
        if file is not None and not file.is_file():
            raise ConfigError(
                f"{key}file: {file} is not there; corpora/prepare.py writes the paper's corpora."
            )
        largest = table.get("largest_classes")
        if largest is not None:
            _number(table, "largest_classes", f"{key}largest_classes", int, 2, 2)
        paper = table.get("paper")
        if paper is not None:
            _one_of(paper, PAPER_CORPORA, f"{key}paper")
        path = None if file is None else str(file.resolve())
        sources[name] = Source(path, built_in, largest, paper)
        given = table if "num_topics" in table else content
        num_topics[name] = _topics(given, key if given is table else "")
    if not sources:
        raise ConfigError("corpus is missing: a study needs a table [corpus.NAME].")
    return sources, num_topics


def _settings(method: str, table: Table) -> dict[str, Any]:
    key = f"method.{method}.settings"
    return check_settings(method, _table(table.get("settings", {}), key), key)


def _sweep(name: str, table: Table, corpora: Table) -> Sweep:
    key = f"study.{name}."
    _known(table, STUDY, key)
    for needed in ("setting", "values", "methods", "num_topics"):
        if needed not in table:
            raise ConfigError(f"{key}{needed} is missing.")
    setting = _text(table, "setting", f"{key}setting", "")
    methods = _names(table, "methods", f"{key}methods", (), METHODS)
    for method in methods:
        _one_of(setting, METHODS[method].defaults, f"{key}setting (of {method})")
    values = table["values"]
    if not isinstance(values, list) or not values or len(set(map(repr, values))) < len(values):
        raise ConfigError(f"{key}values must be a list of different values, got {values!r}.")
    return Sweep(
        name, setting, tuple(values), methods,
        _names(table, "corpora", f"{key}corpora", tuple(corpora), corpora),
        _topics(table, key), _limits(table, key),
    )  # fmt: skip


# One sentence for each fault


def _known(table: Table, known: set[str], key: str) -> None:
    for name in table:
        if name not in known:
            raise ConfigError(f"{key}{name} is no key here; known are {', '.join(sorted(known))}.")


def _table(value: Any, key: str) -> Table:
    if not isinstance(value, dict):
        raise ConfigError(f"{key} must be a table, got {value!r}.")
    return value


def _tables(content: Table, key: str) -> list[tuple[str, Table]]:
    tables = _table(content.get(key, {}), key)
    return [(name, _table(table, f"{key}.{name}")) for name, table in tables.items()]


def _text(table: Table, name: str, key: str, default: str) -> str:
    value = table.get(name, default)
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be a string, got {value!r}.")
    return value


def _flag(table: Table, key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise ConfigError(f"{key} must be true or false, got {value!r}.")
    return value


def _one_of(value: Any, known: Any, key: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise ConfigError(f"{key} must be one of {', '.join(known)}; got {value!r}.")
    return value


def _names(
    table: Table, name: str, key: str, default: tuple[str, ...], known: Any
) -> tuple[str, ...]:
    if name not in table:
        return default
    values = table[name]
    if not isinstance(values, list) or not values:
        raise ConfigError(f"{key} must be a list of names, got {values!r}.")
    return tuple(dict.fromkeys(_one_of(value, known, key) for value in values))


def _topics(table: Table, key: str) -> tuple[int, ...]:
    values = table.get("num_topics")
    if not isinstance(values, list) or not values:
        raise ConfigError(f"{key}num_topics must be a list of whole numbers, got {values!r}.")
    for value in values:
        _number({"num_topics": value}, "num_topics", f"{key}num_topics", int, 2, 2)
    return tuple(sorted(set(values)))


def _limits(table: Table, key: str) -> Table:
    return {
        name: _number(table, name, key + name, kind, least, default)
        for name, (kind, least, default) in LIMITS.items()
        if name in table
    }


def _number(table: Table, name: str, key: str, kind: type, least: Any, default: Any) -> Any:
    check: Callable[[Any, str, Any], float] = check_int if kind is int else check_real
    try:
        return check(table.get(name, default), key, least)
    except (TypeError, ValueError) as error:
        raise ConfigError(str(error)) from None
