"""The core's progress events as log lines and, where wanted, as a progress bar."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..common.progress import Progress, ProgressCallback, drawing_bars, silent

logger = logging.getLogger(__name__)


@contextmanager
def reporting(show: bool) -> Iterator[ProgressCallback]:
    """A callback that logs the end of every stage and draws a bar for each if `show`."""
    last: Progress | None = None

    def log_stage() -> None:
        if last is not None:
            steps = f"{last.step} step{'s' if last.step > 1 else ''}"
            loss = "" if last.loss is None else f", loss {last.loss:.6g}"
            logger.info("%s: %s done%s", last.stage, steps, loss)

    with drawing_bars() if show else nullcontext(silent) as draw:

        def report(event: Progress) -> None:
            nonlocal last
            if last is not None and event.stage != last.stage:
                log_stage()
            last = event
            draw(event)

        yield report
    log_stage()
