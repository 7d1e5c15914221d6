"""A tree over clusters: which two belong together most, then again, until one is left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..common.arrays import Dense
from ..common.parallel import one_blas_thread


class Merges(NamedTuple):
    """How K clusters become one; merge i makes the node K + i."""

    nodes: NDArray[np.int64]
    """The two nodes of every merge (K - 1 x 2), the smaller number first."""
    heights: Dense
    """What the merges cost (K - 1), non-decreasing."""


def link_clusters(sums: Dense) -> Merges:
    """Merge clusters greedily, from the summed documents of each (K x V).

    The length of a sum says how well its documents agree: it is their number if they are all the
    same. Those two are merged that lose the least of it,

        |s_a| + |s_b| - |s_a + s_b|.

    A cluster without documents loses nothing, and is merged first. Costs may fall from one merge to
    the next; heights stay where they were then.
    """
    num_clusters = len(sums)
    with one_blas_thread():  # whose sums do not depend on the number of threads
        # |s_a + s_b|^2 = G_aa + G_bb + 2 G_ab with G = S S'
        gram = sums @ sums.T
    nodes, is_there = np.arange(num_clusters), np.ones(num_clusters, bool)
    merges = np.zeros((max(num_clusters - 1, 0), 2), np.int64)
    heights = np.zeros(len(merges))
    costs = np.full((num_clusters, num_clusters), np.inf)  # of pairs a < b
    for a in range(num_clusters):
        costs[a, a + 1 :] = _costs(gram, a)[a + 1 :]
    for step in range(len(merges)):
        a, b = (int(place) for place in np.unravel_index(costs.argmin(), costs.shape))
        merges[step] = sorted((nodes[a], nodes[b]))
        heights[step] = max(costs[a, b], 0.0, heights[step - 1] if step else 0.0)
        # What was merged takes the place of the first; the other one is gone.
        gram[a] += gram[b]
        gram[:, a] += gram[:, b]
        nodes[a], is_there[b] = num_clusters + step, False
        costs[b] = costs[:, b] = np.inf
        changed = np.where(is_there, _costs(gram, a), np.inf)
        costs[a, a + 1 :], costs[:a, a] = changed[a + 1 :], changed[:a]
    return Merges(merges, heights)


def _costs(gram: Dense, a: int) -> Dense:
    """What it costs to merge a cluster with each of the others (K)."""
    squares = gram.diagonal()
    together = np.sqrt(np.maximum(squares[a] + squares + 2 * gram[a], 0.0))
    costs: Dense = np.sqrt(squares[a]) + np.sqrt(squares) - together
    return costs
