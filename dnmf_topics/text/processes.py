"""Chunks of texts on several processes; results come back in order, few are under way at once."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_starting = threading.Lock()
_our_ends: set[Connection[Any, Any]] = set()  # of all pipes, which forked processes have too
CHUNK_TEXTS = 10_000  # short texts also cost memory, each for itself


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
    workers = _Workers(function, processes)
    waiting: deque[Future[Result]] = deque()
    # A thread for each process waits for it, so that it never waits for this one.
    threads = ThreadPoolExecutor(processes)
    try:
        for item in items:
            waiting.append(threads.submit(workers.call, item))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        workers.end()
        threads.shutdown(cancel_futures=True)


class _Workers:
    """Processes that apply a function to what comes through their pipes.

    Each has a pipe of its own, which ends when the process does. So one that is killed is noticed
    at once, also while it hands over a result; a `ProcessPoolExecutor` would wait for the rest.
    """

    def __init__(self, function: Callable[[Any], Any], number: int) -> None:
        # Forked processes start at once; others would first import the package. Elsewhere than on
        # Linux forking is not safe or not there.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
        self._idle: SimpleQueue[Connection[Any, Any]] = SimpleQueue()
        self._processes = []
        self._pipes: list[Connection[Any, Any]] = []
        for _ in range(number):
            # One at a time, also where threads start processes of their own: a process that is
            # forked in between would have the other end of this pipe, which would outlive its own.
            with _starting:
                here, there = context.Pipe()
                _our_ends.add(here)
                ends = list(_our_ends)
                process = context.Process(target=_serve, args=(function, there, ends), daemon=True)
                process.start()
                there.close()
            self._processes.append(process)
            self._pipes.append(here)
            self._idle.put(here)

    def call(self, item: Any) -> Any:
        """What the function makes of an item, in the next process that is free."""
        pipe = self._idle.get()
        try:
            pipe.send(item)
            result, error, trace = pipe.recv()
        except (EOFError, OSError):
            raise ChildProcessError(
                "A process that tokenizes was killed, probably for want of memory; take fewer of "
                "them."
            ) from None
        finally:
            self._idle.put(pipe)
        if error is not None:
            raise error from RuntimeError(f"in another process:\n{trace}")
        return result

    def end(self) -> None:
        """End the processes, whatever they do; whoever waits for one of them is told."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        with _starting:
            _our_ends.difference_update(self._pipes)


def _serve(
    function: Callable[[Any], Any], pipe: Connection[Any, Any], ours: list[Connection[Any, Any]]
) -> None:
    """What a process does until it is told to end, or the first one is gone."""
    _leave_signals_to_the_parent()
    for other in ours:  # the parent's ends, which a forked process has too
        other.close()
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        answer: tuple[Any, BaseException | None, str]
        try:
            answer = (function(item), None, "")
        except BaseException as error:
            answer = (None, error, traceback.format_exc())
        try:
            pipe.send(answer)
        except BrokenPipeError:
            return
        except Exception as error:  # of pickle, before anything was sent
            pipe.send((None, TypeError(str(error)), traceback.format_exc()))


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C goes to all processes of a terminal, but the first one ends the others.

    A handler of the parent must not run in its children, or they would not end when told to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
