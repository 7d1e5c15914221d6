"""Topics as points in the plane: how far apart their words are, and three ways to draw that."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import TSNE, smacof

from ..common.arrays import Dense


def distances(topic_term: Dense) -> Dense:
    """Jensen-Shannon divergence (K x K) of topics, given as distributions (K x V)."""
    # Of nearly equal topics, rounding can leave the root of a number just below zero.
    return np.asarray(squareform(np.nan_to_num(pdist(topic_term, "jensenshannon")) ** 2))


def pcoa(between: Dense) -> Dense:
    """Principal coordinates (K x 2): classical multidimensional scaling."""
    squared = between**2
    # B = -1/2 H D^2 H with H = I - 1/K; symmetric, so its eigenvalues are real also where topics
    # are equal
    rows = squared.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(-(squared - rows - rows.T + squared.mean()) / 2)
    points = np.zeros((len(between), 2))
    largest = np.argsort(-values)[:2]
    points[:, : largest.size] = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0))
    # An eigenvector has no sign of its own: the point farthest out lies on the positive side.
    farthest = points[np.abs(points).argmax(axis=0), [0, 1]]
    return np.where(farthest < 0, -points, points)


def mmds(between: Dense) -> Dense:
    """Metric multidimensional scaling (K x 2), from the principal coordinates on."""
    points, _ = smacof(between, n_components=2, init=pcoa(between), n_init=1)
    return np.asarray(points, np.float64)


def tsne(between: Dense) -> Dense:
    """t-SNE (K x 2), from the principal coordinates on."""
    start = pcoa(between)
    start /= start[:, 0].std() or 1
    embedding = TSNE(
        metric="precomputed",
        init=start * 1e-4,
        perplexity=min(30, (len(between) - 1) / 3),
        method="exact",  # topics are few, and threads would take longer than the work
        random_state=0,
    )
    return np.asarray(embedding.fit_transform(between), np.float64)


MAPS: dict[str, Callable[[Dense], Dense]] = {"pcoa": pcoa, "mmds": mmds, "tsne": tsne}


def topic_map(topic_term: Dense, method: str) -> Dense:
    """Points (K x 2) whose distances are like those of the topics."""
    between = distances(topic_term)
    # Up to two points fit without loss, and there is nothing to iterate where all are one.
    if len(between) < 3 or not between.any():
        return pcoa(between)
    return MAPS[method](between)
