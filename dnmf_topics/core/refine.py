"""Refinement of a partition in TF-IDF space, in one of two ways.

Unequal: two steps of spherical k-means with a prior for large clusters, in which no document votes
for itself, then steps of weight-normalized complement naive Bayes (Rennie et al., 2003). They keep
unequal clusters unequal.

Equal: spherical k-means without that prior, a mixture of multinomials with equal shares, fitted by
EM, and complement naive Bayes at the end. The mixture nearly forgets where it started, so that a
poor start does little harm. Such a mixture's term weights also assign documents that were not
there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import Dense, FloatArray, Labels
from ..common.blocks import Blocks
from ..common.compiled import kernel
from ..common.engines import Engine, Outcome, tree_sum
from ..common.progress import Progress, ProgressCallback, silent

Score = Callable[..., FloatArray]
"""From documents (n x V), their clusters and more to scores in all clusters (n x K)."""

# Where no other origin is given, the constants were set on random class subsets of the paper's
# three corpora; tests/benchmarks/choice.py shows what they give on others.
SPHERICAL_STEPS = 2  # with the prior for large clusters
COSINE_STEPS = 10  # without it, at most; they settle before
BAYES_STEPS = 7  # at most; after the mixture two did as much as seven
STEPS_AFTER_MIXTURE = 2
# How much the evidence counts in the mixture, and for how many steps at most. Half of it at first
# keeps a document from following its first few neighbors: +2 to +3 points on subject lines, +1 on
# 20 Newsgroups. With more such steps many clusters melt into each other: NMI .505 on arXiv
# abstracts with 50 topics, .495 with 20 steps (and .759, .762 on 20 Newsgroups).
TEMPERING = ((0.5, 10), (1.0, 40))
# Rows of unit length have the mass sqrt(n) if their n terms weigh the same. Where it is below this
# on average, in titles of fewer than about nine words, a document says too little for a mixture:
# its posteriors stay flat and the clusters melt into each other. Cosines and complement naive Bayes
# do better alone (NMI of question titles .58 against .48, of paper titles .37 against .35, with
# half as many topics as classes; .71 against .68 and .40 with as many).
ENOUGH_MASS = 3.0
# Complement naive Bayes favors large clusters. Where there are more clusters than the documents
# have to offer, they would swallow the small ones: the steps end before the effective number of
# clusters falls below this share of what it was. (Where their number was right, it did so in one of
# 233 problems.)
LEAST_SPREAD = 0.7
SETTLED = 0.001  # share of documents that may still move when the steps end
# The pull of the cosine against the log-size prior: kappa = CONCENTRATION / mean cosine.
CONCENTRATION = 15.0
# Added to the mass of every term, as a share of the mean mass.
SMOOTHING = 0.2
# Mass of the corpus distribution mixed into a cluster's, as a share of an average cluster's own.
MIXTURE_PRIOR = 0.1
# The same share for unseen documents, which need more of it.
ASSIGNMENT_PRIOR = 0.5
# How much of what seeds give to clusters counts: all of it until the clusters have formed, then so
# much that they stay; from there on the documents decide (tests/benchmarks/seeds.py --strengths).
EARLY, LATE = 1.0, 0.1


@kernel
def _add_rows(indptr: Any, indices: Any, data: Any, labels: Any, sums: Any) -> None:
    for i in range(labels.size):
        for entry in range(indptr[i], indptr[i + 1]):
            sums[indices[entry], labels[i]] += data[entry]


def cluster_sums(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Dense:
    """Summed documents of every cluster (V x K)."""
    sums = np.zeros((doc_term.shape[1], num_clusters))
    _add_rows(doc_term.indptr, doc_term.indices, doc_term.data, labels, sums)
    return sums


def doc_scores(doc_term: Any, term_weights: FloatArray) -> FloatArray:
    """Product (N x K) of the documents, sparse or dense, with term weights (V x K)."""
    # In the documents' precision: half the time with float32, and only the order matters.
    return doc_term @ term_weights.astype(doc_term.dtype)  # type: ignore[no-any-return]


def leave_one_out_cosines(
    doc_term: Any, labels: Labels, sums: FloatArray, members: Labels | None = None
) -> FloatArray:
    """Cosine (N x K) of unit-length documents with cluster sums, the own one without the document.

    With nobody else in its cluster, a document's own cosine is 0. `members` are the documents that
    the sums are made of, by default all.
    """
    cosines = doc_scores(doc_term, sums)
    members = np.arange(labels.size) if members is None else members
    labels = labels[members]
    own = members, labels
    squares = (sums**2).sum(axis=0)
    # (s - x)'x = s'x - 1 and |s - x|^2 = |s|^2 - 2 s'x + 1 for |x| = 1
    own_products = cosines[own] - 1
    own_lengths = np.sqrt(np.maximum(squares[labels] - 2 * cosines[own] + 1, 0))
    cosines /= np.sqrt(np.where(squares > 0, squares, 1))
    cosines[own] = np.where(own_lengths > 1e-6, own_products / np.maximum(own_lengths, 1e-6), 0)
    return cosines


def spherical_scores(
    doc_term: sparse.csr_array, labels: Labels, sums: Dense, concentration: float, prior: Dense
) -> FloatArray:
    """Kappa cos(x, s_c) + log n_c of every document x in every cluster c (N x K)."""
    scores = leave_one_out_cosines(doc_term, labels, sums)
    scores *= concentration
    scores += prior
    return scores


def bayes_weights(sums: Dense) -> Dense:
    """Complement naive Bayes (V x K): how much a term speaks for a cluster, from `cluster_sums`.

    Terms that no document has weigh nothing.
    """
    totals = sums.sum(axis=1, keepdims=True)
    used = totals.ravel() > 0
    # theta_wc = share of term w in all clusters but c, smoothed
    logs = totals[used] - sums[used]
    logs += SMOOTHING * totals[used].mean()
    logs /= logs.sum(axis=0)
    np.log(logs, out=logs)
    # Normalized, so that no cluster wins by the size of its weights; both are negative.
    lengths = logs.sum(axis=0)
    weights = np.zeros_like(sums)
    weights[used] = np.divide(logs, lengths, out=np.zeros_like(logs), where=lengths < 0)
    return weights


def mixture_weights(sums: FloatArray, prior_mass: float) -> FloatArray:
    """Log p(w | c) - log p(w) (V x K) from `cluster_sums`: how much a term speaks for a cluster.

    p(w | c) is smoothed by `prior_mass` of the corpus. Terms that no document has weigh nothing.
    """
    corpus = sums.sum(axis=1, keepdims=True)
    used = corpus.ravel() > 0
    corpus = corpus[used] / corpus.sum()
    weights = np.zeros_like(sums)
    ratio = (sums[used] + prior_mass * corpus) / ((sums.sum(axis=0) + prior_mass) * corpus)
    weights[used] = np.log(ratio)
    return weights


def assignment_weights(sums: Dense) -> FloatArray:
    """Term weights (V x K) that tell unseen documents their cluster, from `cluster_sums`."""
    return mixture_weights(sums, ASSIGNMENT_PRIOR * sums.sum() / sums.shape[1])


def settled(labels: Labels, previous: Labels) -> bool:
    """Whether so few documents have moved that the steps may end."""
    return bool((labels != previous).sum() <= SETTLED * labels.size)


def entropy(labels: Labels) -> float:
    """Of the sizes of clusters, in nats."""
    shares = np.bincount(labels) / labels.size
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())


def effective_number(labels: Labels) -> float:
    """How many clusters of equal size have the same entropy as these: 3.0 for sizes 5, 5, 5."""
    return float(np.exp(entropy(labels)))


# What is done with one block of documents (n x V)


def _sum_clusters(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Outcome:
    return Outcome(None, cluster_sums(doc_term, labels, num_clusters))


def _sum_posteriors(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Outcome:
    posterior = np.zeros((labels.size, num_clusters), doc_term.dtype)
    posterior[np.arange(labels.size), labels] = 1
    return Outcome(float(doc_term.sum()), doc_term.T @ posterior)


def _keep_own_cosines(doc_term: sparse.csr_array, labels: Labels, sums: Dense) -> Outcome:
    cosines = leave_one_out_cosines(doc_term, labels, sums)
    return Outcome(cosines[np.arange(labels.size), labels])


def _weighted_scores(
    doc_term: sparse.csr_array, labels: Labels, term_weights: FloatArray
) -> FloatArray:
    return doc_scores(doc_term, term_weights)


def _find_best(
    doc_term: sparse.csr_array, labels: Labels, score: Score, arguments: tuple[Any, ...]
) -> Outcome:
    return Outcome(score(doc_term, labels, *arguments).argmax(axis=1))


def _find_best_and_posteriors(
    doc_term: sparse.csr_array, labels: Labels, term_weights: FloatArray
) -> Outcome:
    scores = doc_scores(doc_term, term_weights)
    best = scores.argmax(axis=1)
    posterior = np.exp(scores - scores.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    return Outcome(best, doc_term.T @ posterior)


def _score_one_cluster(
    doc_term: sparse.csr_array,
    labels: Labels,
    cluster: int,
    score: Score,
    arguments: tuple[Any, ...],
) -> Outcome:
    return Outcome(score(doc_term, labels, *arguments)[:, cluster].copy())


# Steps over all documents


class Refinement:
    """Steps that improve a partition of unit-length documents (N x V) into K clusters.

    `prior` (V x K) is what clusters have besides their documents, from seeds.
    """

    def __init__(
        self,
        documents: Blocks,
        num_clusters: int,
        engine: Engine,
        progress: ProgressCallback = silent,
        prior: Dense | None = None,
    ) -> None:
        self.documents, self.num_clusters, self.engine = documents, num_clusters, engine
        self.progress, self.num_passes = progress, 0
        self.prior = prior

    def _over(self, function: Callable[..., Outcome], *shared: Any, labels: Labels) -> Outcome:
        """A pass over all documents, with their labels."""
        outcome = self.engine.over(self.documents, function, *shared, split=(labels,))
        self.num_passes += 1
        self.progress(Progress("refinement", self.num_passes, None))
        return outcome

    def unequal(self, labels: Labels) -> Labels:
        """Spherical k-means with a prior for large clusters, then complement naive Bayes."""
        for _ in range(SPHERICAL_STEPS):
            labels = self.spherical_step(labels)
        return self._complement_steps(labels, BAYES_STEPS)

    def equal(self, labels: Labels) -> Labels:
        """Spherical k-means, a mixture of multinomials with equal shares, then the same end."""
        labels = self._cosine_steps(labels)
        mass, sums = self._over(_sum_posteriors, self.num_clusters, labels=labels)
        if tree_sum(mass) < ENOUGH_MASS * labels.size:
            return self.unequal(labels)
        labels = self._mixture_steps(labels, sums, MIXTURE_PRIOR * tree_sum(mass))
        return self._complement_steps(labels, STEPS_AFTER_MIXTURE)

    def spherical_step(self, labels: Labels) -> Labels:
        """Each document to the cluster with the highest kappa cos(x, s_c) + log n_c."""
        sums = self._sums(labels, EARLY)
        own = self._over(_keep_own_cosines, sums, labels=labels).kept
        concentration = CONCENTRATION / max(float(own.mean()), 1e-9)
        prior = np.log(np.maximum(np.bincount(labels, minlength=self.num_clusters), 1))
        return self._assign(labels, spherical_scores, sums, concentration, prior)

    def _cosine_steps(self, labels: Labels) -> Labels:
        """Spherical k-means from `labels`; no document votes for itself."""
        for _ in range(COSINE_STEPS):
            previous = labels
            labels = self._assign(labels, leave_one_out_cosines, self._sums(labels, EARLY))
            if settled(labels, previous):
                break
        return labels

    def _mixture_steps(self, labels: Labels, sums: FloatArray, total_prior: float) -> Labels:
        """EM of a mixture with equal shares, which starts at `labels` and their sums (V x K)."""
        prior_mass = total_prior / self.num_clusters
        for evidence, num_steps in TEMPERING:
            strength = EARLY if evidence < 1 else LATE
            for _ in range(num_steps):
                weights = evidence * mixture_weights(self._with_prior(sums, strength), prior_mass)
                best, sums = self._over(_find_best_and_posteriors, weights, labels=labels)
                previous, labels = (
                    labels,
                    self.keep_clusters(best, labels, _weighted_scores, weights),
                )
                if settled(labels, previous):
                    break
        return labels

    def _complement_steps(self, labels: Labels, num_steps: int) -> Labels:
        """Complement naive Bayes from `labels`, as long as it lets the small clusters live."""
        spread = effective_number(labels)
        for _ in range(num_steps):
            weights = bayes_weights(self._sums(labels, LATE))
            previous, labels = labels, self._assign(labels, _weighted_scores, weights)
            if effective_number(labels) < LEAST_SPREAD * spread:
                return previous
            if settled(labels, previous):
                break
        return labels

    def _sums(self, labels: Labels, strength: float) -> Dense:
        """Summed documents of every cluster (V x K), with so much of the prior."""
        sums = self._over(_sum_clusters, self.num_clusters, labels=labels).summand
        return self._with_prior(sums, strength)  # type: ignore[no-any-return]

    def _with_prior(self, sums: Any, strength: float) -> Any:
        return sums if self.prior is None else sums + strength * self.prior

    def _assign(self, labels: Labels, score: Score, *arguments: Any) -> Labels:
        """The best cluster of every document, but no cluster may lose its last one."""
        best = self._over(_find_best, score, arguments, labels=labels).kept
        return self.keep_clusters(best, labels, score, *arguments)

    def keep_clusters(
        self, best: Labels, previous: Labels, score: Score, *arguments: Any
    ) -> Labels:
        """The best clusters; one that would be empty gets the best of its former documents back."""
        labels = best
        sizes = np.bincount(labels, minlength=self.num_clusters)
        for cluster in np.flatnonzero(sizes == 0).tolist():
            former = np.flatnonzero((previous == cluster) & (sizes[labels] > 1))
            if former.size == 0:
                return previous
            scores = self._one_cluster(cluster, score, arguments, previous)
            doc = former[np.argmax(scores[former])]
            sizes[labels[doc]] -= 1
            sizes[cluster] = 1
            labels[doc] = cluster
        return labels

    def _one_cluster(
        self, cluster: int, score: Score, arguments: tuple[Any, ...], labels: Labels
    ) -> FloatArray:
        """Scores of all documents in one cluster."""
        outcome = self._over(_score_one_cluster, cluster, score, arguments, labels=labels)
        return outcome.kept  # type: ignore[no-any-return]


Refine = Callable[..., Labels]
"""From documents (N x V) of unit length, their clusters and the number of these to better ones.

As `refine_unequal`; the last argument may be what clusters have besides their documents (V x K),
see `seeding`.
"""


def refine_unequal(
    documents: Blocks,
    labels: Labels,
    num_clusters: int,
    engine: Engine,
    progress: ProgressCallback = silent,
    prior: Dense | None = None,
) -> Labels:
    """A partition that agrees better with the terms, from one that is nearly right.

    The documents (N x V) have rows of unit length.
    """
    return Refinement(documents, num_clusters, engine, progress, prior).unequal(labels)


def refine_equal(
    documents: Blocks,
    labels: Labels,
    num_clusters: int,
    engine: Engine,
    progress: ProgressCallback = silent,
    prior: Dense | None = None,
) -> Labels:
    """The same for clusters of similar size, from a partition that may be far from right."""
    return Refinement(documents, num_clusters, engine, progress, prior).equal(labels)


def refine_nothing(
    documents: Blocks,
    labels: Labels,
    num_clusters: int,
    engine: Engine,
    progress: ProgressCallback = silent,
    prior: Dense | None = None,
) -> Labels:
    """The partition as it is."""
    return labels
