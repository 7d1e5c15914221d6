"""The paper's measures against their definitions, spelled out."""

from __future__ import annotations

from itertools import combinations, permutations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import FORMS
from scipy import sparse

from dnmf_topics.adapters.coherence import coherence
from dnmf_topics.evaluation import (
    clustering_accuracy,
    contingency,
    normalized_mutual_information,
    purity,
    similarity_count,
    top_terms,
    topic_coherence,
    topic_diversity,
    topic_npmi,
    topic_stability,
)


def literal_accuracy(classes, labels):
    """The best of all ways to give every cluster a class of its own."""
    wide = max(len(set(classes)), len(set(labels)))
    targets = sorted(set(classes)) + [None] * (wide - len(set(classes)))
    clusters = sorted(set(labels))
    best = 0
    for chosen in permutations(targets, len(clusters)):
        match = dict(zip(clusters, chosen, strict=True))
        best = max(best, sum(match[b] == a for a, b in zip(classes, labels, strict=True)))
    return best / len(classes)


def literal_coherence(topics, counts, epsilon=0.01):
    """sum over ordered v1 != v2 of log((freq(v1, v2) + epsilon) / freq(v2)), mean over topics."""
    docs = [{term for term in range(counts.shape[1]) if row[term] > 0} for row in counts]

    def freq(*terms):
        return sum(set(terms) <= doc for doc in docs)

    totals = []
    for topic in topics:
        total = 0.0
        for v1 in topic:
            for v2 in topic:
                if v1 != v2:
                    total += log((freq(v1, v2) + epsilon) / max(freq(v2), 1))
        totals.append(total)
    return sum(totals) / len(totals)


def random_counts(seed, num_docs=15, num_terms=9):
    return np.random.default_rng(seed).poisson(0.4, size=(num_docs, num_terms))


def random_topics(seed, num_topics, num_terms, length):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(num_terms)[:length] for _ in range(num_topics)])


# ------------------------------------------------------------------------------------------- ACC


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_accuracy_is_the_best_of_all_matchings(pairs):
    classes, labels = zip(*pairs, strict=True)
    assert clustering_accuracy(classes, labels) == pytest.approx(literal_accuracy(classes, labels))


def test_accuracy_does_not_look_at_names():
    classes = ["b", "b", "a", "c", "c", "c"]
    assert clustering_accuracy(classes, [7, 7, -2, 5, 5, 5]) == 1.0
    assert clustering_accuracy(np.array(classes), np.array([7, 7, 7, 5, 5, 2])) == 4 / 6
    # A cluster counts for one class only, a class for one cluster only.
    assert clustering_accuracy([0, 0, 0, 0], [0, 1, 2, 3]) == 0.25
    assert clustering_accuracy([0, 1, 2, 3], [0, 0, 0, 0]) == 0.25


@pytest.mark.parametrize(
    ("classes", "labels"),
    [([0, 1], [0]), ([], []), ([0], []), ([[0, 1], [1, 0]], [0, 1, 1, 0]), (3, 4)],
)
def test_agreement_wants_one_entry_for_each_document(classes, labels):
    for measure in (clustering_accuracy, normalized_mutual_information, purity, contingency):
        with pytest.raises(ValueError, match="classes and labels must hold one entry"):
            measure(classes, labels)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_purity_counts_the_most_frequent_class_of_each_cluster(pairs):
    classes, labels = zip(*pairs, strict=True)
    members = [[c for c, label in pairs if label == cluster] for cluster in set(labels)]
    most = sum(max(own.count(c) for c in own) for own in members)
    assert purity(classes, labels) == pytest.approx(most / len(pairs))
    assert contingency(classes, labels).sum() == len(pairs)


def test_nmi_of_a_worked_example():
    # nothing in common
    assert normalized_mutual_information([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0, abs=1e-12)
    # I = log 2, H(classes) = log 2, H(labels) = log 4
    found = normalized_mutual_information(["a", "a", "b", "b"], [0, 1, 2, 3])
    assert found == pytest.approx(2 / 3)


# ------------------------------------------------------------------------------------- coherence


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6))
def test_coherence_is_the_double_loop(seed, num_topics, length):
    counts, topics = random_counts(seed), random_topics(seed, num_topics, 9, length)
    wanted = literal_coherence(topics, counts)
    assert topic_coherence(topics, counts) == pytest.approx(wanted, abs=1e-9)
    wanted = literal_coherence(topics, counts, epsilon=1.0)
    assert topic_coherence(topics, counts, epsilon=1.0) == pytest.approx(wanted, abs=1e-9)


def test_coherence_of_a_worked_example():
    # freq(0) = 3, freq(1) = 2, freq(0, 1) = 1
    counts = np.array([[5, 1], [1, 0], [2, 0], [0, 4]])
    wanted = log(1.01 / 2) + log(1.01 / 3)
    assert topic_coherence(np.array([[0, 1]]), counts) == pytest.approx(wanted)


@pytest.mark.parametrize("form", FORMS)
def test_coherence_takes_every_form_of_counts(form):
    counts, topics = random_counts(3), random_topics(3, 2, 9, 4)
    assert topic_coherence(topics, FORMS[form](counts)) == topic_coherence(topics, counts)


