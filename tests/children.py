"""Calls in a process of their own, so that one that ends the process is a failed test."""

from __future__ import annotations

import os
import pickle
import signal
import warnings


def outcome(call, *args):
    """What a call returns or raises, in a forked process that may take a minute."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks where there are threads
        child = os.fork()
    if child == 0:  # pragma: no cover - no coverage is measured here
        signal.alarm(60)
        try:
            result = call(*args)
        except BaseException as error:
            result = error
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(result))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return pickle.loads(answer)
