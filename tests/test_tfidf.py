"""TF-IDF: the formula, what happens to terms and documents that say nothing, forms of input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import BAD_MATRICES, FORMS, raw_arrays
from scipy import sparse

from dnmf_topics.core import Tfidf
from dnmf_topics.core.tfidf import unit_rows


def literal_idf(counts):
    """log(N / df), entry by entry; a term that no document has weighs nothing."""
    idf = np.zeros(counts.shape[1])
    for term in range(counts.shape[1]):
        frequency = sum(counts[doc, term] > 0 for doc in range(counts.shape[0]))
        if frequency:
            idf[term] = np.log(counts.shape[0] / frequency)
    return idf


def literal_tfidf(counts, idf):
    """(1 + log tf) idf, rows of length 1."""
    weights = np.zeros(counts.shape)
    for doc, term in zip(*np.nonzero(counts), strict=True):
        weights[doc, term] = (1 + np.log(counts[doc, term])) * idf[term]
    lengths = np.sqrt((weights**2).sum(axis=1, keepdims=True))
    return weights / np.where(lengths > 0, lengths, 1)


def random_counts(seed, num_docs=9, num_terms=7):
    """Counts with an empty document, an empty term and a term in every other document."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, size=(num_docs, num_terms))
    counts[:, 0] = rng.integers(1, 9, size=num_docs)
    counts[:, -1] = 0
    counts[-1] = 0
    return counts


matrices = st.tuples(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 8)).map(
    lambda drawn: random_counts(*drawn)
)


@given(matrices, matrices)
def test_is_the_formula_with_the_weights_of_the_fit(counts, others):
    tfidf = Tfidf.fit(counts)
    idf = literal_idf(counts)
    np.testing.assert_allclose(tfidf.idf, idf, rtol=1e-14)
    np.testing.assert_allclose(
        tfidf.transform(counts).toarray(), literal_tfidf(counts, idf), atol=1e-14
    )
    # New documents: their own frequencies do not count.
    new = np.resize(others, (4, counts.shape[1]))
    np.testing.assert_allclose(tfidf.transform(new).toarray(), literal_tfidf(new, idf), atol=1e-14)


@given(matrices)
def test_rows_have_length_one_or_are_empty(counts):
    weights = Tfidf.fit(counts).transform(counts)
    lengths = np.sqrt((weights.toarray() ** 2).sum(axis=1))
    stored = np.diff(weights.indptr)
    np.testing.assert_allclose(lengths, stored > 0, atol=1e-14)
    # What weighs nothing is not stored: an empty row is one without entries.
    assert (weights.data > 0).all()


def test_a_term_in_every_document_weighs_nothing():
    counts = np.array([[3, 1, 0], [1, 0, 2], [7, 1, 1]])
    tfidf = Tfidf.fit(counts)
    assert tfidf.idf[0] == 0
    assert not tfidf.transform(counts).toarray()[:, 0].any()
    assert not tfidf.transform([[5, 0, 0]]).toarray().any()


def test_a_document_of_terms_that_weigh_nothing_is_an_empty_row():
    # Term 0 is in every document, term 3 in none.
    counts = np.array([[2, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0]])
    tfidf = Tfidf.fit(counts)
    assert np.diff(tfidf.transform(counts).indptr).tolist() == [1, 0, 1]
    assert np.diff(tfidf.transform([[0, 0, 0, 4], [0, 0, 0, 0]]).indptr).tolist() == [0, 0]


def test_fractional_counts_never_weigh_less_than_nothing():
    tfidf = Tfidf.fit([[1, 0], [0, 1]])
    weights = tfidf.transform([[1e-9, 1.0], [0.5, 0.5]]).toarray()
    np.testing.assert_allclose(weights, [[0, 1], [np.sqrt(0.5), np.sqrt(0.5)]])


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_input_gives_the_same_and_is_left_alone(form):
    counts = random_counts(5)
    wanted = Tfidf.fit(counts)
    rows = wanted.transform(counts)
    given_counts = FORMS[form](counts)
    before = raw_arrays(given_counts)
    tfidf = Tfidf.fit(given_counts)
    weights = tfidf.transform(given_counts)
    assert isinstance(weights, sparse.csr_array)
    assert weights.dtype == np.float64
    np.testing.assert_array_equal(tfidf.idf, wanted.idf)
    for ours, theirs in zip(raw_arrays(weights), raw_arrays(rows), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for now, then in zip(raw_arrays(given_counts), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("case", BAD_MATRICES)
def test_bad_counts_are_refused_in_one_sentence(case):
    value, error, message = BAD_MATRICES[case]
    with pytest.raises(error, match=f"^counts must .*{message}"):
        Tfidf.fit(value)
    with pytest.raises(error, match=f"^counts must .*{message}"):
        Tfidf(np.ones(2)).transform(value)


@pytest.mark.parametrize(
    ("idf", "error", "message"),
    [
        ([1.0, np.nan], ValueError, "idf must be finite and at most 1e.50, got nan"),
        ([1.0, -np.inf], ValueError, "got -inf"),
        ([1.0, 1e300], ValueError, r"got 1e\+300"),
        ([[1.0, 1.0]], TypeError, "idf must have one number for each term"),
        (["a", "b"], TypeError, "idf must have one number for each term"),
        (None, TypeError, "idf must have one number for each term, got None"),
    ],
)
def test_weights_of_terms_that_are_none_are_refused(idf, error, message):
    with pytest.raises(error, match=message):
        Tfidf(idf)


def test_terms_of_a_negative_idf_weigh_nothing():
    weights = Tfidf([2, -1, 1e-300]).transform([[1, 5, 0], [0, 5, 0], [0, 0, 1]])
    np.testing.assert_allclose(weights.toarray(), [[1, 0, 0], [0, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize("num_terms", [1, 3])
def test_transform_wants_the_columns_of_the_fit(num_terms):
    tfidf = Tfidf.fit([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=rf"^counts must have 2 columns.*got {num_terms}\.$"):
        tfidf.transform(np.ones((2, num_terms)))


def test_unit_rows_leaves_its_input_alone():
    rows = sparse.csr_array([[3.0, 4.0], [0.0, 0.0]])
    scaled = unit_rows(rows)
    np.testing.assert_allclose(scaled.toarray(), [[0.6, 0.8], [0, 0]])
    np.testing.assert_array_equal(rows.data, [3, 4])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 3)])
def test_of_nothing_unit_rows_are_nothing(shape):
    assert unit_rows(sparse.csr_array(shape)).shape == shape


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_the_unit_of_the_weights_does_not_matter(unit):
    rows = sparse.csr_array(random_counts(1) * unit)
    np.testing.assert_allclose(
        unit_rows(rows).toarray(), unit_rows(sparse.csr_array(random_counts(1) * 1.0)).toarray()
    )
