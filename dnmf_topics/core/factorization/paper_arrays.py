"""The two kinds of arrays the solvers speak of, and the one form of D they work on."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array

from ...common.arrays import Dense

__all__ = ["Dense", "Sparse", "as_columns", "squared_norm"]

Sparse: TypeAlias = Any
"""A scipy sparse array; scipy ships no types."""


def as_columns(D: Sparse) -> Sparse:
    """D (V x N) as a float64 `csc_array` without duplicate entries; the caller's D stays as it is.

    Once here is cheaper than in every product: scipy copies a float32 D to float64 each time.
    """
    columns = csc_array(D, dtype=np.float64)
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return columns


def squared_norm(D: Sparse) -> float:
    """||D||_F^2 of a sparse array without duplicate entries."""
    data = np.asarray(D.data, dtype=np.float64)
    return float(data @ data)
