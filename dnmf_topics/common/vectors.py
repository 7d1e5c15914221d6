"""Vectors that documents come with, a row for each, as users have them: checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from .blocks import BLOCK_SIZE
from .checks import check_unmasked, shortened


def check_vectors(vectors: Any, name: str = "embeddings", dtype: DTypeLike | None = None) -> Any:
    """Vectors as an array of finite numbers (n x d), of a type if one is named; or an error."""
    if isinstance(vectors, (str, bytes)) or sparse.issparse(vectors):
        raise TypeError(f"{name} must be a dense array, got {shortened(vectors)}.")
    check_unmasked(vectors, name)
    try:
        array = np.asarray(vectors)
        if array.dtype == object and array.ndim == 1:  # a column of a table, whose cells are rows
            missing = [row for row, cell in enumerate(array) if np.ndim(cell) == 0]
            if missing and len(missing) < len(array):
                row = missing[0]
                raise TypeError(
                    f"{name} must have a vector in every row, got {shortened(array[row])} in row "
                    f"{row}; a row of zeros stands for none."
                )
            array = np.array([*array])
    except ValueError:
        raise ValueError(f"{name} must be a matrix, got rows of unequal length.") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be an array of numbers, got dtype {array.dtype}.")
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            f"{name} must be a matrix with a row for each document, got the shape {array.shape}."
        )
    if dtype is not None:
        with np.errstate(over="ignore"):  # what is too large is not finite then
            array = array.astype(dtype, copy=False)
    for start in range(0, len(array), BLOCK_SIZE):
        is_finite = np.isfinite(array[start : start + BLOCK_SIZE]).all(axis=1)
        if not is_finite.all():
            row = start + int(is_finite.argmin())
            raise ValueError(f"{name} must be finite, got NaN or infinity in row {row}.")
    return array
