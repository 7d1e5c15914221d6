"""How much of a document is about what: the compiled loop against the definition, and its parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import literal_words
from scipy import sparse
from trained import CLASSES, CORPUS, COUNTS, NUM_TERMS, small_model

from dnmf_topics.core.proportions import divide_words, topic_proportions, word_model

TERMS, TOPICS = 12, 4


def random_problem(seed, num_docs):
    rng = np.random.default_rng(seed)
    documents = sparse.csr_array(rng.poisson(0.8, (num_docs, TERMS)).astype(float))
    word_counts = rng.gamma(0.3, 20, (TOPICS, TERMS)) + 0.1
    sizes = rng.integers(0, 3, TOPICS).astype(float)
    idf = rng.random(TERMS) * (rng.random(TERMS) < 0.8)
    return documents, word_counts, sizes, idf


def proportions(documents, word_counts, sizes, idf):
    return topic_proportions(
        documents.indptr, documents.indices, documents.data, word_model(word_counts), sizes, idf
    )


def literal_proportions(row, word_counts, sizes):
    """EM for one document of counts, by dense arrays."""
    topics = literal_words(word_counts)
    corpus = word_counts.sum(axis=0) / word_counts.sum()
    alive = sizes > 0 if sizes.any() else np.ones(sizes.size, bool)
    shares = alive / alive.sum()
    for _ in range(50):
        # Words of each topic itself, without the fifth that is the corpus'.
        joint = shares[:, None] * (topics - 0.2 * corpus)
        words = (row * joint / (shares @ topics)).sum(axis=1)
        words = np.maximum(words - min(2.0, words.max() / 2), 0)
        before, shares = shares, words / words.sum()
        if np.abs(shares - before).sum() <= 1e-3:
            break
    return shares


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_loop_gives_the_parts_of_each_document(seed, num_docs):
    documents, word_counts, sizes, idf = random_problem(seed, num_docs)
    shares, lengths = proportions(documents, word_counts, sizes, idf)
    for i, row in enumerate(documents.toarray()):
        if row @ idf > 0:
            expected = literal_proportions(row, word_counts, sizes)
            np.testing.assert_allclose(shares[i], expected, atol=1e-9)
            assert lengths[i] == row.sum()
        else:
            assert lengths[i] == 0
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[:, sizes == 0] == 0).all() or not sizes.any()


@given(st.integers(0, 10**6))
def test_distributions_of_words_are_the_definition(seed):
    _, word_counts, _, _ = random_problem(seed, 1)
    model = word_model(word_counts)
    np.testing.assert_allclose(model.distributions, literal_words(word_counts))
    np.testing.assert_allclose(model.distributions.sum(axis=1), 1)


def test_a_document_has_the_same_parts_alone_and_among_others():
    documents, word_counts, sizes, idf = random_problem(0, 30)
    together, _ = proportions(documents, word_counts, sizes, idf)
    for i in range(30):
        alone, _ = proportions(documents[[i]], word_counts, sizes, idf)
        np.testing.assert_array_equal(alone[0], together[i])


@pytest.mark.parametrize("scale", [1e-30, 0.01, 1e30])
def test_weights_count_as_words_do_whatever_their_scale(scale):
    documents, word_counts, sizes, _ = random_problem(1, 20)
    plain, _ = proportions(documents, word_counts, sizes, None)
    scaled, lengths = proportions(scale * documents, word_counts, sizes, None)
    np.testing.assert_allclose(plain, scaled)
    np.testing.assert_allclose(lengths, scale * documents.sum(axis=1))


@given(st.integers(0, 10**6))
def test_all_words_are_divided_and_those_of_one_topic_go_there(seed):
    documents, word_counts, _, _ = random_problem(seed, 8)
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(TOPICS, 0.5), 8)
    weights[0] = np.eye(TOPICS)[2]
    arrays = documents.indptr, documents.indices, documents.data
    model = word_model(word_counts)
    divided = divide_words(*arrays, model, weights)
    np.testing.assert_allclose(divided.sum(axis=0), documents.sum(axis=0))
    joint = weights[:, :, None] * literal_words(word_counts)
    expected = (documents.toarray()[:, None] * joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    np.testing.assert_allclose(divided, expected)
    doubled = divide_words(*arrays, model, 2 * weights)
    np.testing.assert_allclose(doubled, 2 * divided)


# --- through the model


@pytest.fixture(scope="module")
def model():
    return small_model()


def blend(*documents):
    total = np.zeros(NUM_TERMS)
    for document in documents:
        for term, count in document:
            total[term] += count
    return [(int(term), total[term]) for term in np.flatnonzero(total)]


def test_a_document_of_two_topics_has_both(model):
    own = [[i for i, label in enumerate(model.cluster_labels) if label == k] for k in range(3)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        for i, j in zip(own[one][:5], own[other][:5], strict=True):
            lengths = [sum(count for _, count in CORPUS[number]) for number in (i, j)]
            document = blend(CORPUS[i], CORPUS[j])
            shares = dict(model.get_document_topics(document, minimum_probability=0))
            assert shares[one] == pytest.approx(lengths[0] / sum(lengths), abs=0.2)
            assert shares[one] + shares[other] > 0.85


def test_documents_about_one_thing_are_about_their_cluster(model):
    assert (model.doc_topics().argmax(axis=1) == model.cluster_labels).all()
    assert model.doc_topics().max(axis=1).mean() > 0.9
    assert CLASSES.size == len(model.cluster_labels)


def test_alpha_is_added_in_units_of_words(model):
    other = small_model(alpha=[5.0, 1.0, 0.5])
    gamma, _ = model.inference(CORPUS[:4])
    more, _ = other.inference(CORPUS[:4])
    np.testing.assert_allclose(more - [5.0, 1.0, 0.5], gamma - model.alpha)
    lengths = COUNTS[:4].sum(axis=1)
    np.testing.assert_allclose((gamma - model.alpha).sum(axis=1), lengths)


def test_a_weighted_corpus_has_shares_too():
    tfidf = [[(term, count / 7.5) for term, count in document] for document in CORPUS]
    weighted = small_model(tfidf)
    assert weighted.weighting == "none"
    assert (weighted.doc_topics().argmax(axis=1) == weighted.cluster_labels).all()
    scaled = [[(term, 1000 * weight) for term, weight in document] for document in tfidf[:9]]
    gamma, _ = weighted.inference(tfidf[:9])
    other, _ = weighted.inference(scaled)
    np.testing.assert_allclose((other - weighted.alpha) / 1000, gamma - weighted.alpha)


def test_confidence_is_not_the_share(model):
    own = [int(np.flatnonzero(model.cluster_labels == k)[0]) for k in (0, 1)]
    [row] = model.get_document_info([blend(CORPUS[own[0]], CORPUS[own[1]])]).to_dict("records")
    assert 0.3 < row["weight"] < 0.8
    assert 0 < row["confidence"] <= 1
    table = model.get_document_info()
    again = model.get_document_info(CORPUS)
    np.testing.assert_allclose(table["confidence"], again["confidence"])
