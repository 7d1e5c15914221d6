"""The core's progress events as log lines and, where wanted, as a progress bar."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..common.progress import (
    Progress,
    ProgressCallback,
    drawing_bars,
    silent,
    telling_stages,
)

logger = logging.getLogger(__name__)


@contextmanager
def reporting(show: bool) -> Iterator[ProgressCallback]:
    """A callback that logs every stage, and draws a bar for each if `show`."""
    with (
        telling_stages(logger.info) as log,
        drawing_bars() if show else nullcontext(silent) as draw,
    ):

        def report(event: Progress) -> None:
            log(event)
            draw(event)

        yield report
