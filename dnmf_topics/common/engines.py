"""Engines: who works on blocks of documents. All give the same result, bit for bit.

An engine has two verbs. `map` calls a function for each of several items. `over` calls it for each
block of documents: the function keeps something of the block (such as its documents' clusters) and
adds something to a sum (such as the clusters' words), which is formed along one tree. What a call
needs besides is shared with all of them. Functions are those of modules, and give the same whenever
they are called again, so that an engine may run them anywhere, and twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .blocks import Blocks
from .parallel import map_blocks


class Outcome(NamedTuple):
    """What a function of a block gives: something to keep, and something to add up."""

    kept: Any
    summand: Any = None


class Parts(tuple[Any, ...]):
    """Several summands at once, each added to its own kind."""

    def __add__(self, other: Any) -> Parts:
        return Parts(add(mine, its) for mine, its in zip(self, other, strict=True))

    def __iadd__(self, other: Any) -> Parts:
        return Parts(add_in_place(mine, its) for mine, its in zip(self, other, strict=True))


class Engine(Protocol):
    """Who works on blocks and other items."""

    task_rows: int
    """How many rows make a task, where the answer for each row is its own."""

    @property
    def jobs_inside(self) -> int | None:
        """How many threads a task itself may use."""
        ...

    @property
    def local(self) -> Threads:
        """Threads of this process, for work that is not worth handing over."""
        ...

    def map(
        self, function: Callable[..., Any], items: Sequence[Any], *shared: Any
    ) -> Iterator[Any]:
        """Yield `function(item, *shared)` for every item, in order."""
        ...

    def over(
        self,
        documents: Blocks,
        function: Callable[..., Outcome],
        *shared: Any,
        split: tuple[NDArray[Any], ...] = (),
    ) -> Outcome:
        """Call `function(block, *rows, *shared)` for every block.

        Parameters
        ----------
        documents : Blocks
            The blocks.
        function : callable
            A function of a module, which gives an `Outcome`. Summands are arrays of its own making,
            or whatever else can be added.
        *shared : object
            What it gets besides, the same for all blocks.
        split : tuple of arrays
            Arrays with a row for each document; a call gets those of its block.

        Returns
        -------
        Outcome
            What was kept, in the order of the documents, as `join` puts it together, and the sum.
        """
        ...


class Threads:
    """An engine: threads of this process."""

    task_rows = 64

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs

    @property
    def jobs_inside(self) -> int | None:
        """As many: where there are few tasks, some of them would idle."""
        return self.n_jobs

    @property
    def local(self) -> Threads:
        """These."""
        return self

    def map(
        self, function: Callable[..., Any], items: Sequence[Any], *shared: Any
    ) -> Iterator[Any]:
        """Yield `function(item, *shared)` for every item, in order."""

        def call(number: int, _: int) -> Any:
            return function(items[number], *shared)

        return map_blocks(call, len(items), block_size=1, n_jobs=self.n_jobs)

    def over(
        self,
        documents: Blocks,
        function: Callable[..., Outcome],
        *shared: Any,
        split: tuple[NDArray[Any], ...] = (),
    ) -> Outcome:
        """Call `function(block, *rows, *shared)` for every block, see `Engine`."""
        kept: list[Any] = []

        def summands() -> Iterator[Any]:
            calls = range(len(documents))
            for outcome in self.map(call_block, calls, documents, function, shared, split):
                kept.append(outcome.kept)
                yield outcome.summand

        total = tree_sum(summands(), add_in_place)
        return Outcome(join(kept), total)


def call_block(
    number: int,
    documents: Blocks,
    function: Callable[..., Outcome],
    shared: tuple[Any, ...],
    split: tuple[NDArray[Any], ...],
) -> Outcome:
    """What a function gives for one block."""
    rows = documents.limits(number)
    return function(documents[number], *(array[rows] for array in split), *shared)


def join(kept: list[Any]) -> Any:
    """What was kept of the blocks: arrays become one, tuples one tuple, all else a list."""
    if kept and isinstance(kept[0], np.ndarray):
        return np.concatenate(kept)
    if kept and isinstance(kept[0], tuple):
        return tuple(join(list(each)) for each in zip(*kept, strict=True))
    return kept


def add(first: Any, second: Any) -> Any:
    """The sum of two summands; None is none."""
    return None if first is None else first + second


def add_in_place(first: Any, second: Any) -> Any:
    """The same in the place of the first, which is then spent, if it is an array."""
    if isinstance(first, (np.ndarray, Parts)):
        first += second
        return first
    return add(first, second)


def tree_sum(summands: Iterable[Any], add: Callable[[Any, Any], Any] = add) -> Any:
    """The sum along a binary tree, which depends on the number of summands alone.

    Few partial sums are held at a time: two of equal size become one. Where some neighbors are
    summed up before, and there are 1, 2, 4, 8 ... in each group (fewer in the last), it is the same
    tree.

    >>> tree_sum(["a", "b", "c"])
    'abc'
    """
    waiting: list[tuple[int, Any]] = []  # sizes of partial sums, as in a binary number
    for summand in summands:
        size, total = 1, summand
        while waiting and waiting[-1][0] == size:
            total = add(waiting.pop()[1], total)
            size *= 2
        waiting.append((size, total))
    if not waiting:
        return None
    total = waiting.pop()[1]
    while waiting:
        total = add(waiting.pop()[1], total)
    return total


def row_ranges(num_rows: int, engine: Engine) -> list[tuple[int, int]]:
    """Ranges of rows, each a task."""
    size = engine.task_rows
    return [(start, min(start + size, num_rows)) for start in range(0, num_rows, size)]
