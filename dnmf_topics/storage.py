"""Files of JSON, arrays and strings, without pickle: a header that says all, then the arrays.

A file begins with `PREFIX`: the signature, the length of the header and its checksum. The header
is JSON, and says of every array its type, its shape, its order in memory and its checksum; from
that it follows where each array lies and how long the file must be. All of it is checked before an
array is made. Everything is in one file, which is replaced as a whole: whoever loads gets the old
or the new, and arrays can be mapped into memory where they lie.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import __version__
from .common.checks import shortened
from .common.writing import new_file

JSON = Any
"""None, a bool, a finite number, a string, or a list or dict (keys are strings) of these."""

Strings = Mapping[str, Sequence[str]]

VERSION = 4  # raised when files change so that older code would read them wrongly
PREFIX = struct.Struct("<8sQI")
SIGNATURE = b"DNMF\r\n\x1a\n"  # which tells where a transfer as text has changed the bytes
ALIGNMENT = 64  # of the header's end and of every array, for whoever maps them
TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64",
)  # fmt: skip
LONGEST_HEADER = 2**24  # bytes; whatever JSON it is, it takes less than 500 MB when it is read
DEEPEST = 50  # lists and dicts inside each other
MOST_DIMENSIONS = 32
BEST_COMPRESSION = 1100  # times; gzip cannot do better than 1032
CHUNK = 2**20
OPENING = 256  # bytes of a foreign file that tell what it is
STRINGS_AT_A_TIME = 1000
GZIP = b"\x1f\x8b"
ARRAY = b"\x93NUMPY"  # of numpy's save
PICKLE = re.compile(rb"\x80[\x02-\x05]")  # its protocols since Python 2.3
# The class that a pickle begins with, as protocol 2 and those from 4 on write it.
GENSIM_CLASS = re.compile(rb"gensim\.[a-z0-9_.]+[^A-Za-z]{1,4}([A-Z]\w*)")


class FileFormatError(ValueError):
    """The file is damaged, incomplete, from somewhere else, or of another version."""


@dataclass(frozen=True, eq=False)
class Stored:
    """What a file holds.

    Attributes
    ----------
    meta : dict
        Values in the types of JSON.
    arrays : dict of str to array
        The arrays by their names.
    strings : dict of str to list of str
        The lists of strings by their names.
    """

    meta: dict[str, JSON]
    arrays: dict[str, NDArray[Any]]
    strings: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pieces:
    """An array that is saved piece by piece, so that it need not be in memory as a whole.

    Attributes
    ----------
    dtype : type
        Of its entries; pieces of another one are converted.
    shape : tuple of int
        Of the whole.
    read : callable
        Called twice, for the checksum and to be written; each time it gives the same arrays, which
        one after the other have the entries of the whole in C's order.
    """

    dtype: Any
    shape: tuple[int, ...]
    read: Callable[[], Iterable[NDArray[Any]]]


Arrays = Mapping[str, NDArray[Any] | Pieces]


def save(
    target: str | os.PathLike[str] | IO[bytes],
    kind: str,
    meta: Mapping[str, JSON],
    arrays: Arrays,
    strings: Strings | None = None,
) -> None:
    """Write a file, whole or not at all; equal values give equal bytes.

    Parameters
    ----------
    target : path or binary file
        Where to write; a path that ends in ``.gz`` is compressed.
    kind : str
        What is saved, usually the name of a class; `load` must be told the same.
    meta : dict
        Values in the types of JSON; numpy scalars become numbers and tuples lists. Up to 16 MiB.
    arrays : dict of str to array or Pieces
        Numbers or bools. The names are identifiers.
    strings : dict of str to sequence of str, optional
        Sequences of strings, which may be long; they are iterated over several times.

    Raises
    ------
    ValueError, TypeError
        If something cannot be saved; nothing is written then.
    """
    _check_target(target, "target", "write")
    packed = {name: _pack(texts, name) for name, texts in (strings or {}).items()}
    everything = {_checked_name(name): _checked(array, name) for name, array in arrays.items()}
    for name, (text, ends) in packed.items():
        _checked_name(name)
        everything |= {f"{name}.text": text, f"{name}.ends": _whole(ends)}
    described = {name: _describe(content) for name, content in everything.items()}
    header = {
        "version": VERSION, "package": __version__, "kind": kind, "meta": _plain(meta, "meta"),
        "arrays": described,
        "strings": list(packed),
    }  # fmt: skip
    _check_depth(header)
    encoded = json.dumps(header, allow_nan=False).encode("ascii")
    encoded += b" " * (-(PREFIX.size + len(encoded)) % ALIGNMENT)
    if len(encoded) > LONGEST_HEADER:
        raise ValueError(
            f"meta must have at most {LONGEST_HEADER} bytes as JSON, got {len(encoded)}."
        )
    checksums = {name: entry["checksum"] for name, entry in described.items()}
    if not isinstance(target, (str, os.PathLike)):
        _write(target, encoded, everything, checksums)
        return
    path = Path(target)
    _refuse_folder(path)
    with new_file(path) as file:
        compressed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.suffix == ".gz" else None
        with compressed or nullcontext(file) as out:
            _write(out, encoded, everything, checksums)


Shapes = Mapping[str, tuple[str, tuple[int, ...]]]
"""Types and shapes of arrays by their names."""


def load(
    source: str | os.PathLike[str] | IO[bytes],
    kind: str,
    *,
    mmap: str | None = None,
    check: Callable[[dict[str, JSON], Shapes], None] = lambda meta, shapes: None,
) -> Stored:
    """Read what `save` wrote; all of it is checked before any is returned, and none is executed.

    Parameters
    ----------
    source : path or binary file
        What `save` wrote to.
    kind : str
        What it must hold, as `save` was told.
    mmap : {"r", "c"}, optional
        Map the arrays of a file that is not compressed into memory, instead of reading them: "r"
        read-only, "c" with changes that stay in memory.
    check : callable, optional
        Called with the values, and with the types and shapes of the arrays, before an array is read
        or unpacked; it raises what it cannot use.

    Returns
    -------
    Stored
        The values, the arrays and the strings.

    Raises
    ------
    FileFormatError
        If it is not a whole file of this kind, or of another version than this one reads.
    """
    if mmap not in (None, "r", "c"):
        raise ValueError(f"mmap must be None, 'r' or 'c', got {shortened(mmap)}.")
    _check_target(source, "source", "read")
    if not isinstance(source, (str, os.PathLike)):
        with _decoding("The open file"):
            return _read(_Exactly(source), "The open file", kind, None, check)
    path = Path(source)
    _refuse_folder(path)
    with _open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        is_compressed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if is_compressed and mmap:
            raise OSError(
                f"{path}: a compressed file cannot be memory-mapped; load it without mmap."
            )
        with _decoding(path):
            if is_compressed:
                unpacked = _Exactly(gzip.GzipFile(fileobj=file))
                return _read(unpacked, path, kind, BEST_COMPRESSION * size, check, is_limit=True)
            return _read(_Exactly(file), path, kind, size, check, mmap=mmap)


def _check_target(target: Any, name: str, method: str) -> None:
    """Raise unless it is a path, or a binary file with this method."""
    if isinstance(target, (str, os.PathLike)):
        return
    if isinstance(target, io.TextIOBase) or not hasattr(target, method):
        raise TypeError(f"{name} must be a path or a binary file, got {shortened(target)}.")


# Writing


def _checked_name(name: Any) -> str:
    if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
        raise ValueError(
            f"The name of an array must be an ASCII identifier, got {shortened(name)}."
        )
    return name


@dataclass(frozen=True)
class _Content:
    """What is written of an array: the pieces of its bytes, and what the header says of it."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    pieces: Callable[[], Iterable[memoryview]]

    @property
    def size(self) -> int:
        """In bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def _checked(array: Any, name: str) -> _Content:
    if not isinstance(array, (np.ndarray, Pieces)):
        raise TypeError(f"{name} must be a numpy array, got {type(array).__name__}.")
    dtype = np.dtype(array.dtype)
    if dtype.name not in TYPES:
        raise TypeError(
            f"{name} must be of one of the types {', '.join(TYPES)}, got {dtype}; convert it first."
        )
    return _whole(array) if isinstance(array, np.ndarray) else _in_pieces(array, name)


def _whole(array: NDArray[Any]) -> _Content:
    """An array in one piece: in Fortran's order if it has that one, else in C's."""
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    content = _bytes_of(array.T if is_fortran else array)
    return _Content(array.dtype, array.shape, is_fortran, lambda: [content])


def _in_pieces(array: Pieces, name: str) -> _Content:
    dtype = np.dtype(array.dtype).newbyteorder("<")
    size = math.prod(array.shape) * dtype.itemsize

    def read() -> Iterator[memoryview]:
        done = 0
        for piece in array.read():
            content = _bytes_of(piece.astype(dtype, copy=False))
            done += len(content)
            yield content
        if done != size:
            raise ValueError(f"The pieces of {name} must have {size} bytes, got {done}.")

    return _Content(dtype, tuple(array.shape), False, read)


def _plain(value: Any, where: str) -> JSON:
    """The value in the types of JSON, with the place of what does not fit."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    # json would turn other keys into strings.
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(entry, f"{where}[{key!r}]") for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, f"{where}[{number}]") for number, entry in enumerate(value)]
    raise ValueError(
        f"{where} must be None, a bool, a finite number, a string, or a list or dict (keys are "
        f"strings) of these, got {shortened(value)}."
    )


