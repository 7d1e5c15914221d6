"""Lines that several benchmarks print in the same form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def report(what: str, value: str, bar: str = "") -> None:
    """A figure and, where there is one, what it is held against."""
    print(f"{what:62} {value:>22}   {bar}".rstrip(), flush=True)


def mean_and_error(values: Sequence[float]) -> str:
    """The mean and its standard error."""
    error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{np.mean(values):.3f} ± {error:.3f}"
