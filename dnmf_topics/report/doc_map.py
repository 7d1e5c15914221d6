"""Documents as points in the plane: near each other where the model sees them near."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

from ..common.arrays import Dense, Labels
from ..common.parallel import one_blas_thread, one_openmp_thread

# t-SNE takes time for each document that it places, so it places no more than these; all others
# find their place among them.
SAMPLE_SIZE = 2_000
ITERATIONS = 600
MAX_PERPLEXITY = 30
NUM_NEIGHBORS = 10
NUM_STARTS = 100  # documents of a topic that its center is looked for near
SPREAD = 0.008  # of the map's width: documents that are alike stay apart enough to be pointed at
SEED = 0


def positions(embedding: ArrayLike, topics: ArrayLike) -> Dense:
    """A place for every document, in the square from -1 to 1; equal input, equal places.

    Parameters
    ----------
    embedding : array-like of shape (N, d)
        Documents as rows, of which only the directions count. A document whose row is zero lies
        where most documents of its topic are.
    topics : array-like of shape (N,)
        The topic of every document, counted from 0.

    Returns
    -------
    array of float, shape (N, 2)

    Examples
    --------
    >>> rows = [[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0, 0]]
    >>> positions(rows, topics=[0, 0, 1, 1, 1]).shape
    (5, 2)
    """
    rows = np.asarray(embedding, dtype=np.float64)
    labels = np.asarray(topics, dtype=np.int64)
    rng = np.random.default_rng(SEED)
    lengths = np.linalg.norm(rows, axis=1)
    known, unknown = np.flatnonzero(lengths), np.flatnonzero(lengths == 0)
    places = np.zeros((labels.size, 2))
    if known.size:
        places[known] = _place(rows[known] / lengths[known, None], labels[known], rng)
    centers = topic_centers(places[known], labels[known], int(labels.max(initial=0)) + 1)
    places[unknown] = centers[labels[unknown]]
    apart = np.where(lengths > 0, SPREAD, 3 * SPREAD)[:, None]
    return _in_square(places + apart * rng.normal(size=places.shape))


def topic_centers(places: Dense, topics: Labels, num_topics: int) -> Dense:
    """Where most documents of each topic are (K x 2); the middle of the map for a topic of none."""
    middle = places.mean(axis=0) if len(places) else np.zeros(2)
    centers = np.tile(middle, (num_topics, 1))
    width = 0.1
    for topic in np.unique(topics):
        members = places[topics == topic]
        # Some of them are enough to find where they are dense: a topic in parts has its center in
        # the largest one, not between them.
        some = members[np.linspace(0, len(members) - 1, NUM_STARTS).astype(np.int64)]
        near = np.exp(-cdist(some, members, "sqeuclidean") / (2 * width**2))
        center = some[near.sum(axis=1).argmax()]
        for _ in range(20):  # mean shift, to the middle of that part
            nearness = np.exp(-((members - center) ** 2).sum(axis=1) / (2 * width**2))
            center = nearness @ members / nearness.sum()
        centers[topic] = center
    return centers


def bounds_of(places: Dense, center: Dense) -> Dense:
    """Two corners of a box that holds the two thirds of the places that are nearest to the center.

    The rest of a topic may lie anywhere.
    """
    if not len(places):
        return np.array([center, center])
    distances = np.abs(places - center).max(axis=1)
    near = places[distances <= np.quantile(distances, 2 / 3, method="higher")]
    return np.array([near.min(axis=0), near.max(axis=0)])


def _place(rows: Dense, topics: Labels, rng: np.random.Generator) -> Dense:
    """Places of documents with a direction: a sample by t-SNE, the others among it."""
    sample = _sample(topics, rng)
    places = np.zeros((len(rows), 2))
    places[sample] = _in_square(_tsne(rows[sample]))
    others = np.setdiff1d(np.arange(len(rows)), sample)
    if others.size:
        near = NearestNeighbors(n_neighbors=NUM_NEIGHBORS, algorithm="brute").fit(rows[sample])
        distances, found = near.kneighbors(rows[others])
        # Half-way between two topics is the place of neither: neighbors of the document's own
        # topic go first, however small their weight.
        own = topics[sample[found]] == topics[others, None]
        weights = np.where(own | ~own.any(axis=1, keepdims=True), 1 / (distances**2 + 1e-6), 0)
        weights /= weights.sum(axis=1, keepdims=True)
        places[others] = np.einsum("dn,dnx->dx", weights, places[sample[found]])
    return places


def _sample(topics: Labels, rng: np.random.Generator) -> Labels:
    """Documents of every topic, as many as its share."""
    if topics.size <= SAMPLE_SIZE:
        return np.arange(topics.size)
    shuffled = rng.permutation(topics.size)
    by_topic = shuffled[np.argsort(topics[shuffled], kind="stable")]
    spread = by_topic[np.linspace(0, topics.size - 1, SAMPLE_SIZE).astype(np.int64)]
    _, first = np.unique(topics, return_index=True)
    return np.union1d(spread, first)


def _tsne(rows: Dense) -> Dense:
    start = _principal(rows)
    # Few documents, or documents in few directions, need no t-SNE, and it fails on them.
    if len(rows) < 5 or start[:, 0].std() < 1e-6:
        return start
    reducer = TSNE(
        init=(1e-4 * start / start[:, 0].std()).astype(np.float32),
        perplexity=min(MAX_PERPLEXITY, (len(rows) - 1) / 3),
        max_iter=ITERATIONS,
        random_state=SEED,
    )
    # Threads add up in any order, of which t-SNE would make another map.
    with one_blas_thread(), one_openmp_thread():
        return np.asarray(reducer.fit_transform(rows.astype(np.float32)), np.float64)


def _principal(rows: Dense) -> Dense:
    """The first two principal components; along each, the row farthest out has a positive place."""
    centered = rows - rows.mean(axis=0)
    with one_blas_thread():
        axes = np.linalg.svd(centered, full_matrices=False)[2][:2]
    places = np.zeros((len(rows), 2))
    places[:, : len(axes)] = centered @ axes.T
    farthest = places[np.abs(places).argmax(axis=0), [0, 1]]
    return np.where(farthest < 0, -places, places)


def _in_square(places: Dense) -> Dense:
    """The same map, moved and scaled into the square from -1 to 1."""
    if not len(places):
        return places
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - (low + high) / 2) / (max((high - low).max(), 1e-9) / 2))
