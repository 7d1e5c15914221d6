"""Documents in the plane: alike ones near each other, for every shape of input."""

from __future__ import annotations

import numpy as np
import pytest

from dnmf_topics.report import doc_map
from dnmf_topics.report.doc_map import positions, topic_centers


def clouds(sizes, seed=0):
    """Rows around a direction for each topic, and the topics."""
    rng = np.random.default_rng(seed)
    topics = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return np.eye(len(sizes))[topics] + rng.normal(
        scale=0.1, size=(topics.size, len(sizes))
    ), topics


def share_of_own(places, topics):
    """How many documents have one of their own topic as their nearest."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return (topics[apart.argmin(axis=1)] == topics).mean()


def test_documents_of_one_topic_lie_together():
    rows, topics = clouds([60, 40, 30, 20])
    places = positions(rows, topics)
    assert places.shape == (150, 2)
    assert np.abs(places).max() == pytest.approx(1)
    assert share_of_own(places, topics) > 0.95


def test_documents_beyond_the_sample_find_their_place_in_it(monkeypatch):
    monkeypatch.setattr(doc_map, "SAMPLE_SIZE", 150)
    rows, topics = clouds([400, 250, 100, 1])
    places = positions(rows, topics)
    assert share_of_own(places, topics) > 0.95
    centers = topic_centers(places, topics, 4)
    nearest = np.linalg.norm(places[:, None] - centers[None], axis=2).argmin(axis=1)
    assert (nearest == topics).mean() > 0.95
    assert len(np.unique(places.round(6), axis=0)) == len(places)


def test_every_topic_is_in_the_sample(monkeypatch):
    monkeypatch.setattr(doc_map, "SAMPLE_SIZE", 50)
    topics = np.array([0] * 900 + [1] * 90 + [2] * 5 + [3])
    sample = doc_map._sample(topics, np.random.default_rng(0))
    assert set(topics[sample]) == {0, 1, 2, 3}
    assert len(np.unique(sample)) == len(sample) <= 54
    assert (topics[sample] == 0).sum() == pytest.approx(45, abs=2)


def test_the_same_input_gives_the_same_places(monkeypatch):
    monkeypatch.setattr(doc_map, "SAMPLE_SIZE", 60)
    rows, topics = clouds([50, 40, 30])
    before = rows.copy()
    assert np.array_equal(positions(rows, topics), positions(rows, topics))
    assert np.array_equal(rows, before)
    assert np.array_equal(
        positions(rows.astype("f4"), topics), positions(8 * rows.astype("f4"), topics)
    ), "only directions count"


@pytest.mark.parametrize("num_docs", [1, 2, 3, 4, 5, 6, 8])
def test_few_documents_are_placed_apart(num_docs):
    rows = np.random.default_rng(0).random((num_docs, 3))
    places = positions(rows, np.zeros(num_docs, int))
    assert np.isfinite(places).all()
    assert np.abs(places).max() <= 1
    assert len(np.unique(places.round(4), axis=0)) == num_docs


def test_no_documents_have_no_places():
    assert positions(np.zeros((0, 3)), []).shape == (0, 2)


@pytest.mark.parametrize("rows", [np.ones((40, 3)), np.zeros((40, 3))], ids=["equal", "zero"])
def test_documents_that_are_all_alike_are_spread(rows):
    places = positions(rows, np.arange(40) % 2)
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(4), axis=0)) == 40


def test_rows_in_one_dimension_are_placed():
    places = positions(np.linspace(1, 2, 30)[:, None], np.zeros(30, int))
    assert np.isfinite(places).all()


def test_documents_without_weight_lie_with_their_topic():
    rows, topics = clouds([40, 30, 30])
    empty = np.array([3, 50, 77])
    rows[empty] = 0
    places = positions(rows, topics)
    known = np.setdiff1d(np.arange(100), empty)
    centers = topic_centers(places[known], topics[known], 3)
    assert (np.linalg.norm(places[empty] - centers[topics[empty]], axis=1) < 0.2).all()


@pytest.mark.parametrize("sizes", [(30, 20, 0), (30, 29, 3)], ids=["two", "few in the middle"])
def test_the_center_of_a_topic_in_parts_is_in_the_largest(sizes):
    places = np.repeat([0.8, -0.8, 0.0], sizes)[:, None] * np.ones(2)
    places += np.random.default_rng(0).normal(scale=0.02, size=places.shape)
    center = topic_centers(places, np.zeros(len(places), int), 2)
    np.testing.assert_allclose(center[0], 0.8, atol=0.05)
    np.testing.assert_allclose(center[1], places.mean(axis=0))
