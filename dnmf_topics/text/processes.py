"""Chunks of texts on several processes; results come back in order, few are under way at once."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import socket
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from ..common.signals import ENDING, uninterrupted

Item = TypeVar("Item")
Result = TypeVar("Result")

_starting = threading.Lock()
_our_ends: set[Connection[Any, Any]] = set()  # of all pipes, which forked processes have too
CHUNK_TEXTS = 10_000  # short texts also cost memory, each for itself
LOOK_SECONDS = 1.0  # how often parent and child see whether the other one is still there


def chunks(
    texts: Iterable[Item], characters: int, length: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Lists of texts, each of about so many characters."""
    chunk: list[Item] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += length(text)
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
    waiting: deque[Future[Result]] = deque()
    # A thread for each process waits for it, so that it never waits for this one.
    threads = ThreadPoolExecutor(processes)
    workers = _Workers(function, processes)
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
        self._idle: SimpleQueue[tuple[Connection[Any, Any], BaseProcess]] = SimpleQueue()
        self._processes: list[BaseProcess] = []
        self._pipes: list[Connection[Any, Any]] = []
        try:
            for _ in range(number):
                self._start(function)
        except BaseException:
            self.end()
            raise

    def _start(self, function: Callable[[Any], Any]) -> None:
        # Forked processes start at once; others would first import the package. Elsewhere than on
        # Linux forking is not safe or not there.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
        # One at a time, also where threads start processes of their own: a process that is
        # forked in between would have the other end of this pipe, which would outlive its own.
        # Python forgets a signal that comes between the fork and the child's first step, and a
        # handler of the parent's would run in the child: there they wait until it is ready.
        with _starting, uninterrupted():
            here, there = context.Pipe()
            _our_ends.add(here)
            self._pipes.append(here)
            process: BaseProcess = context.Process(
                target=_serve, args=(function, there, list(_our_ends), os.getpid()), daemon=True
            )
            process.start()
            self._processes.append(process)
            there.close()
        self._idle.put((here, process))

    def call(self, item: Any) -> Any:
        """What the function makes of an item, in the next process that is free."""
        pipe, process = self._idle.get()
        try:
            pipe.send(item)
            while not pipe.poll(LOOK_SECONDS):
                # Its end of the pipe is still open if a foreign process was forked with it.
                if not process.is_alive() and not pipe.poll():
                    raise EOFError
            result, error, trace = pipe.recv()
        except (EOFError, OSError):
            raise ChildProcessError(
                "A process that tokenizes was killed, probably for want of memory; take fewer of "
                "them."
            ) from None
        finally:
            self._idle.put((pipe, process))
        if error is not None:
            raise error from RuntimeError(f"in another process:\n{trace}")
        return result

    def end(self) -> None:
        """End the processes, whatever they do; whoever waits for one of them is told."""
        for process in self._processes:
            process.kill()  # nothing that a process could miss, or put off
        for pipe in self._pipes:
            _hang_up(pipe)
        for process in self._processes:
            process.join()
        with _starting:
            _our_ends.difference_update(self._pipes)


def _hang_up(pipe: Connection[Any, Any]) -> None:
    """End a pipe for all who have it open, so that nobody waits for it any more."""
    if sys.platform != "win32":
        with suppress(OSError), socket.socket(fileno=os.dup(pipe.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)


# In the other process


def _serve(
    function: Callable[[Any], Any],
    pipe: Connection[Any, Any],
    ours: list[Connection[Any, Any]],
    parent: int,
) -> None:
    """What a process does until it is told to end, or the first one is gone."""
    _leave_signals_to_the_parent()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    for other in ours:  # the parent's ends, which a forked process has too
        other.close()
    _let_go_of_locks()
    with suppress(EOFError, OSError):  # the parent hung up
        while True:
            item = pipe.recv()
            answer: tuple[Any, BaseException | None, str]
            try:
                answer = (function(item), None, "")
            except BaseException as error:
                answer = (None, _sendable(error), traceback.format_exc())
            try:
                pipe.send(answer)
            except OSError:
                raise
            except Exception as error:  # of pickle, before anything was sent
                pipe.send((None, TypeError(str(error)), traceback.format_exc()))


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C goes to all processes of a terminal, but the first one ends the others.

    A handler of the parent must not run in its children, or they would not end when told to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, however that ended and whatever this one does.

    The end of the pipe does not always say it: a busy process does not look there, and another
    child of the parent may have the pipe too.
    """
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)


def _let_go_of_locks() -> None:
    """Drop the parent's locked files: a lock holds as long as any process has its file open."""
    with suppress(OSError):  # where there is no /proc there is no fork either
        for info in list(Path("/proc/self/fdinfo").iterdir()):
            with suppress(OSError):  # of the listing itself
                if int(info.name) > 2 and "\nlock:" in info.read_text():
                    # Not closed, as the next file to be opened would take its number.
                    null = os.open(os.devnull, os.O_RDWR)
                    os.dup2(null, int(info.name), inheritable=False)
                    os.close(null)


def _sendable(error: BaseException) -> BaseException:
    """The error, or, where another one would come out of the pipe, a built-in one with its text."""
    with suppress(Exception):
        again = pickle.loads(pickle.dumps(error))
        if type(again) is type(error) and str(again) == str(error):
            return error
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    for kind in type(error).__mro__:
        if kind.__module__ == "builtins":
            with suppress(TypeError):  # UnicodeError's have five arguments
                return kind(text)  # type: ignore[no-any-return]
    return RuntimeError(text)
