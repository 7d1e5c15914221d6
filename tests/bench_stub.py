"""Methods that end quickly, badly or not at all, and a worker and a runner that have them.

python bench_stub.py worker
python bench_stub.py run CONFIG OUT
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from dnmf_topics.bench import worker
from dnmf_topics.bench.methods import METHODS, Method
from dnmf_topics.bench.runner import run

COMMAND = (sys.executable, str(Path(__file__).resolve()), "worker")
GATE = "BENCH_STUB_GATE"  # names the file that `gated` waits for
PIDS = "BENCH_STUB_PIDS"  # names the file that workers note themselves in


def quick(problem, settings, seed):
    """Topics and clusters by the rows' largest counts: no model, but the right shapes."""
    labels = np.asarray(problem.counts.argmax(axis=1)).ravel() % problem.num_topics
    weights = np.eye(problem.num_topics)[labels]
    return SimpleNamespace(topic_term=weights.T @ problem.counts, cluster_labels=labels)


def fails(problem, settings, seed):
    raise ArithmeticError("nothing\nconverged")


def crashes(problem, settings, seed):
    print("what a library says last", file=sys.stderr, flush=True)
    os._exit(3)


def is_killed(problem, settings, seed):
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(problem, settings, seed):
    while True:
        time.sleep(60)


def prints(problem, settings, seed):
    print("this is no answer")
    os.write(1, b"neither is this\n")
    return quick(problem, settings, seed)


def gated(problem, settings, seed):
    while not os.path.exists(os.environ[GATE]):
        time.sleep(0.02)
    return quick(problem, settings, seed)


STUBS = {
    function.__name__.replace("_", "-"): Method(function.__name__, function)
    for function in (quick, fails, crashes, is_killed, hangs, prints, gated)
}

if __name__ == "__main__":
    METHODS.update(STUBS)
    if sys.argv[1] == "worker":
        if PIDS in os.environ:
            with open(os.environ[PIDS], "a", encoding="ascii") as file:
                print(os.getpid(), file=file)
        worker.main()
    else:
        run(Path(sys.argv[2]), Path(sys.argv[3]), command=COMMAND)
