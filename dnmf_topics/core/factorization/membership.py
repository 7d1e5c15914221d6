"""What a solver has to know about the membership F (K x N)."""

from __future__ import annotations

import numpy as np

from .arrays import Dense


def is_hard(F: Dense) -> bool:
    """Whether every document belongs to at most one cluster.

    Then the rows of F have disjoint supports, F F' is diagonal, and the factorization splits into
    one problem for each cluster.
    """
    return int(np.count_nonzero(F, axis=0).max(initial=0)) <= 1


def same_top_cluster(W: Dense, F: Dense) -> float:
    """The share of documents whose largest weight is where their largest membership is."""
    return float(np.mean(W.argmax(axis=0) == F.argmax(axis=0)))
