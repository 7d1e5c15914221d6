"""What a solver has to know about the membership F (K x N)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...common.arrays import Labels
from .paper_arrays import Dense


class OneHot:
    """The hard F (K x N) of labels, without its zeros; `np.asarray` makes the array."""

    def __init__(self, labels: Labels, num_topics: int) -> None:
        self.labels, self.num_topics = labels, num_topics

    @property
    def sizes(self) -> Dense:
        """Number of documents of every topic."""
        return np.bincount(self.labels, minlength=self.num_topics).astype(np.float64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Dense:
        rows = np.zeros((self.labels.size, self.num_topics), dtype)
        rows[np.arange(self.labels.size), self.labels] = 1
        return rows.T


def is_hard(F: Dense) -> bool:
    """Whether every document belongs to at most one cluster.

    Then the rows of F have disjoint supports, F F' is diagonal, and the factorization splits into
    one problem for each cluster.
    """
    return int(np.count_nonzero(F, axis=0).max(initial=0)) <= 1


def open_borders(F: Dense, similarity: Dense, overlap: float) -> Dense:
    """The hard F (K x N) with room for neighbors: `overlap` of its own size in every cluster.

    They are the documents of other clusters that are most similar (N x K) to it, the first ones
    among equals. As their number is bounded by the cluster's own size, with a moderate overlap a
    small cluster is not taken over by a large one beside it.
    """
    wider = (F > 0).astype(F.dtype)
    for k, own in enumerate(F > 0):
        strangers = np.flatnonzero(~own & (similarity[:, k] > 0))
        nearest = np.argsort(-similarity[strangers, k], kind="stable")
        room = int(min(overlap, strangers.size) * own.sum())
        wider[k, strangers[nearest[:room]]] = 1
    return wider


def same_top_cluster(W: Dense, F: Dense) -> float:
    """The share of documents whose largest weight is where their largest membership is."""
    return float(np.mean(W.argmax(axis=0) == F.argmax(axis=0)))
