"""Documents under what a model has learnt: functions of both, that change neither."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import digamma, gammaln

from ..common.arrays import Dense, Labels
from ..common.documents import TermLists, term_lists_of
from ..core import (
    VARIANTS,
    Tfidf,
    Vectors,
    one_hot,
    topic_posteriors,
    topic_proportions,
    vector_scores,
)
from .learnt import Learnt
from .normalization import normalize_rows
from .state import Division, DnmfState

ENTRIES_PER_BLOCK = 100_000  # of the document-term matrix, times K numbers in memory
# The least confidence of a document of which something is known; 0 is that of the others.
LEAST_CONFIDENCE = float(np.finfo(np.float64).tiny)


class Assignment(NamedTuple):
    """Topics of documents, and how sure they are."""

    labels: Labels
    """The topic of every document (n)."""
    confidence: Dense
    """The probability of that topic (n), were the document about one alone; 0 if the document has
    neither known words nor a vector."""


def doc_topic_weights(documents: TermLists, learnt: Learnt) -> Dense:
    """How many words of documents are about each topic (n x K), on top of `alpha`."""
    topics = learnt.topics
    shares, lengths = topic_proportions(
        documents.indptr, documents.ids, documents.values, topics.words, topics.synced_sizes,
        topics.idf if learnt.weighs else None,
    )  # fmt: skip
    return learnt.alpha + lengths[:, None] * shares


def assign_topics(
    documents: TermLists, learnt: Learnt, gamma: Dense, vectors: Vectors | None = None
) -> Assignment:
    """The topic of every document; `gamma` are their topic weights (n x K).

    It is the one that its weighted terms speak for, and its vector if it has one, or, where
    documents mix topics, that most of its words are about; never one without training documents. A
    document without known words and without a vector goes to the largest topic.
    """
    posteriors, lengths = _posteriors(documents, learnt, vectors)
    sizes = learnt.topics.synced_sizes
    allowed = sizes > 0 if sizes.any() else np.ones(sizes.size, dtype=bool)
    labels: Labels = np.where(allowed, gamma if learnt.is_mixed else posteriors, 0).argmax(axis=1)
    unknown = lengths == 0
    if vectors is not None and vectors.size:
        unknown &= ~vectors.any(axis=1)
    labels[unknown] = sizes.argmax()
    return Assignment(labels, _confidence(posteriors, labels, is_known(documents, vectors)))


def topic_confidence(
    documents: TermLists, learnt: Learnt, labels: Labels, vectors: Vectors
) -> Dense:
    """How sure these topics of documents are (n), see `Assignment`."""
    posteriors, _ = _posteriors(documents, learnt, vectors)
    return _confidence(posteriors, labels, is_known(documents, vectors))


def is_known(documents: TermLists | sparse.csr_array, vectors: Vectors | None) -> NDArray[np.bool_]:
    """Whether there is anything (n) to tell the topic of a document by: words or a vector."""
    known: NDArray[np.bool_] = np.diff(documents.indptr) > 0
    return known if vectors is None else known | vectors.any(axis=1)


def _confidence(posteriors: Dense, labels: Labels, known: NDArray[np.bool_]) -> Dense:
    own = posteriors[np.arange(labels.size), labels]
    return np.where(known, np.maximum(own, LEAST_CONFIDENCE), 0.0)


def _posteriors(
    documents: TermLists, learnt: Learnt, vectors: Vectors | None
) -> tuple[Dense, Dense]:
    topics, further = learnt.topics, None
    if vectors is not None and vectors.size:
        further = vector_scores(vectors, learnt.vector_sums, float(learnt.kappa[0]))
    return topic_posteriors(
        documents.indptr, documents.ids, documents.values,
        topics.idf if learnt.weighs else None, topics.term_weights, topics.synced_sizes, further,
    )  # fmt: skip


def divide_one(ids: Any, counts: Dense, shares: Dense, topic_word: Dense) -> Dense:
    """Counts of one document's words, divided among the topics (words x K)."""
    # phi_wk = n_w theta_k beta_kw / sum_k theta_k beta_kw
    joint = shares * topic_word[:, ids].T
    divided: Dense = counts[:, None] * joint / joint.sum(axis=1, keepdims=True)
    return divided


def likelihood_bound(documents: TermLists, gamma: Dense, learnt: Learnt) -> float:
    """A lower bound of the log-likelihood of documents with these topic weights (n x K)."""
    return evidence_bound(documents.matrix, gamma, learnt.alpha, learnt.topics.words.distributions)


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
        # Not by BLAS, whose sums depend on the number of threads.
        bound += float((counts.data[block] * np.log(mixed)).sum())
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
    counts: sparse.csr_array,
    learnt: Learnt,
    variant: str,
    idf: Dense | None = None,
    vectors: Vectors | None = None,
) -> tuple[Dense, Assignment, DnmfState]:
    """Topic weights of documents (n x K), their topics, and the statistics that they add."""
    doc_term = weigh_terms(counts, learnt, idf)
    documents = term_lists_of(counts)
    gamma = doc_topic_weights(documents, learnt)
    assignment = assign_topics(documents, learnt, gamma, vectors)
    # A document of which nothing is known counts for no topic.
    membership = one_hot(assignment.labels, gamma.shape[1])
    membership *= (assignment.confidence > 0)[:, None]
    division = None
    if learnt.is_mixed:
        division = Division(normalize_rows(gamma), learnt.topics.words)
    weights = VARIANTS[variant].weigh_documents(
        doc_term, learnt.topics.on_document_scale, division.shares if division else membership
    )
    state = DnmfState.of_documents(doc_term, counts, weights, membership, division)
    return gamma, assignment, state
