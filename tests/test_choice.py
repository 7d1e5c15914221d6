"""The choice of the view: its measures against loops, and that it leads to the planted topics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted_docs
from scipy import sparse

from dnmf_topics.core import Mbn, fit_topics
from dnmf_topics.core.choice import (
    EQUAL,
    PLAIN,
    PRIOR_SHARE,
    UNEQUAL,
    predictive_gain,
    separation,
    views_of,
)
from dnmf_topics.core.tfidf import unit_rows
from dnmf_topics.evaluation import clustering_accuracy


def random_docs(seed, num_docs, num_terms=10):
    rng = np.random.default_rng(seed)
    dense = rng.random((num_docs, num_terms)) * (rng.random((num_docs, num_terms)) < 0.4)
    dense[np.arange(num_docs), rng.integers(num_terms, size=num_docs)] += 0.5
    return unit_rows(sparse.csr_array(dense))


def literal_gain(rows, labels, prior_mass):
    """Mean over documents of sum_w x_w log[p(w | own cluster without x) / p(w | corpus)]."""
    corpus = rows.sum(axis=0) / rows.sum()
    gain = 0.0
    for doc, row in enumerate(rows):
        others = [i for i in range(labels.size) if labels[i] == labels[doc] and i != doc]
        mass = rows[others].sum(axis=0)
        for term in np.flatnonzero(row):
            share = mass[term] + prior_mass * corpus[term]
            share /= mass.sum() + prior_mass
            gain += row[term] * np.log(share / corpus[term])
    return gain / labels.size


@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 5))
def test_the_gain_is_the_loop_over_documents_left_out(seed, num_docs, num_clusters):
    docs = random_docs(seed, num_docs)
    prior_mass = PRIOR_SHARE * docs.sum() / num_clusters
    labels = np.random.default_rng(seed).integers(num_clusters, size=num_docs)
    assert predictive_gain(docs, labels, num_clusters) == pytest.approx(
        literal_gain(docs.toarray(), labels, prior_mass), rel=1e-7, abs=1e-7
    )


def test_the_gain_is_larger_for_the_planted_partition():
    docs, classes = planted_docs((40, 30, 20))
    rng = np.random.default_rng(0)
    planted = predictive_gain(docs, classes, 3)
    # None of the corpus by chance, and a half where two topics are one.
    assert planted > predictive_gain(docs, np.minimum(classes, 1), 3) > 0
    assert planted > predictive_gain(docs, rng.permutation(classes), 3)


def literal_separation(rows, labels, num_clusters):
    values = []
    for doc, row in enumerate(rows):
        cosines = []
        for cluster in range(num_clusters):
            total = rows[(labels == cluster) & (np.arange(labels.size) != doc)].sum(axis=0)
            length = np.linalg.norm(total)
            cosines.append(row @ total / length if length > 1e-6 else 0.0)
        own = cosines[labels[doc]]
        other = max(c for cluster, c in enumerate(cosines) if cluster != labels[doc])
        values.append((own - other) / max(own, other, 1e-6))
    return np.mean(values)


@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(2, 5))
def test_the_separation_is_the_loop_over_documents_left_out(seed, num_docs, num_clusters):
    docs = random_docs(seed, num_docs)
    labels = np.random.default_rng(seed).integers(num_clusters, size=num_docs)
    assert separation(docs, labels, num_clusters) == pytest.approx(
        literal_separation(docs.toarray(), labels, num_clusters), abs=1e-6
    )


def test_one_cluster_is_separated_from_nothing():
    docs = random_docs(0, 5)
    assert separation(docs, np.zeros(5, np.int64), 1) == 0


def test_a_topic_cut_into_parts_is_less_separated():
    docs, classes = planted_docs((60, 30))
    cut = np.where(classes == 0, np.arange(classes.size) % 2, 2)
    assert separation(docs, classes, 2) > separation(docs, cut, 3) + 0.2


def test_the_wide_layer_finds_unequal_topics_and_wins():
    docs, classes = planted_docs((300, 25, 12, 8), length=15, noise=0.6, num_common=60)
    fit = fit_topics(docs, 4, random_state=0, deep_model=Mbn(num_clusterings=100))
    best = max(fit.deep.scores, key=lambda score: score.total)
    assert best.view == "unequal"
    assert fit.deep.layers[fit.deep.chosen].size == best.layer_size
    assert clustering_accuracy(classes, fit.labels) > 0.95


@pytest.mark.parametrize(
    ("sizes", "fixed", "refined", "expected"),
    [
        ([9000, 4000, 2000, 500, 50, 7], False, True, [(2, UNEQUAL), (3, UNEQUAL), (5, EQUAL)]),
        ([9000, 2000, 501, 50, 7], False, True, [(1, UNEQUAL), (3, UNEQUAL), (4, EQUAL)]),
        ([2000, 1000, 500], False, True, [(0, UNEQUAL), (2, EQUAL)]),
        ([9000, 4000, 2000, 50, 7], True, True, [(4, UNEQUAL), (4, EQUAL)]),
        ([9000, 4000, 2000, 50, 7], False, False, [(2, PLAIN), (4, PLAIN)]),
        ([9000, 4000, 2000, 50, 7], True, False, [(4, PLAIN)]),
        ([3], False, True, [(0, UNEQUAL), (0, EQUAL)]),
        ([9000], False, True, [(0, UNEQUAL), (0, EQUAL)]),
    ],
)
def test_views_of_many_and_of_few_layers(sizes, fixed, refined, expected):
    assert views_of(sizes, fixed=fixed, refined=refined) == expected
