"""Figures of matplotlib, which is loaded when one is asked for."""

from __future__ import annotations

from typing import Any


def new_axes(width: float, height: float) -> Any:
    """Axes on a new figure of so many inches, which `pyplot.show()` and notebooks show."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "plot needs matplotlib; install it with `pip install matplotlib`."
        ) from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
