"""Progress as events: one callback serves the progress bar, the benchmark and the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Progress:
    """Something finished: `step` of `total` in `stage`, with the loss where the stage has one.

    `total` is None where nobody knows it.

    Examples
    --------
    >>> from dnmf_topics.core import Tfidf, fit_topics
    >>> counts = [[3, 1, 0, 0], [2, 2, 0, 0], [1, 2, 0, 0], [0, 0, 2, 3], [0, 0, 1, 1]]
    >>> tfidf = Tfidf.fit(counts)
    >>> events = []
    >>> _ = fit_topics(tfidf.transform(counts), 2, random_state=0, progress=events.append)
    >>> events[0]
    Progress(stage='network', step=1, total=1, loss=None)
    """

    stage: str
    step: int
    total: int | None
    loss: float | None = None


ProgressCallback = Callable[[Progress], None]
"""Called in the thread that started the work; what it raises cancels it."""


def silent(_: Progress) -> None:
    """The callback of those who do not listen."""


@contextmanager
def drawing_bars() -> Iterator[ProgressCallback]:
    """A callback that draws a bar for each stage, on standard error."""
    bar: Any = None
    stage = None

    def draw(event: Progress) -> None:
        nonlocal bar, stage
        if event.stage != stage:
            close()
            stage = event.stage
            # Not before a bar is wanted: in a notebook without widgets its import warns.
            from tqdm.auto import tqdm

            bar = tqdm(total=event.total, desc=stage, file=sys.stderr)
        bar.update(event.step - bar.n)

    def close() -> None:
        if bar is not None:
            bar.total = bar.total and bar.n  # iterations may end before their last step
            bar.close()

    try:
        yield draw
    finally:
        close()
