"""A worker process, seen from outside: it gets a task and answers, or is ended."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from .worker import ENDED, STARTED

COMMAND = (sys.executable, "-m", "dnmf_topics.bench.worker")
STARTUP = 600.0  # seconds for imports and for reading a corpus, which count for no fit
# A process may use its share of the cores and no more. Each of these is somebody's number.
THREADS = (
    "LOKY_MAX_CPU_COUNT", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
)  # fmt: skip


class TimedOutError(Exception):
    """The process did not answer in time."""


class EndedError(Exception):
    """The process ended before it answered; the message says how."""


class WorkerProcess:
    """One process; a task that fails leaves it as it was, one that must be stopped ends it."""

    def __init__(self, num_threads: int, command: Sequence[str] = COMMAND) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            # The folder of the package that runs here, so that there it is the same one.
            cwd=Path(__file__).parents[2],
            env=os.environ | dict.fromkeys(THREADS, str(num_threads)),
            # Ctrl-C reaches the runner alone, which ends its processes in order.
            start_new_session=True,
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def run(self, task: dict[str, Any], timeout: float) -> dict[str, Any]:
        """The answers to a task, as one dict. The timeout starts when the fit does."""
        found: dict[str, Any] = {}
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise EndedError(self._how_it_ended()) from None
        event, limit = None, STARTUP
        while event != ENDED:
            try:
                line = self._answers.get(timeout=limit)
            except queue.Empty:
                self.end()
                raise TimedOutError(found) from None
            if not line:
                raise EndedError(self._how_it_ended(), found)
            answer = json.loads(line)
            event = answer.pop("event")
            limit = timeout if event == STARTED else STARTUP
            found |= answer
        return found

    def _how_it_ended(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        last = f": {said[-1].strip()}" if said else ""
        if code >= 0:
            return f"the process ended with code {code}{last}"
        name = signal.Signals(-code).name
        memory = ", as it does when the memory is full" if name == "SIGKILL" else ""
        return f"the process was ended by {name}{memory}{last}"

    def end(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                with suppress(OSError):  # a task that it never read
                    pipe.close()
