"""The MBN as f(D): the network, and the best of several views of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import FloatArray, Labels
from ..common.parallel import map_blocks
from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng, child_seed
from .blocks import RowBlocks, Threads
from .choice import TERMS, View, ViewScore, choose_view, score_view, views_of
from .mbn import Layer, Mbn, grow_network
from .spectral import CodeKernel, TermKernel, cluster_rows, scale_rows, spectral_embedding

NETWORK, EMBEDDING, CLUSTERS, SAMPLE, SPLITS = range(5)  # branches of the seed
# Documents that the views are compared by, at the most, if that is enough for so many topics. The
# one taken is then made of all documents.
SCORING_SAMPLE = 5_000
SAMPLE_PER_TOPIC = 50


@dataclass(frozen=True, eq=False)
class DeepClustering:
    """What the network made of the documents.

    Attributes
    ----------
    cluster_labels : (N) array of int
        The cluster of every document.
    layers : tuple of Layer
        The network, from the bottom up; row i of the codes is document `documents[i]`.
    documents : array of int
        The documents that took part: those with a weight.
    layer_index : int or None
        Index of the layer that the clusters come from; None for the documents' own terms.
    embedding : (len(documents) x K) array
        Spectral embedding of that layer, or of the terms.
    scores : tuple of ViewScore
        The views that were compared, the one taken among them.
    view_index : int
        Index of that one.

    Examples
    --------
    >>> from dnmf_topics.core import Tfidf, fit_topics
    >>> counts = [[3, 1, 0, 0], [2, 2, 0, 0], [1, 2, 0, 0], [0, 0, 2, 3], [0, 0, 1, 1]]
    >>> tfidf = Tfidf.fit(counts)
    >>> fit = fit_topics(tfidf.transform(counts), num_topics=2, random_state=0)
    >>> fit.deep.cluster_labels.tolist(), [layer.size for layer in fit.deep.layers]
    ([0, 0, 0, 1, 1], [2])
    """

    cluster_labels: Labels
    layers: tuple[Layer, ...]
    documents: NDArray[np.int64]
    layer_index: int | None
    embedding: FloatArray
    scores: tuple[ViewScore, ...]
    view_index: int


def cluster_deeply(
    doc_term: sparse.csr_array,
    num_topics: int,
    settings: Mbn,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: ProgressCallback,
) -> DeepClustering:
    """Cluster unit-length documents (N x V); cluster 0 is the largest, empty documents join it."""
    # Half the precision is half the memory, and cosines are summed up in full precision.
    rows = doc_term.astype(np.float32)
    rows.eliminate_zeros()
    documents = np.flatnonzero(np.diff(rows.indptr))
    rows = rows[documents]
    if documents.size < num_topics:
        raise ValueError(
            f"num_topics must be at most the number of documents with a weight, "
            f"{documents.size}, got {num_topics}."
        )
    sizes = settings.sizes(documents.size, num_topics)
    layers = grow_network(
        rows, sizes, settings.num_clusterings, child_seed(seed, NETWORK),
        pool_size=settings.num_landmarks(documents.size), n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    views = views_of(
        [layer.size for layer in layers],
        fixed=settings.last_layer_size != "auto",
        refined=settings.refine,
    )
    sample_size = max(SCORING_SAMPLE, SAMPLE_PER_TOPIC * num_topics)
    sample: Any = slice(None)
    sampled = sample_size < documents.size
    if sampled:
        sample = np.sort(child_rng(seed, SAMPLE).choice(documents.size, sample_size, replace=False))
    found = _cluster_views(
        rows[sample],
        [(_layer_of(layers, index, sample), view) for index, view in views],
        num_topics, seed, n_jobs, progress,
    )  # fmt: skip
    scores = tuple(score for _, score in found)
    view_index = choose_view(scores)
    clusters, (layer_index, view) = found[view_index][0], views[view_index]
    if sampled:
        layer = _layer_of(layers, layer_index, slice(None))
        clusters = _clusters(rows, layer, view, num_topics, seed, n_jobs)
    labels = np.zeros(doc_term.shape[0], dtype=np.int64)
    labels[documents] = _largest_first(clusters.labels)
    return DeepClustering(
        labels, tuple(layers), documents, layer_index, clusters.embedding, scores, view_index
    )


def _layer_of(layers: list[Layer], index: int | None, documents: Any) -> Layer | None:
    """A layer's codes of some documents; nothing where the view is of their terms."""
    if index is TERMS:
        return None
    return Layer(layers[index].size, layers[index].codes[documents])


class _Clusters(NamedTuple):
    labels: Labels
    embedding: FloatArray


def _cluster_views(
    rows: sparse.csr_array,
    views: list[tuple[Layer | None, View]],
    num_topics: int,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: ProgressCallback,
) -> list[tuple[_Clusters, ViewScore]]:
    """Clusters of documents (N x V) by every view, and how they did; views share the threads."""

    def cluster(number: int, _: int) -> tuple[_Clusters, ViewScore]:
        layer, view = views[number]
        clusters = _clusters(rows, layer, view, num_topics, seed, n_jobs)
        size = layer.size if layer else None
        splits = child_seed(seed, SPLITS)
        return clusters, score_view(rows, clusters.labels, num_topics, view, size, splits)

    found = []
    for result in map_blocks(cluster, len(views), block_size=1, n_jobs=n_jobs):
        found.append(result)
        progress(Progress("clusters", len(found), len(views)))
    return found


def _clusters(
    rows: sparse.csr_array,
    layer: Layer | None,
    view: View,
    num_topics: int,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
) -> _Clusters:
    """Clusters of documents (N x V) by a view of one layer of the network, or of their terms."""
    similarity = CodeKernel(layer, n_jobs) if layer else TermKernel(rows)
    rng = child_rng(seed, EMBEDDING)
    embedding = spectral_embedding(similarity, rows.shape[0], num_topics, rng)
    rows_to_cluster = scale_rows(embedding, view.exponent)
    labels = cluster_rows(rows_to_cluster, num_topics, child_rng(seed, CLUSTERS))
    refined = view.refine(RowBlocks(rows), labels, num_topics, Threads(n_jobs))
    return _Clusters(refined, embedding)


def _largest_first(labels: Labels) -> Labels:
    """The same partition, with clusters numbered by size."""
    order = np.argsort(-np.bincount(labels), kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    return number[labels]
