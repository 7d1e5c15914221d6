"""Chunks of texts on processes: few at a time, in order, and nobody waits for the dead."""

from __future__ import annotations

import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from real_texts import lee_texts

import dnmf_topics
from dnmf_topics.text import (
    Document,
    ReadError,
    Tokenization,
    build_corpus,
    portions,
    processes,
)

LEE = lee_texts()


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", 20)


def test_documents_are_read_as_they_are_needed(small_chunks):
    """With several processes too, a source of any length fits into memory."""
    read = 0

    def texts():
        nonlocal read
        for _ in range(1000):
            read += 1
            yield "river bank " * 1000

    first = next(Tokenization().tokens(texts(), processes=2))
    assert first[:2] == ["river", "bank"]
    assert read <= 100  # of 1,000: five chunks of 20 are under way


def test_progress_may_cancel_the_work(small_chunks):
    def stop(*_):
        raise KeyboardInterrupt

    for number in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            build_corpus(LEE, processes=number, progress=stop)


def test_an_error_in_the_source_reaches_the_caller(small_chunks):
    good = [Document("river bank " * 1000, "a")] * 20
    with pytest.raises(ReadError, match="item 21: the text must be a string, got 5"):
        build_corpus([*good, 5], processes=2)


def test_an_error_in_a_process_reaches_the_caller(small_chunks, monkeypatch):
    def fail(*_):
        raise RuntimeError("in a worker")

    monkeypatch.setattr(portions, "count", fail)
    with pytest.raises(RuntimeError, match="in a worker"):
        build_corpus(LEE, processes=2)


def die_while_handing_over(number):
    """Leave the beginning of a result in the pipe and be killed."""
    if number == 3:
        pipe = sys._getframe(1).f_locals["pipe"]
        os.write(pipe.fileno(), struct.pack("!i", 1000) + b"half")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_half_a_result_is_not_waited_for():
    with pytest.raises(ChildProcessError, match="was killed"):
        list(processes.map_in_order(die_while_handing_over, range(20), 2))
    assert not [each for each in multiprocessing.active_children() if "Fork" in type(each).__name__]


def be_late(number):
    raise TimeoutError("too late")


def test_a_function_may_run_out_of_time_itself():
    with pytest.raises(TimeoutError, match="too late"):
        list(processes.map_in_order(be_late, range(3), 2))


def divide(number):
    return 1 / number


def test_an_error_says_where_in_the_other_process_it_was_raised():
    with pytest.raises(ZeroDivisionError) as raised:
        list(processes.map_in_order(divide, range(3), 2))
    assert "in divide" in str(raised.value.__cause__)


def test_what_cannot_be_sent_is_an_error_and_no_death():
    with pytest.raises(Exception, match=r"pickle|local object"):
        list(processes.map_in_order(lambda number: lambda: number, range(3), 2))


def test_processes_end_with_the_one_who_asks():
    results = processes.map_in_order(abs, range(100), 2)
    assert next(results) == 0
    assert len(multiprocessing.active_children()) >= 2
    before = {child.pid for child in multiprocessing.active_children()}
    results.close()
    assert len(before - {child.pid for child in multiprocessing.active_children()}) == 2


def test_a_process_that_is_killed_is_one_sentence(small_chunks):
    def texts():
        for number in range(400):
            if number == 100:
                forked = (
                    child
                    for child in multiprocessing.active_children()
                    if type(child).__name__ == "ForkProcess"
                )
                os.kill(next(forked).pid, signal.SIGKILL)
            yield "river bank " * 1000

    with pytest.raises(ChildProcessError, match=r"was killed, probably for want of memory"):
        list(Tokenization().tokens(texts(), processes=2))


class TwoPartsError(ValueError):
    """Pickle hands on the message alone, and the constructor wants two arguments."""

    def __init__(self, place, reason):
        super().__init__(f"{place}: {reason}")


class ForgetfulError(KeyError):
    """What comes out of a pickle has no text any more."""

    def __init__(self, text=""):
        super().__init__()
        self._said = text

    def __str__(self):
        return self._said

    def __reduce__(self):
        return ForgetfulError, ()


def fail_in_two_parts(number):
    raise TwoPartsError("line 7", "no text")


