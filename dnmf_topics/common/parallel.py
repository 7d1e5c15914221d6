"""Row blocks on threads, and what fits on several threads change for the process."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import OpenBLASController, ThreadpoolController

Result = TypeVar("Result")

MOST_THREADS = 256
AHEAD = 2  # blocks for each thread, whose results may wait to be asked for


def row_blocks(num_rows: int, block_size: int) -> list[tuple[int, int]]:
    """Split `range(num_rows)` into half-open ranges of at most `block_size` rows."""
    return [(i, min(i + block_size, num_rows)) for i in range(0, num_rows, block_size)]


def map_blocks(
    function: Callable[[int, int], Result],
    num_rows: int,
    *,
    block_size: int,
    n_jobs: int | None,
) -> Iterator[Result]:
    """Yield `function(start, stop)` for every row block, in order, computed by `n_jobs` threads.

    Closing the iterator early (an exception in the consumer does so) waits for the blocks under
    way and starts no other, so that no thread outlives the loop.
    """
    blocks = row_blocks(num_rows, block_size)
    # More threads than blocks, or thousands of them, only wait for each other.
    num_threads = min(effective_n_jobs(n_jobs), max(1, len(blocks)), MOST_THREADS)
    if num_threads == 1:
        yield from (function(start, stop) for start, stop in blocks)
        return
    with ThreadPoolExecutor(num_threads) as threads:
        waiting: deque[Future[Result]] = deque()
        try:
            for start, stop in blocks:
                if len(waiting) == AHEAD * num_threads:
                    yield waiting.popleft().result()
                waiting.append(_submit(threads, function, start, stop))
            while waiting:
                yield waiting.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)


def _submit(
    threads: ThreadPoolExecutor, function: Callable[[int, int], Result], start: int, stop: int
) -> Future[Result]:
    """A block's result to come; here and now once the main thread has ended, as no other starts."""
    try:
        return threads.submit(function, start, stop)
    except RuntimeError:
        done: Future[Result] = Future()
        done.set_result(function(start, stop))
        return done


class ProcessWide:
    """A change to the whole process, as a context for many threads at once.

    Of fits that run at the same time, the first makes the change and the last takes it back.
    """

    def __init__(self, change: Callable[[], AbstractContextManager[Any]]) -> None:
        self._change = change
        self._lock = threading.Lock()
        self._users = 0
        self._made: AbstractContextManager[Any]

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Inside, the change is made."""
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._made = self._change()
                self._made.__enter__()
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._made.__exit__(None, None, None)


@cache
def _libraries(user_api: str) -> ThreadpoolController:
    """Those that are loaded when they are first asked for; to look for them takes milliseconds."""
    return ThreadpoolController().select(user_api=user_api)


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    _let_anybody_limit_blas()
    limits = _libraries("blas").limit(limits=1)
    try:
        yield
    finally:
        _let_anybody_limit_blas()
        limits.restore_original_limits()
        _let_anybody_limit_blas()


def _let_anybody_limit_blas() -> None:
    """From threadpoolctl 3.8 on, what other threads than the first say is ignored.

    Fits on several threads begin on one and may end on another.
    """
    if hasattr(OpenBLASController, "clear_controlling_thread"):
        OpenBLASController.clear_controlling_thread(force=True)


# The order of the sums that BLAS forms must not depend on the number of cores.
one_blas_thread = ProcessWide(_one_blas_thread)


def one_openmp_thread() -> AbstractContextManager[Any]:
    """The same for scikit-learn, once it is loaded; it counts for the calling thread alone."""
    return _libraries("openmp").limit(limits=1)  # type: ignore[no-any-return]


@contextmanager
def _ignored_convergence() -> Iterator[None]:
    from sklearn.exceptions import ConvergenceWarning  # late: it loads slowly

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


# k-means warns where there are fewer distinct documents than clusters.
no_convergence_warnings = ProcessWide(_ignored_convergence)
