"""Documents under given topics: their words' topics, their likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import digamma, gammaln

from ..common.arrays import Dense

ENTRIES_PER_BLOCK = 100_000  # of the document-term matrix, times K numbers in memory


def word_topics(ids: Any, counts: Dense, shares: Dense, topic_word: Dense) -> Dense:
    """Counts of one document's words, divided among the topics (words x K)."""
    # phi_wk = n_w theta_k beta_kw / sum_k theta_k beta_kw
    joint = shares * topic_word[:, ids].T
    divided: Dense = counts[:, None] * joint / joint.sum(axis=1, keepdims=True)
    return divided


def evidence_bound(
    counts: sparse.csr_array, gamma: Dense, alpha: Dense, topic_word: Dense
) -> float:
    """A lower bound of log p(counts | topics), summed over documents (n x V).

    A document has topic shares theta ~ Dirichlet(alpha), and words from the mixture of the topics'
    distributions (K x V). With q(theta) = Dirichlet(gamma), for any gamma (n x K):

        sum_w n_w log sum_k exp(E_q log theta_k) beta_kw  -  KL(q(theta) || p(theta))
    """
    # E_q log theta
    expected = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
    shares = np.exp(expected)
    word_topic = np.ascontiguousarray(topic_word.T)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    bound = 0.0
    for start in range(0, counts.nnz, ENTRIES_PER_BLOCK):
        block = slice(start, start + ENTRIES_PER_BLOCK)
        mixed = np.einsum("ek,ek->e", shares[rows[block]], word_topic[counts.indices[block]])
        bound += float(counts.data[block] @ np.log(mixed))
    # E_q log p(theta) - E_q log q(theta)
    bound += float(((alpha - gamma) * expected).sum())
    bound += float((gammaln(gamma) - gammaln(alpha)).sum())
    bound += float((gammaln(alpha.sum()) - gammaln(gamma.sum(axis=1))).sum())
    return bound
