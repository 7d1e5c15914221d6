"""Progress as events: one callback serves the progress bar, the benchmark and the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Something finished: `step` of `total` in `stage`, with the loss where the stage has one."""

    stage: str
    step: int
    total: int
    loss: float | None = None


ProgressCallback = Callable[[Progress], None]
"""Called in the thread that started the fit; what it raises cancels the fit."""


def silent(_: Progress) -> None:
    """The callback of those who do not listen."""
