"""Clusters of new documents that known clusters do not explain.

The new documents are clustered by the network, into as many clusters as there will be. Then those
that say the same are merged, a found cluster into a known one or two found ones with each other,
until as many found ones are left as there shall be new ones. Of all pairs the one is merged whose
summed documents lose the least likelihood by having one distribution of terms instead of two. So a
known topic takes its new documents, and parts of one new topic become one.
"""

from __future__ import annotations

import numpy as np

from ..common.arrays import Dense, Labels
from ..common.blocks import Blocks
from ..common.checks import check_seed
from ..common.engines import Engine
from ..common.parallel import one_blas_thread
from ..common.progress import ProgressCallback, silent
from .choice import SCORE_PRIOR
from .deep import UnitDocuments, cluster_deeply
from .factorization.paper_arrays import Columns
from .mbn import Mbn


def find_new_clusters(
    documents: Blocks,
    units: UnitDocuments,
    known: Dense,
    num_new: int,
    settings: Mbn,
    random_state: int,
    engine: Engine,
    progress: ProgressCallback = silent,
) -> Labels:
    """Clusters of weighted documents (n x V) among K known ones and `num_new` that follow them.

    `known` (V x K) are the summed documents of the known clusters. If there are fewer documents
    than new clusters, the last ones stay empty.
    """
    num_clusters = min(known.shape[1] + num_new, units.numbers.size)
    seed = check_seed(random_state)
    with one_blas_thread():
        deep = cluster_deeply(units, num_clusters, settings, seed, engine, progress)
        found = Columns(documents, engine).cluster_sums(deep.cluster_labels, num_clusters)
        return merge_clusters(known, found, num_new)[deep.cluster_labels]


def merge_clusters(known: Dense, found: Dense, num_new: int) -> Labels:
    """For each found cluster the known one that it joins, or one of those that follow them.

    Both are summed documents (V x K, V x C); known clusters without any are left alone.
    """
    num_known, num_found = known.shape[1], found.shape[1]
    merging = _Merging(known, found, num_new)
    # Found cluster c into an earlier one: each pair stands once.
    losses = np.full((num_found, num_known + num_found), np.inf)
    for c in range(num_found):
        earlier = np.flatnonzero(merging.is_alive[: num_known + c])
        losses[c, earlier] = merging.losses(num_known + c, earlier)
    numbers = np.arange(num_known + num_found)
    for _ in range(num_found - num_new):
        c, target = divmod(int(losses.argmin()), num_known + num_found)
        merged = num_known + c
        merging.merge(merged, target)
        numbers[numbers == merged] = target
        losses[c], losses[:, merged] = np.inf, np.inf
        alive = np.flatnonzero(merging.is_alive)
        for later in alive[alive > max(target, num_known - 1)]:
            losses[later - num_known, target] = merging.losses(later, np.array([target]))[0]
        if target >= num_known:
            earlier = alive[alive < target]
            losses[target - num_known, earlier] = merging.losses(target, earlier)
    return np.searchsorted(np.unique(numbers), numbers[num_known:])


class _Merging:
    """Summed documents of clusters, and what their merging costs in likelihood.

    The log-likelihood of a cluster's sums s, against the terms' shares q in all documents, is

        L(s) = sum_w s_w log(p_w / q_w),  p_w = (s_w + m q_w) / (|s| + m)
             = sum_w g_w - |s| log(|s| + m),  g_w = s_w log((s_w + m q_w) / q_w)

    With m as large as several clusters, small differences of two clusters count for nothing.
    """

    def __init__(self, known: Dense, found: Dense, num_new: int) -> None:
        sums = np.concatenate([known.T, found.T])
        totals = sums.sum(axis=0)
        self.sums = sums[:, totals > 0]
        self.shares = totals[totals > 0] / totals.sum()
        self.masses = self.sums.sum(axis=1)
        self.is_alive = self.masses > 0
        self.prior = SCORE_PRIOR * float(totals.sum()) / (known.shape[1] + num_new)
        self.gains = self._gains(self.sums, self.shares)

    def losses(self, cluster: int, others: Labels) -> Dense:
        """L(s) + L(s_k) - L(s + s_k) of a cluster with each of the others k."""
        # Where the cluster has no term, g of both together is g of the other.
        terms = np.flatnonzero(self.sums[cluster])
        pairs = np.ix_(others, terms)
        together = self._gains(self.sums[pairs] + self.sums[cluster, terms], self.shares[terms])
        lost = (self.gains[pairs] + self.gains[cluster, terms] - together).sum(axis=1)
        masses, mass = self.masses[others], self.masses[cluster]
        lost -= self._log_masses(masses) + self._log_masses(mass)
        lost += self._log_masses(masses + mass)
        return lost  # type: ignore[no-any-return]

    def merge(self, cluster: int, target: int) -> None:
        """Let the target have the cluster's documents."""
        self.is_alive[cluster] = False
        self.sums[target] += self.sums[cluster]
        self.masses[target] += self.masses[cluster]
        self.gains[target] = self._gains(self.sums[target], self.shares)

    def _gains(self, sums: Dense, shares: Dense) -> Dense:
        gains = sums / shares
        gains += self.prior
        np.log(gains, out=gains)
        gains *= sums
        return gains

    def _log_masses(self, masses: Dense) -> Dense:
        logs: Dense = masses * np.log(masses + self.prior)
        return logs
