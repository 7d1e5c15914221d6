"""Progress as events: one callback serves the progress bar, the benchmark and the tests."""

from __future__ import annotations

import sys
import time
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


LONG = 10.0  # seconds after which a stage tells how far it is, and again


@contextmanager
def telling_stages(
    say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> Iterator[ProgressCallback]:
    """A callback that says the end of each stage in a line, and of a long one how far it is."""
    last: Progress | None = None
    began = ended = said = clock()

    def tell_end() -> None:
        if last is not None:
            loss = "" if last.loss is None else f", loss {last.loss:.6g}"
            say(f"{last.stage}: {last.step} done in {ended - began:.1f} s{loss}")

    def tell(event: Progress) -> None:
        nonlocal last, began, ended, said
        now = clock()
        if last is not None and event.stage != last.stage:
            tell_end()
            began = said = ended
        if now - said >= LONG:
            total = "" if event.total is None else f" of {event.total}"
            say(f"{event.stage}: {event.step}{total} ...")
            said = now
        last, ended = event, now

    yield tell
    tell_end()


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
