"""What the arrays among the fields of a value must be, for the files that hold them."""

from __future__ import annotations

from typing import Any

import numpy as np


def of_shape(
    *shape: str,
    other_shape: tuple[str, ...] | None = None,
    dtype: Any = np.float64,
    may_be_negative: bool = False,
    may_be_zero: bool = True,
    is_optional: bool = False,
) -> dict[str, Any]:
    """What a field that is an array must be, for files: shape in letters, type, range.

    The letters are K for topics, V for terms, N for training documents and D for dimensions of
    their vectors, or 0. One that is optional is not in the file where it is empty.
    """
    return {
        "shapes": [shape] if other_shape is None else [shape, other_shape], "dtype": dtype,
        "may_be_negative": may_be_negative, "may_be_zero": may_be_zero, "is_optional": is_optional,
    }  # fmt: skip
