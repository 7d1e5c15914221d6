"""Row blocks on joblib threads: the kernels release the GIL, results come back in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

Result = TypeVar("Result")


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
    stopped = False
    running = 0
    changed = threading.Condition()

    def unless_stopped(start: int, stop: int) -> Result | None:
        nonlocal running
        with changed:
            if stopped:
                return None
            running += 1
        try:
            return function(start, stop)
        finally:
            with changed:
                running -= 1
                changed.notify()

    tasks = (
        delayed(unless_stopped)(start, stop) for start, stop in row_blocks(num_rows, block_size)
    )
    results = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(tasks)
    try:
        # Not `yield from`, which would close `results` without waiting.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with changed:
            stopped = True
            changed.wait_for(lambda: running == 0)
        for _ in results:
            pass


_blas_lock = threading.Lock()
_blas_users = 0
_blas_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS work on one thread: the order of its sums must not depend on the number of cores.

    The limit holds for the process. Of fits that run at the same time, the first sets it and the
    last lifts it.
    """
    global _blas_users, _blas_limit
    with _blas_lock:
        _blas_users += 1
        if _blas_users == 1:
            _blas_limit = threadpool_limits(1, user_api="blas")
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _blas_limit.restore_original_limits()
