"""Documents in blocks of rows: in memory, in a folder of files, or made of others when asked for.

Whatever looks at all documents does so block by block, through an engine (`engines`). A block has
a fixed number of documents, since the order of sums depends on it; how many documents a file holds
is another matter, and changes nothing.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from .checks import check_compressed
from .writing import naming

# Documents in a block: up to so many are summed up one after the other.
BLOCK_SIZE = 32_768
COUNT_TYPES = (np.uint8, np.uint16, np.uint32)  # as which whole numbers are stored


class Blocks:
    """The rows of a sparse matrix (N x V), in blocks of `block_size` documents."""

    shape: tuple[int, int]

    def __init__(self) -> None:
        self.block_size = BLOCK_SIZE

    def __len__(self) -> int:
        return -(-self.shape[0] // self.block_size)

    def limits(self, number: int) -> slice:
        """Which documents a block has."""
        start = number * self.block_size
        return slice(start, min(start + self.block_size, self.shape[0]))

    def __getitem__(self, number: int) -> sparse.csr_array:
        """A block."""
        rows = self.limits(number)
        return self.rows(rows.start, rows.stop)

    def rows(self, start: int, stop: int) -> sparse.csr_array:
        """Documents that follow each other."""
        raise NotImplementedError

    def take(self, numbers: NDArray[np.int64]) -> sparse.csr_array:
        """Some documents, by their numbers in ascending order; all of them at once in memory."""
        starts = np.searchsorted(numbers, np.arange(len(self) + 1) * self.block_size)
        found = [
            self[block][numbers[starts[block] : starts[block + 1]] - block * self.block_size]
            for block in np.flatnonzero(np.diff(starts)).tolist()
        ]
        return stack(found, self.shape[1])


class RowBlocks(Blocks):
    """The rows of a matrix in memory.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> blocks = RowBlocks(csr_array([[1.0, 0.0], [0.0, 2.0]]))
    >>> blocks.shape, len(blocks), blocks[0].toarray().tolist()
    ((2, 2), 1, [[1.0, 0.0], [0.0, 2.0]])
    """

    def __init__(self, matrix: sparse.csr_array) -> None:
        super().__init__()
        self.matrix = matrix
        num_docs, num_terms = matrix.shape
        self.shape = int(num_docs), int(num_terms)

    def rows(self, start: int, stop: int) -> sparse.csr_array:
        """Documents that follow each other, without copying their entries."""
        if (start, stop) == (0, self.shape[0]):
            return self.matrix
        limits = self.matrix.indptr[start : stop + 1]
        entries = slice(limits[0], limits[-1])
        block = sparse.csr_array((stop - start, self.shape[1]), dtype=self.matrix.dtype)
        # Not through the constructor, which copies small parts of large arrays.
        block.data, block.indices = self.matrix.data[entries], self.matrix.indices[entries]
        block.indptr = limits - limits[0]
        return block

    def take(self, numbers: NDArray[np.int64]) -> sparse.csr_array:
        """Some documents, by their numbers in ascending order."""
        return self.matrix if numbers.size == self.shape[0] else self.matrix[numbers]


class FolderBlocks(Blocks):
    """The rows that `write_part` wrote into a folder, in files of any numbers of documents.

    Parameters
    ----------
    folder : path
        Where the files are.
    name : str
        What `write_part` was told.
    part_sizes : iterable of int
        How many documents each file has, in order.
    num_terms : int
        Number of columns.
    dtype : type
        Of the entries that are read, whatever type they are stored as.
    """

    def __init__(
        self, folder: Path, name: str, part_sizes: Iterable[int], num_terms: int, dtype: Any
    ) -> None:
        super().__init__()
        self.folder, self.name, self.dtype = folder, name, np.dtype(dtype)
        self.part_limits = np.concatenate([[0], np.cumsum(list(part_sizes), dtype=np.int64)])
        self.shape = int(self.part_limits[-1]), num_terms

    def rows(self, start: int, stop: int) -> sparse.csr_array:
        """Documents that follow each other, read from their files."""
        first = int(np.searchsorted(self.part_limits, start, side="right")) - 1
        found = []
        for part in range(max(first, 0), self.part_limits.size - 1):
            begin, end = self.part_limits[part : part + 2].tolist()
            if begin >= stop:
                break
            if max(start, begin) < min(stop, end):
                found.append(self._read(part, max(start, begin) - begin, min(stop, end) - begin))
        return stack(found, self.shape[1], self.dtype)

    def _read(self, part: int, start: int, stop: int) -> sparse.csr_array:
        path = part_path(self.folder, self.name, part)
        num_docs = int(np.diff(self.part_limits[part : part + 2])[0])
        with path.open("rb") as file:
            limits = _read_array(file, num_docs + 1)[start : stop + 1].astype(np.int64, copy=False)
            entries = int(limits[0]), int(limits[-1])
            indices, data = _read_array(file, *entries), _read_array(file, *entries)
        shape = stop - start, self.shape[1]
        limits = limits - limits[0]
        check_compressed(limits, indices, data.size, shape, str(path))
        if data.size and not 0 < data.min() <= data.max() < np.inf:
            raise _damaged(path)
        if data.size < 2**31:  # one index type, so that the kernels are compiled once
            limits = limits.astype(np.int32)
        return sparse.csr_array((data.astype(self.dtype, copy=False), indices, limits), shape=shape)


class DerivedBlocks(Blocks):
    """What a function makes of every block, row by row, whenever it is asked for."""

    def __init__(
        self, blocks: Blocks, function: Callable[[sparse.csr_array], sparse.csr_array]
    ) -> None:
        super().__init__()
        self.blocks, self.function = blocks, function
        self.block_size, self.shape = blocks.block_size, blocks.shape

    def rows(self, start: int, stop: int) -> sparse.csr_array:
        """Documents that follow each other."""
        return self.function(self.blocks.rows(start, stop))


def stack(
    matrices: list[sparse.csr_array], num_terms: int, dtype: Any = np.float64
) -> sparse.csr_array:
    """The rows of several matrices, one below the other."""
    if len(matrices) == 1:
        return matrices[0]
    if not matrices:
        return sparse.csr_array((0, num_terms), dtype=dtype)
    return sparse.vstack(matrices, format="csr")


# Files: three arrays in numpy's format, one after the other: limits, indices, entries.


def part_path(folder: Path, name: str, number: int) -> Path:
    """The file of a part."""
    return folder / f"{name}-{number:06d}.npy"


def write_part(folder: Path, name: str, number: int, matrix: sparse.csr_array) -> None:
    """Write rows as a file of a folder; it is complete or absent, and may be written again."""
    path = part_path(folder, name, number)
    with naming(path), whole_file(path) as file:
        for array in (
            matrix.indptr.astype(np.int64, copy=False),
            matrix.indices.astype(np.int32, copy=False),
            _as_stored(matrix.data),
        ):
            npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
            # Not by numpy, whose errors do not say that the disk is full.
            file.write(np.ascontiguousarray(array).data)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that is complete or absent, whoever else writes the same; it is not synced.

    Where somebody is killed, a hidden file stays.
    """
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with unfinished.open("wb") as file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _as_stored(data: NDArray[Any]) -> NDArray[Any]:
    """The entries in the smallest type that holds them exactly."""
    if data.dtype == np.float32:
        return data
    largest = data.max(initial=0)
    for dtype in COUNT_TYPES:
        if largest <= np.iinfo(dtype).max:
            stored = data.astype(dtype)
            return stored if (stored == data).all() else data
    return data


