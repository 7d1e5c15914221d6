"""f(D), whoever makes it: a clusterer, given labels, or a given soft membership."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense, Labels
from ..common.blocks import Blocks
from ..common.checks import SMALLEST, check_structure, check_unmasked
from .factorization.memberships import OneHot


def one_hot(labels: Labels, num_topics: int) -> Dense:
    """Membership matrix (N x K) of a partition."""
    matrix = np.zeros((labels.size, num_topics))
    matrix[np.arange(labels.size), labels] = 1
    return matrix


def given_membership(deep_model: Any, documents: Blocks, num_topics: int) -> OneHot | Dense:
    """F (K x N) that a `fit_predict` object, labels or a soft matrix (N x K) stand for.

    The object gets all documents in one matrix.
    """
    num_docs = documents.shape[0]
    if hasattr(deep_model, "fit_predict"):
        deep_model = deep_model.fit_predict(documents.rows(0, num_docs))
    if sparse.issparse(deep_model):
        check_structure(deep_model, "deep_model")
        deep_model = deep_model.toarray()
    check_unmasked(deep_model, "deep_model")
    values = np.asarray(deep_model)
    if values.ndim not in (1, 2) or values.shape[0] != num_docs:
        raise ValueError(
            f"deep_model must give one label or one row of memberships for each of the {num_docs} "
            f"documents, got shape {values.shape}."
        )
    return _of_labels(values, num_topics) if values.ndim == 1 else _of_rows(values, num_topics)


def _of_labels(values: NDArray[Any], num_topics: int) -> OneHot:
    if values.dtype.kind not in "iu":
        raise TypeError(f"deep_model labels must be whole numbers, got dtype {values.dtype}.")
    if values.min() < 0 or values.max() >= num_topics:
        raise ValueError(
            f"deep_model labels must lie from 0 to {num_topics - 1} (num_topics - 1), "
            f"got {values.min()} to {values.max()}; every document needs a topic."
        )
    return OneHot(values.astype(np.int64), num_topics)


def _of_rows(values: NDArray[Any], num_topics: int) -> OneHot | Dense:
    if values.shape[1] != num_topics:
        raise ValueError(
            f"deep_model membership must have num_topics = {num_topics} columns, "
            f"got {values.shape[1]}."
        )
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all() or values.min() < 0:
        raise ValueError("deep_model membership must be finite and must not be negative.")
    if not np.allclose(values.sum(axis=1), 1, atol=1e-6):
        worst = int(np.abs(values.sum(axis=1) - 1).argmax())
        raise ValueError(
            f"deep_model membership rows must sum to 1, row {worst} sums to "
            f"{values[worst].sum():g}; divide every row by its sum."
        )
    # Smaller ones would leave the range of floats, and the topic without words.
    rows = np.where(values < SMALLEST, 0.0, values.astype(np.float64))
    if (rows.max(axis=1) == 1).all():  # the others are 0 then
        return OneHot(rows.argmax(axis=1), num_topics)
    return rows.T
