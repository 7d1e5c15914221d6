"""Text files, packed or not: their lines, and what in them is no text."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from ..common.checks import shortened

LONGEST_RECORD = 2**28  # in characters; a small packed file can hold a line of any length
PIECE = 2**16  # characters of a long text that are read at a time
LOOKED_AT = 4096  # bytes at the beginning of a file
BYTE_ORDER_MARKS = {  # the longer ones first, of which others are the beginning
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
# Which of four bytes are NUL in text that is mostly ASCII
NUL_BYTES = {"0101": "utf-16-le", "1010": "utf-16-be", "0111": "utf-32-le", "1110": "utf-32-be"}


class UnreadableError(Exception):
    """The file, or the rest of it, cannot be read; the message says why."""


def check_encoding(encoding: str) -> str:
    """The name of a codec; the one of UTF-8 passes over a byte order mark."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # some are no encodings of text, such as 'hex'
    except (LookupError, TypeError):
        raise ValueError(
            "encoding must be one that Python knows, such as 'utf-8' or 'latin-1', "
            f"got {shortened(encoding)}."
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


@contextmanager
def open_text(
    file: Path | BinaryIO, encoding: str, newline: str | None = None
) -> Iterator[io.TextIOWrapper]:
    """The file, unpacked if its name ends in .gz. Bytes that are no text come as surrogates."""
    try:
        with _binary(file) as binary:
            buffered = binary if hasattr(binary, "peek") else io.BufferedReader(binary)
            wide = _wide_encoding(buffered.peek(LOOKED_AT)[:LOOKED_AT])
            if wide and not encoding.startswith(("utf-16", "utf-32")):
                name = encoding.removesuffix("-sig")
                raise UnreadableError(f"its text is {wide}, not {name}; name the encoding {wide!r}")
            yield io.TextIOWrapper(buffered, encoding, "surrogateescape", newline)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(f"the gzip file is cut off or damaged ({error})") from error
    except UnicodeError as error:  # where an encoding has no single bytes to escape
        raise UnreadableError(f"its text is not {encoding} ({error})") from error
    except OSError as error:
        raise UnreadableError(f"it cannot be opened ({error.strerror or error})") from error


def _binary(file: Path | BinaryIO) -> Any:
    if not isinstance(file, Path):
        return nullcontext(file)
    return gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb")


def _wide_encoding(start: bytes) -> str | None:
    """The encoding with two or four bytes for each character that a file begins with."""
    for mark, name in BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return name
    if b"\0" not in start or len(start) < 16:
        return None
    quarters = [start[i::4] for i in range(4)]
    return NUL_BYTES.get("".join(str(int(q.count(0) > len(q) / 4)) for q in quarters))


def lines_of(file: io.TextIOWrapper) -> Iterator[str]:
    """The lines; of one that is too long only the beginning, and `skip_rest` passes over the rest.

    `decoding_error` refuses such a beginning.
    """
    return iter(partial(file.readline, LONGEST_RECORD), "")


def skip_rest(file: io.TextIOWrapper, line: str, ends: str | tuple[str, ...] = "\n") -> None:
    """Pass over what follows in a line of which so much was read."""
    while line and not line.endswith(ends):
        line = file.readline(PIECE)


def read_text(file: io.TextIOWrapper) -> str:
    """The whole file; of one that is too long only the beginning."""
    binary = file.buffer
    is_packed = not isinstance(binary, io.BufferedReader)
    if not is_packed and os.fstat(binary.fileno()).st_size < LONGEST_RECORD:
        return file.read()  # in one go, as a character has at least a byte
    parts = []
    left = LONGEST_RECORD
    while part := file.read(min(PIECE, left)):
        parts.append(part)
        left -= len(part)
    return "".join(parts)


def decoding_error(text: str, encoding: str) -> str | None:
    """What is wrong with a record from `open_text`, if anything is."""
    if len(text) >= LONGEST_RECORD:
        return too_long()
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        byte = ord(text[error.start]) - 0xDC00
        what = f"the byte 0x{byte:02x}" if 0x80 <= byte <= 0xFF else "its text"
        name = encoding.removesuffix("-sig")
        return f"{what} is not {name}; name the encoding, such as 'latin-1'"
    return None


def too_long() -> str:
    """What is wrong with a record of which only the beginning was read."""
    return f"it has {LONGEST_RECORD:,} characters or more, too many for one document"


def writable(text: str) -> str:
    """The text without what others cannot take: a NUL is a space, half a character is U+FFFD.

    JSON and the names of files can have halves (surrogates), which no encoding can write.
    """
    text = text.replace("\0", " ")
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
