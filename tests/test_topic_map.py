"""Maps of topics: principal coordinates by their definition, the others by what they do."""

from __future__ import annotations

import numpy as np
import pytest
from pyLDAvis._prepare import js_PCoA

from dnmf_topics.adapters.topic_map import MAPS, distances, pcoa, topic_map


def random_topics(num_topics, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(40, 0.2), size=num_topics)


@pytest.mark.parametrize("num_topics", [3, 4, 20])
def test_principal_coordinates_are_those_of_pyldavis(num_topics):
    topics = random_topics(num_topics)
    np.testing.assert_allclose(
        np.abs(topic_map(topics, "pcoa")), np.abs(js_PCoA(topics)), atol=1e-9
    )


def test_principal_coordinates_recover_points_of_the_plane():
    points = np.random.default_rng(1).normal(size=(7, 2))
    between = np.linalg.norm(points[:, None] - points, axis=2)
    found = pcoa(between)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=2), between, atol=1e-9)
    assert (found.max(axis=0) >= -found.min(axis=0)).all()


def test_metric_scaling_strains_less_than_where_it_starts():
    between = distances(random_topics(9))

    def stress(points):
        return ((np.linalg.norm(points[:, None] - points, axis=2) - between) ** 2).sum()

    assert stress(MAPS["mmds"](between)) < stress(pcoa(between))


@pytest.mark.parametrize("method", MAPS)
def test_maps_repeat_themselves_and_keep_groups_together(method):
    groups = np.repeat(random_topics(3), 4, axis=0)
    topics = 0.95 * groups + 0.05 * random_topics(12, seed=2)
    points = topic_map(topics, method)
    np.testing.assert_array_equal(points, topic_map(topics, method))
    centers = points.reshape(3, 4, 2).mean(axis=1)
    nearest = np.linalg.norm(points[:, None] - centers, axis=2).argmin(axis=1)
    assert nearest.tolist() == np.repeat(range(3), 4).tolist()
