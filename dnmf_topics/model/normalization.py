"""Weights as shares."""

from __future__ import annotations

from ..common.arrays import Dense


def normalize_rows(weights: Dense) -> Dense:
    """Rows divided by their sums."""
    rows: Dense = weights / weights.sum(axis=1, keepdims=True)
    return rows
