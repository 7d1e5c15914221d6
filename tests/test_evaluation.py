"""The paper's measures against their definitions, spelt out."""

from __future__ import annotations

from itertools import combinations, permutations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import FORMS
from scipy import sparse

from dnmf_topics.evaluation import (
    clustering_accuracy,
    similarity_count,
    top_terms,
    topic_coherence,
    topic_diversity,
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
def test_accuracy_wants_one_entry_for_each_document(classes, labels):
    with pytest.raises(ValueError, match="classes and labels must hold one entry"):
        clustering_accuracy(classes, labels)


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


@pytest.mark.parametrize("weights", [np.ones(3), sparse.csr_array(np.eye(3))], ids=["1d", "csr"])
def test_top_terms_wants_a_dense_matrix(weights):
    with pytest.raises((TypeError, ValueError), match=r"^topic_term must"):
        top_terms(weights, 2)
