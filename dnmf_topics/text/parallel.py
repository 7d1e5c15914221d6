"""Chunks of texts on several processes; results come back in order, few are under way at once."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK_TEXTS = 10_000  # short texts also cost memory, each for itself
PATIENCE = 2.0  # seconds between looks at the processes while a result does not come


def chunks(texts: Iterable[str], characters: int) -> Iterator[list[str]]:
    """Lists of texts, each of about so many characters."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text)
        if size >= characters or len(chunk) >= CHUNK_TEXTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Iterator[Result]:
    """Yield `function(item)` for every item; one process is this one.

    Items are read as results are taken, so no more than a few of either are held.
    """
    if processes == 1:
        yield from map(function, items)
        return
    # Forked processes start at once; others would first import the package. Elsewhere than on
    # Linux forking is not safe or not there.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    pool = ProcessPoolExecutor(processes, context, initializer=_leave_signals_to_the_parent)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * processes:
                yield _result_of(waiting.popleft(), pool)
        while waiting:
            yield _result_of(waiting.popleft(), pool)
    except BrokenProcessPool:
        raise ChildProcessError(
            "A process that tokenizes was killed, probably for want of memory; take fewer of them."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _result_of(future: Future[Result], pool: ProcessPoolExecutor) -> Result:
    """What a future gives; the pool itself does not notice every process that was killed.

    One that dies while it hands over a result leaves half of it in a pipe, and the pool waits for
    the rest. Then the others are ended and the pipe is closed, which breaks the pool.
    """
    processes = list(pool._processes.values())
    had_died = False
    while True:
        try:
            return future.result(timeout=PATIENCE)
        except NotYetError:
            if future.done():
                raise  # the function's own
        has_died = not all(process.is_alive() for process in processes)
        if had_died and has_died:
            for process in processes:
                process.kill()
            results: Any = pool._result_queue
            results._writer.close()
        had_died = has_died


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C goes to all processes of a terminal, but the first one ends the others.

    A handler of the parent must not run in its children, or they would not end when told to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