def _pack(texts: Sequence[str], name: str) -> tuple[_Content, NDArray[np.int64]]:
    """Strings as UTF-8 in one array, and where each ends; halves of characters stay halves."""

    def encoded() -> Iterator[list[bytes]]:
        iterator = iter(texts)
        while batch := list(islice(iterator, STRINGS_AT_A_TIME)):
            for text in batch:
                if not isinstance(text, str):
                    raise TypeError(f"{name} must hold strings, got {shortened(text)}.")
            yield [text.encode("utf-8", "surrogatepass") for text in batch]

    def pieces() -> Iterator[NDArray[np.uint8]]:
        return (np.frombuffer(b"".join(batch), np.uint8) for batch in encoded())

    sizes = map(len, chain.from_iterable(encoded()))
    ends = np.cumsum(np.fromiter(sizes, np.int64), dtype=np.int64)
    size = int(ends[-1]) if ends.size else 0
    return _in_pieces(Pieces(np.uint8, (size,), pieces), name), ends


def _describe(content: _Content) -> JSON:
    return {
        "type": content.dtype.name, "shape": content.shape, "fortran": content.is_fortran,
        "checksum": _checksum(content.pieces()),
    }  # fmt: skip


def _checksum(pieces: Iterable[memoryview]) -> int:
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
    return checksum


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _write(
    target: Any, header: bytes, contents: Mapping[str, _Content], checksums: Mapping[str, int]
) -> None:
    target.write(PREFIX.pack(SIGNATURE, len(header), zlib.crc32(header)))
    target.write(header)
    for name, content in contents.items():
        checksum = 0
        for piece in content.pieces():
            for start in range(0, len(piece), CHUNK):
                target.write(piece[start : start + CHUNK])
            checksum = zlib.crc32(piece, checksum)
        if checksum != checksums[name]:
            raise ValueError(f"{name} must not change while it is saved; save it again.")
        target.write(bytes(-content.size % ALIGNMENT))


