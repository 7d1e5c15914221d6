"""Progress as events: one callback serves the progress bar, the benchmark and the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Something finished: `step` of `total` in `stage`, with the loss where the stage has one.

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
    total: int
    loss: float | None = None


ProgressCallback = Callable[[Progress], None]
"""Called in the thread that started the fit; what it raises cancels the fit."""


def silent(_: Progress) -> None:
    """The callback of those who do not listen."""
