"""Functions that the workers of a cluster import, and a cluster in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from dnmf_topics.common.engines import Outcome

MOST_SECONDS = 30


def wait_until(condition):
    """Return when the condition holds, soon after it does."""
    end = time.monotonic() + MOST_SECONDS
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.005)


def measure(block, labels, factor):
    """Keeps an array; the sum of such floats depends on the order."""
    return Outcome(factor * labels, np.array([block.sum() / 3, labels.size]))


def keep_pairs(block):
    return Outcome(block.shape)


def count_writable(block, labels, weights):
    arrays = [block.data, block.indices, block.indptr, labels, weights]
    return Outcome(type(labels) is np.ndarray, sum(array.flags.writeable for array in arrays))


def fail_at(number, unlucky):
    if number == unlucky:
        raise ZeroDivisionError(f"{number} is unlucky")
    return number


def describe_engine(_, engine):
    return type(engine).__name__, engine.n_jobs


def count_blas_threads(_):
    np.ones((2, 2)) @ np.ones((2, 2))
    return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")


def wait_for_the_end(block, labels, folder, last):
    """At its first call for the last block, say who works there and wait to be killed."""
    if folder is not None and labels[-1] == last and not (folder / "victim").exists():
        (folder / "unfinished").write_text(str(os.getpid()))
        os.rename(folder / "unfinished", folder / "victim")
        threading.Event().wait()
    return measure(block, labels, 1)


def wait_while_there(_, folder, path):
    """Say that it has begun, and work as long as a file is there."""
    (folder / "begun").touch()
    wait_until(lambda: not path.exists())
    (folder / "ended").touch()


def num_running(dask_worker):
    """How many tasks a worker has yet to do."""
    return len(dask_worker.state.executing) + len(dask_worker.state.ready)


def num_known(dask_scheduler):
    """How many tasks a scheduler remembers."""
    return len(dask_scheduler.tasks)


@contextmanager
def when_there(path, action):
    """Another thread acts as soon as a file appears; at the end it has done so."""

    def watch():
        wait_until(path.exists)
        action(path)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        watcher.join()


def kill_who_wrote(path):
    os.kill(int(path.read_text()), signal.SIGKILL)


@contextmanager
def process_with_cluster(num_workers, version=None):
    """A process with a scheduler and workers as threads of it; its id and its address."""
    script = [sys.executable, __file__, str(num_workers), version or ""]
    process = subprocess.Popen(
        script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    )
    try:
        yield process.pid, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@contextmanager
def process_with_worker(address):
    """A worker of a cluster; its process's id."""
    module = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    options = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
    process = subprocess.Popen([*module, *options], env=environment(), stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def environment():
    """That of a process that imports what this one can."""
    paths = [str(Path(__file__).parent), *sys.path]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def main():
    import distributed

    import dnmf_topics

    num_workers, version = sys.argv[1:]
    dnmf_topics.__version__ = version or dnmf_topics.__version__
    with distributed.LocalCluster(
        n_workers=int(num_workers), threads_per_worker=1, processes=False, dashboard_address=":0",
        protocol="tcp://",
    ) as cluster:  # fmt: skip
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
