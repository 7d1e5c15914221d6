"""An engine whose workers are those of a dask cluster.

What is large goes through a folder that the driver and all workers see (`dask_tasks`); the
scheduler hears of paths and numbers only. Summands stay with the workers and are added there.
"""

from __future__ import annotations

import logging
import os
import shutil
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

import cloudpickle
import distributed
import numpy as np
from dask.utils import funcname
from distributed.client import Client, Future
from numpy.typing import NDArray

from .. import __version__
from . import dask_tasks as tasks
from .blocks import Blocks, RowBlocks
from .engines import Outcome, Threads, join

logger = logging.getLogger(__name__)

LOOKING_SECONDS = 1.0  # between two looks whether the cluster is still there
WORKER_SECONDS = 10.0  # for which it may be without workers
MOST_IDLE_LOOKS = 5  # at workers that do nothing, before a task is started again
TASKS_PER_THREAD = 16  # of `over`, at most
SUMMANDS_PER_TASK = 4  # a power of two, as the tree of the sum is one of pairs
ITEMS_PER_THREAD = 4  # of `map` that are under way at a time


class DaskEngine:
    """An engine: the workers of a dask cluster.

    Parameters
    ----------
    client : dask.distributed.Client
        A client of the cluster.
    folder : path
        A folder that this process and all workers can read and write, under the same path.
        Files that are there for one call are removed when it ends.
    n_jobs : int, optional
        Threads of this process, for work that is not worth handing over.

    Notes
    -----
    A matrix in memory (`RowBlocks`) is written to the folder once, at the first call, and must
    stay as it is. A worker that dies changes nothing: its tasks run again elsewhere. A cluster
    that has no workers for 10 seconds, or whose scheduler is gone, is a ConnectionError. In a task
    the engine is `Threads(1)`.
    """

    task_rows = 1024

    def __init__(
        self, client: Client, folder: str | os.PathLike[str], n_jobs: int | None = None
    ) -> None:
        self.client, self.folder, self.n_jobs = client, Path(os.path.abspath(folder)), n_jobs
        self._matrices: weakref.WeakKeyDictionary[RowBlocks, str] = weakref.WeakKeyDictionary()
        with self._connected():
            self._check_workers()

    def __reduce__(self) -> tuple[type[Threads], tuple[int]]:
        return Threads, (1,)

    @property
    def jobs_inside(self) -> int:
        """How many threads a task itself may use."""
        return 1

    @property
    def local(self) -> Threads:
        """Threads of this process."""
        return Threads(self.n_jobs)

    def map(
        self, function: Callable[..., Any], items: Iterable[Any], *shared: Any
    ) -> Iterator[Any]:
        """Yield `function(item, *shared)` for every item, in order; few are under way at a time."""
        with self._connected(), _Call(self, function, (function, shared)) as call:
            most = ITEMS_PER_THREAD * len(self._slots())
            waiting: deque[tuple[int, Future]] = deque()
            for number, item in enumerate(items):
                call.dump(tasks.item_path(call.folder, number), item)
                waiting.append((number, call.submit(tasks.call_item, call.folder, number)))
                if len(waiting) >= most:
                    yield call.result(*waiting.popleft())
            while waiting:
                yield call.result(*waiting.popleft())

    def over(
        self,
        documents: Blocks,
        function: Callable[..., Outcome],
        *shared: Any,
        split: tuple[NDArray[Any], ...] = (),
    ) -> Outcome:
        """Call `function(block, *rows, *shared)` for every block, see `Engine`."""
        if len(documents) == 0:
            return Outcome([])
        with self._connected(), _Call(self, function, (documents, function, shared)) as call:
            for number, array in enumerate(split):
                np.save(tasks.split_path(call.folder, number), array, allow_pickle=False)
            starts = call.run_blocks(len(documents), len(split), self._slots())
            kept = [tasks.fetch(tasks.result_path(call.folder, start)) for start in starts]
            summed = tasks.fetch(call.folder / tasks.TOTAL)
            return Outcome(join([part for parts in kept for part in parts]), summed)

    # The cluster

    def _slots(self) -> list[str]:
        """The workers' addresses, each as often as it has threads."""
        threads: dict[str, int] = self.client.nthreads()
        if not threads:
            self.wait_for_workers()
            threads = self.client.nthreads()
        return [worker for worker in sorted(threads) for _ in range(threads[worker])]

    def wait_for_workers(self) -> None:
        """An error where there are no workers for some seconds."""
        try:
            self.client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except distributed.TimeoutError:
            address = self._address()
            raise ConnectionError(
                f"The dask cluster at {address} has no workers; start some with "
                f"`dask worker {address}`."
            ) from None

    def _address(self) -> str:
        return str(self.client.scheduler.address) if self.client.scheduler else "an unknown address"

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """What goes wrong when the scheduler is gone, as one sentence."""
        try:
            self.check_scheduler()
            yield
        except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
            raise ConnectionError(self._gone()) from error
        except distributed.scheduler.KilledWorker as error:
            raise ConnectionError(
                f"The workers of the dask cluster at {self._address()} died again and again at the "
                "same task, often for want of memory; give them more of it."
            ) from error

    def check_scheduler(self) -> None:
        """An error where there is no scheduler any more."""
        if self.client.status != "running":
            raise ConnectionError(self._gone())

    def _gone(self) -> str:
        return (
            f"The scheduler of the dask cluster at {self._address()} is gone or was restarted; "
            "start the cluster, connect and call again."
        )

    def _check_workers(self) -> None:
        """Every worker must see the folder and have this version of the package."""
        self.wait_for_workers()
        token = uuid.uuid4().hex
        (self.folder / tasks.TOKEN).write_text(token, "utf-8")
        found = self.client.run(tasks.introduce, self.folder, token, on_error="return")
        for worker, said in sorted(found.items()):
            if isinstance(said, ImportError):
                raise ConnectionError(
                    f"The dask worker {worker} cannot import what this process can ({said}); "
                    f"install dnmf_topics {__version__} with all that it needs there."
                )
            if isinstance(said, OSError):
                continue  # it died meanwhile
            if isinstance(said, BaseException):
                raise said
            self._check_worker(worker, said)

    def _check_worker(self, worker: str, said: tasks.Introduction) -> None:
        if said.version != __version__:
            raise ConnectionError(
                f"The dask worker {worker} has dnmf_topics {said.version}, this process "
                f"{__version__}; install the same version everywhere."
            )
        if said.answer is None or not (self.folder / said.answer).exists():
            raise FileNotFoundError(tasks.unseen(self.folder, said.host))
        (self.folder / said.answer).unlink()
        if said.numpy_version != np.__version__:
            logger.warning(
                "the dask worker %s has numpy %s, this process %s: the last bits may differ",
                worker, said.numpy_version, np.__version__,
            )  # fmt: skip

    def matrix_path(self, blocks: RowBlocks) -> str:
        """The file of a matrix in memory, which is written once."""
        if blocks not in self._matrices:
            path = self.folder / f"matrix-{uuid.uuid4().hex}"
            tasks.store(path, blocks)
            self._matrices[blocks] = str(path)
            weakref.finalize(blocks, path.unlink, missing_ok=True)
        return self._matrices[blocks]


