"""Runs the cells of a study that have no result yet, each in a process that it may break."""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from ..common.checks import MOST_PROCESSES, check_int
from ..common.progress import Progress, ProgressCallback, silent
from ..common.writing import new_file, write_text
from .cells import Cell
from .config import read_study
from .corpora import SIZES, Source, load
from .process import COMMAND, EndedError, TimedOutError, WorkerProcess
from .records import FAILED, FOUND, OK, STUDY, TIMEOUT, Record, RecordFile
from .study import Study

logger = logging.getLogger(__name__)

CONFIG = "study.toml"


@dataclass(frozen=True)
class Outcome:
    """How many cells there are, how they ended, and how many of them were there before.

    Examples
    --------
    >>> outcome = Outcome(cells=12, ok=10, failed=1, timeout=1, found=4)
    >>> outcome.cells - outcome.found  # what this run did
    8
    """

    cells: int
    ok: int
    failed: int
    timeout: int
    found: int


def run(
    config: Path | None,
    out: Path,
    *,
    smoke: bool = False,
    retry: bool = False,
    processes: int = 1,
    progress: ProgressCallback = silent,
    command: Sequence[str] = COMMAND,
) -> Outcome:
    r"""Run the cells of a configuration and append their results to a folder.

    Cells that the folder has results of are not run again. A cell that fails, crashes or takes
    too long is recorded as such, and the others go on. Ctrl-C ends the cells that are running;
    what was finished stays, and the next run goes on from there.

    Parameters
    ----------
    config : Path or None
        The TOML file, as `dnmf_topics.bench.config` describes it; None with `smoke`.
    out : Path
        The folder for `cells.jsonl`; `write_results` makes tables and plots of it.
    smoke : bool
        Run the built-in configuration instead: every method on a tiny corpus.
    retry : bool
        Run those cells again that failed or took too long.
    processes : int
        How many cells run at a time; they share the cores, so their seconds mean little then.
    progress : callable, optional
        Called with "cells", how many are done, and how many there are.
    command : sequence of str
        What starts a worker process.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> toml = "methods = ['kmeans']\ncorpus.planted = {built_in = 'planted', num_topics = [4]}"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Path(folder, "small.toml")
    ...     _ = study.write_text(toml)
    ...     print(run(study, Path(folder, "results")))
    ...     print(run(study, Path(folder, "results")))  # all cells are there already
    Outcome(cells=5, ok=5, failed=0, timeout=0, found=0)
    Outcome(cells=5, ok=5, failed=0, timeout=0, found=5)
    """
    check_int(processes, "processes", 1, MOST_PROCESSES)
    with _config_file(config, smoke) as path:
        study = read_study(path)
        facts = {name: _facts(name, source) for name, source in study.corpora.items()}
        cells = study.cells({name: found["classes"] for name, found in facts.items()})
        with RecordFile(out) as results:
            _write_study(out, study, facts, cells, bool(results.records))
            if path.resolve() != (out / CONFIG).resolve():
                with new_file(out / CONFIG) as copy:
                    copy.write(path.read_bytes())
            done = (OK,) if retry else (OK, FAILED, TIMEOUT)
            missing = [
                cell for cell in cells if not _has_ended(cell, results.records.get(cell.key), done)
            ]
            _run_all(missing, study, results, processes, len(cells), progress, command)
    ended = [results.records[cell.key]["status"] for cell in cells]
    counted = {status: ended.count(status) for status in (OK, FAILED, TIMEOUT)}
    return Outcome(cells=len(cells), **counted, found=len(cells) - len(missing))


def _has_ended(cell: Cell, record: Record | None, done: Sequence[str]) -> bool:
    """Whether its record is all that there is to know; an older one may lack the completion."""
    if record is None or record["status"] not in done:
        return False
    return record["status"] != OK or not cell.with_completion or "completion" in record


@contextmanager
def _config_file(config: Path | None, smoke: bool) -> Iterator[Path]:
    if smoke:
        with as_file(files(__package__) / "smoke.toml") as path:
            yield path
    elif config is None:
        raise ValueError("config must name a TOML file, unless smoke is asked for.")
    else:
        yield Path(config)


def _facts(name: str, source: Source) -> dict[str, Any]:
    try:
        return {**load(source).facts, "paper": source.paper}
    except ValueError as error:
        raise ValueError(f"corpus.{name}: {error}") from None


