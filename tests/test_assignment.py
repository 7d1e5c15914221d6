"""Assignment to topics: the compiled loop against the definition, one document at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from dnmf_topics.core import Tfidf
from dnmf_topics.core.assignment import topic_posteriors

NUM_TERMS, NUM_TOPICS = 9, 4


def random_corpus(seed, num_docs):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.6, (num_docs, NUM_TERMS))
    idf = rng.random(NUM_TERMS) * (rng.random(NUM_TERMS) < 0.8)
    weights = rng.normal(size=(NUM_TERMS, NUM_TOPICS))
    sizes = rng.integers(0, 3, NUM_TOPICS).astype(float)
    return sparse.csr_array(counts.astype(float)), idf, weights, sizes


def literal_posteriors(row, term_weights, sizes):
    """The softmax of the scores of a document at unit length, over the topics with documents."""
    length = np.linalg.norm(row)
    scores = (row / length if length > 0 else row) @ term_weights
    alive = sizes > 0 if sizes.any() else np.ones(sizes.size, dtype=bool)
    likelihoods = np.where(alive, np.exp(scores), 0)
    return likelihoods / likelihoods.sum()


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_the_loop_gives_the_posterior_of_each_document(seed, num_docs):
    counts, idf, term_weights, sizes = random_corpus(seed, num_docs)
    for given_idf, weighted in ((None, counts), (idf, Tfidf(idf).transform(counts))):
        posteriors, lengths = topic_posteriors(
            counts.indptr, counts.indices, counts.data, given_idf, term_weights, sizes
        )
        rows = weighted.toarray()
        for i, row in enumerate(rows):
            np.testing.assert_allclose(posteriors[i], literal_posteriors(row, term_weights, sizes))
        expected = np.where(rows.any(axis=1), counts.sum(axis=1), 0)
        np.testing.assert_array_equal(lengths, expected)


def test_a_document_has_the_same_posterior_alone_and_among_others():
    counts, idf, term_weights, sizes = random_corpus(0, 30)
    together, _ = topic_posteriors(
        counts.indptr, counts.indices, counts.data, idf, term_weights, sizes
    )
    for i in range(30):
        row = counts[[i]]
        alone, _ = topic_posteriors(row.indptr, row.indices, row.data, idf, term_weights, sizes)
        np.testing.assert_array_equal(alone[0], together[i])


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_length_of_a_weighted_document_does_not_matter(scale):
    counts, _, term_weights, sizes = random_corpus(1, 5)
    plain, _ = topic_posteriors(
        counts.indptr, counts.indices, counts.data, None, term_weights, sizes
    )
    scaled, _ = topic_posteriors(
        counts.indptr, counts.indices, scale * counts.data, None, term_weights, sizes
    )
    np.testing.assert_allclose(plain, scaled)
