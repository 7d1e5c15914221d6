"""Documents from files, folders and Python: the door of the text front end."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..common.checks import shortened
from .decoding import UnreadableError, check_encoding
from .formats import (
    FORMATS,
    TEXTS,
    Columns,
    Format,
    check_columns,
    folder_parts,
    format_of,
    make_document,
    pick,
    read_file,
    read_lines,
)
from .raw_texts import Document, Documents, ReadError, Record, Skipped

Source: TypeAlias = str | os.PathLike[str] | BinaryIO | Iterable[Any]
"""What documents are read from; `read_documents` says how."""


def read_documents(
    source: Source,
    *,
    text: str = "text",
    label: str | None = None,
    id: str | None = None,
    columns: Iterable[str] = (),
    all_columns: bool = False,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> Documents:
    """Documents from a file, a folder, or anything in Python that holds texts.

    Nothing is read before the first iteration, and files are read record by record.

    Parameters
    ----------
    source : path, binary stream, iterable of str or Document, or Series or DataFrame
        - A folder: a document in each file, at any depth, hidden files left out. Ids are the
          paths within the folder. Where all files are tables (``.csv``, ``.tsv``, ``.jsonl``,
          ``.parquet``), the documents of all of them; ids are the file's path, a colon and the
          number in the file, unless `id` names a column.
        - ``.txt``: a document in each line; a blank line is an empty document. Ids are the numbers
          of the lines, from 1 on.
        - ``.csv``, ``.tsv``: a document in each row below the names of the columns. Ids are the
          numbers of these rows unless `id` names a column. Where the names in a ``.csv`` file are
          separated by semicolons, so are the rows.
        - ``.jsonl``: a document in each line. Ids are the numbers of the lines unless `id` names
          a key.
        - ``.parquet``: a document in each row; needs pyarrow. Ids are as in ``.csv``.
        - All but the last can be packed and end in ``.gz``.
        - A binary stream, such as ``sys.stdin.buffer``: a document in each line, as in ``.txt``.
        - An iterable: ids are the positions, from 1 on.
        - A Series or DataFrame of pandas: ids are its index unless `id` names a column. Of polars,
          which has none, they are the numbers of the rows, from 1 on.
    text : str, default="text"
        The column or key with the text.
    label : str, optional
        The column or key with the class of the document. For a folder only ``"folder"``, which
        takes the name of the subfolder that the file lies in.
    id : str, optional
        The column or key with the name of the document; by default "id", where there is one, and
        else documents are numbered. Names may occur twice.
    columns : iterable of str, default=()
        Further columns or keys to keep, such as the date or the address of the document; they
        become `Document.columns`. Numbers become strings, and what is missing or empty None.
    all_columns : bool, default=False
        Whether to keep all others too, whatever they are; several values become JSON.
    encoding : str, default="utf-8"
        Of files; a byte order mark is no part of the text.
    errors : {"strict", "skip"}, default="strict"
        Whether a record that cannot be read raises `ReadError`, which names the file and the line,
        or is left out and remembered in `Documents.skipped`. One of 2**28 characters or more cannot
        be read: a small ``.gz`` file may hold a line of any length.

    Returns
    -------
    Documents
        An iterable of `Document`; it can be iterated over again unless the source is an iterator.

    Raises
    ------
    ReadError
        If there is no such file, or it has no such column. What stands in the records is said when
        they are read.

    Examples
    --------
    >>> for document in read_documents(["Rivers flood the valley.", "A dry valley."]):
    ...     print(document.id, document.text)
    1 Rivers flood the valley.
    2 A dry valley.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"text": ["Rivers flood the valley."], "year": [1987]})
    >>> [document.columns for document in read_documents(table, columns=["year"])]
    [{'year': '1987'}]
    """
    if errors not in ("strict", "skip"):
        raise ValueError(f"errors must be 'strict' or 'skip', got {shortened(errors)}.")
    strict = errors == "strict"
    encoding = check_encoding(encoding)
    named = Columns(text, label, id, _names(columns), bool(all_columns))
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source) or "''")  # else the empty name is the working folder
        form = _format_of(path, named)
        read = partial(read_file, path, form, named, encoding)
        parts = partial(folder_parts, path, form, named, encoding) if path.is_dir() else None
        return Documents(read, str(path), strict=strict, parts=parts)
    if hasattr(source, "collect_schema") and not isinstance(source, Sized):
        raise ReadError("source is a lazy frame of polars; give its collect().")
    if not hasattr(source, "columns") and not named.only_text:
        raise ReadError(
            "label, id and columns are columns of a file; put them into each Document instead."
        )
    if isinstance(source, (io.RawIOBase, io.BufferedIOBase)):
        read = partial(_read_stream, source, named, encoding)
        return Documents(read, "The stream", strict=strict, once=True)
    if isinstance(source, (bytes, Mapping)) or not isinstance(source, Iterable):
        raise ReadError(
            f"source must be a path, an iterable of texts or a table, got {type(source).__name__}."
        )
    if hasattr(source, "columns"):
        named = named.among(source.columns)
        check_columns("The table", named, list(source.columns))
        read = partial(_read_frame, source, named)
        return Documents(read, "The table", strict=strict, total=len(source))  # type: ignore[arg-type]
    return Documents(
        partial(_read_items, source),
        "The documents",
        strict=strict,
        total=len(source) if isinstance(source, Sized) else None,
        once=isinstance(source, Iterator),
    )


def _names(columns: Any) -> tuple[str, ...]:
    """The names of columns, each once."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"columns must be a list of names, got {shortened(columns)}.")
    names = list(columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns must be names, got {shortened(name)}.")
    return tuple(dict.fromkeys(names))


def _format_of(path: Path, columns: Columns) -> Format:
    if not os.path.exists(path):
        raise ReadError(f"There is no file or folder {shortened(path)}.")
    if not (path.is_dir() or path.is_file() or path.is_fifo()):
        raise ReadError(f"{path} is a device, which may never end; name a file or a folder.")
    known = format_of(path)
    if known is None:
        endings = [name for name, form in FORMATS.items() if form.is_text]
        others = [name for name in FORMATS if name not in endings]
        raise ReadError(
            f"{path}: the name must end in {', '.join(endings)} (or .gz after it) or "
            f"{', '.join(others)}, or be the name of a folder."
        )
    if known is TEXTS:
        if columns.label not in (None, "folder") or not replace(columns, label=None).only_text:
            raise ReadError(
                f"{path} is a folder of texts, where label can only be 'folder', and there are "
                "neither ids nor further columns to name."
            )
    elif not (known.has_columns or columns.only_text):
        raise ReadError(
            f"{path}: label, id and further columns name columns, and such a file has none; use "
            ".csv."
        )
    return known


def _read_stream(stream: Any, columns: Columns, encoding: str) -> Iterator[Record]:
    try:
        yield from read_lines(stream, columns, encoding)
    except UnreadableError as error:
        yield Skipped("The stream", str(error))


def _read_frame(frame: Any, columns: Columns) -> Iterator[Record]:
    """The rows of a DataFrame, known by its looks, so that neither library need be there."""
    names = [name for _, name in columns.roles]
    rows = zip(*(frame[name] for name in names), strict=True)
    # Only pandas has an index.
    indices = frame.index if hasattr(frame, "index") else range(1, len(frame) + 1)
    for index, values in zip(indices, rows, strict=True):
        record = dict(zip(names, values, strict=True))
        yield pick(record, columns, f"The table, row {index}", str(index))


def _read_items(source: Iterable[Any]) -> Iterator[Record]:
    # A pandas Series is known by its looks, so that pandas need not be there.
    is_series = hasattr(source, "iloc") and hasattr(source, "items")
    pairs = source.items() if is_series else enumerate(source, 1)  # type: ignore[attr-defined]
    for name, item in pairs:
        place = f"The documents, {'row' if is_series else 'item'} {name}"
        if isinstance(item, Document):
            yield make_document(place, str(name), item.text, item.id, item.label, item.columns)
        else:
            yield make_document(place, str(name), item)
