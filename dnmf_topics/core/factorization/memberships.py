"""What a solver has to know about the membership F (K x N)."""

from __future__ import annotations

import numpy as np

from .paper_arrays import Dense


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
