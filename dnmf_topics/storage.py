"""Model files without pickle: a zip of one meta.json and one .npy file for each array.

Large arrays lie in files of their own beside the main one, so that they can be memory-mapped.
Their names end in their checksums: saving again writes other files, and the main file, which
names them, is replaced last. So at each moment the path holds a whole model, old or new.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from . import __version__
from .common.checks import shortened
from .common.writing import check_place, new_file

JSON = Any
"""None, a bool, a finite number, a string, or a list or dict (keys are strings) of these."""

Arrays = Mapping[str, NDArray[Any]]

FORMAT = "dnmf_topics"
VERSION = 2  # raised when files change so that older code would read them wrongly
META = "meta.json"
PLAIN_KINDS = "biufcmMSU"  # of dtypes whose bytes are the values: no objects, no records
CHUNK = 2**20
NPY: Any = np.lib.format  # before numpy 2.3 its functions have no types, or not all arguments


class FileFormatError(ValueError):
    """The file is damaged, incomplete, from somewhere else, or newer than this version reads."""


@dataclass(frozen=True, eq=False)
class Stored:
    """What a file holds.

    Attributes
    ----------
    meta : dict
        Values in the types of JSON.
    arrays : dict of str to array
        The arrays by their names.
    """

    meta: dict[str, JSON]
    arrays: dict[str, NDArray[Any]]


def save(
    target: str | os.PathLike[str] | IO[bytes],
    kind: str,
    meta: Mapping[str, JSON],
    arrays: Arrays,
    *,
    separately: Iterable[str] | None = None,
    sep_limit: int = 10 * 1024**2,
) -> None:
    """Write a model, whole or not at all; equal models give equal bytes.

    Parameters
    ----------
    target : path or binary file
        Where to write; a path that ends in ``.gz`` is compressed.
    kind : str
        What is saved, usually the name of a class; `load` must be told the same.
    meta : dict
        Values in the types of JSON; numpy scalars become numbers and tuples lists.
    arrays : dict of str to array
        The names are identifiers.
    separately : iterable of str, optional
        Names of arrays to write into files beside the main one; by default those of at least
        `sep_limit` bytes. All are inside if `target` is compressed or an open file.
    sep_limit : int, default=10 MiB
        In bytes.

    Raises
    ------
    ValueError, TypeError
        If something cannot be saved without pickle; nothing is written then.
    """
    for name, array in arrays.items():
        _check_array(name, array)
    if separately is None:
        separately = [name for name, array in arrays.items() if array.nbytes >= sep_limit]
    outside = set(separately)
    if not outside <= set(arrays):
        raise ValueError(f"separately must name arrays of {list(arrays)}, got {sorted(outside)}.")
    header = {"format": FORMAT, "version": VERSION, "package": __version__, "kind": kind}
    header["meta"] = _plain(meta, "meta")
    if isinstance(target, (str, os.PathLike)):
        _save_file(Path(target), header, arrays, outside)
    else:
        _write_container(target, header, arrays, {})


def load(
    source: str | os.PathLike[str] | IO[bytes], kind: str, *, mmap: str | None = None
) -> Stored:
    """Read what `save` wrote; all of it is checked before any is returned, and none is executed.

    Parameters
    ----------
    source : path or binary file
        What `save` wrote to.
    kind : str
        What it must hold, as `save` was told.
    mmap : {"r", "c"}, optional
        Memory-map the arrays that lie beside the file: "r" read-only, "c" with changes that stay
        in memory.

    Returns
    -------
    Stored
        The values and the arrays.

    Raises
    ------
    FileFormatError
        If it is not a whole file of this kind, or newer than this version reads.
    """
    if mmap not in (None, "r", "c"):
        raise ValueError(f"mmap must be None, 'r' or 'c', got {shortened(mmap)}.")
    if not isinstance(source, (str, os.PathLike)):
        return _read(io.BytesIO(source.read()), None, kind, mmap)
    path = Path(source)
    _refuse_folder(path)
    with path.open("rb") as file:
        return _read(file, path, kind, mmap)


# Writing


def _check_array(name: str, array: Any) -> None:
    if not _is_name(name):
        raise ValueError(
            f"The name of an array must be an ASCII identifier, got {shortened(name)}."
        )
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a numpy array, got {type(array).__name__}.")
    if array.dtype.kind not in PLAIN_KINDS:
        raise TypeError(
            f"{name} must hold numbers, dates or strings of fixed length, got dtype {array.dtype}; "
            "convert it first."
        )


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier()


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


def _save_file(path: Path, header: dict[str, JSON], arrays: Arrays, outside: set[str]) -> None:
    _refuse_folder(path)
    check_place(path)
    compressed = path.suffix == ".gz"
    checksums = {} if compressed else {name: _checksum_of(arrays[name]) for name in outside}
    places = {name: _beside(path, name, checksum) for name, checksum in checksums.items()}
    others = _places_of(path) | {place for place in places.values() if not place.exists()}
    kept: set[Path] = set()
    try:
        for name, place in places.items():
            with new_file(place) as file:
                _write_array(file, arrays[name])
        with new_file(path) as file:
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if compressed else nullcontext(file)
            with packed as target:
                _write_container(target, header, arrays, checksums)
        kept = set(places.values())
    finally:
        # Old or new, the main file that is there now says which parts it needs.
        if others - kept:
            _remove(others - kept - _places_of(path))


def _write_array(file: Any, array: NDArray[Any]) -> None:
    NPY.write_array(file, array, version=(1, 0), allow_pickle=False)


class _Digest(io.RawIOBase):
    """A file that keeps nothing but the checksum of what is written to it."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        self._digest.update(data)
        return len(data)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def _checksum_of(array: NDArray[Any]) -> str:
    digest = _Digest()
    _write_array(digest, array)
    return digest.hexdigest()


