"""The kinds of files: each a function from a path to documents, and to records that are none."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..common.checks import shortened
from . import decoding
from .decoding import (
    UnreadableError,
    decoding_error,
    lines_of,
    open_text,
    read_text,
    skip_rest,
    too_long,
    writable,
)
from .libraries import library
from .raw_texts import Document, Part, ReadError, Record, Skipped

ROWS_AT_A_TIME = 1000  # of a parquet file
TEXTS_AT_A_TIME = 1000  # files that make a part of a folder of texts
LONGEST_FIELD = 2**31 - 1  # of what csv can be told on all systems; its default is 131,072
UNMATCHED = '"a"b'  # quotes that are wrong inside and outside of others, so that csv ends the row
OWN_ID = "id"


@dataclass(frozen=True)
class Columns:
    """Which column or key has what; with `everything`, all others are kept too."""

    text: str = "text"
    label: str | None = None
    id: str | None = None
    further: tuple[str, ...] = ()
    everything: bool = False

    def among(self, names: Iterable[Any]) -> Columns:
        """The same for records that have these names."""
        if not self.everything:
            return self
        others = [name for name in names if name not in (self.text, self.label, self.id)]
        return replace(self, further=tuple(dict.fromkeys((*self.further, *others))))

    @property
    def roles(self) -> list[tuple[str, str]]:
        """The names that are given, each with what it is the name of."""
        named = [("text", self.text), ("label", self.label), ("id", self.id)]
        named += [("columns", name) for name in self.further]
        return [(role, name) for role, name in named if name is not None]

    @property
    def only_text(self) -> bool:
        """Whether nothing but the text is asked for."""
        return self.label is None and self.id is None and not self.further


# How numbers and times that are missing look as strings.
MISSING = frozenset({"nan", "NaN", "NaT", "<NA>"})


def make_document(
    place: str,
    number: str,
    text: Any,
    id: Any = None,
    label: Any = None,
    columns: Mapping[str, Any] | None = None,
) -> Record:
    """A document, or why it is none; without an id of its own it gets its number."""
    if not isinstance(text, str):
        hint = "; give an empty one where there is none" if isinstance(text, float) else ""
        return Skipped(place, f"the text must be a string, got {shortened(text)}{hint}")
    columns = columns or {}
    named = [
        ("the id", id),
        ("the label", label),
        *((repr(name), columns[name]) for name in columns),
    ]
    for name, value in named:
        if not isinstance(value, str) and hasattr(value, "__iter__"):
            reason = f"{name} must be a string or a number, got {shortened(value)}"
            return Skipped(place, reason)
    return Document(
        writable(text),
        _as_string(id) or number,
        _as_string(label),
        {name: _as_string(value) for name, value in columns.items()},
    )


def _as_string(value: Any) -> str | None:
    """A single value as a string; None if it is missing."""
    if isinstance(value, str):
        return writable(value) or None
    string = "" if value is None else str(value)
    return None if string in MISSING else string or None


def read_lines(path: Path | BinaryIO, columns: Columns, encoding: str) -> Iterator[Record]:
    """A document in each line; a blank line is an empty document."""
    name = path if isinstance(path, Path) else "The stream"
    with open_text(path, encoding) as file:
        for number, line in enumerate(lines_of(file), 1):
            wrong = decoding_error(line, encoding)
            place = f"{name}, line {number}"
            if wrong:
                yield Skipped(place, wrong)
                skip_rest(file, line)
            else:
                yield make_document(place, str(number), line.removesuffix("\n"))


def _table_lines(file: io.TextIOWrapper) -> tuple[Iterator[str], Callable[[], bool]]:
    """The lines for csv, each NUL a space, and what begins a record and tells of the one before.

    Where a record becomes too long, which this tells, csv gets a line that it refuses.
    """
    longest = decoding.LONGEST_RECORD
    size = 0  # of the record so far

    def lines() -> Iterator[str]:
        nonlocal size
        for line in iter(partial(file.readline, longest), ""):
            size += len(line)
            if size < longest:
                yield line if "\0" not in line else line.replace("\0", " ")
            else:
                yield UNMATCHED
                skip_rest(file, line, ("\n", "\r"))

    def begin_record() -> bool:
        nonlocal size
        was_too_long = size >= longest
        size = 0
        return was_too_long

    return lines(), begin_record


def read_table(
    path: Path, columns: Columns, encoding: str, *, delimiter: str | None = None
) -> Iterator[Record]:
    """A document in each row, below a row with the names of the columns.

    Without a delimiter it is the comma, or the semicolon if these names have that one only.
    """
    csv.field_size_limit(LONGEST_FIELD)
    with open_text(path, encoding, newline="") as file:
        # Strict, as otherwise a quote that is never closed swallows the rest of the file.
        lines, begin_record = _table_lines(file)
        first = next(lines, "")
        if delimiter is None:
            delimiter = ";" if ";" in first and "," not in first else ","
        rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        names: list[str] = []
        number = 0
        while True:
            place = f"{path}, line {rows.line_num + 1}"
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                which = "this row" if names else "the first row"
                reason = f"the quotes of {which} do not match"
                if "end of data" in str(error) and names:
                    reason += ", which takes all lines to the end of the file with it"
                if begin_record():
                    reason = too_long()
                if not names:
                    raise ReadError(f"{place}: {reason}.") from None
                number += 1
                yield Skipped(place, reason)
                continue
            begin_record()
            if not row:  # a blank line
                continue
            if not names:
                names = row
                columns = columns.among(names)
                check_columns(path, columns, names)
                continue
            number += 1
            wrong = decoding_error("".join(row), encoding)
            if not wrong and len(row) != len(names):
                wrong = f"number of fields: {len(row)} in this row, {len(names)} in the first"
            if wrong:
                yield Skipped(place, wrong)
            else:
                yield pick(dict(zip(names, row, strict=True)), columns, place, str(number))


def read_json_lines(path: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """A JSON object with a document in each line; blank lines do not count."""
    wanted = {name for role, name in columns.roles if role != "text"}
    known: dict[str, None] = {}  # keys that were seen, in their order
    with open_text(path, encoding, newline="\n") as file:
        for number, line in enumerate(lines_of(file), 1):
            if line.isspace():
                continue
            place = f"{path}, line {number}"
            wrong = decoding_error(line, encoding)
            record: Any = None
            if not wrong:
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError) as error:
                    reason = getattr(error, "msg", error)  # without its own count of lines
                    wrong = f"this line is not JSON ({reason})"
            if not wrong and not isinstance(record, dict):
                wrong = f"a line must be a JSON object, got {shortened(record)}"
            if wrong:
                yield Skipped(place, wrong)
                skip_rest(file, line)
            elif columns.text not in record:
                keys = _join_names(record)
                yield Skipped(
                    place, f"no key {columns.text!r}; it has {keys}; name one of these as the text"
                )
            else:
                wanted -= record.keys()
                if wanted:
                    known |= dict.fromkeys(record)
                yield pick(record, columns.among(record), place, str(number))
    if wanted:
        name = min(wanted)
        raise ReadError(
            f"{path}: no line has the key {name!r}, they have {_join_names(known)}; name another "
            f"one{_did_you_mean(name, known)}."
        )


def read_parquet(path: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """A document in each row, read some at a time; the text in such a file is always UTF-8."""
    arrow = library("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            columns = columns.among(file.schema_arrow.names)
            wanted = list(dict.fromkeys(name for _, name in columns.roles))
            if columns.id is None and OWN_ID in file.schema_arrow.names:
                wanted.append(OWN_ID)
            check_columns(path, columns, file.schema_arrow.names)
            for batch in file.iter_batches(ROWS_AT_A_TIME, columns=wanted):
                for record in batch.to_pylist():
                    number += 1
                    yield pick(record, columns, f"{path}, row {number}", str(number))
    except (arrow.ArrowException, OSError) as error:
        raise UnreadableError(f"it is no whole parquet file ({shortened(str(error))})") from error


Found = tuple[Path, str]  # a file, and why it cannot be read


def read_folder(folder: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """A document in each file, also of subfolders, in the order of their paths; no hidden ones."""
    return _read_texts(folder, _sorted_files(folder), columns, encoding)


def read_tables(folder: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """The documents of all tables in a folder, in the order of their paths."""
    return _read_tables(folder, _sorted_files(folder), columns, encoding)


def folder_parts(folder: Path, form: Format, columns: Columns, encoding: str) -> list[Part]:
    """What reads a folder part by part, in order: a table, or some texts."""
    read, size = (_read_tables, 1) if form is TABLES else (_read_texts, TEXTS_AT_A_TIME)
    folder = Path(os.path.abspath(folder))  # who reads may work in another one
    found = _sorted_files(folder)
    return [
        partial(read, folder, found[start : start + size], columns, encoding)
        for start in range(0, len(found), size)
    ]


def _read_texts(
    folder: Path, files: list[Found], columns: Columns, encoding: str
) -> Iterator[Record]:
    for path, trouble in files:
        if trouble:
            yield Skipped(str(path), trouble)
            continue
        name = path.relative_to(folder)
        try:
            with open_text(path, encoding) as file:
                text = read_text(file)
            wrong = decoding_error(text, encoding)
        except UnreadableError as error:
            wrong = str(error)
        if wrong:
            yield Skipped(str(path), wrong)
        else:
            label = name.parent.name if columns.label else None
            yield make_document(str(path), "", text, name.as_posix(), label)


def _read_tables(
    folder: Path, files: list[Found], columns: Columns, encoding: str
) -> Iterator[Record]:
    for path, trouble in files:
        form = format_of(path)
        if trouble or form is None:
            yield Skipped(str(path), trouble or "it is no table, as the others are")
            continue
        name = path.relative_to(folder).as_posix()
        for record in read_file(path, form, columns, encoding):
            if isinstance(record, Document) and columns.id is None:
                record = replace(record, id=f"{name}:{record.id}")
            yield record


def read_file(path: Path, form: Format, columns: Columns, encoding: str) -> Iterator[Record]:
    """The records of a file; if it cannot be read to its end, the last says why."""
    try:
        yield from form.read(path, columns, encoding)
    except UnreadableError as error:
        yield Skipped(str(path), str(error))


def _sorted_files(folder: Path) -> list[Found]:
    return sorted(_files_in(folder), key=lambda found: found[0].parts)


def _files_in(folder: Path) -> Iterator[Found]:
    """All that is not hidden, at any depth, with the reason why something cannot be read."""
    troubles: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=troubles.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in folders:
            if os.path.islink(os.path.join(root, name)):
                yield Path(root, name), "it is a link to a folder; name that folder itself"
        for name in files:
            if not name.startswith("."):
                path = Path(root, name)
                yield path, "" if path.is_file() else "it is neither a file nor a folder"
    for error in troubles:
        yield Path(error.filename), f"it cannot be opened ({error.strerror})"


@dataclass(frozen=True)
class Format:
    """How a kind of file is read; whether its records have named parts; whether it is text.

    Text has an encoding, and may be packed.
    """

    read: Callable[[Path, Columns, str], Iterator[Record]]
    has_columns: bool = True
    is_text: bool = True


FORMATS = {
    ".txt": Format(read_lines, has_columns=False),
    ".csv": Format(read_table),
    ".tsv": Format(partial(read_table, delimiter="\t")),
    ".jsonl": Format(read_json_lines),
    ".parquet": Format(read_parquet, is_text=False),
}
"""By the end of the file's name; those of text can also be packed and end in .gz."""
TEXTS, TABLES = Format(read_folder, has_columns=False), Format(read_tables)


