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

from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import Dense, FloatArray, Labels
from ..common.compiled import kernel

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


def doc_scores(doc_term: sparse.csr_array, term_weights: FloatArray) -> FloatArray:
    """Product (N x K) of the documents with term weights (V x K)."""
    # In the documents' precision: half the time with float32, and only the order matters.
    return doc_term @ term_weights.astype(doc_term.dtype)  # type: ignore[no-any-return]


def leave_one_out_cosines(
    doc_term: sparse.csr_array, labels: Labels, sums: FloatArray
) -> FloatArray:
    """Cosine (N x K) of unit-length documents with cluster sums, the own one without the document.

    With nobody else in its cluster, a document's own cosine is 0.
    """
    cosines = doc_scores(doc_term, sums)
    own = np.arange(labels.size), labels
    squares = (sums**2).sum(axis=0)
    # (s - x)'x = s'x - 1 and |s - x|^2 = |s|^2 - 2 s'x + 1 for |x| = 1
    own_products = cosines[own] - 1
    own_lengths = np.sqrt(np.maximum(squares[labels] - 2 * cosines[own] + 1, 0))
    cosines /= np.sqrt(np.where(squares > 0, squares, 1))
    cosines[own] = np.where(own_lengths > 1e-6, own_products / np.maximum(own_lengths, 1e-6), 0)
    return cosines


def spherical_scores(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> FloatArray:
    """Kappa cos(x, s_c) + log n_c of every document x in every cluster c (N x K)."""
    sums = cluster_sums(doc_term, labels, num_clusters)
    scores = leave_one_out_cosines(doc_term, labels, sums)
    mean_cosine = float(scores[np.arange(labels.size), labels].mean())
    scores *= CONCENTRATION / max(mean_cosine, 1e-9)
    scores += np.log(np.maximum(np.bincount(labels, minlength=num_clusters), 1))
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


def keep_clusters(scores: FloatArray, previous: Labels) -> Labels:
    """Best cluster of every document, but no cluster may lose its last one.

    A cluster that would be empty gets the best of its former documents back.
    """
    labels: Labels = scores.argmax(axis=1)
    sizes = np.bincount(labels, minlength=scores.shape[1])
    for cluster in np.flatnonzero(sizes == 0):
        former = np.flatnonzero((previous == cluster) & (sizes[labels] > 1))
        if former.size == 0:
            return previous
        doc = former[np.argmax(scores[former, cluster])]
        sizes[labels[doc]] -= 1
        sizes[cluster] = 1
        labels[doc] = cluster
    return labels


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


def _settled(labels: Labels, previous: Labels) -> bool:
    return bool((labels != previous).sum() <= SETTLED * labels.size)


def effective_number(labels: Labels) -> float:
    """How many clusters of equal size have the same entropy as these: 3.0 for sizes 5, 5, 5."""
    shares = np.bincount(labels) / labels.size
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def refine_unequal(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Labels:
    """A partition that agrees better with the terms, from one that is nearly right.

    `doc_term` (N x V) has rows of unit length.
    """
    for _ in range(SPHERICAL_STEPS):
        labels = keep_clusters(spherical_scores(doc_term, labels, num_clusters), labels)
    return _complement_steps(doc_term, labels, num_clusters, BAYES_STEPS)


def refine_equal(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Labels:
    """The same for clusters of similar size, from a partition that may be far from right."""
    labels = _cosine_steps(doc_term, labels, num_clusters)
    if doc_term.sum() < ENOUGH_MASS * labels.size:
        return refine_unequal(doc_term, labels, num_clusters)
    labels = _mixture_steps(doc_term, labels, num_clusters)
    return _complement_steps(doc_term, labels, num_clusters, STEPS_AFTER_MIXTURE)


def _cosine_steps(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Labels:
    """Spherical k-means from `labels`; no document votes for itself."""
    for _ in range(COSINE_STEPS):
        sums = cluster_sums(doc_term, labels, num_clusters)
        cosines = leave_one_out_cosines(doc_term, labels, sums)
        previous, labels = labels, keep_clusters(cosines, labels)
        if _settled(labels, previous):
            break
    return labels


def _mixture_steps(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Labels:
    """A mixture of multinomials with equal shares: EM that starts at `labels`."""
    term_doc = doc_term.T.tocsr()
    prior_mass = MIXTURE_PRIOR * float(doc_term.sum()) / num_clusters
    posterior: FloatArray = np.zeros((labels.size, num_clusters), doc_term.dtype)
    posterior[np.arange(labels.size), labels] = 1
    for evidence, num_steps in TEMPERING:
        for _ in range(num_steps):
            weights = evidence * mixture_weights(term_doc @ posterior, prior_mass)
            scores = doc_scores(doc_term, weights)
            previous, labels = labels, keep_clusters(scores, labels)
            posterior = np.exp(scores - scores.max(axis=1, keepdims=True))
            posterior /= posterior.sum(axis=1, keepdims=True)
            if _settled(labels, previous):
                break
    return labels


def _complement_steps(
    doc_term: sparse.csr_array, labels: Labels, num_clusters: int, num_steps: int
) -> Labels:
    """Complement naive Bayes from `labels`, as long as it lets the small clusters live."""
    spread = effective_number(labels)
    for _ in range(num_steps):
        weights = bayes_weights(cluster_sums(doc_term, labels, num_clusters))
        previous, labels = labels, keep_clusters(doc_scores(doc_term, weights), labels)
        if effective_number(labels) < LEAST_SPREAD * spread:
            return previous
        if _settled(labels, previous):
            break
    return labels
