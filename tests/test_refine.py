"""Refinement: its scores against loops and scikit-learn, and that it never loses a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted_docs
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.naive_bayes import ComplementNB

from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import refine as refinement
from dnmf_topics.core.refine import (
    Refinement,
    bayes_weights,
    cluster_sums,
    effective_number,
    leave_one_out_cosines,
)
from dnmf_topics.core.tfidf import Tfidf, unit_rows


def refine_unequal(docs, labels, num_clusters):
    return refinement.refine_unequal(RowBlocks(docs), labels, num_clusters, Threads(1))


def refine_equal(docs, labels, num_clusters):
    return refinement.refine_equal(RowBlocks(docs), labels, num_clusters, Threads(1))


def keep_clusters(scores, previous):
    """What becomes of documents with these scores, whatever their words are."""
    documents = RowBlocks(sparse.csr_array((scores.shape[0], 1)))
    steps = Refinement(documents, scores.shape[1], Threads(1))
    return steps.keep_clusters(scores.argmax(axis=1), previous, lambda block, labels: scores)


def random_docs(seed, num_docs, num_terms=12, density=0.4):
    """Unit rows, none empty."""
    rng = np.random.default_rng(seed)
    dense = rng.random((num_docs, num_terms)) * (rng.random((num_docs, num_terms)) < density)
    dense[np.arange(num_docs), rng.integers(num_terms, size=num_docs)] += 0.5
    return unit_rows(sparse.csr_array(dense))


def random_labels(seed, num_docs, num_clusters):
    """Labels with a document in every cluster."""
    rng = np.random.default_rng(seed)
    rest = rng.integers(num_clusters, size=num_docs - num_clusters)
    return rng.permutation(np.concatenate([np.arange(num_clusters), rest]))


sizes = st.tuples(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 25)).map(
    lambda drawn: (drawn[0], max(drawn[1:]), min(drawn[1:]))
)


# ---------------------------------------------------------------------------------------- scores


def literal_cosines(rows, labels, num_clusters):
    cosines = np.zeros((labels.size, num_clusters))
    for doc in range(labels.size):
        for cluster in range(num_clusters):
            others = [i for i in range(labels.size) if labels[i] == cluster and i != doc]
            total = rows[others].sum(axis=0)
            if np.linalg.norm(total) > 0:
                cosines[doc, cluster] = rows[doc] @ total / np.linalg.norm(total)
    return cosines


@pytest.mark.parametrize(("dtype", "atol"), [(np.float64, 1e-7), (np.float32, 1e-3)])
@given(problem=sizes)
def test_cosines_leave_the_document_out_of_its_own_cluster(dtype, atol, problem):
    seed, num_docs, num_clusters = problem
    docs = random_docs(seed, num_docs).astype(dtype)
    labels = random_labels(seed, num_docs, num_clusters)
    sums = cluster_sums(docs, labels, num_clusters)
    np.testing.assert_allclose(
        leave_one_out_cosines(docs, labels, sums),
        literal_cosines(docs.toarray().astype(float), labels, num_clusters),
        atol=atol,
    )


@given(problem=sizes)
def test_cluster_sums_are_the_sums(problem):
    seed, num_docs, num_clusters = problem
    docs, labels = random_docs(seed, num_docs), random_labels(seed, num_docs, num_clusters)
    sums = cluster_sums(docs, labels, num_clusters)
    for cluster in range(num_clusters):
        np.testing.assert_allclose(sums[:, cluster], docs.toarray()[labels == cluster].sum(axis=0))


def complement_naive_bayes(docs, labels, alpha):
    """scikit-learn's weights (V x K)."""
    return ComplementNB(norm=True, alpha=alpha).fit(docs, labels).feature_log_prob_.T


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_bayes_weights_are_those_of_scikit_learn(unit):
    docs = random_docs(0, 40, num_terms=20, density=0.2).toarray() * unit
    labels = random_labels(0, 40, 4)
    docs[:, [3, 11]] = 0
    used = docs.any(axis=0)
    ours = bayes_weights(cluster_sums(sparse.csr_array(docs), labels, 4))
    assert not ours[~used].any()

    # Which smoothing is a matter of tuning, but there is one for all the weights.
    def distance(log_alpha):
        theirs = complement_naive_bayes(docs[:, used], labels, np.exp(log_alpha))
        return np.linalg.norm(ours[used] - theirs)

    bounds = np.log(unit) + np.array([-8, 4])
    found = minimize_scalar(distance, bounds=bounds, options={"xatol": 1e-10})
    theirs = complement_naive_bayes(docs[:, used], labels, np.exp(found.x))
    np.testing.assert_allclose(ours[used], theirs, rtol=1e-6)


