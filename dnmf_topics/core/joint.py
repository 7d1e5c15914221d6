"""Refinement of a partition of documents that have terms and vectors, such as those of sentences.

A document is its terms x and its vector v, both of unit length. A cluster says how likely terms
are, and where vectors are: a mixture of multinomials times von Mises-Fisher distributions with one
concentration, fitted by EM,

    score_k(x, v) = c sum_w x_w (log p(w | k) - log p(w)) + kappa cos(v, mu_k) + log p(k).

The factor c lets terms count as much as vectors do, whether documents are titles or articles: each
word of a title says something of its own, those of an article repeat each other.
Words tell apart what an encoder takes for the same, vectors know words that are rare here. A
document without terms goes by its vector, one without a vector (a row of zeros) by its terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense, FloatArray, Labels
from ..common.blocks import BLOCK_SIZE, Blocks
from ..common.engines import Engine, Outcome, Parts, tree_sum
from ..common.progress import Progress, ProgressCallback, silent
from .choice import assign_by_terms, compare_clusters, own_log_ratios
from .refine import (
    EARLY,
    LATE,
    MIXTURE_PRIOR,
    Refinement,
    Score,
    doc_scores,
    leave_one_out_cosines,
    mixture_weights,
    settled,
)

Vectors = NDArray[np.float32]
"""Rows of unit length or, where a document has none, of zeros."""

NOWHERE = -1  # the cluster of a document that has none yet
# How much the evidence counts, and for how many steps at most, as in `refine`.
TEMPERING = ((0.5, 15), (1.0, 25))
# The concentration, and the mass that the terms of a document have on average when they are scaled
# by c: that of 81 terms of equal weight, at unit length. From tests/benchmarks/embeddings.py, which
# leaves one corpus out at a time.
KAPPA = 20.0
TERM_MASS = 9.0


def unit_vectors(vectors: FloatArray) -> Vectors:
    """Rows scaled to unit length; rows of zeros stay what they are."""
    units = np.empty(vectors.shape, np.float32)
    for start in range(0, len(vectors), BLOCK_SIZE):
        rows = vectors[start : start + BLOCK_SIZE].astype(np.float64)
        # By the largest entry first: squares of very large or small ones leave the range of floats.
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows /= np.where(largest > 0, largest, 1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units[start : start + BLOCK_SIZE] = rows / np.where(lengths > 0, lengths, 1)
    return units


def has_vectors(vectors: Vectors) -> NDArray[np.bool_]:
    """Which documents have a vector."""
    return np.asarray(vectors.any(axis=1))


def relative_kappa(mean_mass: float) -> float:
    """Kappa beside terms that are not scaled, in documents with so much mass on average."""
    return KAPPA * mean_mass / TERM_MASS


def vector_scores(vectors: Vectors, vector_sums: Dense, kappa: float) -> Dense:
    """Kappa cos(v, mu_k) of vectors (n x d) in clusters with these sums (K x d)."""
    # As a sparse product, which goes row by row: sums by BLAS depend on the number of rows.
    cosines = sparse.csr_array(vectors) @ centers_of(vector_sums).T
    return np.asarray(kappa * cosines, np.float64)


def centers_of(sums: FloatArray) -> FloatArray:
    """Directions (K x d) of summed vectors; of nothing there is none."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(lengths > 0, lengths, 1)


def log_shares(sizes: Dense) -> Dense:
    """Log p(k) of clusters of these sizes, each with one document more."""
    logs: Dense = np.log((sizes + 1) / (sizes.sum() + sizes.size))
    return logs


def sum_vectors(vectors: Vectors, labels: Labels, num_clusters: int) -> Dense:
    """Summed vectors of every cluster (K x d)."""
    rows = np.arange(labels.size)
    members = sparse.csr_array((np.ones(labels.size), (labels, rows)), (num_clusters, labels.size))
    return np.asarray(members @ vectors, np.float64)


def shared_information(
    doc_term: sparse.csr_array, vectors: Vectors, labels: Labels, num_clusters: int
) -> float:
    """What the clusters that terms assign tell about those that vectors assign, in nats.

    Either side assigns alone, no document by itself; documents have both. Parts of a cluster that
    are cut at random, or that one side alone knows, add nothing. Without documents there is none.
    """
    if labels.size == 0:
        return 0.0
    ratios = own_log_ratios(doc_term, labels, num_clusters)
    whole = np.ones(doc_term.shape[1], dtype=bool)
    (by_terms,) = assign_by_terms(doc_term, labels, num_clusters, ratios, [whole])
    sums = sum_vectors(vectors, labels, num_clusters)
    by_vectors = leave_one_out_cosines(vectors, labels, sums.T).argmax(axis=1)
    return compare_clusters(by_terms, by_vectors, num_clusters).information


# What is done with one block of documents: their terms (n x V), clusters and vectors (n x d)


def _sum_known(
    doc_term: sparse.csr_array, labels: Labels, vectors: Vectors, num_clusters: int
) -> Outcome:
    """Sums of the clusters, from the documents that have one; and the mass of all."""
    known = np.flatnonzero(labels >= 0)
    posterior = np.zeros((labels.size, num_clusters), doc_term.dtype)
    posterior[known, labels[known]] = 1
    return Outcome(float(doc_term.sum()), _sums(doc_term, vectors, posterior))


