"""Documents under what a model has learnt: functions of both, that change neither."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import digamma, gammaln

from ..common.arrays import Dense, Labels
from ..common.documents import TermLists, term_lists_of
from ..core import VARIANTS, Tfidf, one_hot, topic_shares
from .learnt import Learnt
from .state import DnmfState

ENTRIES_PER_BLOCK = 100_000  # of the document-term matrix, times K numbers in memory


def doc_topic_weights(documents: TermLists, learnt: Learnt) -> Dense:
    """Topic weights of documents (n x K), in units of words and on top of `alpha`."""
    topics = learnt.topics
    shares, lengths = topic_shares(
        documents.indptr, documents.ids, documents.values,
        topics.idf if learnt.weighs else None, topics.term_weights, topics.synced_sizes,
    )  # fmt: skip
    return learnt.alpha + lengths[:, None] * shares


def assign_topics(gamma: Dense, learnt: Learnt) -> Labels:
    """The topic of every document, from its topic weights (n x K).

    It is the one with the highest weight, but never one without training documents. A document
    without known words goes to the largest topic.
    """
    sizes = learnt.topics.synced_sizes
    allowed = sizes > 0 if sizes.any() else np.ones(sizes.size, dtype=bool)
    labels: Labels = np.where(allowed, gamma, 0).argmax(axis=1)
    labels[(gamma == learnt.alpha).all(axis=1)] = sizes.argmax()
    return labels


def divide_words(ids: Any, counts: Dense, shares: Dense, topic_word: Dense) -> Dense:
    """Counts of one document's words, divided among the topics (words x K)."""
    # phi_wk = n_w theta_k beta_kw / sum_k theta_k beta_kw
    joint = shares * topic_word[:, ids].T
    divided: Dense = counts[:, None] * joint / joint.sum(axis=1, keepdims=True)
    return divided


def likelihood_bound(documents: TermLists, gamma: Dense, learnt: Learnt) -> float:
    """A lower bound of the log-likelihood of documents with these topic weights (n x K)."""
    return evidence_bound(documents.matrix, gamma, learnt.alpha, learnt.word_distributions)


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


def own_cosines(doc_term: sparse.csr_array, labels: Labels, learnt: Learnt) -> Dense:
    """Cosine of every weighed document with the words of its topic: how typical of it it is.

    Unlike the topic's share it does not grow with the length of the document.
    """
    beta = learnt.topics.expElogbeta
    products = (doc_term @ beta.T)[np.arange(labels.size), labels]
    lengths = np.sqrt(np.asarray(doc_term.multiply(doc_term).sum(axis=1)).ravel())
    lengths *= np.linalg.norm(beta, axis=1)[labels]
    return np.asarray(products / np.where(lengths > 0, lengths, 1))


def weigh_terms(
    counts: sparse.csr_array, learnt: Learnt, idf: Dense | None = None
) -> sparse.csr_array:
    """Documents as the model weighs their terms, by its own `idf` or by another."""
    if not learnt.weighs:
        return counts
    return Tfidf(learnt.topics.idf if idf is None else idf).transform(counts)


def expect(
    counts: sparse.csr_array, learnt: Learnt, variant: str, idf: Dense | None = None
) -> tuple[Dense, DnmfState]:
    """Topic weights of documents (n x K), and the statistics that they add."""
    doc_term = weigh_terms(counts, learnt, idf)
    gamma = doc_topic_weights(term_lists_of(counts), learnt)
    membership = one_hot(assign_topics(gamma, learnt), gamma.shape[1])
    weights = VARIANTS[variant].weigh_documents(
        doc_term, learnt.topics.on_document_scale, membership
    )
    return gamma, DnmfState.of_documents(doc_term, counts, weights, membership)