def test_bayes_weights_do_not_depend_on_the_unit():
    sums = np.random.default_rng(0).random((10, 3))
    np.testing.assert_allclose(bayes_weights(1e6 * sums), bayes_weights(sums), rtol=1e-10)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("num_terms", [1, 2])
@pytest.mark.parametrize("num_clusters", [1, 2])
def test_bayes_weights_of_the_smallest_corpora_are_finite(num_terms, num_clusters):
    assert np.isfinite(bayes_weights(np.ones((num_terms, num_clusters)))).all()


# ---------------------------------------------------------------------------------- keep_clusters


@given(sizes, st.sampled_from([0.0, 0.5, 2.0, 100.0]))
def test_every_document_gets_its_best_cluster_but_no_cluster_empties(problem, favor):
    seed, num_docs, num_clusters = problem
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((num_docs, num_clusters)) + favor * rng.random(num_clusters)
    previous = random_labels(seed, num_docs, num_clusters)
    kept = previous.copy(), scores.copy()
    labels = keep_clusters(scores, previous)
    assert set(labels) == set(range(num_clusters))
    best = scores.argmax(axis=1)
    if set(best) == set(range(num_clusters)):
        np.testing.assert_array_equal(labels, best)
    # Who did not get the best cluster is where it was.
    np.testing.assert_array_equal(np.where(labels == best, previous, labels), previous)
    np.testing.assert_array_equal(previous, kept[0])
    np.testing.assert_array_equal(scores, kept[1])


def test_the_document_that_stays_is_the_one_that_fits_best():
    scores = np.array([[5.0, 1.0], [5.0, 3.0], [5.0, 2.0], [5.0, 9.0 - 5]])
    np.testing.assert_array_equal(keep_clusters(scores, np.array([1, 1, 1, 0])), [0, 1, 0, 0])


# ---------------------------------------------------------------------------------------- refine


def with_wrong_labels(labels, share, num_clusters, seed=0):
    rng = np.random.default_rng(seed)
    wrong = rng.random(labels.size) < share
    return np.where(wrong, rng.integers(num_clusters, size=labels.size), labels)


both_ways = pytest.mark.parametrize("refine", [refine_unequal, refine_equal])


@both_ways
@pytest.mark.parametrize("sizes", [(80, 80, 80), (150, 60, 30), (60,) * 6])
def test_refine_recovers_the_planted_partition(refine, sizes):
    docs, classes = planted_docs(sizes)
    noisy = with_wrong_labels(classes, 0.3, len(sizes))
    given_labels = noisy.copy()
    assert (noisy != classes).mean() > 0.15
    np.testing.assert_array_equal(refine(docs, noisy, len(sizes)), classes)
    np.testing.assert_array_equal(noisy, given_labels)


@both_ways
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [12, 25])
@pytest.mark.parametrize("sizes", [(5, 5), (20, 20, 20), (20,) * 6, (60, 30, 15, 8)], ids=str)
def test_refine_does_not_merge_the_topics_of_a_small_corpus(refine, sizes, length, seed):
    docs, classes = planted_docs(sizes, seed=seed, length=length, noise=0.4, num_common=40)
    assert (refine(docs, classes, len(sizes)) == classes).mean() > 0.95


