"""A tree over clusters: which two belong together most, then again, until one is left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..common.arrays import Dense
from ..common.parallel import one_blas_thread

# Of a term's mean weight in a cluster. Set by tests/benchmarks/tree.py --constants, where anything
# from .6 to .9 does about as well, and 1 somewhat worse.
POWER = 0.75


class Merges(NamedTuple):
    """How K clusters become one; merge i makes the node K + i."""

    nodes: NDArray[np.int64]
    """The two nodes of every merge (K - 1 x 2), the smaller number first."""
    heights: Dense
    """What the merges cost (K - 1), non-decreasing."""


def link_clusters(sums: Dense, sizes: Dense, *, unit_length: bool) -> Merges:
    """Merge clusters greedily, from the summed documents of each (K x V) and their numbers (K).

    The length of a sum says how well its documents agree. Those two are merged that lose the least
    of it,

        |v_a| + |v_b| - |v_a + v_b|,

    where v are the sums, damped so that no single word decides, and without the products of
    documents with themselves, in which each agrees. These are known if documents are of unit
    length; then a cluster of one document has length 0, and goes early to where it fits. Clusters
    without documents go first. Costs may fall from one merge to the next, or be negative; heights
    stay where they were then.
    """
    num_clusters = len(sums)
    # v_k = n_k (s_k / n_k)^p = n_k^(1 - p) s_k^p
    damped = sizes[:, None] ** (1 - POWER) * sums**POWER
    with one_blas_thread():  # whose sums do not depend on the number of threads
        # |v_a + v_b|^2 = G_aa + G_bb + 2 G_ab with G = V V'
        gram = damped @ damped.T
    if unit_length:
        # n_k / |s_k|^2, the share of |s_k|^2 = sum_ij x_i'x_j that has i = j
        squares = (sums**2).sum(axis=1)
        own = np.divide(sizes, squares, out=np.zeros(num_clusters), where=squares > 0)
        gram[np.diag_indices(num_clusters)] *= 1 - np.minimum(own, 1.0)
    nodes, is_there = np.arange(num_clusters), np.ones(num_clusters, bool)
    is_empty = np.asarray(sums.max(axis=1, initial=0.0) == 0)
    merges = np.zeros((max(num_clusters - 1, 0), 2), np.int64)
    heights = np.zeros(len(merges))
    costs = np.full((num_clusters, num_clusters), np.inf)  # of pairs a < b
    for a in range(num_clusters):
        costs[a, a + 1 :] = _costs(gram, is_empty, a)[a + 1 :]
    for step in range(len(merges)):
        a, b = (int(place) for place in np.unravel_index(costs.argmin(), costs.shape))
        merges[step] = sorted((nodes[a], nodes[b]))
        heights[step] = max(costs[a, b], 0.0, heights[step - 1] if step else 0.0)
        # What was merged takes the place of the first; the other one is gone.
        gram[a] += gram[b]
        gram[:, a] += gram[:, b]
        nodes[a], is_there[b] = num_clusters + step, False
        is_empty[a] &= is_empty[b]
        costs[b] = costs[:, b] = np.inf
        changed = np.where(is_there, _costs(gram, is_empty, a), np.inf)
        costs[a, a + 1 :], costs[:a, a] = changed[a + 1 :], changed[:a]
    return Merges(merges, heights)


def _costs(gram: Dense, is_empty: NDArray[np.bool_], a: int) -> Dense:
    """What it costs to merge a cluster with each of the others (K); nothing is as cheap as none."""
    squares = gram.diagonal()
    together = np.sqrt(np.maximum(squares[a] + squares + 2 * gram[a], 0.0))
    costs: Dense = np.sqrt(squares[a]) + np.sqrt(squares) - together
    return np.where(is_empty | is_empty[a], -np.inf, costs)