# Reading


def _refuse_folder(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise IsADirectoryError(f"{path} is a folder or a device; name a file.")


@contextmanager
def _open_file(path: Path) -> Iterator[io.BufferedReader]:
    """The file; a pipe or a device, put there since, is neither waited for nor read."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileFormatError(f"{path} is not a file; name one that was saved.")
        yield file


@contextmanager
def _decoding(name: object) -> Iterator[None]:
    """Foreign bytes fail in json, gzip and numpy in a dozen ways, which all mean one."""
    try:
        yield
    except (FileFormatError, MemoryError, PermissionError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileFormatError(
            f"{name} is not a whole file of dnmf_topics ({reason}); restore it from a copy or save "
            "it again."
        ) from error


def _must(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)


class _Exactly:
    """A file that gives as many bytes as it is asked for, and fails otherwise."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def read(self, size: int) -> bytearray:
        """The next bytes. Memory grows with what is there, not with what was claimed."""
        content = bytearray()
        while len(content) < size:
            chunk = self.file.read(min(CHUNK, size - len(content)))
            _must(len(chunk) > 0, "it ends early")
            content += chunk
        return content


@dataclass(frozen=True)
class _Description:
    """What the header says of an array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    checksum: int

    @classmethod
    def of_json(cls, entry: Any, name: str) -> _Description:
        match entry:
            case {"type": str(dtype), "shape": list(shape), "fortran": bool(is_fortran),
                  "checksum": int(checksum)} if dtype in TYPES and len(entry) == 4:  # fmt: skip
                _must(len(shape) <= MOST_DIMENSIONS, f"the array {name} has too many dimensions")
                sound = all(type(length) is int and 0 <= length < 2**60 for length in shape)
                _must(sound, f"the shape of the array {name} is malformed")
                return cls(np.dtype(dtype).newbyteorder("<"), tuple(shape), is_fortran, checksum)
        raise ValueError(f"its entry for the array {shortened(name)} is malformed")

    @property
    def size(self) -> int:
        """In bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def read(self, file: _Exactly) -> NDArray[Any]:
        """The array of the bytes that come next."""
        content = self._checked(file.read(self.size))
        return np.ndarray(self.shape, self.dtype, content, order=self._order)

    def map(self, file: Any, start: int, mode: Any) -> NDArray[Any]:
        """The array that lies in a file from the byte `start` on, where it lies."""
        self._checked(np.memmap(file, np.uint8, "r", start, (self.size,)))
        return np.memmap(file, self.dtype, mode, start, self.shape, self._order)

    @property
    def _order(self) -> Literal["C", "F"]:
        return "F" if self.is_fortran else "C"

    def _checked(self, content: Any) -> Any:
        _must(zlib.crc32(content) == self.checksum, "an array is not the one that was saved")
        values = np.frombuffer(content, np.uint8)
        _must(self.dtype != bool or not self.size or values.max() <= 1, "a bool is neither 0 nor 1")
        return content


def _read(
    file: _Exactly,
    name: object,
    kind: str,
    size: int | None,
    check: Callable[[dict[str, JSON], Shapes], None],
    *,
    is_limit: bool = False,
    mmap: str | None = None,
) -> Stored:
    """All of a file of `size` bytes, or of at most so many if this is a limit; None for any."""
    prefix = bytes(file.read(PREFIX.size))
    signature, length, checksum = PREFIX.unpack(prefix)
    if signature != SIGNATURE:
        raise FileFormatError(f"{name} {_whose(prefix + file.file.read(OPENING), kind)}")
    _must(length <= LONGEST_HEADER, f"its header claims {length} bytes")
    encoded = file.read(length)
    _must(zlib.crc32(encoded) == checksum, "its header is not the one that was saved")
    header, descriptions = _check_header(json.loads(encoded, parse_constant=_no_number), name)
    if header["kind"] != kind:
        raise FileFormatError(
            f"{name} holds {shortened(header['kind'])}, not {kind!r}; load it with the class it "
            "names."
        )
    start = PREFIX.size + length
    claimed = start + sum(d.size + -d.size % ALIGNMENT for d in descriptions.values())
    if size is not None:
        _must(claimed <= size, f"it is shorter than the {claimed} bytes it claims")
        _must(is_limit or claimed == size, f"it is longer than the {claimed} bytes it claims")
    packed = {f"{each}.{part}" for each in header["strings"] for part in ("text", "ends")}
    shapes = {
        each: (d.dtype.name, d.shape) for each, d in descriptions.items() if each not in packed
    }
    check(header["meta"], shapes)
    arrays = {}
    for array, description in descriptions.items():
        if mmap and description.size:
            arrays[array] = description.map(file.file, start, mmap)
            file.file.seek(start + description.size)
        else:
            arrays[array] = description.read(file)
        padding = -description.size % ALIGNMENT
        _must(not any(file.read(padding)), "there is something between two arrays")
        start += description.size + padding
    _must(not file.file.read(1), "there is more than it should hold")
    strings = {
        each: _unpack(arrays.pop(f"{each}.text"), arrays.pop(f"{each}.ends"), each)
        for each in header["strings"]
    }
    return Stored(header["meta"], arrays, strings)


def _whose(start: bytes, kind: str) -> str:
    """What a file is that begins with these bytes and not with ours; nothing is unpickled."""
    if start.startswith(ARRAY):
        return (
            "is an array of numpy (.npy), such as gensim puts beside a large model; name a file "
            "that dnmf_topics saved."
        )
    if PICKLE.match(start) is None:
        return (
            "is not a whole file of dnmf_topics (another program wrote it); restore it from a copy "
            "or save it again."
        )
    if found := GENSIM_CLASS.search(start):
        theirs = found[1].decode("ascii")
        return (
            f"is a pickle of gensim's {theirs}, not a file of dnmf_topics; load it with "
            f"{theirs}.load, or make a {kind} of the same documents and save that."
        )
    return (
        "is a pickle, which dnmf_topics does not read as it could run code; load it with the "
        "program that wrote it."
    )


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _check_depth(value: JSON, deepest: int = DEEPEST) -> None:
    _must(deepest >= 0, f"meta must be nested at most {DEEPEST} deep")
    for entry in value.values() if isinstance(value, dict) else value:
        if isinstance(entry, (dict, list)):
            _check_depth(entry, deepest - 1)


def _check_header(header: Any, name: object) -> tuple[dict[str, JSON], dict[str, _Description]]:
    _must(isinstance(header, dict), "its header is none")
    _check_depth(header)
    match header:
        case {"version": int(version)} if version != VERSION:
            what = "upgrade dnmf_topics" if version > VERSION else "save it again with this version"
            raise FileFormatError(
                f"{name} was written in format {version}, this version reads {VERSION}: {what}."
            )
        case {"version": int(), "kind": str(), "meta": dict(), "arrays": dict(entries),
              "strings": list(strings)}:  # fmt: skip
            descriptions = {each: _Description.of_json(d, each) for each, d in entries.items()}
        case _:
            raise ValueError("its header lacks an entry")
    packed = set()
    for each in strings:
        _must(isinstance(each, str) and each not in packed, "its list of strings is malformed")
        packed.add(each)
        for part, dtype in [("text", "uint8"), ("ends", "int64")]:
            found = descriptions.get(f"{each}.{part}")
            fits = found is not None and found.dtype == dtype and len(found.shape) == 1
            _must(fits, f"its strings {shortened(each)} are malformed")
    return header, descriptions


def _unpack(text: NDArray[np.uint8], ends: NDArray[np.int64], name: str) -> list[str]:
    _must(text.size == (ends[-1] if ends.size else 0), f"the strings {name} do not fit together")
    starts = np.concatenate([[0], ends[:-1]])[: ends.size]
    _must(bool((starts <= ends).all()), f"the strings {name} do not fit together")
    content = text.tobytes()
    return [
        content[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
