"""Seeds: terms that some clusters are known by, and what they say at every step of a clustering.

A document with seed terms speaks for their cluster, the more, the larger a part of it they are.

- In the embedding, k-means starts where those documents are, and they hold the cluster's center.
- Then the loudest of them are put into the cluster, wherever the embedding has them: what the seeds
  mean may not be among the groups that the network sees first.
- In the refinement a seeded cluster has, besides its own documents, some that never leave it: a
  mixture of those that speak for it, and its seed terms as often as all documents have them. They
  count much at first, and little when the clusters have formed.

So a cluster stays with its seeds, and the documents decide on all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from ..common.arrays import Dense, FloatArray, Labels
from ..common.blocks import Blocks
from ..common.engines import Engine, Outcome, Parts
from ..common.parallel import no_convergence_warnings, one_openmp_thread
from .spectral import NUM_STARTS, fill_clusters


class Seeds(NamedTuple):
    """Terms that some clusters are known by.

    Attributes
    ----------
    clusters : (S) array of int
        The numbers of these clusters, in ascending order.
    terms : (V x S) csr array
        1 where a term is a seed of a cluster.
    """

    clusters: NDArray[np.int64]
    terms: sparse.csr_array

    @classmethod
    def of_terms(cls, seed_terms: Sequence[Sequence[int]], num_terms: int) -> Seeds | None:
        """Seeds of the clusters 0, 1, ...; those without any are free. None if all are."""
        clusters = [cluster for cluster, terms in enumerate(seed_terms) if len(terms)]
        if not clusters:
            return None
        columns = [np.unique(seed_terms[cluster]) for cluster in clusters]
        limits = np.cumsum([0, *(terms.size for terms in columns)])
        terms = sparse.csc_array(
            (np.ones(limits[-1]), np.concatenate(columns), limits), (num_terms, len(clusters))
        )
        return cls(np.array(clusters), terms.tocsr())

    def among(self, clusters: Labels) -> Seeds | None:
        """The seeds of these clusters (in ascending order), which are numbered 0, 1, ... then."""
        kept = np.isin(self.clusters, clusters)
        if not kept.any():
            return None
        numbers = np.searchsorted(clusters, self.clusters[kept])
        return Seeds(numbers, self.terms[:, np.flatnonzero(kept)])


def seed_weights(doc_term: sparse.csr_array, seeds: Seeds) -> Dense:
    """How much unit-length documents speak for each seeded cluster (n x S), from 0 to 1.

    It is the share of the seed terms in a document's squared length. A document speaks for the
    cluster alone of which it has most.
    """
    # a_is = sum of x_iw^2 over the seed terms w of s
    weights: Dense = (doc_term.power(2) @ seeds.terms).toarray().astype(np.float64)
    weights[weights < weights.max(axis=1, keepdims=True)] = 0
    return weights


def _sum_seeded(doc_term: sparse.csr_array, seeds: Seeds) -> Outcome:
    """Documents by the clusters that they speak for (V x S), and all documents (V)."""
    spoken = doc_term.T @ seed_weights(doc_term, seeds)
    return Outcome(None, Parts((spoken, doc_term.sum(axis=0, dtype=np.float64))))


def seed_prior(documents: Blocks, seeds: Seeds, num_clusters: int, engine: Engine) -> Dense:
    """What seeded clusters have besides their documents (V x K), from all documents (N x V).

    It is an average cluster of the documents that speak for them, and their seed terms as often as
    all documents have them.
    """
    spoken, totals = engine.over(documents, _sum_seeded, seeds).summand
    masses = spoken.sum(axis=0)
    scale = totals.sum() / num_clusters
    prior = np.zeros((totals.size, num_clusters))
    prior[:, seeds.clusters] = spoken * (scale / np.where(masses > 0, masses, 1))
    prior[:, seeds.clusters] += seeds.terms.multiply(totals[:, None]).toarray()
    return prior


def seed_counts(counts: sparse.csr_array, seeds: Seeds, num_clusters: int) -> Dense:
    """Counts (K x V) that have each seed term in its clusters as often as all documents (n x V)."""
    totals = counts.sum(axis=0, dtype=np.float64)
    prior = np.zeros((num_clusters, totals.size))
    prior[seeds.clusters] = seeds.terms.multiply(totals[:, None]).toarray().T
    return prior


def match_seeds(word_counts: Dense, seeds: Seeds) -> Labels:
    """An order of topics that gives seeds those that have most of their terms (counts, K x V)."""
    totals = word_counts.sum(axis=0)
    # The share of a seed's terms that each topic has (S x K)
    shares = seeds.terms.T @ (word_counts / np.where(totals > 0, totals, 1)).T
    _, chosen = linear_sum_assignment(-shares)
    order = np.arange(len(word_counts))
    order[np.setdiff1d(order, seeds.clusters)] = np.setdiff1d(order, chosen)
    order[seeds.clusters] = chosen
    return order


def cluster_seeded_rows(
    rows: FloatArray,
    num_clusters: int,
    seeds: Seeds,
    weights: Dense,
    rng: np.random.Generator,
) -> Labels:
    """k-means labels of the rows (N x D), of which some speak for clusters (`weights`, N x S).

    A seeded cluster starts where those rows are, and their center stays in it as an average cluster
    of rows more; the others start by k-means++. At the end the loudest rows join their clusters, so
    many as an average cluster has. No cluster is empty.
    """
    found = weights.sum(axis=0) > 0  # a seed that no document has says nothing
    numbers, weights = seeds.clusters[found], weights[:, found]
    fixed = ((weights / weights.sum(axis=0)).T @ rows).astype(rows.dtype)
    free = np.setdiff1d(np.arange(num_clusters), numbers)
    from sklearn.cluster import KMeans  # late: it loads slowly

    points = np.concatenate([rows, fixed])
    point_weights = np.ones(len(points))
    point_weights[len(rows) :] = len(rows) / num_clusters
    best, least = None, np.inf
    for _ in range(NUM_STARTS):
        centers = np.empty((num_clusters, rows.shape[1]), rows.dtype)
        centers[numbers] = fixed
        centers[free] = draw_centers(rows, fixed, free.size, rng)
        kmeans = KMeans(num_clusters, init=centers, n_init=1, random_state=0)
        with one_openmp_thread(), no_convergence_warnings():
            kmeans.fit(points, sample_weight=point_weights)
        if kmeans.inertia_ < least:
            best, least = kmeans.labels_, kmeans.inertia_
    assert best is not None
    labels = best[: len(rows)].astype(np.int64)
    for cluster, spoken in zip(numbers, weights.T, strict=True):
        loudest = np.argsort(-spoken, kind="stable")[: len(rows) // num_clusters]
        labels[loudest[spoken[loudest] > 0]] = cluster
    return fill_clusters(labels, num_clusters)


def draw_centers(
    rows: FloatArray, fixed: FloatArray, num_drawn: int, rng: np.random.Generator
) -> FloatArray:
    """Rows as further centers beside those that are fixed, by greedy k-means++."""
    nearest = np.full(len(rows), np.inf)
    for center in fixed:
        nearest = np.minimum(nearest, ((rows - center) ** 2).sum(axis=1, dtype=np.float64))
    drawn = []
    for _ in range(num_drawn):
        far = nearest if np.isfinite(nearest).all() and nearest.any() else np.ones(len(rows))
        chosen = rng.choice(len(rows), 2 + int(np.log(len(fixed) + num_drawn)), p=far / far.sum())
        # Of some candidates the one that leaves the rows nearest to their centers.
        options = [
            np.minimum(nearest, ((rows - rows[row]) ** 2).sum(axis=1, dtype=np.float64))
            for row in chosen
        ]
        best = int(np.argmin([option.sum() for option in options]))
        nearest = options[best]
        drawn.append(rows[chosen[best]])
    return np.array(drawn, rows.dtype).reshape(num_drawn, rows.shape[1])


def largest_first(sizes: Labels, seeds: Seeds | None = None) -> Labels:
    """Clusters in the order of their new numbers: by size, but seeded ones keep theirs."""
    order = np.arange(sizes.size)
    free = order if seeds is None else np.setdiff1d(order, seeds.clusters)
    order = order.copy()
    order[free] = free[np.argsort(-sizes[free], kind="stable")]
    return order
