"""The kinds of files: each a function from a path to documents, and to records that are none."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .documents import Document, ReadError, Skipped
from .files import UnreadableError, no_text_in, open_text, writable

Record = Document | Skipped

LONGEST_FIELD = 2**31 - 1  # of what csv can be told on all systems; its default is 131,072


@dataclass(frozen=True)
class Columns:
    """Which column or key has what."""

    text: str = "text"
    label: str | None = None
    id: str | None = None


def make_document(place: str, number: str, text: Any, id: Any = None, label: Any = None) -> Record:
    """A document, or why it is none; without an id of its own it gets its number."""
    if not isinstance(text, str):
        return Skipped(place, f"the text must be a string, got {shortened(text)}")
    for name, value in [("id", id), ("label", label)]:
        if not isinstance(value, (str, int, float, type(None))):
            return Skipped(place, f"the {name} must be a string, got {shortened(value)}")
    missing = (None, "")
    return Document(
        writable(text),
        number if id in missing else writable(str(id)),
        None if label in missing else writable(str(label)),
    )


def read_lines(path: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """A document in each line; a blank line is an empty document."""
    with open_text(path, encoding) as file:
        for number, line in enumerate(file, 1):
            wrong = no_text_in(line, encoding)
            place = f"{path}, line {number}"
            if wrong:
                yield Skipped(place, wrong)
            else:
                yield make_document(place, str(number), line.removesuffix("\n"))


def read_table(
    path: Path, columns: Columns, encoding: str, *, delimiter: str = ","
) -> Iterator[Record]:
    """A document in each row, below a row with the names of the columns."""
    csv.field_size_limit(LONGEST_FIELD)
    with open_text(path, encoding, newline="") as file:
        # Strict, as otherwise a quote that is never closed swallows the rest of the file.
        lines = (line.replace("\0", " ") for line in file)
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        names: list[str] = []
        number = 0
        while True:
            place = f"{path}, line {rows.line_num + 1}"
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield Skipped(place, f"the quotes of this row do not match ({error})")
                continue
            if not row:  # a blank line
                continue
            if not names:
                names = row
                _check_columns(path, columns, names)
                continue
            number += 1
            wrong = no_text_in("".join(row), encoding)
            if not wrong and len(row) != len(names):
                wrong = f"this row has {len(row)} fields, the first row {len(names)}"
            if wrong:
                yield Skipped(place, wrong)
            else:
                yield _pick(dict(zip(names, row, strict=True)), columns, place, str(number))


def read_json_lines(path: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """A JSON object with a document in each line; blank lines do not count."""
    with open_text(path, encoding, newline="\n") as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            place = f"{path}, line {number}"
            wrong = no_text_in(line, encoding)
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
            elif columns.text not in record:
                yield Skipped(place, f"no key {columns.text!r}; it has {_listed(record)}")
            else:
                yield _pick(record, columns, place, str(number))


def read_folder(folder: Path, columns: Columns, encoding: str) -> Iterator[Record]:
    """A document in each file, also of subfolders, in the order of their paths; no hidden ones."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    visible = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    for name in sorted(visible, key=lambda name: name.parts):
        path = folder / name
        try:
            with open_text(path, encoding) as file:
                text = file.read()
            wrong = no_text_in(text, encoding)
        except UnreadableError as error:
            wrong = str(error)
        if wrong:
            yield Skipped(str(path), wrong)
        else:
            label = name.parent.name if columns.label else None
            yield make_document(str(path), "", text, name.as_posix(), label)


@dataclass(frozen=True)
class Format:
    """How a kind of file is read, and whether its records have named parts."""

    read: Callable[[Path, Columns, str], Iterator[Record]]
    has_columns: bool = True


FORMATS = {
    ".txt": Format(read_lines, has_columns=False),
    ".csv": Format(read_table),
    ".tsv": Format(partial(read_table, delimiter="\t")),
    ".jsonl": Format(read_json_lines),
}
"""By the end of the file's name; each can also be packed and end in .gz."""


def _check_columns(path: Path, columns: Columns, names: list[str]) -> None:
    for argument in ("text", "label", "id"):
        name = getattr(columns, argument)
        if name is not None and name not in names:
            raise ReadError(
                f"{path} has no column {name!r}, it has {_listed(names)}; name one of these with "
                f"{argument}=."
            )


def _pick(record: dict[str, Any], columns: Columns, place: str, number: str) -> Record:
    id = record.get(columns.id) if columns.id else None
    label = record.get(columns.label) if columns.label else None
    return make_document(place, number, record[columns.text], id, label)


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names))


def shortened(value: Any) -> str:
    """How a message shows a value of any size."""
    shown = repr(str(value) if isinstance(value, Path) else value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
