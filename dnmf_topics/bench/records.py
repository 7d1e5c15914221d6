"""What is known of the cells that ran: a file with one JSON line for each.

A line is written at once and forced to the disk, so that a killed run leaves at most its last
line in halves; the next one drops that half and runs the cell again.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from ..common.writing import lock, sync_folder
from .cells import FIELDS, key_of

logger = logging.getLogger(__name__)

Record = dict[str, Any]

FILE = "cells.jsonl"
STUDY = "study.json"  # beside it: what the records belong to
OK, FAILED, TIMEOUT = "ok", "failed", "timeout"
# What a line says besides the cell; None where a fit did not come to it. Lines of studies that
# ask for it have "completion" too.
FOUND = (
    "status", "error", "documents", "terms", "seconds", "peak_mb", "acc", "nmi", "purity",
    "coherence", "sim_count", "npmi", "diversity", "threads", "versions",
)  # fmt: skip


class RecordFile:
    """The file of a folder, open for one run at a time.

    `records` holds the last line of every cell that it knows, by the cell's key.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"{self.path} is no file; name another folder.")
        self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            # Two runs must not write to one file; the lock ends with the process.
            if not lock(self._file):
                raise ValueError(
                    f"{folder} is being written to by another run; wait for it, or name another "
                    "folder."
                )
            drop_half_line(self.path)
            sync_folder(folder)
            self.records = {key_of(record): record for record in read_records(folder)}
        except BaseException:
            os.close(self._file)
            raise

    def append(self, record: Record) -> None:
        """Write a line and see it on the disk."""
        line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
        rest = line.encode("utf-8")
        while rest:
            rest = rest[os.write(self._file, rest) :]
        os.fsync(self._file)
        self.records[key_of(record)] = record

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        os.close(self._file)


def read_records(folder: Path) -> list[Record]:
    """All whole lines, in the order in which the cells ended."""
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"{folder} has no {FILE}; name the folder that a benchmark wrote to.")
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    return [_parse(line, f"{path}, line {n}") for n, line in enumerate(whole.splitlines(), 1)]


def drop_half_line(path: Path) -> None:
    """Cut off what follows the last line end."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        logger.warning("%s: dropped half a line that a killed run left behind", path)
        os.truncate(path, whole)


def _parse(line: bytes, place: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError:
        raise ValueError(f"{place}, is no JSON; repair or remove the line.") from None
    if not isinstance(record, dict) or not set(FIELDS) <= set(record) or "status" not in record:
        raise ValueError(f"{place}, is no record of a cell; remove the line.")
    return record