def fail_and_forget(number):
    raise ForgetfulError("no text")


@pytest.mark.parametrize(
    ("function", "kind", "said"),
    [
        (fail_in_two_parts, ValueError, "TwoPartsError: line 7: no text"),
        (fail_and_forget, KeyError, "ForgetfulError: no text"),
    ],
)
def test_an_error_that_pickle_cannot_hand_on_still_says_what_happened(function, kind, said):
    with pytest.raises(kind, match=said) as raised:
        list(processes.map_in_order(function, range(3), 2))
    assert f"in {function.__name__}" in str(raised.value.__cause__)


# A program of its own, as it is killed or changes how it takes signals.
PROGRAM = """
import fcntl, multiprocessing, os, signal, sys, time
from dnmf_topics.text import processes

def busy(number):
    os.write(1, f"{os.getpid()}\\n".encode())  # in one piece, as another process writes too
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
"""
KILLED = """
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
work = processes.map_in_order(busy if sys.argv[2] == "busy" else abs, range(4), 2)
if sys.argv[2] == "idle":  # and another process has the parent's ends of the pipes
    next(work)
    print(*(child.pid for child in multiprocessing.active_children()), sep="\\n", flush=True)
    keeper = os.fork()
    if keeper == 0:
        os.close(1)
        time.sleep(60)
        os._exit(0)
    print(keeper, flush=True)
    time.sleep(60)
else:
    next(work)
"""


def start(program, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(Path(dnmf_topics.__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(is_so, seconds=10):
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert is_so()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("state", ["busy", "idle"])
def test_processes_end_with_a_parent_that_is_killed(tmp_path, state):
    fcntl = pytest.importorskip("fcntl")
    with start(PROGRAM + KILLED, tmp_path / "lock", state) as parent:
        pids = [int(parent.stdout.readline()) for _ in range(2)]
        keeper = int(parent.stdout.readline()) if state == "idle" else None
        try:
            assert all(map(is_running, pids))
            parent.kill()
            parent.wait()
            if state == "busy":  # and thus ready: the killed one alone had the lock
                with (tmp_path / "lock").open() as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            wait_until(lambda: not any(map(is_running, pids)))
        finally:
            for pid in [keeper] if keeper else []:
                os.kill(pid, signal.SIGKILL)


FIRST_MOMENT = """
def stop(*_):
    raise SystemExit(143)

signal.signal(signal.SIGTERM, stop)
for _ in range(40):
    workers = processes._Workers(abs, 2)
    for process in workers._processes:
        os.kill(process.pid, signal.SIGINT)
        process.terminate()
    for process in workers._processes:
        process.join(20)
        print(process.exitcode)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes start differently")
def test_a_signal_in_the_first_moment_is_not_lost():
    """It comes before the new process has handlers of its own; it must neither ignore it nor run
    the parent's."""
    with start(PROGRAM + FIRST_MOMENT) as program:
        said, complaints = program.communicate(timeout=120)
    assert said.split() == ["-15"] * 80
    assert complaints == ""


@pytest.fixture
def foreign_ends(monkeypatch):
    """The processes' ends of their pipes, kept open as by a foreign process forked meanwhile."""
    context = multiprocessing.get_context("fork")
    make, kept = context.Pipe, []

    def make_pipe():
        here, there = make()
        kept.append(os.dup(there.fileno()))
        return here, there

    monkeypatch.setattr(context, "Pipe", make_pipe)
    yield
    for number in kept:
        os.close(number)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes start differently")
def test_nobody_waits_for_an_end_of_a_pipe_that_another_process_has(foreign_ends, monkeypatch):
    monkeypatch.setattr(processes, "LOOK_SECONDS", 0.1)
    workers = processes._Workers(time.sleep, 1)
    threading.Timer(0.3, workers._processes[0].kill).start()
    with pytest.raises(ChildProcessError, match="was killed"):
        workers.call(60)
    workers.end()
    # And who stops early waits for no thread that waits for such a pipe.
    monkeypatch.setattr(processes, "LOOK_SECONDS", 60)
    results = processes.map_in_order(time.sleep, [0, 60, 60, 60, 60, 60], 2)
    next(results)
    results.close()
