"""Memory: a fit needs what its codes, its documents and a few thin matrices need, no more.

tracemalloc sees what numpy and Python allocate; the compiled kernels keep a few rows beside it.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from dnmf_topics.core import VARIANTS, Mbn, fit_topics

NUM_DOCS, NUM_TERMS, NUM_TOPICS, WORDS = 4000, 8000, 5, 20
NUM_CLUSTERINGS = 50
FIRST_LAYER = NUM_DOCS // 2


@pytest.fixture(scope="module")
def docs():
    """Twenty terms for each document, half of them from its topic's share of the vocabulary."""
    rng = np.random.default_rng(0)
    topics = rng.integers(NUM_TOPICS, size=(NUM_DOCS, 1))
    terms = rng.integers(NUM_TERMS, size=(NUM_DOCS, WORDS))
    own = terms[:, ::2] // NUM_TOPICS * NUM_TOPICS + topics
    terms[:, ::2] = own
    rows = np.repeat(np.arange(NUM_DOCS), WORDS)
    values = rng.random(terms.size) + 0.5
    return sparse.csr_array((values, (rows, terms.ravel())), shape=(NUM_DOCS, NUM_TERMS))


def peak_of(function):
    """The result, and by how many bytes the memory grew at most."""
    function()  # compiles the kernels
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = function()
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_the_measure_sees_arrays():
    _, peak = peak_of(lambda: np.ones(10**6).sum())
    assert 8 * 10**6 <= peak < 9 * 10**6


def thin_matrices():
    """Bytes of six (N x K) and (V x K) matrices, and of four copies of the documents."""
    factors = 6 * 8 * (NUM_DOCS + NUM_TERMS) * NUM_TOPICS
    documents = 4 * (8 + 4) * NUM_DOCS * WORDS
    return factors + documents


def assert_far_from_dense(bound):
    """A single dense matrix, even of two-byte numbers, would break the bound."""
    assert bound < 2 * NUM_DOCS * min(NUM_DOCS, NUM_TERMS)


def test_a_fit_needs_no_matrix_of_documents_by_documents_or_by_terms(docs):
    settings = Mbn(num_clusterings=NUM_CLUSTERINGS, delta=0.1)
    options = {"deep_model": settings, "random_state": 0, "n_jobs": 1}
    fit, peak = peak_of(lambda: fit_topics(docs, NUM_TOPICS, **options))
    # Codes of two bytes or one, twice while the blocks of a layer are put together.
    codes = 2 * sum(layer.codes.nbytes for layer in fit.deep.layers)
    assert codes <= 2 * 2 * NUM_DOCS * NUM_CLUSTERINGS * len(fit.deep.layers)
    # The centroids of a layer, in the forms the kernels look them up in, and inverted lists.
    draws = 24 * NUM_CLUSTERINGS * FIRST_LAYER
    # A Krylov space of about 8 (K + 8) vectors in float32: basis, images, one of them stacked.
    krylov = 3 * 4 * 8 * (NUM_TOPICS + 8) * NUM_DOCS
    bound = codes + draws + krylov + thin_matrices()
    assert_far_from_dense(bound)
    assert peak < bound


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_factorizations_need_thin_matrices_only(docs, variant, soft):
    labels = np.arange(NUM_DOCS) % NUM_TOPICS
    membership = 0.8 * np.eye(NUM_TOPICS)[labels] + 0.2 / NUM_TOPICS if soft else labels
    options = {"deep_model": membership, "variant": variant, "max_iterations": 2}
    fit, peak = peak_of(lambda: fit_topics(docs, NUM_TOPICS, **options))
    assert fit.topic_term.any()
    assert_far_from_dense(thin_matrices())
    assert peak < thin_matrices()


def test_new_documents_need_thin_matrices_only(docs):
    fit = fit_topics(docs, NUM_TOPICS, deep_model=np.arange(NUM_DOCS) % NUM_TOPICS)
    for method in (fit.assign, fit.fold_in):
        _, peak = peak_of(lambda method=method: method(docs))
        assert peak < thin_matrices()
