"""The core's progress events as log lines and, where wanted, as a progress bar."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core import Progress, ProgressCallback

logger = logging.getLogger(__name__)


@contextmanager
def reporting(show: bool) -> Iterator[ProgressCallback]:
    """A callback that logs the end of every stage and draws a bar for each if `show`."""
    bar: Any = None
    stage = None

    def report(event: Progress) -> None:
        nonlocal bar, stage
        if event.step == event.total:
            loss = "" if event.loss is None else f", loss {event.loss:.6g}"
            logger.info("%s: %i steps done%s", event.stage, event.total, loss)
        if not show:
            return
        if event.stage != stage:
            if bar is not None:
                bar.close()
            # Not before a bar is wanted: in a notebook without widgets its import warns.
            from tqdm.auto import tqdm

            stage, bar = event.stage, tqdm(total=event.total, desc=event.stage)
        bar.update(event.step - bar.n)

    try:
        yield report
    finally:
        if bar is not None:
            bar.close()
