"""Text files, packed or not: their lines, and what in them is no text."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from ..common.checks import shortened


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
            yield io.TextIOWrapper(binary, encoding, "surrogateescape", newline)
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


def decoding_error(text: str, encoding: str) -> str | None:
    """What is wrong with text from `open_text`, if anything is."""
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


def writable(text: str) -> str:
    """The text without what others cannot take: a NUL is a space, half a character is U+FFFD.

    JSON and the names of files can have halves (surrogates), which no encoding can write.
    """
    text = text.replace("\0", " ")
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