def _read_array(file: IO[bytes], stop: int, *rest: int) -> NDArray[Any]:
    """Entries of the array that comes next: up to `stop`, or from the first of two numbers on."""
    start, stop = (stop, *rest) if rest else (0, stop)
    size, dtype = _read_header(file)
    begin = file.tell()
    end = begin + size * dtype.itemsize
    if not 0 <= start <= stop <= size or end > os.fstat(file.fileno()).st_size:
        raise _damaged(file.name)
    file.seek(begin + start * dtype.itemsize)
    array = np.fromfile(file, dtype, stop - start)
    if array.size != stop - start:
        raise _damaged(file.name)
    file.seek(end)
    return array


def _read_header(file: IO[bytes]) -> tuple[int, np.dtype[Any]]:
    """Length and type of the array that comes next."""
    try:
        if npy.read_magic(file) != (1, 0):
            raise ValueError
        (size,), _, dtype = npy.read_array_header_1_0(file)
        if dtype.kind not in "iuf":
            raise ValueError
    except Exception as error:  # foreign bytes fail in numpy in a dozen ways, which all mean one
        raise _damaged(file.name) from error
    return size, dtype


def _damaged(path: object) -> ValueError:
    return ValueError(f"{path} is no whole file of documents; build it anew.")


def iterate(blocks: Blocks) -> Iterator[sparse.csr_array]:
    """The blocks, one after the other."""
    return (blocks[number] for number in range(len(blocks)))
