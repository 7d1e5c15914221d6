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
    last: Progress | None = None

    def end_of_stage() -> None:
        if last is None:
            return
        loss = "" if last.loss is None else f", loss {last.loss:.6g}"
        logger.info("%s: %i steps done%s", last.stage, last.step, loss)
        if show:
            bar.total = bar.n  # iterations may end before their last step
            bar.close()

    def report(event: Progress) -> None:
        nonlocal bar, last
        begins = last is None or event.stage != last.stage
        if begins:
            end_of_stage()
        last = event
        if not show:
            return
        if begins:
            # Not before a bar is wanted: in a notebook without widgets its import warns.
            from tqdm.auto import tqdm

            bar = tqdm(total=event.total, desc=event.stage)
        bar.update(event.step - bar.n)

    try:
        yield report
        end_of_stage()
    finally:
        if bar is not None:
            bar.close()