def _write_study(
    out: Path, study: Study, facts: dict[str, Any], cells: list[Cell], resumed: bool
) -> None:
    """What tables and plots must know besides the records; old records must fit to it."""
    path = out / STUDY
    if resumed and path.is_file():
        for name, sizes in _sizes_before(path).items():
            now = {key: facts[name][key] for key in SIZES} if name in facts else sizes
            changed = [key for key in SIZES if sizes[key] != now[key]]
            if changed:
                raise ValueError(
                    f"{out} has results of another corpus {name}: {sizes[changed[0]]} "
                    f"{changed[0]}, now {now[changed[0]]}; name another folder."
                )
    described = {
        "cells": len(cells),
        "corpora": {
            name: {**found, "num_topics": study.num_topics[name]} for name, found in facts.items()
        },
        "methods": {name: study.settings[name] for name in study.methods},
        "studies": [
            {**asdict(sweep), "settings": [
                {method: study.swept_settings(sweep, method, value) for method in sweep.methods}
                for value in sweep.values
            ]}
            for sweep in study.sweeps
        ],
    }  # fmt: skip
    write_text(path, json.dumps(described, indent=1) + "\n")


def _sizes_before(path: Path) -> dict[str, dict[str, Any]]:
    """Of the corpora that a folder has results of."""
    try:
        corpora = json.loads(path.read_text("utf-8"))["corpora"]
        return {name: {key: found[key] for key in SIZES} for name, found in corpora.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged ({type(error).__name__}: {error}); remove it, or name another "
            "folder."
        ) from None


def _run_all(
    missing: list[Cell],
    study: Study,
    results: RecordFile,
    processes: int,
    total: int,
    progress: ProgressCallback,
    command: Sequence[str],
) -> None:
    step = total - len(missing)
    progress(Progress("cells", step, total))
    for record in run_cells(missing, study.corpora, processes, command):
        results.append(record)
        step += 1
        logger.info("%i of %i: %s", step, total, _line(record))
        progress(Progress("cells", step, total))


def _line(record: Record) -> str:
    cell = Cell(**{name: record[name] for name in Cell.__dataclass_fields__ if name in record})
    if record["status"] != OK:
        return f"{cell}: {record['status']}: {record['error']}"
    acc = "" if record["acc"] is None else f", ACC {record['acc']:.3f}"
    return f"{cell}: {record['seconds']:.1f} s{acc}"


def run_cells(
    cells: Sequence[Cell],
    sources: dict[str, Source],
    processes: int = 1,
    command: Sequence[str] = COMMAND,
) -> Iterator[Record]:
    """The record of every cell, as they end. No process outlives the iterator."""
    num_threads = max(1, _num_cores() // processes)
    waiting = iter(cells)
    ended: queue.SimpleQueue[Record | BaseException] = queue.SimpleQueue()
    lock = threading.Lock()
    running: dict[int, WorkerProcess] = {}
    stopped = False

    def work(number: int) -> None:
        try:
            while True:
                with lock:
                    cell = None if stopped else next(waiting, None)
                    if cell is None:
                        return
                    if number not in running:
                        running[number] = WorkerProcess(num_threads, command)
                record, usable = _run_cell(running[number], cell, sources[cell.corpus])
                if not usable:
                    with lock:
                        running.pop(number).end()
                ended.put(record)
        except BaseException as error:
            ended.put(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(processes)]
    for thread in threads:
        thread.start()
    try:
        for _ in cells:
            yield _next(ended)
    finally:
        with lock:
            stopped = True
            processes_left = list(running.values())
        for process in processes_left:
            process.end()
        for thread in threads:
            thread.join()


def _next(ended: queue.SimpleQueue[Record | BaseException]) -> Record:
    while True:
        try:
            result = ended.get(timeout=1)  # Ctrl-C would wait for the cell's end on some systems
        except queue.Empty:
            continue
        if isinstance(result, BaseException):
            raise result
        return result


def _run_cell(process: WorkerProcess, cell: Cell, source: Source) -> tuple[Record, bool]:
    """The record, and whether the process can go on."""
    record: Record = cell.as_json() | dict.fromkeys(FOUND)
    task = {
        "cell": cell.as_json(), "source": asdict(source), "completion": cell.with_completion,
    }  # fmt: skip
    try:
        return record | process.run(task, cell.timeout), True
    except TimedOutError as error:
        said = f"no result after {cell.timeout:g} seconds"
        return record | error.args[0] | {"status": TIMEOUT, "error": said}, False
    except EndedError as error:
        said, *found_before = error.args
        return record | dict(*found_before) | {"status": FAILED, "error": said}, False


def _num_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
