"""Documents in blocks of rows, and an engine that works on the blocks.

Whatever looks at all documents does so block by block: a function of one block keeps something of
it (such as the documents' clusters) and adds something to a sum (such as the clusters' words). Both
are the same on any number of threads: blocks have a fixed size, and their sums are added up along
one tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.parallel import map_blocks

# Documents in a block. Fixed, as the order of the sums depends on it; up to so many documents are
# summed up one after the other.
BLOCK_SIZE = 65_536


class RowBlocks:
    """The rows of a sparse matrix (N x V), in blocks.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> blocks = RowBlocks(csr_array([[1.0, 0.0], [0.0, 2.0]]))
    >>> blocks.shape, len(blocks), blocks[0].toarray().tolist()
    ((2, 2), 1, [[1.0, 0.0], [0.0, 2.0]])
    """

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.matrix = matrix
        self.block_size = BLOCK_SIZE

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and terms."""
        num_docs, num_terms = self.matrix.shape
        return int(num_docs), int(num_terms)

    def __len__(self) -> int:
        return -(-self.shape[0] // self.block_size)

    def limits(self, number: int) -> slice:
        """Which documents a block has."""
        start = number * self.block_size
        return slice(start, min(start + self.block_size, self.shape[0]))

    def __getitem__(self, number: int) -> sparse.csr_array:
        """A block, without copying its entries."""
        if len(self) == 1:
            return self.matrix
        rows = self.limits(number)
        limits = self.matrix.indptr[rows.start : rows.stop + 1]
        entries = slice(limits[0], limits[-1])
        block = sparse.csr_array((rows.stop - rows.start, self.shape[1]), dtype=self.matrix.dtype)
        # Not through the constructor, which copies small parts of large arrays.
        block.data, block.indices = self.matrix.data[entries], self.matrix.indices[entries]
        block.indptr = limits - limits[0]
        return block


class Outcome(NamedTuple):
    """What a function of a block gives: something to keep, and something to add up."""

    kept: Any
    summand: Any = None


class Threads:
    """An engine: it lets threads of this process work on blocks."""

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs

    def over(
        self,
        documents: RowBlocks,
        function: Callable[..., Outcome],
        *shared: Any,
        split: tuple[NDArray[Any], ...] = (),
    ) -> Outcome:
        """Call `function(block, *rows, *shared)` for every block.

        Parameters
        ----------
        documents : RowBlocks
            The blocks.
        function : callable
            A function of a module, which gives an `Outcome`.
        *shared : object
            What it gets besides, the same for all blocks.
        split : tuple of arrays
            Arrays with a row for each document; a call gets those of its block.

        Returns
        -------
        Outcome
            What was kept, in the order of the documents (arrays are joined), and the sum.
        """

        def call(number: int, _: int) -> Outcome:
            rows = documents.limits(number)
            return function(documents[number], *(array[rows] for array in split), *shared)

        kept: list[Any] = []

        def summands() -> Iterator[Any]:
            for outcome in map_blocks(call, len(documents), block_size=1, n_jobs=self.n_jobs):
                kept.append(outcome.kept)
                yield outcome.summand

        total = tree_sum(summands())
        return Outcome(np.concatenate(kept) if isinstance(kept[0], np.ndarray) else kept, total)


def tree_sum(summands: Iterable[Any]) -> Any:
    """The sum along a binary tree, which depends on the number of summands alone.

    Few partial sums are held at a time: two of equal size become one. None is no summand.

    >>> tree_sum(["a", "b", "c"])
    'abc'
    """
    waiting: list[tuple[int, Any]] = []  # sizes of partial sums, as in a binary number
    for summand in summands:
        size, total = 1, summand
        while waiting and waiting[-1][0] == size:
            _, before = waiting.pop()
            total = None if before is None else before + total
            size *= 2
        waiting.append((size, total))
    total = waiting.pop()[1]
    while waiting:
        _, before = waiting.pop()
        total = None if before is None else before + total
    return total
