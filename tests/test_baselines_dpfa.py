"""Deep Poisson factor modeling: each draw has its distribution, and planted factors come back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.baselines.dpfa import (
    dirichlet_columns,
    draw_presence,
    restaurant_tables,
    shared_counts,
    truncated_poisson,
)


def rng():
    return np.random.default_rng(7)


def test_counts_are_shared_by_their_rates():
    counts = sparse.csr_array(np.array([[4000, 0, 2000], [0, 3000, 0]]))
    factors = np.array([[0.5, 0.1], [0.2, 0.6], [0.3, 0.3]])
    rates = np.array([[1.0, 2.0], [0.0, 5.0]])
    by_row, by_doc = shared_counts(
        counts.indptr, counts.indices, counts.data, factors, rates, rng()
    )
    np.testing.assert_array_equal(by_row.sum(axis=1), counts.sum(axis=0))
    np.testing.assert_array_equal(by_doc.sum(axis=1), counts.sum(axis=1))
    # 4000 * .5 / (.5 + .2) + 2000 * .3 / (.3 + .6), and nothing where the rate is 0
    assert by_doc[0, 0] == pytest.approx(4000 * 5 / 7 + 2000 / 3, rel=0.05)
    assert by_doc[1, 0] == 0


def test_truncated_counts_are_at_least_one():
    for rate in (1e-9, 0.3, 2.0, 30.0):
        draws = truncated_poisson(np.full(40_000, rate), rng())
        assert draws.min() >= 1
        # E = rate / (1 - exp(-rate))
        assert draws.mean() == pytest.approx(-rate / np.expm1(-rate), rel=0.02)


def test_tables_have_their_mean():
    guests = np.full((4000, 2), 6.0)
    shapes = np.array([0.5, 3.0])
    # E = sum_{i=0}^{x-1} r / (r + i)
    expected = [4000 * sum(r / (r + i) for i in range(6)) for r in shapes]
    np.testing.assert_allclose(restaurant_tables(guests, shapes, rng()), expected, rtol=0.03)
    assert not restaurant_tables(np.zeros((3, 2)), shapes, rng()).any()


def test_topics_with_counts_are_present_and_others_by_chance():
    by_doc = np.zeros((20_000, 2))
    by_doc[:, 1] = 1
    present = draw_presence(by_doc, np.array([2.0, 2.0]), np.full((1, 2), 0.6), rng())
    assert present[:, 1].all()
    # .6 (1/2)^2 / (.6 (1/2)^2 + .4)
    assert present[:, 0].mean() == pytest.approx(0.15 / 0.55, rel=0.05)


def test_columns_are_drawn_around_their_weights():
    weights = np.array([[1000.0, 1e-9], [3000.0, 5.0]])
    columns = dirichlet_columns(weights, rng())
    np.testing.assert_allclose(columns.sum(axis=0), 1)
    assert columns[0, 0] == pytest.approx(0.25, abs=0.05)


def test_planted_factors_come_back():
    # Topics 0 and 1 go together, and so do 2 and 3: what the second layer is for.
    random = rng()
    topics = random.dirichlet(np.full(40, 0.1), 4)
    pair = random.integers(2, size=300)
    present = np.zeros((300, 4))
    for doc in range(300):
        present[doc, 2 * pair[doc] + random.integers(2, size=2)] = 1
    weights = random.gamma(3.0, 10.0, (300, 4)) * present
    counts = sparse.csr_array(random.poisson(weights @ topics))
    fitted = fit_baseline("dpfa", counts, 4, random_state=0)
    likeness = np.corrcoef(topics, fitted.topic_term)[:4, 4:]
    order = likeness.argmax(axis=1)
    assert sorted(order) == [0, 1, 2, 3]
    assert likeness.max(axis=1).min() > 0.97
    found = fitted.doc_topic[:, order]
    for topic in range(4):
        assert np.corrcoef(weights[:, topic], found[:, topic])[0, 1] > 0.8


def test_fractions_are_rounded_up():
    counts = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0]])
    whole, less = (
        fit_baseline("dpfa", given, 2) for given in (counts, counts - 0.4 * (counts > 0))
    )
    np.testing.assert_array_equal(whole.doc_topic, less.doc_topic)
