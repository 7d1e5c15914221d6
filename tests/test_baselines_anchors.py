"""SPA, SNPA, XRAY and AnchorFree: literal twins, and data that their assumptions allow."""

from __future__ import annotations

import numpy as np
import pytest
from planted import planted_counts
from scipy import sparse
from scipy.optimize import linprog, minimize

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.baselines.anchorfree import leading_words, weigh_by_cut, widest_topics
from dnmf_topics.baselines.cooccurrence import Cooccurrence, topics_of_anchors
from dnmf_topics.baselines.snpa import hull_weights, snpa_anchors
from dnmf_topics.baselines.spa import spa_anchors
from dnmf_topics.baselines.xray import xray_anchors
from dnmf_topics.common.progress import silent
from dnmf_topics.core.factorization.nnls import nnls_rows

SEED = np.random.SeedSequence(0)
SEARCHES = {"spa": spa_anchors, "snpa": snpa_anchors, "xray": xray_anchors}


def separable_docs(num_topics=4, num_words=30, num_docs=200, seed=0):
    """Exact mixtures of topics, of which topic k alone has word k: documents, topics (V x K)."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.ones(num_words) / 2, num_topics).T
    topics[:num_topics] = np.diag(rng.uniform(0.02, 0.1, num_topics))
    topics /= topics.sum(axis=0)
    weights = rng.dirichlet(np.full(num_topics, 0.3), num_docs)
    return sparse.csr_array(weights @ topics.T), topics


def literal_rows(docs):
    """P = X'X with rows of sum 1, written out."""
    together = (docs.T @ docs).toarray()
    return together / np.maximum(together.sum(axis=1, keepdims=True), 1e-300)


def matched(found, planted):
    """Columns of `found` in the order of the planted ones that they resemble most."""
    return found[:, (planted.T @ found).argmax(axis=1)]


def test_products_are_those_of_the_matrix():
    docs, _ = planted_counts([12, 15])
    docs = sparse.csr_array(docs.toarray() * (np.arange(docs.shape[1]) != 3.0))
    rows, words = literal_rows(docs), Cooccurrence(docs)
    columns = np.random.default_rng(0).random((docs.shape[1], 2))
    np.testing.assert_allclose(words @ columns, rows @ columns)
    np.testing.assert_allclose(words.row(5), rows[5])
    np.testing.assert_allclose(words.row(3), 0)
    np.testing.assert_allclose(words.squared_lengths(), np.sum(rows**2, axis=1))


def test_rare_words_are_no_anchors():
    docs = np.zeros((600, 3))
    docs[:300, 0] = docs[300:, 1] = docs[:9, 2] = 1
    assert Cooccurrence(sparse.csr_array(docs)).candidates.tolist() == [True, True, False]
    assert Cooccurrence(sparse.csr_array(docs[:200])).candidates.tolist() == [True, False, True]


@pytest.mark.parametrize("name", SEARCHES)
def test_anchors_and_topics_of_separable_words_are_found(name):
    docs, topics = separable_docs()
    words = Cooccurrence(docs)
    anchors, left = SEARCHES[name](words, 4, SEED, silent)
    assert sorted(anchors) == [0, 1, 2, 3]
    assert left[-1] < 1e-9 * left[0]
    assert np.all(np.diff(left) <= 0)
    np.testing.assert_allclose(
        matched(topics_of_anchors(words, anchors), topics), topics, atol=1e-6
    )


@pytest.mark.parametrize("name", SEARCHES)
def test_no_more_anchors_than_words_differ(name):
    docs, _ = separable_docs(num_topics=2)
    anchors, left = SEARCHES[name](Cooccurrence(docs), 6, SEED, silent)
    assert len(anchors) == len(left) == 2


def noisy_words():
    docs, _ = planted_counts([20, 25, 18], noise=0.4)
    docs = sparse.csr_array(docs, dtype=np.float64)
    return Cooccurrence(docs), literal_rows(docs)


def test_spa_is_the_literal_one():
    words, rows = noisy_words()
    expected, residual = [], rows.copy()
    for _ in range(6):
        expected.append(int(np.sum(residual**2, axis=1).argmax()))
        unit = residual[expected[-1]] / np.linalg.norm(residual[expected[-1]])
        residual = residual - np.outer(residual @ unit, unit)
    assert spa_anchors(words, 6, SEED, silent)[0] == expected


