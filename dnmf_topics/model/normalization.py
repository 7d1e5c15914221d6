"""Rows of arrays: weights as shares, and more of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.arrays import Dense


def normalize_rows(weights: Dense) -> Dense:
    """Rows divided by their sums."""
    rows: Dense = weights / weights.sum(axis=1, keepdims=True)
    return rows


def append_rows(array: Dense, num_rows: int, row: Any) -> Dense:
    """The array with so many more rows, each of them `row`."""
    more = np.broadcast_to(row, (num_rows, *array.shape[1:]))
    return np.concatenate([array, more])
