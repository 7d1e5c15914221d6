"""Checks of arguments, before any work, with one sentence for each fault."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

SparseInput = Any
"""A scipy sparse matrix or array of any format, or a dense array; rows are documents."""


def check_doc_term(
    doc_term: SparseInput, name: str, num_terms: int | None = None
) -> sparse.csr_array:
    """A canonical copy (float64, sorted, no explicit zeros) of a non-negative (N x V) matrix."""
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
    if doc_term.dtype.kind == "c":
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
    return matrix


def check_int(value: Any, name: str, minimum: int, maximum: int | None = None) -> int:
    """A whole number in [minimum, maximum]."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < minimum or (maximum is not None and value > maximum):
        limit = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise ValueError(f"{name} must be {limit}, got {value}.")
    return int(value)


def check_real(value: Any, name: str, minimum: float, below: float = np.inf) -> float:
    """A finite number in [minimum, below)."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not minimum <= value < below or value > sys.float_info.max:
        limit = f"at least {minimum:g} and " + (f"below {below:g}" if below < np.inf else "finite")
        raise ValueError(f"{name} must be {limit}, got {value}.")
    return float(value)


def check_jobs(n_jobs: Any) -> None:
    """None or a whole number other than 0, as joblib counts."""
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)):
        raise TypeError(f"n_jobs must be a whole number or None, got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use -1 for all cores.")


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


def shortened(value: Any) -> str:
    """How an error message shows a value of any size, in one line."""
    text = " ".join(repr(str(value) if isinstance(value, Path) else value).split())
    return text if len(text) <= 60 else text[:57] + "..."
