"""Columns of documents besides text, id and label: collected, saved, and loaded again.

While they are collected, and in files, an empty string stands for None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Protocol

from ..common.checks import shortened
from .lazy_strings import ColumnFile
from .raw_texts import Document, ReadError

MOST_COLUMNS = 200  # each may be an open file
KEY = "column_{}"  # of a column in a file, by its number


class Extendable(Protocol):
    """A list of strings, or a file of them."""

    def extend(self, strings: Iterable[str], /) -> None:
        """Append strings."""


class Collector:
    """Collects columns, which may begin late: documents need not all have the same.

    Parameters
    ----------
    begin : callable
        From the number of a column to what takes its strings.
    """

    def __init__(self, begin: Callable[[int], Extendable] = lambda _: []) -> None:
        self._begin = begin
        self.columns: dict[str, Any] = {}
        self._num_docs = 0

    def add(self, document: Document) -> None:
        """Append those of one document."""
        self.extend({name: (value or "",) for name, value in document.columns.items()}, 1)

    def extend(self, columns: Mapping[str, Iterable[str]], num_docs: int) -> None:
        """Append those of the next documents."""
        for name in columns:
            if name not in self.columns:
                if len(self.columns) == MOST_COLUMNS:
                    raise ReadError(
                        f"documents must have at most {MOST_COLUMNS} further columns, but "
                        f"{shortened(name)} is one more; name those that are to be kept."
                    )
                self.columns[name] = self._begin(len(self.columns))
                self.columns[name].extend(repeat("", self._num_docs))
        for name, column in self.columns.items():
            column.extend(columns.get(name, repeat("", num_docs)))
        self._num_docs += num_docs


def as_tuples(columns: Mapping[str, Iterable[str | None]]) -> dict[str, tuple[str | None, ...]]:
    """Columns as a corpus has them in memory."""
    return {name: tuple(value or None for value in column) for name, column in columns.items()}


def names_for_meta(columns: Iterable[str]) -> dict[str, Any]:
    """What the header of a file says of its columns: nothing if there are none."""
    names = list(columns)
    return {"columns": names} if names else {}


def names_in(meta: Mapping[str, Any]) -> list[str]:
    """The names of the columns in a file; a ValueError if they are none."""
    names = meta.get("columns", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of its columns must be strings")
    if len(set(names)) < len(names):
        raise ValueError("its columns must have different names")
    return names


def as_strings(columns: Mapping[str, Sequence[str | None]]) -> dict[str, Sequence[str]]:
    """Columns as the strings of a file; those of a folder are not read yet."""
    return {
        KEY.format(number): column.strings
        if isinstance(column, ColumnFile)
        else [value or "" for value in column]
        for number, column in enumerate(columns.values())
    }


def from_strings(meta: Mapping[str, Any], strings: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Columns that `as_strings` made."""
    return {name: strings[KEY.format(number)] for number, name in enumerate(names_in(meta))}
