"""Types of arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
Dense: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]
IntArray: TypeAlias = NDArray[np.integer[Any]]
Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
