"""The process in which cells run: tasks come in on standard input, results go to standard output.

It ends when its standard input does, so that none is left behind by a runner that was killed.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from functools import lru_cache
from typing import IO, Any

from .corpora import Corpus, Source, load, select
from .measure import measure_fit, threads, versions
from .methods import METHODS
from .records import FAILED, OK

STARTED, ENDED = "started", "ended"
TINY = Source(built_in="planted")


def main() -> None:
    """Run the tasks as they come, until the end of the process."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what methods print must not get between the answers
    tasks: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin, tasks), daemon=True).start()
    warm: set[str] = set()
    while True:
        task = tasks.get()
        try:
            _run(task, answers, warm)
        except Exception as error:
            _say(answers, {"event": ENDED, "status": FAILED, "error": sentence(error)})


def _listen(source: IO[str], tasks: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in source:
        tasks.put(json.loads(line))
    os._exit(0)


def _run(task: dict[str, Any], answers: IO[str], warm: set[str]) -> None:
    cell = task["cell"]
    method = METHODS[cell["method"]]
    problem = select(_corpus(Source(**task["source"])), cell["num_topics"], cell["subset"])
    documents, terms = problem.counts.shape
    shape = {"documents": int(documents), "terms": int(terms)}
    _say(answers, {"event": STARTED, **shape, "threads": threads(), "versions": versions()})
    if cell["method"] not in warm:
        _warm_up(cell["method"])
        warm.add(cell["method"])
    found = measure_fit(
        method, problem, cell["settings"], cell["seed"], completion=task["completion"]
    )
    _say(answers, {"event": ENDED, "status": OK, "error": None, **found})


def _warm_up(method: str) -> None:
    """Import and compile what the method needs, so that its seconds are those of the fit."""
    tiny = select(_corpus(TINY), 3, 0)
    try:
        METHODS[method].fit(tiny, {}, 0)
    except Exception:  # what is wrong will show in the fit itself
        return


@lru_cache(maxsize=8)
def _corpus(source: Source) -> Corpus:
    return load(source)


def _say(answers: IO[str], message: dict[str, Any]) -> None:
    print(json.dumps(message, allow_nan=False), file=answers, flush=True)


def sentence(error: BaseException) -> str:
    """An error in one line."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


if __name__ == "__main__":
    main()
