"""Checks of arguments, before any work, with one sentence for each fault."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

SparseInput = Any
"""A scipy sparse matrix or array of any format, or a dense array; rows are documents."""

# Of weights above 0. Beyond them, products leave the range of floats.
SMALLEST, LARGEST = 1e-50, 1e50
MOST_JOBS = 10_000
MOST_PROCESSES = 256


def check_doc_term(
    doc_term: SparseInput, name: str, num_terms: int | None = None
) -> sparse.csr_array:
    """A canonical copy (float64, sorted, no explicit zeros) of a non-negative (N x V) matrix."""
    from scipy import sparse  # late: help needs checks, but no matrix

    check_unmasked(doc_term, name)
    if not sparse.issparse(doc_term):
        try:
            doc_term = np.asarray(doc_term)
        except ValueError:
            raise ValueError(f"{name} must be a matrix, got rows of unequal length.") from None
        if doc_term.dtype.kind not in "buif":
            raise TypeError(
                f"{name} must be a sparse matrix or a numeric array, got dtype {doc_term.dtype}."
            )
    if doc_term.ndim != 2 or 0 in doc_term.shape:
        raise ValueError(
            f"{name} must have at least one row (document) and one column (term), "
            f"got shape {tuple(doc_term.shape)}."
        )
    if num_terms is not None and doc_term.shape[1] != num_terms:
        raise ValueError(
            f"{name} must have {num_terms} columns, one for each term of the fit, "
            f"got {doc_term.shape[1]}."
        )
    if sparse.issparse(doc_term):
        check_structure(doc_term, name)
        if doc_term.dtype.kind not in "buif":
            raise TypeError(f"{name} must hold real numbers, got dtype {doc_term.dtype}.")
    matrix = sparse.csr_array(doc_term, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.nnz < 2**31:  # one index type, so that the kernels are compiled once
        matrix.indices = matrix.indices.astype(np.int32)
        matrix.indptr = matrix.indptr.astype(np.int32)
    if not np.isfinite(matrix.data).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity; remove them first.")
    if matrix.nnz and matrix.data.min() < 0:
        raise ValueError(f"{name} must not be negative, got {matrix.data.min():g}.")
    if matrix.nnz and not SMALLEST <= matrix.data.min() <= matrix.data.max() <= LARGEST:
        wrong = matrix.data.min() if matrix.data.min() < SMALLEST else matrix.data.max()
        raise ValueError(
            f"{name} must be 0, or from {SMALLEST:g} to {LARGEST:g}, got {wrong:g}; multiply all "
            "of it by one number that brings it nearer to 1."
        )
    return matrix


def check_structure(matrix: Any, name: str) -> None:
    """Raise a ValueError unless a sparse matrix has two dimensions and arrays that fit together.

    scipy's C code trusts them, and what they say wrong crashes the process; scipy's own
    `check_format` finds all limits right if the last is 0. Arrays longer than the limits say, as
    none of scipy's functions returns them, are refused too.
    """
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be a matrix, got the shape {tuple(matrix.shape)}.")
    shape = rows, columns = matrix.shape
    if matrix.format in ("csr", "csc"):
        _check_array(matrix.data, 1, "data", name)
        limits = shape if matrix.format == "csr" else (columns, rows)
        check_compressed(matrix.indptr, matrix.indices, len(matrix.data), limits, name)
    elif matrix.format == "bsr":
        _check_array(matrix.data, 3, "data", name)
        num_blocks, height, width = matrix.data.shape
        if 0 in (height, width) or rows % height or columns % width:
            raise _broken(name, f"its blocks of {height} x {width} must fill its shape, {shape}")
        limits = rows // height, columns // width
        check_compressed(matrix.indptr, matrix.indices, num_blocks, limits, name)
    elif matrix.format == "coo":
        _check_array(matrix.data, 1, "data", name)
        # Before scipy 1.13 there were two attributes.
        places = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
        _check_places(places, len(matrix.data), shape, name)
    elif matrix.format == "dia":
        _check_array(matrix.data, 2, "data", name)
        _check_indices(matrix.offsets, "offsets", 1 - rows, columns - 1, name)
        if not len(np.unique(matrix.offsets)) == len(matrix.offsets) == len(matrix.data):
            raise _broken(name, "its offsets must differ, and each have a row of data")
    elif matrix.format == "lil":
        _check_lists(matrix.rows, matrix.data, shape, name)
    elif matrix.format == "dok":
        numbers = _whole_numbers(chain.from_iterable(matrix.keys()), "keys", name)
        if numbers.size != 2 * len(matrix.keys()):
            raise _broken(name, "its keys must be pairs of a row and a column")
        _check_places((numbers[::2], numbers[1::2]), numbers.size // 2, shape, name)
    else:
        raise ValueError(f"{name} has the unknown sparse format {matrix.format!r}; call tocsr().")


def check_compressed(
    indptr: Any, indices: Any, num_entries: int, shape: tuple[int, int], name: str
) -> None:
    """The same for the arrays of a csr matrix of this shape with `num_entries` numbers.

    For other compressed formats `shape` says how many limits and how many different indices there
    are.
    """
    _check_indices(indptr, "indptr", 0, num_entries, name)
    if len(indptr) != shape[0] + 1:
        raise _broken(name, f"its indptr must have {shape[0] + 1} limits, got {len(indptr)}")
    if indptr[0] != 0 or indptr[-1] != num_entries or (indptr[1:] < indptr[:-1]).any():
        raise _broken(
            name, f"its indptr must rise from 0 to the number of its entries, {num_entries}"
        )
    _check_indices(indices, "indices", 0, shape[1] - 1, name)
    if len(indices) != num_entries:
        raise _broken(name, f"it must have {num_entries} indices, got {len(indices)}")


def _check_array(array: Any, ndim: int, what: str, name: str) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != ndim:
        raise _broken(name, f"its {what} must be an array of {ndim} dimensions")


def _check_indices(array: Any, what: str, lowest: int, highest: int, name: str) -> None:
    """An array of whole numbers from `lowest` to `highest`."""
    _check_array(array, 1, what, name)
    if array.dtype not in (np.int32, np.int64):
        raise _broken(name, f"its {what} must be int32 or int64, got {array.dtype}")
    if array.size and (array.min() < lowest or array.max() > highest):
        wrong = array.min() if array.min() < lowest else array.max()
        raise _broken(name, f"its {what} must lie from {lowest} to {highest}, got {wrong}")


def _check_places(places: Any, num_entries: int, shape: Any, name: str) -> None:
    """Rows and columns, one of each for every entry."""
    if len(places) != 2:
        raise _broken(name, f"it must have rows and columns, got {len(places)} arrays of places")
    for what, numbers, size in zip(("rows", "columns"), places, shape, strict=True):
        _check_indices(numbers, what, 0, size - 1, name)
        if len(numbers) != num_entries:
            raise _broken(name, f"it must have {num_entries} {what}, got {len(numbers)}")


def _check_lists(rows: Any, data: Any, shape: tuple[int, int], name: str) -> None:
    """The lists of a lil matrix: for each row the columns, and as many values."""
    for lists in (rows, data):
        _check_array(lists, 1, "rows and data", name)
        if len(lists) != shape[0] or not all(isinstance(each, list) for each in lists):
            raise _broken(name, f"its rows and data must have a list for each of {shape[0]} rows")
    if any(len(columns) != len(values) for columns, values in zip(rows, data, strict=True)):
        raise _broken(name, "its rows and data must have equally many entries")
    columns = _whole_numbers(chain.from_iterable(rows), "rows", name)
    _check_indices(columns, "columns", 0, shape[1] - 1, name)


def _whole_numbers(numbers: Iterable[Any], what: str, name: str) -> Any:
    try:
        return np.fromiter(numbers, np.int64)
    except (TypeError, ValueError, OverflowError):
        raise _broken(name, f"its {what} must be whole numbers of 64 bits") from None


def _broken(name: str, rule: str) -> ValueError:
    return ValueError(f"{name} is no sound sparse matrix: {rule}; build it anew.")


def check_int(value: Any, name: str, minimum: int, maximum: int | None = None) -> int:
    """A whole number in [minimum, maximum]."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {shortened(value)}.")
    if value < minimum or (maximum is not None and value > maximum):
        limit = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise ValueError(f"{name} must be {limit}, got {value}.")
    return int(value)


