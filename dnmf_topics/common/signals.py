"""Signals that ask a process to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = {signal.SIGINT, signal.SIGTERM}


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C and the like wait until the block has ended."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