class _Call:
    """One call of an engine's verb: its folder and its tasks, which end with the block."""

    def __init__(self, engine: DaskEngine, function: Callable[..., Any], shared: Any) -> None:
        self.engine, self.client = engine, engine.client
        self.name = funcname(function).lstrip("_")
        self.token = uuid.uuid4().hex
        self.folder = engine.folder / f"{self.name}-{self.token}"
        self.shared = shared
        self.futures: weakref.WeakSet[Future] = weakref.WeakSet()
        self.count = 0

    def __enter__(self) -> _Call:
        self.folder.mkdir()
        try:
            self.dump(self.folder / tasks.SHARED, self.shared)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            unfinished = list(self.futures)
            if unfinished and self.client.status == "running":
                self.client.cancel(unfinished, force=True)
        finally:
            self._remove()

    def _remove(self) -> None:
        # Under another name first, where a task that is still running cannot add a file.
        removed = self.folder.with_name(f".{self.folder.name}")
        with suppress(OSError):
            os.replace(self.folder, removed)
        shutil.rmtree(removed, ignore_errors=True)

    def dump(self, path: Path, value: Any) -> None:
        """Write what tasks read."""
        with path.open("wb") as file:
            _Pickler(file, self.engine).dump(value)

    def submit(
        self, task: Callable[..., Any], *arguments: Any, stage: str = "", **options: Any
    ) -> Future:
        """A task, whose key names the stage on the dashboard."""
        group = "-".join(filter(None, [self.name, stage, self.token]))
        self.count += 1
        future = self.client.submit(
            task, *arguments, key=(group, self.count), pure=False, **options
        )
        self.futures.add(future)
        return future

    def run_blocks(self, num_blocks: int, num_split: int, slots: list[str]) -> range:
        """Run a task for each group of blocks, and sum up; the numbers of the groups' first."""
        size = group_size(num_blocks, TASKS_PER_THREAD * len(slots))
        starts = range(0, num_blocks, size)
        self.wait(partial(self._start_blocks, starts, num_blocks, num_split, slots))
        return starts

    def _start_blocks(
        self, starts: range, num_blocks: int, num_split: int, slots: list[str]
    ) -> Future:
        """The task that ends all others of a pass."""
        size = starts.step
        # Neighbors go to one worker, where they are added up.
        summands = [
            self.submit(
                tasks.call_blocks, self.folder, start, min(start + size, num_blocks), num_split,
                workers=slots[place * len(slots) // len(starts)], allow_other_workers=True,
                priority=-place,
            )
            for place, start in enumerate(starts)
        ]  # fmt: skip
        while len(summands) > SUMMANDS_PER_TASK:
            summands = [self.add(group) for group in chunks(summands, SUMMANDS_PER_TASK)]
        return self.add(summands, self.folder)

    def add(self, summands: list[Future], folder: Path | None = None) -> Future:
        """The sum of neighbors, which goes before other work as it frees memory."""
        return self.submit(tasks.add_neighbors, summands, folder, stage="sum", priority=1)

    def result(self, number: int, future: Future) -> Any:
        """What a task for an item left."""
        self.wait(partial(self.submit, tasks.call_item, self.folder, number), future)
        path = tasks.result_path(self.folder, number)
        result = tasks.fetch(path)
        path.unlink()
        tasks.item_path(self.folder, number).unlink()
        return result

    def wait(self, start: Callable[[], Future], future: Future | None = None) -> None:
        """Start a task, or take one that was started; return when it is done, or raise its error.

        A scheduler that lost workers may leave a task to nobody. As tasks may run twice, such a one
        is started again.
        """
        future = future or start()
        idle_looks = 0
        while True:
            with suppress(distributed.TimeoutError):
                distributed.wait([future], timeout=LOOKING_SECONDS)
                break
            self.engine.check_scheduler()
            self.engine.wait_for_workers()
            idle_looks = idle_looks + 1 if self._is_idle() else 0
            if idle_looks >= MOST_IDLE_LOOKS:
                logger.warning("no dask worker works on %s: it is started again", self.name)
                future, idle_looks = start(), 0
        if future.status != "finished":
            future.result()

    def _is_idle(self) -> bool:
        """Whether no worker runs anything."""
        try:
            return not any(self.client.call_stack().values())
        except (OSError, distributed.TimeoutError):  # one of them is just dying
            return False


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles what tasks share, in which matrices in memory stand as the names of their files."""

    def __init__(self, file: IO[bytes], engine: DaskEngine) -> None:
        super().__init__(file, protocol=5)
        self.engine = engine

    def persistent_id(self, value: Any) -> str | None:
        """The file of a matrix; other values are pickled as usual."""
        return self.engine.matrix_path(value) if type(value) is RowBlocks else None


def group_size(num_blocks: int, most_groups: int) -> int:
    """How many neighboring blocks make a task: a power of two, so that the sum stays the same."""
    size = 1
    while -(-num_blocks // size) > most_groups:
        size *= 2
    return size


def chunks(tasks: list[Future], size: int) -> Iterator[list[Future]]:
    """Neighbors, `size` at a time."""
    return (tasks[start : start + size] for start in range(0, len(tasks), size))
