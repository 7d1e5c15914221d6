"""Rows of arrays: weights as shares, more of them, and fewer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.arrays import Dense


def normalize_rows(weights: Dense) -> Dense:
    """Rows divided by their sums."""
    rows: Dense = weights / weights.sum(axis=1, keepdims=True)
    return rows


def append_rows(array: Dense, num_rows: int, row: Any) -> Dense:
    """The array with so many more rows, each of them `row`."""
    more = np.broadcast_to(row, (num_rows, *array.shape[1:]))
    return np.concatenate([array, more])


def add_rows(array: Dense, numbers: NDArray[np.int64]) -> Dense:
    """Rows with the same number, from 0 to the largest, added up."""
    sums: Dense = np.zeros((int(numbers.max()) + 1, *array.shape[1:]))
    for row, number in zip(array, numbers.tolist(), strict=True):
        sums[number] += row
    return sums
