"""The words of topics: those that many of a topic's documents have, and others have less often."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from gensim.corpora import Dictionary
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from trained import CLASSES, CORPUS, COUNTS, DICTIONARY, NUM_TERMS, as_bow, small_model

from dnmf_topics.adapters.pyldavis import prepare
from dnmf_topics.core import VARIANTS, Tfidf, fit_topics
from dnmf_topics.model import DnmfState
from dnmf_topics.model.state import FLOOR, WITHOUT_LIFT

EVERY = pytest.mark.parametrize("variant", VARIANTS)
SOFT = 0.7 * np.eye(3)[CLASSES] + 0.1


def literal_topics(has_word, doc_topic):
    """The formula, number by number: documents x terms, documents x topics."""
    documents = [i for i in range(len(has_word)) if any(has_word[i])]
    num_terms, num_topics = len(has_word[0]), len(doc_topic[0])
    topics = np.zeros((num_topics, num_terms))
    total = sum(doc_topic[i][k] for i in documents for k in range(num_topics))
    for k in range(num_topics):
        own = sum(doc_topic[i][k] for i in documents)
        for w in range(num_terms):
            if own > 0:
                share = sum(doc_topic[i][k] for i in documents if has_word[i][w]) / own
                everywhere = sum(sum(doc_topic[i]) for i in documents if has_word[i][w]) / total
                lift = max(log(share / everywhere), 0) if share > 0 else 0
                topics[k, w] = share * (lift + WITHOUT_LIFT)
        whole = sum(topics[k])
        for w in range(num_terms):
            topics[k, w] += (FLOOR * whole if whole > 0 else 1) / num_terms
    return topics / topics.sum(axis=1, keepdims=True)


def state_of(has_word, doc_topic):
    state = DnmfState(doc_topic.shape[1], has_word.shape[1])
    state.sstats = doc_topic.T @ has_word
    state.topic_weights = doc_topic[has_word.any(axis=1)].sum(axis=0)
    return state


def normalized(rows):
    return rows / rows.sum(axis=1, keepdims=True)


def words_of(model, topic, topn=10):
    return [word for word, _ in model.show_topic(topic, topn)]


# ------------------------------------------------------------------------------------ the formula


@st.composite
def documents_and_weights(draw):
    num_docs, num_terms = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    has_word = draw(arrays(bool, (num_docs, num_terms)))
    weight = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.3, 2.5])
    return has_word, draw(arrays(float, (num_docs, draw(st.integers(1, 4))), elements=weight))


@given(documents_and_weights())
def test_topics_are_those_of_a_literal_twin(problem):
    has_word, doc_topic = problem
    state = state_of(has_word, doc_topic)
    topics = state.get_lambda()
    assert (topics > 0).all()
    expected = literal_topics(has_word.tolist(), doc_topic.tolist())
    np.testing.assert_allclose(normalized(topics), expected, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(np.exp(state.get_Elogbeta()), expected, rtol=1e-9, atol=1e-15)


@EVERY
@pytest.mark.parametrize("membership", [CLASSES, SOFT], ids=["hard", "soft"])
def test_a_models_topics_are_those_of_its_variants_weights(variant, membership):
    model = small_model(variant=variant, deep_model=membership)
    doc_term = Tfidf.fit(COUNTS).transform(COUNTS)
    weights = fit_topics(doc_term, 3, deep_model=membership, variant=variant).doc_topic
    expected = literal_topics((COUNTS.toarray() > 0).tolist(), weights.tolist())
    np.testing.assert_allclose(model.get_topics(), expected, rtol=1e-9)
    np.testing.assert_array_equal(normalized(model.state.get_lambda()), model.get_topics())


def test_the_default_counts_every_document_of_a_topic_the_same():
    model = small_model()
    assert model.variant == "bdnmf"
    np.testing.assert_array_equal(model.state.topic_weights, model.state.topic_sizes)
    has_word = COUNTS.toarray() > 0
    for topic in range(3):
        members = model.cluster_labels == topic
        np.testing.assert_array_equal(model.state.sstats[topic], has_word[members].sum(axis=0))


def test_documents_without_words_and_counts_change_nothing():
    plain = small_model(deep_model=CLASSES)
    with_empty = small_model([*CORPUS, [], [], []], deep_model=np.append(CLASSES, [0, 1, 2]))
    np.testing.assert_array_equal(with_empty.get_topics(), plain.get_topics())
    with_empty.update([[]] * 5)
    np.testing.assert_array_equal(with_empty.get_topics(), plain.get_topics())
    longer = small_model([[(t, 7 * n) for t, n in bow] for bow in CORPUS], deep_model=CLASSES)
    np.testing.assert_array_equal(longer.get_topics(), plain.get_topics())
    weighted = small_model(Tfidf.fit(COUNTS).transform(COUNTS).T, deep_model=CLASSES)
    assert weighted.weighting == "none"
    np.testing.assert_array_equal(weighted.get_topics(), plain.get_topics())


# ----------------------------------------------------------------------------- topics of nearly all


def test_one_topic_alone_has_the_most_frequent_words_first():
    model = small_model(num_topics=1, deep_model=np.zeros(len(CORPUS), int))
    frequency = (COUNTS.toarray() > 0).sum(axis=0)
    expected = np.argsort(-frequency, kind="stable")
    assert [term for term, _ in model.get_topic_terms(0, None)] == expected.tolist()
    np.testing.assert_allclose(model.get_topics()[0], frequency / frequency.sum(), atol=1e-6)


def test_a_topic_of_nearly_all_documents_has_frequent_words():
    # Three documents of 300 are of their own; the words of the others come by their frequency.
    has_word = np.random.default_rng(0).random((300, 40)) < np.linspace(0.9, 0.02, 40)
    has_word[297:] = False
    has_word[297:, -5:] = True
    has_word[:297, -5:] = False
    labels = np.repeat([0, 1], [297, 3])
    model = small_model(
        sparse.csc_array(has_word.T.astype(float)), 2, None, deep_model=labels, weighting="tfidf"
    )
    frequency = has_word[:297].mean(axis=0)
    shown = [term for term, _ in model.get_topic_terms(0, 10)]
    assert shown == np.argsort(-frequency, kind="stable")[:10].tolist()
    assert {term for term, _ in model.get_topic_terms(1, 5)} == set(range(35, 40))


def test_a_topic_without_documents_has_all_words_alike():
    model = small_model(CORPUS[:2], 4)
    np.testing.assert_allclose(model.get_topics()[2:], 1 / NUM_TERMS)
    assert np.ptp(model.get_topics()[2]) == 0
    only_empty = small_model([*CORPUS, []], 4, deep_model=np.append(CLASSES, 3))
    np.testing.assert_allclose(only_empty.get_topics()[3], 1 / NUM_TERMS)


# --------------------------------------------------------------------------------- near-copies


def test_a_signature_of_some_documents_is_not_what_describes_the_topic():
    # Ten words of a topic are each in 30 % of its documents; ten others, always the same and often,
    # in 10 %, as in the posts of one author.
    rng = np.random.default_rng(0)
    size, num_rare = 200, 300
    labels = np.repeat([0, 1, 2], size)
    counts = np.zeros((3 * size, 3 * (10 + num_rare) + 10), dtype=int)
    for topic in range(3):
        start = topic * (10 + num_rare)
        for document in np.flatnonzero(labels == topic):
            counts[document, start : start + 10] = rng.random(10) < 0.3
            counts[document, start + 10 + rng.choice(num_rare, 8, replace=False)] = 1
    counts[: size // 10, -10:] = 5
    model = small_model(sparse.csc_array(counts.T), 3, None, deep_model=labels)
    assert {term for term, _ in model.get_topic_terms(0, 10)} == set(range(10))
    # The factor C of sDNMF, the words of these near-copies, would not have told.
    doc_term = Tfidf.fit(counts).transform(counts)
    factor = fit_topics(doc_term, 3, deep_model=labels, variant="sdnmf").topic_term[0]
    signature = range(counts.shape[1] - 10, counts.shape[1])
    assert set(np.argsort(-factor)[:10].tolist()) == set(signature)


# --------------------------------------------------------------------------- sums over documents


@given(st.lists(st.sampled_from([0, 1]), min_size=45, max_size=45).map(np.array), st.data())
@settings(max_examples=20)
def test_two_states_merge_into_that_of_all_documents(part, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=45, max_size=45)))
    # As they are, without an idf that would differ between the parts.
    options = {"variant": "bdnmf", "weighting": "none"}
    merged = DnmfState(3, NUM_TERMS)
    for half in (part == 0, part == 1):
        if half.sum() >= 3:
            corpus = COUNTS[half].T
            merged.merge(small_model(corpus, deep_model=labels[half], **options).state)
    kept = np.isin(part, [p for p in (0, 1) if (part == p).sum() >= 3])
    whole = small_model(COUNTS[kept].T, deep_model=labels[kept], **options).state
    for name in (*DnmfState.sums(), "numdocs"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name), name)
    np.testing.assert_array_equal(merged.get_lambda(), whole.get_lambda())


def test_an_update_gives_the_words_of_a_fit_of_all_documents():
    updated = small_model(CORPUS[:30])
    for part in (CORPUS[30:31], CORPUS[31:], [[], *CORPUS[:7]]):
        updated.update(part)
    corpus = [*CORPUS, [], *CORPUS[:7]]
    whole = small_model(corpus, deep_model=updated.cluster_labels)
    np.testing.assert_array_equal(updated.get_topics(), whole.get_topics())
    for name in ("sstats", "topic_weights", "word_counts", "topic_sizes", "doc_frequency"):
        np.testing.assert_array_equal(getattr(updated.state, name), getattr(whole.state, name))


@EVERY
def test_documents_that_come_again_count_like_the_first_time(variant):
    # The weights of new documents have the scale of the first ones': the topics stay as large.
    model = small_model(variant=variant)
    before = model.state.topic_weights.copy()
    model.update(CORPUS)
    np.testing.assert_allclose(model.state.topic_weights, 2 * before, rtol=0.1)
    assert all(
        set(words_of(model, k)) == set(words_of(small_model(variant=variant), k)) for k in range(3)
    )


# ----------------------------------------------------------------------------- the same everywhere


@EVERY
def test_the_words_agree_wherever_they_are_read(variant):
    model = small_model(variant=variant, id2word=DICTIONARY)
    assert isinstance(model.id2word, Dictionary)
    info = model.get_topic_info(topn=10).set_index("topic")["words"]
    shown = dict(model.show_topics(-1, 10, formatted=False))
    prepared = prepare(model, CORPUS).topic_info
    for topic in range(3):
        weights = model.get_topics()[topic]
        terms = np.argsort(-weights, kind="stable")[:10]
        expected = [DICTIONARY[int(term)] for term in terms]
        assert words_of(model, topic) == info[topic] == expected
        assert shown[topic] == model.show_topic(topic)
        assert [term for term, _ in model.get_topic_terms(topic)] == terms.tolist()
        rows = prepared[prepared["Category"] == f"Topic{topic}"].sort_values(
            "logprob", ascending=False, kind="stable"
        )
        logs = rows.set_index("Term")["logprob"][expected]
        np.testing.assert_allclose(logs, np.log(weights[terms]), atol=1e-4)


def test_a_new_word_of_a_topic_is_described_by_how_many_documents_have_it():
    new = NUM_TERMS
    corpus = as_bow(COUNTS)
    words = {term: f"word{term}" for term in range(NUM_TERMS + 1)}
    model = small_model(corpus, id2word=words)
    topic = int(model.cluster_labels[0])
    before = dict(model.get_topic_terms(topic, None))[new]
    model.update([[*corpus[0], (new, 1)]])
    assert dict(model.get_topic_terms(topic, None))[new] > 100 * before
