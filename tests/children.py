"""Calls in a process of their own, so that one that ends the process is a failed test."""

from __future__ import annotations

import os
import signal
import warnings
from contextlib import contextmanager, suppress
from multiprocessing import Pipe

MOST_SECONDS = 60  # of a call


@contextmanager
def forked(call):
    """Gives a function that says what a call returns or raises, in one forked process for all."""
    ours, theirs = Pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks where there are threads
        child = os.fork()
    if child == 0:  # pragma: no cover - no coverage is measured here
        ours.close()
        answer_calls(theirs, call)
    theirs.close()

    def ask(*args):
        ours.send(args)
        try:
            return ours.recv()
        except EOFError:
            _, status = os.waitpid(child, 0)
            name = signal.Signals(os.WTERMSIG(status)).name
            raise AssertionError(f"the process was ended by {name}") from None

    try:
        yield ask
    finally:
        ours.close()
        with suppress(ChildProcessError):  # it was ended
            os.waitpid(child, 0)


def answer_calls(connection, call):  # pragma: no cover
    """Until nobody asks any more."""
    while True:
        try:
            args = connection.recv()
        except EOFError:
            os._exit(0)
        signal.alarm(MOST_SECONDS)
        try:
            result = call(*args)
        except BaseException as error:
            result = error
        signal.alarm(0)
        connection.send(result)


def outcome(call, *args):
    """What one call returns or raises, in a process of its own."""
    with forked(call) as ask:
        return ask(*args)
