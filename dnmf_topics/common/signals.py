"""Signals that ask a process to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDING = {signal.SIGINT, signal.SIGTERM}


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C and the like wait until the block has ended."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        with _noted():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _noted() -> Iterator[None]:
    """Signals that other threads receive, for which Python interrupts the main one, wait too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, _: Any) -> None:
        noted.append(number)

    # What was not installed from Python cannot be put back from there.
    own = [number for number in ENDING if signal.getsignal(number) is not None]
    handlers = {number: signal.signal(number, note) for number in own}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for each in noted:
            signal.raise_signal(each)
