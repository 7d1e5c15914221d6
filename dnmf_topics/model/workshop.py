"""Where a training goes on: who works, and the folder for what does not fit into memory."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from ..common.blocks import Blocks, FolderBlocks, RowBlocks, write_part
from ..common.dask_cluster import engine_for
from ..common.documents import COUNTS, AnyCorpus, read_blocks
from ..common.engines import Engine
from ..common.parallel import one_blas_thread
from ..common.spool import spool_folder
from .settings import Resources

CHOSEN = "chosen"  # the name of files with some of the documents


class Workshop:
    """The engine and the folder of one training, as a context; both are made when they are needed.

    Inside, BLAS has one thread: the order of its sums must not depend on the number of cores.

    Parameters
    ----------
    resources : Resources
        What the user allows.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, resources: Resources, n_jobs: int | None) -> None:
        self.resources, self.n_jobs = resources, n_jobs
        self._stack = ExitStack()

    def __enter__(self) -> Workshop:
        self._stack.enter_context(one_blas_thread())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @cached_property
    def folder(self) -> Path:
        """A temporary folder, removed at the end."""
        return self._stack.enter_context(spool_folder(self.resources.spool))

    @cached_property
    def engine(self) -> Engine:
        """Who works on blocks."""
        resources = self.resources
        return self._stack.enter_context(
            engine_for(resources.distributed, resources.ns_conf, self.n_jobs, resources.spool)
        )

    def folder_for(self, counts: Blocks) -> Path | None:
        """Where documents made of these go; None for memory."""
        is_small = isinstance(counts, RowBlocks) and self._fits(counts.matrix.nnz)
        return None if is_small else self.folder

    def read(self, corpus: AnyCorpus, num_terms: int | None) -> Blocks:
        """A corpus, read once, as blocks (N x V)."""
        if self.resources.distributed:
            _ = self.engine  # a cluster that is not there is said before anything is read
        most = 0 if self.resources.distributed else self.resources.max_in_memory
        counts = read_blocks(corpus, num_terms, spool=lambda: self.folder, max_in_memory=most)
        if self.resources.distributed and isinstance(counts, RowBlocks) and len(counts):
            counts = self._spool(counts)
        return counts

    def choose(self, counts: Blocks, numbers: NDArray[np.int64]) -> Blocks:
        """Some of the documents, by their numbers in ascending order, where the others are too."""
        if isinstance(counts, RowBlocks):
            return RowBlocks(counts.take(numbers))
        sizes = []
        for block in range(len(counts)):
            rows = counts.limits(block)
            start, stop = np.searchsorted(numbers, [rows.start, rows.stop])
            write_part(self.folder, CHOSEN, block, counts.take(numbers[start:stop]))
            sizes.append(int(stop - start))
        return FolderBlocks(self.folder, CHOSEN, sizes, counts.shape[1], float)

    def _fits(self, num_entries: int) -> bool:
        return not self.resources.distributed and num_entries <= self.resources.max_in_memory

    def _spool(self, counts: RowBlocks) -> FolderBlocks:
        """The same documents in files."""
        for number in range(len(counts)):
            write_part(self.folder, COUNTS, number, counts[number])
        sizes = [counts.limits(number) for number in range(len(counts))]
        return FolderBlocks(
            self.folder, COUNTS, [rows.stop - rows.start for rows in sizes], counts.shape[1], float
        )
