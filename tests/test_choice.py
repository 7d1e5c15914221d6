"""The choice of the view: its measures against loops, and that it leads to the planted topics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted_docs
from scipy import sparse
from sklearn.metrics import mutual_info_score

from dnmf_topics.common.seeds import child_rng
from dnmf_topics.core import Mbn, fit_topics
from dnmf_topics.core.choice import (
    EQUAL,
    NUM_SPLITS,
    PLAIN,
    SCORE_PRIOR,
    TERMS,
    UNEQUAL,
    ViewScore,
    choose_view,
    cohesion,
    mutual_information,
    own_log_ratios,
    separation,
    views_of,
)
from dnmf_topics.core.choice import predictive_gain as gain_of_ratios
from dnmf_topics.core.choice import split_information as information_of_ratios
from dnmf_topics.core.tfidf import unit_rows
from dnmf_topics.evaluation import clustering_accuracy


def random_docs(seed, num_docs, num_terms=10):
    rng = np.random.default_rng(seed)
    dense = rng.random((num_docs, num_terms)) * (rng.random((num_docs, num_terms)) < 0.4)
    dense[np.arange(num_docs), rng.integers(num_terms, size=num_docs)] += 0.5
    return unit_rows(sparse.csr_array(dense))


def predictive_gain(docs, labels, num_clusters):
    return gain_of_ratios(own_log_ratios(docs, labels, num_clusters), labels.size)


def split_information(docs, labels, num_clusters, seed):
    ratios = own_log_ratios(docs, labels, num_clusters)
    return information_of_ratios(docs, labels, num_clusters, ratios, seed)


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
    prior_mass = SCORE_PRIOR * docs.sum() / num_clusters
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


def literal_information(rows, labels, num_clusters, seed):
    """Every half of the vocabulary assigns every document, left out of its own cluster."""
    corpus = rows.sum(axis=0) / rows.sum()
    prior_mass = SCORE_PRIOR * rows.sum() / num_clusters
    total = 0.0
    for split in range(NUM_SPLITS):
        first_half = child_rng(seed, split).random(rows.shape[1]) < 0.5
        assigned = []
        for half in (first_half, ~first_half):
            answers = []
            for doc, row in enumerate(rows):
                scores = []
                for cluster in range(num_clusters):
                    mates = (labels == cluster) & (np.arange(labels.size) != doc)
                    mass = rows[mates].sum(axis=0)
                    share = (mass + prior_mass * corpus) / (mass.sum() + prior_mass)
                    terms = np.flatnonzero(half & (row > 0))
                    scores.append((row[terms] * np.log(share[terms] / corpus[terms])).sum())
                answers.append(int(np.argmax(np.round(scores, 9))))
            assigned.append(answers)
        total += mutual_info_score(*assigned)
    return total / NUM_SPLITS - (num_clusters - 1) ** 2 / (2 * labels.size)


@given(st.integers(0, 10**6), st.integers(2, 20), st.integers(2, 4))
def test_the_information_is_the_loop_over_halves_and_documents(seed, num_docs, num_clusters):
    docs = random_docs(seed, num_docs, num_terms=16)
    labels = np.random.default_rng(seed).integers(num_clusters, size=num_docs)
    seeds = np.random.SeedSequence(seed)
    assert split_information(docs, labels, num_clusters, seeds) == pytest.approx(
        literal_information(docs.toarray(), labels, num_clusters, seeds), abs=1e-6
    )


def test_both_halves_of_the_words_know_the_planted_topics_and_none_that_is_not_there():
    docs, classes = planted_docs((60, 60, 60))
    seed = np.random.SeedSequence(0)
    found = split_information(docs, classes, 3, seed)
    assert found > 0.9 * np.log(3)
    by_chance = np.random.default_rng(0).permutation(classes)
    assert split_information(docs, by_chance, 3, seed) < 0.7 * found
    cut = np.where(classes == 0, np.arange(classes.size) % 2, classes + 1)
    assert split_information(docs, cut, 4, seed) < found + 0.1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_mutual_information_is_that_of_scikit_learn(pairs):
    first, second = np.array(pairs).T
    ours = mutual_information(first, second, 4)
    assert ours == pytest.approx(mutual_info_score(first, second), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(2, 5))
def test_cohesion_is_the_loop_over_pairs(seed, num_docs, num_clusters):
    docs = random_docs(seed, num_docs)
    labels = np.random.default_rng(seed).integers(num_clusters, size=num_docs)
    inside = labels == np.bincount(labels).argmax()
    cosines = docs.toarray() @ docs.toarray().T
    within = cosines[np.ix_(inside, inside)][~np.eye(inside.sum(), dtype=bool)]
    across = cosines[np.ix_(inside, ~inside)]
    ours = cohesion(docs, labels, num_clusters)
    if within.size == 0 or across.size == 0:
        assert ours == 0
    else:
        floor = max(across.mean(), 1e-3 * within.mean(), 1e-12)
        assert ours == pytest.approx(within.mean() / floor, rel=1e-6, abs=1e-9)


def test_leftovers_do_not_hold_together_and_one_large_topic_does():
    docs, classes = planted_docs((200, 20, 20), num_common=40, noise=0.4)
    assert cohesion(docs, classes, 3) > 3
    docs, classes = planted_docs((20,) * 12, num_common=40, noise=0.7)
    leftovers = np.minimum(classes, 2)
    assert cohesion(docs, leftovers, 3) < 2


def score(view="equal", fit=1.0, information=1.0, separation=0.5, cohesion=3.0):
    return ViewScore(view, 10, fit, information, separation, cohesion, largest=0.5)


def test_views_for_equal_topics_are_compared_by_their_likelihood():
    scores = [score(fit=1.0, information=2.0, separation=0.9), score(fit=1.1)]
    assert choose_view(scores) == 1


def test_equal_and_unequal_are_compared_by_information_separation_and_cohesion():
    equal = score(fit=9.0)
    assert choose_view([score("unequal", fit=0.1, information=1.1), equal]) == 0
    assert choose_view([score("unequal", fit=0.1, separation=0.6), equal]) == 0
    assert choose_view([score("unequal", fit=0.1, information=1.1, cohesion=1.2), equal]) == 1
    # Enough is enough.
    assert choose_view([score("unequal", fit=0.1, information=0.9, cohesion=30.0), equal]) == 1


def test_equal_ones_are_taken_if_any_of_them_does_best_and_the_likeliest_then():
    clear, likely = score(fit=1.0, separation=0.6), score(fit=2.0, separation=0.3)
    assert choose_view([score("unequal"), clear, likely]) == 2
    assert choose_view([score("unequal", separation=0.7), clear, likely]) == 0


def test_what_is_well_separated_but_says_nothing_is_not_taken():
    outliers = score("unequal", fit=-0.1, information=-0.001, separation=0.98, cohesion=9.0)
    assert (
        choose_view([outliers, score(fit=0.1, information=0.01, separation=0.1, cohesion=1.1)]) == 1
    )


def test_what_found_nothing_can_still_be_compared():
    nothing = score("unequal", information=-0.1, separation=-0.2, cohesion=0.0)
    assert choose_view([nothing, nothing]) == 0
    assert choose_view([nothing, score()]) == 1


def test_the_wide_layer_finds_unequal_topics_and_wins():
    docs, classes = planted_docs((300, 25, 12, 8), length=15, noise=0.6, num_common=60)
    fit = fit_topics(docs, 4, random_state=0, deep_model=Mbn(num_clusterings=100))
    taken = fit.deep.scores[fit.deep.view_index]
    assert taken.view == "unequal"
    assert fit.deep.layers[fit.deep.layer_index].size == taken.layer_size
    assert clustering_accuracy(classes, fit.cluster_labels) > 0.95


@pytest.mark.parametrize(
    ("sizes", "fixed", "refined", "expected"),
    [
        ([2500, 1250, 625, 50, 7], False, True, [(0, UNEQUAL), (2, UNEQUAL), (4, EQUAL)]),
        ([2000, 501, 50, 7], False, True, [(0, UNEQUAL), (2, UNEQUAL), (3, EQUAL)]),
        ([2000, 1000, 500], False, True, [(0, UNEQUAL), (2, EQUAL)]),
        ([2000, 50, 7], True, True, [(2, UNEQUAL), (2, EQUAL)]),
        ([2000, 50, 7], False, False, [(0, PLAIN), (2, PLAIN)]),
        ([2000, 50, 7], True, False, [(2, PLAIN)]),
        ([3], False, True, [(0, UNEQUAL), (0, EQUAL)]),
    ],
)
def test_views_of_many_and_of_few_layers(sizes, fixed, refined, expected):
    # The documents' own terms are a view too, unless the user says which layer it is.
    terms = [] if fixed or not refined else [(TERMS, EQUAL)]
    assert views_of(sizes, fixed=fixed, refined=refined) == expected + terms