@pytest.mark.parametrize(
    "topics",
    [[[0, 9]], [[0, -1]], [[0.0, 1.5]], np.zeros((0, 2), int), [0, 1]],
    ids=["too large", "negative", "fractions", "no topics", "one axis"],
)
def test_coherence_wants_topics_of_known_terms(topics):
    with pytest.raises((TypeError, ValueError), match=r"^topic_terms must"):
        topic_coherence(np.array(topics), random_counts(0))


@pytest.mark.parametrize("epsilon", [0, -1.0, np.nan, 1e300, 1e-300, "small"])
def test_coherence_wants_a_number_that_has_a_logarithm(epsilon):
    with pytest.raises((TypeError, ValueError), match=r"^epsilon must be a"):
        topic_coherence(np.array([[0, 1]]), random_counts(0), epsilon)


def test_coherence_asks_only_whether_a_term_is_there():
    counts = np.array([[5, 1], [1, 0], [2, 0], [0, 4]])
    absurd = np.where(counts > 0, [[1e-300, 1e300]], 0)
    topics = np.array([[0, 1]])
    assert topic_coherence(topics, absurd) == topic_coherence(topics, counts)
    np.testing.assert_array_equal(topic_npmi(topics, absurd), topic_npmi(topics, counts))


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 6))
def test_npmi_is_gensims_where_a_window_is_a_document(seed, num_topics, length):
    counts, topics = random_counts(seed), random_topics(seed, num_topics, 9, length)
    counts = np.asarray(counts.toarray() if sparse.issparse(counts) else counts)
    counts[0] = np.maximum(counts[0], 1)  # every term occurs
    texts = [[f"w{j}" for j in np.repeat(np.arange(row.size), row)] for row in counts]
    texts = [text or ["other"] for text in texts]
    words = [[f"w{j}" for j in topic] for topic in topics]
    longest = max(map(len, texts))
    wanted = coherence(words, texts=texts, measure="c_npmi", topn=length, window_size=longest)
    np.testing.assert_allclose(topic_npmi(topics, counts), wanted.per_topic, rtol=1e-9)


def test_npmi_of_a_term_that_nobody_uses_or_has_no_partner_is_unknown():
    counts = np.array([[1, 1, 0], [1, 0, 0]])
    assert np.isnan(topic_npmi(np.array([[0, 2]]), counts)).all()
    assert np.isnan(topic_npmi(np.array([[0]]), counts)).all()
    assert np.isfinite(topic_npmi(np.array([[0, 1]]), counts)).all()


# ------------------------------------------------------------------------------------ term lists


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 9))
def test_similarity_count_is_the_sum_over_pairs(seed, num_topics, length):
    topics = random_topics(seed, num_topics, 12, length)
    shared = [len(set(a) & set(b)) for a, b in combinations(topics, 2)]
    assert similarity_count(topics) == sum(shared)
    distinct = {term for topic in topics for term in topic}
    assert topic_diversity(topics) == len(distinct) / (num_topics * length)


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_top_terms_are_the_heaviest_and_of_equals_the_first(seed, num_terms):
    weights = np.random.default_rng(seed).integers(0, 4, size=(3, 8)) / 4
    wanted = [sorted(range(8), key=lambda term: (-row[term], term))[:num_terms] for row in weights]
    np.testing.assert_array_equal(top_terms(weights, num_terms), wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
def test_top_terms_of_any_numbers(dtype):
    weights = np.array([[0, 1, 0, 3], [1, 0, 0, 0]]).astype(dtype)
    np.testing.assert_array_equal(top_terms(weights, 2), [[3, 1], [0, 1]])


@pytest.mark.parametrize("num_terms", [-1, 2.5])
def test_top_terms_wants_a_number_of_terms(num_terms):
    with pytest.raises((TypeError, ValueError), match=r"^num_terms must"):
        top_terms(np.eye(3), num_terms)


@pytest.mark.parametrize(
    "weights",
    [np.ones(3), sparse.csr_array(np.eye(3)), [[1, np.nan]]],
    ids=["1d", "csr", "NaN"],
)
def test_top_terms_wants_a_dense_matrix(weights):
    with pytest.raises((TypeError, ValueError), match=r"^topic_term must"):
        top_terms(weights, 2)


def test_stability_matches_topics_whatever_their_order():
    topics = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    assert topic_stability([topics, topics[[2, 0, 1]], topics[:, ::-1]]) == 1
    assert topic_stability([topics, topics + 9]) == 0
    # One topic of three has another word: 2 of 4 words in common.
    other = np.array([[6, 7, 8], [0, 1, 9], [3, 4, 5]])
    assert topic_stability([topics, other]) == pytest.approx((1 + 1 + 0.5) / 3)


def test_stability_wants_runs_that_can_be_compared():
    topics = np.array([[0, 1], [2, 3]])
    with pytest.raises(ValueError, match="at least two runs"):
        topic_stability([topics])
    with pytest.raises(ValueError, match="equally many"):
        topic_stability([topics, topics[:1]])