def test_the_effective_number_of_clusters():
    assert effective_number(np.array([2, 2, 0, 0, 4, 4])) == pytest.approx(3)
    assert effective_number(np.zeros(5, int)) == 1
    assert 1 < effective_number(np.array([0] * 99 + [1])) < 1.1


@pytest.mark.parametrize("seed", range(4))
def test_large_clusters_do_not_swallow_the_small_ones_where_there_are_more_than_topics(seed):
    rng = np.random.default_rng(seed)
    topics = np.array([rng.permutation(1 / np.arange(1, 601)) for _ in range(6)])
    classes = np.minimum(rng.geometric(0.3, 1200) - 1, 5)
    counts = [rng.multinomial(12, topics[c] / topics[c].sum()) for c in classes]
    docs = unit_rows(Tfidf.fit(sparse.csr_array(counts)).transform(sparse.csr_array(counts)))
    labels = spherical = np.minimum(rng.geometric(0.12, 1200) - 1, 29)
    for _ in range(2):
        spherical = Refinement(RowBlocks(docs), 30, Threads(1)).spherical_step(spherical)
    assert effective_number(refine_unequal(docs, labels, 30)) >= 0.7 * effective_number(spherical)


@both_ways
def test_precision_hardly_matters(refine):
    docs, classes = planted_docs((50, 40, 30), noise=0.5)
    noisy = with_wrong_labels(classes, 0.3, 3)
    half = refine(docs.astype(np.float32), noisy, 3)
    assert (half == refine(docs, noisy, 3)).mean() > 0.98


@both_ways
@given(seed=st.integers(0, 10**6), num_docs=st.integers(1, 20), fewer=st.integers(0, 3))
def test_refine_keeps_all_clusters_with_nearly_as_many_as_documents(refine, seed, num_docs, fewer):
    num_clusters = max(1, num_docs - fewer)
    docs = random_docs(seed, num_docs, num_terms=5).astype(np.float32)
    labels = refine(docs, random_labels(seed, num_docs, num_clusters), num_clusters)
    assert set(labels) == set(range(num_clusters))


@pytest.mark.filterwarnings("error")
@both_ways
@pytest.mark.parametrize("num_terms", [1, 3])
@pytest.mark.parametrize("num_clusters", [1, 2, 5])
def test_refine_survives_identical_documents(refine, num_terms, num_clusters):
    docs = unit_rows(sparse.csr_array(np.ones((5, num_terms))))
    labels = refine(docs, random_labels(0, 5, num_clusters), num_clusters)
    assert set(labels) == set(range(num_clusters))


def test_short_documents_do_not_melt_into_one_another():
    # Four words each, of which two are everybody's: flat posteriors would make the topics alike.
    docs, classes = planted_docs((150,) * 8, length=4, noise=0.5, num_common=60)
    docs, classes = docs[np.diff(docs.indptr) > 0], classes[np.diff(docs.indptr) > 0]
    noisy = with_wrong_labels(classes, 0.4, 8)
    # Where a document has none of its topic's words nobody can tell.
    assert (refine_equal(docs, noisy, 8) == classes).mean() > 0.8
    assert (noisy == classes).mean() < 0.7


def test_equal_refinement_forgets_a_poor_start():
    docs, classes = planted_docs((100, 100, 100), length=30, noise=0.5, num_common=40)
    one_large = np.where(np.arange(classes.size) < 12, classes, 0)
    assert (refine_equal(docs, one_large, 3) == classes).mean() > 0.95


def test_unequal_refinement_keeps_unequal_clusters():
    docs, classes = planted_docs((600, 20, 20), length=15, noise=0.6, num_common=60)
    assert (refine_unequal(docs, classes, 3) == classes).mean() > 0.95