def test_weights_in_the_hull_are_the_best():
    rng = np.random.default_rng(3)
    anchors, points = rng.random((3, 5)), rng.random((8, 5)) * [[0.3]] * 4
    weights = hull_weights(anchors @ anchors.T, points @ anchors.T)
    assert weights.min() >= 0
    assert weights.sum(axis=1).max() <= 1 + 1e-5
    for point, found in zip(points, weights, strict=True):
        best = minimize(
            lambda h, point=point: np.sum((point - h @ anchors) ** 2),
            np.full(3, 0.2),
            bounds=[(0, 1)] * 3,
            constraints={"type": "ineq", "fun": lambda h: 1 - h.sum()},
        )
        assert np.sum((point - found @ anchors) ** 2) <= best.fun + 1e-5


def test_snpa_is_the_literal_one():
    words, rows = noisy_words()
    expected = []
    distances = np.sum(rows**2, axis=1)
    for _ in range(5):
        expected.append(int(distances.argmax()))
        chosen = rows[expected]
        weights = hull_weights(chosen @ chosen.T, rows @ chosen.T)
        distances = np.sum((rows - weights @ chosen) ** 2, axis=1)
        distances[expected] = 0
    assert snpa_anchors(words, 5, SEED, silent)[0] == expected


def test_xray_is_the_literal_one():
    words, rows = noisy_words()
    expected, residual = [], rows
    for _ in range(5):
        outside = np.sum(residual**2, axis=1).argmax()
        scores = rows @ residual[outside] / rows.sum(axis=1)
        scores[expected] = -np.inf
        expected.append(int(scores.argmax()))
        chosen = rows[expected]
        residual = rows - nnls_rows(chosen @ chosen.T, rows @ chosen.T) @ chosen
        residual[expected] = 0
    assert xray_anchors(words, 5, SEED, silent)[0] == expected


def scattered_topics(rng):
    """Topics (V x 3) of which two share each word, in different proportions."""
    pairs = np.array([[0, 1, 4], [1, 0, 4], [4, 1, 0], [0, 4, 1], [1, 4, 0], [4, 0, 1]])
    rows = np.repeat(pairs, 8, axis=0) * rng.uniform(0.5, 1.5, (48, 1))
    return rows / rows.sum(axis=0)


def test_anchorfree_finds_topics_without_anchor_words():
    rng = np.random.default_rng(0)
    topics = scattered_topics(rng)
    docs = sparse.csr_array(rng.dirichlet(np.full(3, 0.5), 300) @ topics.T)
    basis = leading_words(docs, 3, rng)
    mixing, objective = widest_topics(basis, rng)
    np.testing.assert_allclose(matched(basis @ mixing, topics), topics, atol=1e-6)
    assert np.all(np.diff(objective) >= -1e-12)
    # The rows of the anchor methods' words are mixtures of no word's row.
    anchors, _ = spa_anchors(Cooccurrence(docs), 3, SEED, silent)
    by_anchors = matched(topics_of_anchors(Cooccurrence(docs), anchors), topics)
    assert np.abs(by_anchors - topics).max() > 1e-3


def test_cuts_leave_the_linear_program_as_it_is():
    counts, _ = planted_counts([20, 25, 18], noise=0.4)
    rng = np.random.default_rng(0)
    basis = leading_words(sparse.csr_array(counts, dtype=np.float64), 3, rng)
    mixing, _ = widest_topics(basis, rng)
    assert (basis @ mixing).min() > -1e-7
    np.testing.assert_allclose((basis @ mixing).sum(axis=0), 1)
    for k in range(3):
        slope = np.linalg.inv(mixing)[k]
        values = [
            -linprog(
                -sign * slope, -basis, np.zeros(len(basis)), basis.sum(axis=0)[None], [1.0],
                bounds=(None, None),
            ).fun
            for sign in (1, -1)
        ]  # fmt: skip
        assert max(values) == pytest.approx(1, rel=1e-2)  # slope @ mixing[:, k] is 1


def test_leading_words_of_a_small_rank():
    docs = sparse.csr_array(np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0]))
    for num_topics in (2, 3):
        basis = leading_words(docs, num_topics, np.random.default_rng(0))
        assert basis.shape == (4, 1)
        np.testing.assert_allclose(np.abs(basis.ravel()), np.array([1, 0, 2, 1]) / np.sqrt(6))


def test_cut_weighting_is_the_literal_one():
    docs = np.random.default_rng(0).random((5, 4))
    docs[2] = 0
    similarity = (docs @ docs.T).sum(axis=1)
    similarity[2] = 1
    expected = docs / np.sqrt(similarity)[:, None]
    np.testing.assert_allclose(weigh_by_cut(sparse.csr_array(docs)).toarray(), expected)


def test_small_groups_are_found_beside_large_ones():
    counts, classes = planted_counts([300, 20, 25], noise=0.3)
    fitted = fit_baseline("anchorfree", counts, 3)
    sizes = np.bincount(fitted.cluster_labels, minlength=3)
    assert sorted(sizes.tolist()) == sorted(np.bincount(classes).tolist())