def format_of(path: Path) -> Format | None:
    """The format of a file, by its name, or of a folder: one of tables, if all in it are tables."""
    if path.is_dir():
        forms = [format_of(file) for file, trouble in _files_in(path) if not trouble]
        are_tables = forms and all(form is not None and form.has_columns for form in forms)
        return TABLES if are_tables else TEXTS
    suffixes = [suffix.lower() for suffix in path.suffixes]
    is_packed = suffixes[-1:] == [".gz"]
    form = FORMATS.get("".join(suffixes[-2:-1] if is_packed else suffixes[-1:]))
    return None if form is None or (is_packed and not form.is_text) else form


def check_columns(place: object, columns: Columns, names: list[str]) -> None:
    """Raise if a table lacks a column."""
    for argument, name in columns.roles:
        if names.count(name) > 1:
            raise ReadError(f"{place} has the column {name!r} twice; rename one of them.")
        if name not in names:
            role = "one of the columns" if argument == "columns" else f"the {argument}"
            raise ReadError(
                f"{place} has no column {name!r}, it has {_join_names(names)}; name one of these "
                f"as {role}{_did_you_mean(name, names)}."
            )


def pick(record: dict[str, Any], columns: Columns, place: str, number: str) -> Record:
    """The document in a record; its number is its id unless a part of the record is.

    A part that is called "id" need not be named: tables of results are joined by their `id`.
    """
    id = record.get(columns.id or OWN_ID)
    if columns.id is None and not isinstance(id, (str, Integral)):
        id = None
    label = record.get(columns.label) if columns.label else None
    further = {name: record.get(name) for name in columns.further}
    if columns.everything:
        try:
            further = {str(name): _single(value) for name, value in further.items()}
        except RecursionError:
            return Skipped(place, "its columns hold lists in lists, too many of them")
    return make_document(place, number, record[columns.text], id, label, further)


def _single(value: Any) -> Any:
    """A value that a cell can hold; several are written as JSON."""
    if isinstance(value, bytes):
        return _decoded(value)
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    return json.dumps(_as_json(value), ensure_ascii=False)


def _as_json(value: Any) -> Any:
    """What JSON can hold of a value, whatever library its lists and numbers are of."""
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        value = value.item()
    if isinstance(value, (str, bool, int, type(None))):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Mapping):
        return {str(key): _as_json(each) for key, each in value.items()}
    if isinstance(value, bytes):
        return _decoded(value)
    if hasattr(value, "__iter__"):
        return [_as_json(each) for each in value]
    return _as_string(value)


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")


def _join_names(names: Iterable[object]) -> str:
    return ", ".join(map(repr, names))


def _did_you_mean(name: str, known: Iterable[object]) -> str:
    close = get_close_matches(name, [each for each in known if isinstance(each, str)], 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