def _write_container(
    target: Any, header: dict[str, JSON], arrays: Arrays, checksums: dict[str, str]
) -> None:
    header = header | {"arrays": {name: checksums.get(name) for name in arrays}}
    with zipfile.ZipFile(_OneWay(target), "w") as container:
        container.writestr(_member(META), json.dumps(header, allow_nan=False))
        for name, array in arrays.items():
            if name not in checksums:
                with container.open(_member(f"{name}.npy", array.nbytes), "w") as member:
                    _write_array(member, array)


class _OneWay(io.RawIOBase):
    """A file zipfile cannot seek in, nor close: so all kinds of files receive the same bytes."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def write(self, data: Any) -> int:
        self._target.write(data)
        return len(data)


def _member(name: str, size: int = 0) -> zipfile.ZipInfo:
    """An entry with the same date and system wherever it is written; never compressed."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.file_size = size  # tells zipfile in time which members need 64-bit sizes
    return info


# The folder


def _refuse_folder(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise IsADirectoryError(f"{path} is a folder or a device; name a file.")


def _beside(path: Path, name: str, checksum: str) -> Path:
    """Where an array lies; both its name and its checksum are validated before."""
    return path.with_name(f"{path.name}.{name}.{checksum[:12]}.npy")


def _places_of(path: Path) -> set[Path]:
    """The files beside a main file that belong to it; none where it is missing or foreign."""
    try:
        with path.open("rb") as file, _decoding(path):
            checksums = _open(file, path)[1]["arrays"]
    except (FileFormatError, FileNotFoundError):
        return set()
    return {_beside(path, name, checksum) for name, checksum in checksums.items() if checksum}


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # missing, or held open by another program
            path.unlink()


def _checksum(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


# Reading


@contextmanager
def _decoding(name: object) -> Iterator[None]:
    """Foreign bytes fail in zipfile, json, gzip and numpy in a dozen ways, which all mean one."""
    try:
        yield
    except (FileFormatError, MemoryError, PermissionError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FileFormatError(
            f"{name} is not a whole model file of dnmf_topics ({reason}); restore it from a copy "
            "or save the model again."
        ) from error


def _must(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)


def _read(file: io.BufferedIOBase, path: Path | None, kind: str, mmap: str | None) -> Stored:
    name = path or "The open file"
    compressed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if compressed and mmap:
        raise OSError(f"{name}: a compressed file cannot be memory-mapped; load it without mmap.")
    with _decoding(name):
        if compressed:
            file = io.BytesIO(gzip.GzipFile(fileobj=file).read())
        container, header = _open(file, name)
        if header["kind"] != kind:
            raise FileFormatError(
                f"{name} holds {header['kind']!r}, not {kind!r}; load it with the class it names."
            )
        arrays = {}
        for array, checksum in header["arrays"].items():
            if checksum:
                arrays[array] = _read_part(path, array, checksum, mmap)
            else:
                member = container.getinfo(f"{array}.npy")
                with container.open(member) as stream:
                    arrays[array] = _read_array(stream, member.file_size)
        return Stored(header["meta"], arrays)


def _open(file: io.BufferedIOBase, name: object) -> tuple[zipfile.ZipFile, dict[str, JSON]]:
    """The container, whose members then fit into the file, and its validated meta.json."""
    container = zipfile.ZipFile(file)
    members = container.infolist()
    for member in members:
        stored = member.compress_type == zipfile.ZIP_STORED
        _must(stored and member.compress_size == member.file_size, "a member is compressed")
    size = sum(member.file_size for member in members)
    _must(size <= file.seek(0, os.SEEK_END), f"it is shorter than the {size} bytes it claims")
    header = json.loads(container.read(META))
    # An array can hold the bytes of a whole model, which must not be taken for the file around it.
    _must(container.getinfo(META).header_offset == 0, "it starts with something else")
    _must(isinstance(header, dict) and header.get("format") == FORMAT, "another program wrote it")
    match header:
        case {"version": int(version)} if version > VERSION:
            raise FileFormatError(
                f"{name} was written by format {version}, this version reads up to {VERSION}: "
                "upgrade dnmf_topics."
            )
        case {"version": int(), "kind": str(), "meta": dict(), "arrays": dict(checksums)}:
            for array, checksum in checksums.items():
                known = checksum is None or re.fullmatch("[0-9a-f]{64}", checksum) is not None
                _must(known and _is_name(array), f"its entry for the array {array!r} is malformed")
        case _:
            raise ValueError(f"its {META} lacks an entry")
    inside = [f"{array}.npy" for array, checksum in checksums.items() if checksum is None]
    _must(sorted(container.namelist()) == sorted([META, *inside]), f"{META} lists other members")
    return container, header


def _read_part(path: Path | None, name: str, checksum: str, mmap: str | None) -> NDArray[Any]:
    if path is None:
        raise FileFormatError(f"The array {name} lies in a file beside the open one; give a path.")
    place = _beside(path, name, checksum)
    try:
        file = place.open("rb")
    except FileNotFoundError:
        raise FileFormatError(
            f"{path} needs the file {place.name} beside it, which is missing; copy it there."
        ) from None
    with file, _decoding(place):
        _must(_checksum(file) == checksum, "its checksum is not the one that was saved")
        size = file.tell()
        file.seek(0)
        return _read_array(file, size, mmap)


def _read_array(stream: Any, size: int, mmap: Any = None) -> NDArray[Any]:
    """The array in a .npy file of `size` bytes; the file must hold what it makes us allocate."""
    version = NPY.read_magic(stream)
    _must(version == (1, 0), f"an array has the format {version}")
    # A longer text could exhaust the stack of the parser; true ones have about 100 characters.
    shape, is_fortran, dtype = NPY.read_array_header_1_0(stream, max_header_size=2000)
    _must(dtype.kind in PLAIN_KINDS, f"an array has dtype {dtype}")
    start, num_bytes = stream.tell(), math.prod(shape) * dtype.itemsize
    _must(start + num_bytes == size, f"an array of {num_bytes} bytes cannot lie in {size}")
    if mmap:
        return np.memmap(stream, dtype, mmap, start, shape, "F" if is_fortran else "C")
    values = np.empty(num_bytes, np.uint8)
    _must(stream.readinto(values) == num_bytes, "an array ends early")
    return np.ndarray(shape, dtype, values, order="F" if is_fortran else "C")
