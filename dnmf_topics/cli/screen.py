"""What a user sees: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import logging
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

from ..common.progress import ProgressCallback, drawing_bars, telling_stages

PACKAGE = "dnmf_topics"
ELLIPSIS = "…"


class Screen:
    """Bars on a terminal, plain lines elsewhere, neither if `quiet`; JSON or text as results."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self.as_json = as_json
        self.shows_bars = sys.stderr.isatty() and not quiet
        self._shows_lines = not quiet and not self.shows_bars
        self._quiet = quiet

    @contextmanager
    def logging(self) -> Iterator[None]:
        """The package's log on standard error: all of it where there are no bars."""
        logger = logging.getLogger(PACKAGE)
        level = logger.level
        handler = _AboveBars() if self.shows_bars else logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO if self._shows_lines else logging.WARNING)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)

    @contextmanager
    def only_warnings(self) -> Iterator[None]:
        """No more of the log than that, as long as it lasts."""
        logger = logging.getLogger(PACKAGE)
        level = logger.level
        logger.setLevel(logging.WARNING)
        try:
            yield
        finally:
            logger.setLevel(level)

    @contextmanager
    def progress(self) -> Iterator[ProgressCallback]:
        """A callback that draws a bar for each stage, or says how long it took."""
        with drawing_bars() if self.shows_bars else telling_stages(self.say_if_plain) as report:
            yield report

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Work that does not tell how far it is: said when it begins, and how long it took."""
        (self.say_if_plain if self._shows_lines else self.say)(f"{name} ...")
        began = time.monotonic()
        yield
        self.say_if_plain(f"{name}: done in {time.monotonic() - began:.1f} s")

    def say(self, message: str) -> None:
        """A remark, on standard error."""
        if not self._quiet:
            print(message, file=sys.stderr)

    def say_if_plain(self, message: str) -> None:
        """A remark that a bar makes unnecessary."""
        if self._shows_lines:
            logging.getLogger(PACKAGE).info(message)

    def show(self, text: str, value: Any) -> None:
        """A result: the text for people, or the value as JSON."""
        print(json.dumps(value, ensure_ascii=False) if self.as_json else text, flush=True)


class _AboveBars(logging.Handler):
    """Warnings that do not tear a progress bar apart."""

    def emit(self, record: logging.LogRecord) -> None:
        tqdm.write(self.format(record), file=sys.stderr)


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], width: int | None = None) -> str:
    """Columns under their names, numbers to the right; lines end at `width`."""
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [all(_is_number(row[i]) for row in cells) for i in range(len(header))]
    sizes = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    lines = []
    for row in [list(header), *cells]:
        padded = (
            cell.rjust(size) if right else cell.ljust(size)
            for cell, size, right in zip(row, sizes, numeric, strict=True)
        )
        line = "  ".join(padded).rstrip()
        lines.append(line if width is None or len(line) <= width else line[: width - 1] + ELLIPSIS)
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    # A line is a row: whatever breaks or controls lines becomes a space.
    return "".join(character if character.isprintable() else " " for character in str(value))


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.lstrip("-").rstrip("%").replace(".", "", 1).isdecimal()


def topic_table(topics: Iterable[Mapping[str, Any]]) -> str:
    """Topics as `run_folder.topics_of` gives them, a line for each."""
    rows = [
        [t["topic"], t["size"], f"{t['share']:.1%}", t["name"], " ".join(t["words"])]
        for t in topics
    ]
    return table(["topic", "documents", "share", "name", "words"], rows, width())


def width() -> int | None:
    """Of the terminal; a file or a pipe has all the room."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
