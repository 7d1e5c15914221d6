"""The MBN as f(D): the network, and the best of several views of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import FloatArray, Labels
from ..common.parallel import map_blocks
from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng, child_seed
from .blocks import Outcome, RowBlocks, Threads
from .choice import TERMS, VIEWS, View, ViewScore, choose_view, score_view, views_of
from .mbn import Layer, Mbn, code_network, draw_network
from .refine import assignment_weights, cluster_sums, doc_scores
from .spectral import CodeKernel, TermKernel, cluster_rows, scale_rows, spectral_embedding
from .tfidf import unit_rows

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
        The documents that the network saw: those with a weight or, if these are more than 65,536,
        the landmarks of all layers and those that the views were compared by.
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
    draws = draw_network(
        documents.size, settings.sizes(documents.size, num_topics), settings.num_clusterings,
        child_seed(seed, NETWORK), settings.num_landmarks(documents.size),
    )  # fmt: skip
    sample = _sample(documents.size, num_topics, seed)
    known, blocks = np.arange(documents.size), RowBlocks(rows)
    if len(blocks) > 1:  # the network is fixed by the documents that it draws
        known = np.unique(np.concatenate([sample, *(drawn.pool for drawn in draws)]))
        draws = [replace(drawn, pool=np.searchsorted(known, drawn.pool)) for drawn in draws]
        sample, rows = np.searchsorted(known, sample), rows[known]
    layers = code_network(rows, draws, n_jobs=n_jobs, progress=progress)
    found = _cluster_seen(rows, layers, sample, num_topics, settings, seed, n_jobs, progress)
    clusters = found.clusters.labels
    if known.size < documents.size:
        clusters = _spread(blocks, rows, known, clusters, found.view, num_topics, n_jobs)
    labels = np.zeros(doc_term.shape[0], dtype=np.int64)
    labels[documents] = _largest_first(clusters)
    return DeepClustering(
        labels, tuple(layers), documents[known], found.layer_index, found.clusters.embedding,
        found.scores, found.view_index,
    )  # fmt: skip


class _Clusters(NamedTuple):
    labels: Labels
    embedding: FloatArray


class _Found(NamedTuple):
    """The clusters of the best view, and how it was found."""

    clusters: _Clusters
    view: View
    layer_index: int | None
    scores: tuple[ViewScore, ...]
    view_index: int


def _cluster_seen(
    rows: sparse.csr_array,
    layers: list[Layer],
    sample: NDArray[np.int64],
    num_topics: int,
    settings: Mbn,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: ProgressCallback,
) -> _Found:
    """Clusters of the documents (N x V) that the network saw; a sample of them chooses the view."""
    views = views_of(
        [layer.size for layer in layers],
        fixed=settings.last_layer_size != "auto",
        refined=settings.refine,
    )
    is_sample = sample.size < rows.shape[0]
    tried = _cluster_views(
        rows[sample] if is_sample else rows,
        [(_layer_of(layers, index, sample), view) for index, view in views],
        num_topics, seed, n_jobs, progress,
    )  # fmt: skip
    scores = tuple(score for _, score in tried)
    view_index = choose_view(scores)
    clusters, (layer_index, view) = tried[view_index][0], views[view_index]
    if is_sample:
        layer = _layer_of(layers, layer_index, slice(None))
        clusters = _clusters(rows, layer, view, num_topics, seed, n_jobs)
    return _Found(clusters, view, layer_index, scores, view_index)


def _sample(num_docs: int, num_topics: int, seed: np.random.SeedSequence) -> NDArray[np.int64]:
    """The documents that the views are compared by, in ascending order."""
    size = max(SCORING_SAMPLE, SAMPLE_PER_TOPIC * num_topics)
    if size >= num_docs:
        return np.arange(num_docs)
    return np.sort(child_rng(seed, SAMPLE).choice(num_docs, size, replace=False))


def _spread(
    documents: RowBlocks,
    rows: sparse.csr_array,
    known: NDArray[np.int64],
    labels: Labels,
    view: View,
    num_topics: int,
    n_jobs: int | None,
) -> Labels:
    """Clusters of all documents (N x V), from those of some: `rows` are those numbered `known`."""
    weights = assignment_weights(cluster_sums(rows, labels, num_topics))
    engine = Threads(n_jobs)
    spread: Labels = engine.over(documents, _assign_block, weights).kept
    spread[known] = labels
    return view.refine(documents, spread, num_topics, engine)


def _assign_block(doc_term: sparse.csr_array, term_weights: FloatArray) -> Outcome:
    return Outcome(doc_scores(doc_term, term_weights).argmax(axis=1))


def refine_clusters(
    doc_term: sparse.csr_array, labels: Labels, view: str, n_jobs: int | None
) -> Labels:
    """Clusters of documents (N x V) that agree better with their terms, under the same numbers.

    `view` says what topics are taken to be, as in `ViewScore`. Documents without a weight stay
    where they are.
    """
    documents = np.flatnonzero(np.diff(doc_term.indptr))
    rows = unit_rows(doc_term[documents]).astype(np.float32)
    used, numbers = np.unique(labels[documents], return_inverse=True)
    refine = next(each.refine for each in VIEWS if each.name == view)
    refined = labels.copy()
    refined[documents] = used[refine(RowBlocks(rows), numbers, used.size, Threads(n_jobs))]
    return refined


def _layer_of(layers: list[Layer], index: int | None, documents: Any) -> Layer | None:
    """A layer's codes of some documents; nothing where the view is of their terms."""
    if index is TERMS:
        return None
    return Layer(layers[index].size, layers[index].codes[documents])


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
