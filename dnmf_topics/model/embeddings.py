"""Vectors that documents come with, such as those of a sentence encoder, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.vectors import check_vectors
from ..core import Mbn, Vectors, unit_vectors


def no_vectors(num_docs: int) -> Vectors:
    """The vectors of documents that have none: rows without columns."""
    return np.zeros((num_docs, 0), np.float32)


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
    array = check_vectors(embeddings)
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