def _sums(doc_term: sparse.csr_array, vectors: Vectors, posterior: FloatArray) -> Parts:
    """Terms (V x K), vectors (K x d) and numbers (K) of documents in clusters."""
    sizes = posterior.sum(axis=0, dtype=np.float64)
    return Parts((doc_term.T @ posterior, posterior.T @ vectors, sizes))


def joint_cosines(
    doc_term: sparse.csr_array,
    labels: Labels,
    vectors: Vectors,
    term_sums: FloatArray,
    vector_sums: FloatArray,
) -> FloatArray:
    """Cosines of terms plus those of vectors (n x K), a document's own cluster without itself."""
    is_known = labels >= 0
    with_terms = np.flatnonzero(is_known & (np.diff(doc_term.indptr) > 0))
    with_vectors = np.flatnonzero(is_known & has_vectors(vectors))
    cosines = leave_one_out_cosines(doc_term, labels, term_sums, with_terms)
    cosines += leave_one_out_cosines(vectors, labels, vector_sums.T, with_vectors)
    return cosines


def joint_scores(
    doc_term: sparse.csr_array,
    labels: Labels,
    vectors: Vectors,
    term_weights: FloatArray,
    centers: FloatArray,
    logs: FloatArray,
) -> FloatArray:
    """What terms, vectors and shares of clusters (their `logs`) say for every one (n x K)."""
    scores = doc_scores(doc_term, term_weights)
    scores += doc_scores(vectors, centers.T)
    scores += logs.astype(scores.dtype)
    return scores


def _find_nearest(
    doc_term: sparse.csr_array, labels: Labels, vectors: Vectors, *sums: FloatArray
) -> Outcome:
    return Outcome(joint_cosines(doc_term, labels, vectors, *sums).argmax(axis=1))


def _find_best_and_posteriors(
    doc_term: sparse.csr_array, labels: Labels, vectors: Vectors, *arguments: Any
) -> Outcome:
    scores = joint_scores(doc_term, labels, vectors, *arguments)
    best = scores.argmax(axis=1)
    posterior = np.exp(scores - scores.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    return Outcome(best, _sums(doc_term, vectors, posterior))


def _score_one_cluster(
    doc_term: sparse.csr_array,
    labels: Labels,
    vectors: Vectors,
    cluster: int,
    score: Score,
    arguments: tuple[Any, ...],
) -> Outcome:
    return Outcome(score(doc_term, labels, vectors, *arguments)[:, cluster].copy())


# Steps over all documents


class JointRefinement(Refinement):
    """Steps that improve a partition of documents with terms (N x V) and vectors (N x d).

    `mean_mass` is what the terms of documents that have any sum up to, on average.
    """

    def __init__(
        self,
        documents: Blocks,
        vectors: Vectors,
        mean_mass: float,
        num_clusters: int,
        engine: Engine,
        progress: ProgressCallback = silent,
        prior: Dense | None = None,
    ) -> None:
        super().__init__(documents, num_clusters, engine, progress, prior)
        self.vectors = vectors
        self.scale = TERM_MASS / mean_mass  # of terms

    def _over(self, function: Callable[..., Outcome], *shared: Any, labels: Labels) -> Outcome:
        """A pass over all documents, with their labels and vectors."""
        split = labels, self.vectors
        outcome = self.engine.over(self.documents, function, *shared, split=split)
        self.num_passes += 1
        self.progress(Progress("refinement", self.num_passes, None))
        return outcome

    def nearest(self, labels: Labels) -> Labels:
        """The nearest cluster of every document; some may not have one yet (`NOWHERE`)."""
        _, (terms, vectors, _) = self._over(_sum_known, self.num_clusters, labels=labels)
        sums = self._with_prior(terms, EARLY), vectors
        best = self._over(_find_nearest, *sums, labels=labels).kept
        return self.keep_clusters(best, labels, joint_cosines, *sums)

    def mixture(self, labels: Labels) -> Labels:
        """EM of the mixture, from clusters of all documents."""
        masses, sums = self._over(_sum_known, self.num_clusters, labels=labels)
        prior_mass = self._prior_mass(masses)
        for evidence, num_steps in TEMPERING:
            strength = EARLY if evidence < 1 else LATE
            for _ in range(num_steps):
                arguments = self._arguments(sums, prior_mass, evidence, strength)
                best, sums = self._over(_find_best_and_posteriors, *arguments, labels=labels)
                previous = labels
                labels = self.keep_clusters(best, labels, joint_scores, *arguments)
                if settled(labels, previous):
                    break
        return labels

    def _prior_mass(self, masses: list[float]) -> float:
        return float(MIXTURE_PRIOR * tree_sum(masses) / self.num_clusters)

    def _arguments(
        self, sums: Parts, prior_mass: float, evidence: float, strength: float
    ) -> tuple[FloatArray, FloatArray, Dense]:
        """Of `joint_scores`, from sums of the clusters."""
        terms, vectors, sizes = sums
        weights = mixture_weights(self._with_prior(terms, strength), prior_mass)
        centers = centers_of(vectors)
        return (
            evidence * self.scale * weights,
            evidence * KAPPA * centers,
            evidence * log_shares(sizes),
        )

    def _one_cluster(
        self, cluster: int, score: Score, arguments: tuple[Any, ...], labels: Labels
    ) -> FloatArray:
        outcome = self._over(_score_one_cluster, cluster, score, arguments, labels=labels)
        return outcome.kept  # type: ignore[no-any-return]
