"""Row blocks on joblib threads: the kernels release the GIL, results come back in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from joblib import Parallel, delayed

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

    def unless_stopped(start: int, stop: int) -> Result | None:
        return None if stopped else function(start, stop)

    tasks = (
        delayed(unless_stopped)(start, stop) for start, stop in row_blocks(num_rows, block_size)
    )
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(tasks)
    try:
        # Not `yield from`, which would close `results` without waiting.
        for result in results:  # noqa: UP028
            yield result
    finally:
        stopped = True
        for _ in results:
            pass