def check_real(value: Any, name: str, minimum: float, below: float = np.inf) -> float:
    """A finite number in [minimum, below)."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, got {shortened(value)}.")
    if not minimum <= value < below or value > sys.float_info.max:
        limit = f"at least {minimum:g} and " + (f"below {below:g}" if below < np.inf else "finite")
        raise ValueError(f"{name} must be {limit}, got {value}.")
    return float(value)


@contextmanager
def memory_for(num_topics: int, num_terms: int, num_arrays: int) -> Iterator[None]:
    """Work with arrays (K x V) of floats: a MemoryError, if possible before it, says their size."""
    needed = 8 * num_arrays * num_topics * num_terms
    error = MemoryError(
        "num_topics and the vocabulary must fit into memory beside the documents, but "
        f"{num_arrays} arrays of {num_topics} x {num_terms} (topics x terms) need "
        f"{needed / 2**30:.3g} GiB; ask for fewer topics, or leave rare words out (gensim's "
        "Dictionary.filter_extremes)."
    )
    if needed > _memory():
        raise error
    try:
        yield
    except MemoryError:
        if needed > _memory() / 100:
            raise error from None
        raise  # something else was too large


def _memory() -> int:
    """Bytes of memory that the machine has, where it says so."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows, for one
        return sys.maxsize


def check_jobs(n_jobs: Any) -> None:
    """None or a whole number other than 0, as joblib counts."""
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)):
        raise TypeError(f"n_jobs must be a whole number or None, got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use -1 for all cores.")
    if abs(int(n_jobs)) > MOST_JOBS:
        raise ValueError(f"n_jobs must be at most {MOST_JOBS}, got {n_jobs}; use -1 for all cores.")


def check_seed(random_state: Any) -> np.random.SeedSequence:
    """The root of all randomness, from None, an int, or a numpy RandomState or Generator."""
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31)))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**31)))
    if random_state is None:
        return np.random.SeedSequence()
    return np.random.SeedSequence(check_int(random_state, "random_state", 0))


def check_unmasked(values: Any, name: str) -> None:
    """Raise for an array of numpy with masked values, which would be taken for data."""
    if isinstance(values, np.ma.MaskedArray) and (number := np.ma.getmaskarray(values).sum()):
        raise ValueError(
            f"{name} must not have masked values, got {number} of them; fill them in (filled()), "
            "or leave them out."
        )


def without_mask(values: Any) -> Any:
    """A column whose masked values are None; any other column as it is."""
    if not isinstance(values, np.ma.MaskedArray) or values.ndim != 1:
        return values
    pairs = zip(values.data, np.ma.getmaskarray(values), strict=True)
    return [None if is_masked else value for value, is_masked in pairs]


def shortened(value: Any) -> str:
    """How an error message shows a value of any size, in one line."""
    text = " ".join(repr(str(value) if isinstance(value, Path) else value).split())
    return text if len(text) <= 60 else text[:57] + "..."
