"""D (V x N) as the solvers see it: documents as columns, in blocks that an engine works on."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...common.arrays import Dense, Labels
from ...common.blocks import Blocks, RowBlocks
from ...common.engines import Engine, Outcome, Parts, Threads
from ..refine import cluster_sums
from ..tfidf import unit_rows

__all__ = ["Columns", "Dense", "Sparse", "as_columns"]

Sparse: TypeAlias = Any
"""A scipy sparse array; scipy ships no types."""


class Columns:
    """The matrix D (V x N), whose columns are documents: thin products, without D in one piece.

    `D @ X` and `D.T @ C` are dense, for dense X (N x K) and C (V x K).

    Parameters
    ----------
    documents : Blocks
        The rows of D', of float64.
    engine : Engine
        Who multiplies.
    """

    def __init__(self, documents: Blocks, engine: Engine) -> None:
        self.documents, self.engine = documents, engine
        num_docs, num_terms = documents.shape
        self.shape = num_terms, num_docs
        self._squared_norm: float | None = None
        self._summed: tuple[Labels, Dense] | None = None

    def __matmul__(self, X: Dense) -> Dense:
        """D X (V x K)."""
        return self.engine.over(self.documents, _add_products, split=(X,)).summand  # type: ignore[no-any-return]

    @property
    def T(self) -> Rows:
        """D' (N x V)."""
        return Rows(self)

    def cluster_sums(self, labels: Labels, num_clusters: int) -> Dense:
        """D F' (V x K) for the one-hot F of these labels."""
        if self._summed is not None and self._summed[0] is labels:
            return self._summed[1]
        found = self.engine.over(self.documents, _add_clusters, num_clusters, split=(labels,))
        sums, squares = found.summand
        self._squared_norm = float(squares)  # of the same pass
        self._summed = labels, sums
        return sums  # type: ignore[no-any-return]

    def unit_products(self, C: Dense) -> Dense:
        """D' C (N x K) for columns of D at unit length."""
        return self.engine.over(self.documents, _multiply_units, C).kept  # type: ignore[no-any-return]

    def squared_norm(self) -> float:
        """||D||_F^2."""
        if self._squared_norm is None:
            self._squared_norm = float(self.engine.over(self.documents, _add_squares).summand)
        return self._squared_norm

    def take(self, members: NDArray[np.int64]) -> Sparse:
        """Some columns, by ascending numbers, as a matrix in memory."""
        return self.documents.take(members).T

    def matrix(self) -> Sparse:
        """All of it in memory."""
        return self.documents.rows(0, self.shape[1]).T


class Rows:
    """D' of `Columns`."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    def __matmul__(self, C: Dense) -> Dense:
        """D' C (N x K)."""
        return self.columns.engine.over(self.columns.documents, _multiply, C).kept  # type: ignore[no-any-return]


def _add_products(block: sparse.csr_array, X: Dense) -> Outcome:
    return Outcome(None, block.T @ X)


def _add_clusters(block: sparse.csr_array, labels: Labels, num_clusters: int) -> Outcome:
    return Outcome(None, Parts((cluster_sums(block, labels, num_clusters), _squares(block))))


def _add_squares(block: sparse.csr_array) -> Outcome:
    return Outcome(None, _squares(block))


def _squares(block: sparse.csr_array) -> float:
    return float(block.data @ block.data)


def _multiply(block: sparse.csr_array, C: Dense) -> Outcome:
    return Outcome(block @ C)


def _multiply_units(block: sparse.csr_array, C: Dense) -> Outcome:
    return Outcome(unit_rows(block) @ C)


def as_columns(D: Columns | Sparse) -> Columns:
    """D as it is, or a sparse D (V x N) as float64 without duplicates; the caller's stays as it is.

    Once here is cheaper than in every product: scipy copies a float32 D to float64 each time.
    """
    if isinstance(D, Columns):
        return D
    columns = sparse.csc_array(D, dtype=np.float64)
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return Columns(RowBlocks(columns.T), Threads(1))
