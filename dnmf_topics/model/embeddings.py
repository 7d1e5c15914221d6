"""Vectors that documents come with, such as those of a sentence encoder, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..common.blocks import BLOCK_SIZE
from ..common.checks import shortened
from ..core import Mbn, Vectors, unit_vectors


def no_vectors(num_docs: int) -> Vectors:
    """The vectors of documents that have none: rows without columns."""
    return np.zeros((num_docs, 0), np.float32)


def check_array(embeddings: Any) -> Any:
    """Embeddings as an array of finite numbers (n x d), or an error."""
    if isinstance(embeddings, (str, bytes)) or sparse.issparse(embeddings):
        raise TypeError(f"embeddings must be a dense array, got {shortened(embeddings)}.")
    try:
        array = np.asarray(embeddings)
    except ValueError:
        raise ValueError("embeddings must be a matrix, got rows of unequal length.") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"embeddings must be an array of numbers, got dtype {array.dtype}.")
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            "embeddings must be a matrix with a row for each document, got the shape "
            f"{array.shape}."
        )
    for start in range(0, len(array), BLOCK_SIZE):
        is_finite = np.isfinite(array[start : start + BLOCK_SIZE]).all(axis=1)
        if not is_finite.all():
            row = start + int(is_finite.argmin())
            raise ValueError(f"embeddings must be finite, got NaN or infinity in row {row}.")
    return array


def check_beside(deep_model: Any, mixing_rounds: int | str) -> None:
    """Raise where these contradict embeddings."""
    if not isinstance(deep_model, (Mbn, type(None))):
        raise ValueError(
            "embeddings must not be given beside a deep_model that groups the documents already; "
            "leave one of them out."
        )
    if mixing_rounds not in ("auto", 0):
        raise ValueError(
            f'mixing_rounds must be "auto" or 0 beside embeddings, got {mixing_rounds}: a vector '
            "is that of a whole document, and says nothing of its parts."
        )


def check_embeddings(
    embeddings: Any, num_docs: int | None, num_dimensions: int | None = None
) -> Vectors:
    """The vectors of documents at unit length; rows of zeros stay what they are.

    `num_docs` is None where it is not known yet. `num_dimensions` are those that the vectors of a
    trained model have, 0 if it knows none.
    """
    if embeddings is None:
        return no_vectors(num_docs or 0)
    if num_dimensions == 0:
        raise ValueError(
            "embeddings must not be given, as the model was trained without any; leave them out, "
            "or train a model with them."
        )
    array = check_array(embeddings)
    if num_docs is not None and array.shape[0] != num_docs:
        raise ValueError(
            f"embeddings must have a row for each of the {num_docs} documents, got "
            f"{array.shape[0]} rows."
        )
    if num_dimensions is not None and array.shape[1] != num_dimensions:
        raise ValueError(
            f"embeddings must have {num_dimensions} columns, as those that the model was trained "
            f"with, got {array.shape[1]}; take the same embedding model."
        )
    return unit_vectors(array)
