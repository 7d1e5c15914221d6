"""The MBN as f(D): the network, and the best of several views of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import FloatArray, Labels
from ..common.blocks import Blocks, FolderBlocks, RowBlocks, stack, write_part
from ..common.engines import Engine, Outcome, Threads
from ..common.progress import Progress, ProgressCallback, silent
from ..common.seeds import child_rng, child_seed
from .choice import EQUAL, PLAIN, TERMS, VIEWS, View, ViewScore, choose_view, score_view, views_of
from .joint import NOWHERE, JointRefinement, Vectors, has_vectors, shared_information
from .mbn import Layer, Mbn, code_network, draw_network, on_grid
from .refine import assignment_weights, cluster_sums, doc_scores, refine_nothing
from .seeding import Seeds, cluster_seeded_rows, largest_first, seed_prior, seed_weights
from .spectral import CodeKernel, TermKernel, cluster_rows, scale_rows, spectral_embedding
from .tfidf import unit_rows

NETWORK, EMBEDDING, CLUSTERS, SAMPLE, SPLITS, VECTORS = range(6)  # branches of the seed
# Documents that the views are compared by, at the most, if that is enough for so many topics. The
# one taken is then made of all documents.
SCORING_SAMPLE = 5_000
SAMPLE_PER_TOPIC = 50
# Of more documents than this the network sees those that it draws, and the sample.
MOST_SEEN = 65_536
# Of documents with vectors, which `joint` refines.
JOINT = View("joint", 1.0, refine_nothing)
VECTOR_STARTS = 3  # of k-means on the vectors, beside the network's clusters
UNITS = "units"  # the name of files with documents at unit length


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
        The documents that the network saw: those with a weight (or a vector, where they come with
        these) or, if they are more than 65,536, the landmarks of all layers and those that the
        views were compared by.
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


class UnitDocuments(NamedTuple):
    """Documents with a weight or a vector, at unit length."""

    rows: Blocks
    """The documents (n x V), of float32."""
    numbers: NDArray[np.int64]
    """Which of all documents they are, in ascending order."""
    num_docs: int
    """How many all are."""
    vectors: Vectors | None = None
    """Their vectors (n x d), if they come with any."""
    mean_mass: float = 0.0
    """What a document's weights sum up to, on average of those that have any."""

    @property
    def seen(self) -> NDArray[np.int64]:
        """Which of the rows the network can look at: those with a vector, or all."""
        if self.vectors is None:
            return np.arange(self.numbers.size)
        return np.flatnonzero(has_vectors(self.vectors))


def find_unit_documents(
    documents: Blocks,
    engine: Engine,
    folder: Path | None = None,
    vectors: Vectors | None = None,
) -> UnitDocuments:
    """The documents (N x V) that have a weight, at unit length; in files of `folder` if given.

    Those with a vector (N x d) are there too. Half the precision is half the memory, and cosines
    are summed up in full precision.
    """
    tasks = list(range(len(documents)))
    sizes, rows, numbers, masses, num_weighted = [], [], [], [], 0
    kept = np.zeros(documents.shape[0], bool) if vectors is None else has_vectors(vectors)
    for found, units, mass, weighted in engine.map(_keep_units, tasks, documents, folder, kept):
        numbers.append(found)
        sizes.append(found.size)
        rows.append(units)
        masses.append(mass)
        num_weighted += weighted
    num_docs, num_terms = documents.shape
    blocks: Blocks
    if folder is None:
        blocks = RowBlocks(stack(rows, num_terms))
    else:
        blocks = FolderBlocks(folder, UNITS, sizes, num_terms, np.float32)
    found = np.concatenate(numbers)
    if vectors is not None and found.size < num_docs:
        vectors = vectors[found]
    return UnitDocuments(blocks, found, num_docs, vectors, sum(masses) / max(num_weighted, 1))


def _keep_units(
    number: int, documents: Blocks, folder: Path | None, kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], sparse.csr_array | None, float, int]:
    """Numbers of a block's documents with a weight, and themselves unless they go to a file.

    Those that are to be `kept` (of all documents) are there anyway. Besides, what all weights sum
    up to, and how many documents have any.
    """
    rows = unit_rows(documents[number]).astype(np.float32)
    rows.eliminate_zeros()
    limits = documents.limits(number)
    is_weighted = np.diff(rows.indptr) > 0
    mass, num_weighted = float(rows.sum(dtype=np.float64)), int(is_weighted.sum())
    found = np.flatnonzero(is_weighted | kept[limits])
    if found.size < rows.shape[0]:
        rows = rows[found]
    found += limits.start
    if folder is None:
        return found, rows, mass, num_weighted
    write_part(folder, UNITS, number, rows)
    return found, None, mass, num_weighted


def cluster_deeply(
    units: UnitDocuments,
    num_topics: int,
    settings: Mbn,
    seed: np.random.SeedSequence,
    engine: Engine,
    progress: ProgressCallback,
    seeds: Seeds | None = None,
) -> DeepClustering:
    """Cluster documents, those without a weight or a vector with the largest cluster.

    Clusters are numbered by size, but those with seeds keep their numbers.
    """
    seen = units.seen
    num_docs = seen.size
    if num_docs < num_topics:
        having = "a weight" if units.vectors is None else "a vector"
        raise ValueError(
            f"num_topics must be at most the number of documents with {having}, {num_docs}, got "
            f"{num_topics}."
        )
    draws = draw_network(
        num_docs, settings.sizes(num_docs, num_topics), settings.num_clusterings,
        child_seed(seed, NETWORK), settings.num_landmarks(num_docs),
    )  # fmt: skip
    sample = _sample(num_docs, num_topics, seed)
    known = np.arange(num_docs)
    if num_docs > MOST_SEEN:  # the network is fixed by the documents that it draws
        known = np.unique(np.concatenate([sample, *(drawn.pool for drawn in draws)]))
        draws = [replace(drawn, pool=np.searchsorted(known, drawn.pool)) for drawn in draws]
        sample = np.searchsorted(known, sample)
    known = seen[known]
    rows = units.rows.take(known)
    if units.vectors is None:
        layers = code_network(rows, draws, engine, progress)
        found = _cluster_seen(
            rows, layers, sample, num_topics, settings, seed, engine, progress, seeds
        )  # fmt: skip
        clusters = found.clusters.labels
        if known.size < num_docs:
            clusters = _spread(
                units.rows, rows, known, clusters, found.view, num_topics, engine, progress, seeds
            )
    else:
        layers = code_network(on_grid(units.vectors[known]), draws, engine, progress)
        found = _cluster_jointly(
            units, rows, known, layers, sample, num_topics, settings, seed, engine, progress, seeds
        )  # fmt: skip
        clusters = found.clusters.labels
    sizes = np.bincount(clusters, minlength=num_topics)
    order = largest_first(sizes, seeds)
    labels = np.full(units.num_docs, sizes[order].argmax())
    labels[units.numbers] = np.argsort(order)[clusters]
    return DeepClustering(
        labels, tuple(layers), units.numbers[known], found.layer_index, found.clusters.embedding,
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
    engine: Engine,
    progress: ProgressCallback,
    seeds: Seeds | None,
) -> _Found:
    """Clusters of the documents (N x V) that the network saw; a sample of them chooses the view.

    It chooses without seeds, whose pull would make clusters look better than they are: a poor view
    was taken then in one of three fits of bare newsgroup posts.
    """
    views = views_of(
        [layer.size for layer in layers],
        fixed=settings.last_layer_size != "auto",
        refined=settings.refine,
    )
    is_sample = sample.size < rows.shape[0]
    tried = _cluster_views(
        rows[sample] if is_sample else rows,
        [(_layer_of(layers, index, sample), view) for index, view in views],
        num_topics, seed, engine, progress,
    )  # fmt: skip
    scores = tuple(score for _, score in tried)
    view_index = choose_view(scores)
    clusters, (layer_index, view) = tried[view_index][0], views[view_index]
    if is_sample or seeds is not None:
        layer = _layer_of(layers, layer_index, slice(None))
        clusters = _clusters(rows, layer, view, num_topics, seed, engine.local, seeds)
    return _Found(clusters, view, layer_index, scores, view_index)


def _cluster_jointly(
    units: UnitDocuments,
    rows: sparse.csr_array,
    known: NDArray[np.int64],
    layers: list[Layer],
    sample: NDArray[np.int64],
    num_topics: int,
    settings: Mbn,
    seed: np.random.SeedSequence,
    engine: Engine,
    progress: ProgressCallback,
    seeds: Seeds | None,
) -> _Found:
    """Clusters of all documents, which have vectors, from those that the network saw.

    These are `rows` (n x V), the ones numbered `known`. Clusters of the narrowest layer, of the
    vectors themselves and of the terms are refined, and in a sample those are taken on which terms
    and vectors agree the most: from one start alone, EM ended in a poor place now and then, and
    there may be one of about the same likelihood.
    """
    assert units.vectors is not None
    layer, threads, splits = layers[-1], engine.local, child_seed(seed, SPLITS)
    clusters = _cluster_layer(rows, layer, JOINT, num_topics, seed, threads, seeds)
    chosen, terms, vectors = known[sample], rows[sample], units.vectors[known[sample]]
    weighted = np.flatnonzero(np.diff(terms.indptr))
    starts: list[tuple[int | None, Labels]] = [(layer.size, clusters.labels[sample])]
    if seeds is None and settings.refine:
        for number in range(VECTOR_STARTS):
            rng = child_rng(seed, VECTORS, number)
            starts.append((TERMS, cluster_rows(vectors, num_topics, rng)))
        if weighted.size >= num_topics:
            of_terms = np.full(sample.size, NOWHERE)
            by_terms = _clusters(terms[weighted], None, EQUAL, num_topics, seed, threads)
            of_terms[weighted] = by_terms.labels
            starts.append((TERMS, of_terms))
    prior = seeds and seed_prior(RowBlocks(terms), seeds, num_topics, threads)
    steps = JointRefinement(
        RowBlocks(terms), vectors, units.mean_mass, num_topics, threads, silent, prior
    )
    view = JOINT if settings.refine else PLAIN
    tried, scores = [], []
    for size, start in starts:
        labels = steps.mixture(steps.nearest(start)) if settings.refine else start
        score = score_view(terms, labels, num_topics, view, size, splits)
        shared = shared_information(
            terms[weighted], vectors[weighted], labels[weighted], num_topics
        )
        tried.append(labels)
        scores.append(replace(score, information=shared))
        progress(Progress("clusters", len(tried), len(starts)))
    taken = int(np.argmax([score.information for score in scores]))
    found = np.full(units.numbers.size, NOWHERE)
    if settings.refine:
        found[chosen] = tried[taken]
    else:
        found[known] = clusters.labels
    if (found == NOWHERE).any():
        prior = seeds and seed_prior(units.rows, seeds, num_topics, engine)
        steps = JointRefinement(
            units.rows, units.vectors, units.mean_mass, num_topics, engine, progress, prior
        )
        nearest = steps.nearest(found)
        found = steps.mixture(nearest) if settings.refine else np.where(found < 0, nearest, found)
    layer_index = len(layers) - 1 if taken == 0 else TERMS
    return _Found(_Clusters(found, clusters.embedding), view, layer_index, tuple(scores), taken)


def _sample(num_docs: int, num_topics: int, seed: np.random.SeedSequence) -> NDArray[np.int64]:
    """The documents that the views are compared by, in ascending order."""
    size = max(SCORING_SAMPLE, SAMPLE_PER_TOPIC * num_topics)
    if size >= num_docs:
        return np.arange(num_docs)
    return np.sort(child_rng(seed, SAMPLE).choice(num_docs, size, replace=False))


def _spread(
    documents: Blocks,
    rows: sparse.csr_array,
    known: NDArray[np.int64],
    labels: Labels,
    view: View,
    num_topics: int,
    engine: Engine,
    progress: ProgressCallback,
    seeds: Seeds | None,
) -> Labels:
    """Clusters of all documents (N x V), from those of some: `rows` are those numbered `known`."""
    weights = assignment_weights(cluster_sums(rows, labels, num_topics))
    spread: Labels = engine.over(documents, _assign_block, weights).kept
    spread[known] = labels
    prior = seeds and seed_prior(documents, seeds, num_topics, engine)
    return view.refine(documents, spread, num_topics, engine, progress, prior)


def _assign_block(doc_term: sparse.csr_array, term_weights: FloatArray) -> Outcome:
    return Outcome(doc_scores(doc_term, term_weights).argmax(axis=1))


def refine_clusters(
    units: UnitDocuments,
    labels: Labels,
    view: str,
    engine: Engine,
    progress: ProgressCallback,
    seeds: Seeds | None = None,
) -> Labels:
    """Clusters of documents that agree better with their terms, under the same numbers.

    `view` says what topics are taken to be, as in `ViewScore`; documents with vectors go by these
    too. Documents without a weight or a vector stay where they are.
    """
    used, numbers = np.unique(labels[units.numbers], return_inverse=True)
    refined = labels.copy()
    seeds = seeds and seeds.among(used)
    prior = seeds and seed_prior(units.rows, seeds, used.size, engine)
    if units.vectors is None:
        refine = next(each.refine for each in VIEWS if each.name == view)
        found = refine(units.rows, numbers, used.size, engine, progress, prior)
    else:
        steps = JointRefinement(
            units.rows, units.vectors, units.mean_mass, used.size, engine, progress, prior
        )
        found = steps.mixture(steps.nearest(numbers))
    refined[units.numbers] = used[found]
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
    engine: Engine,
    progress: ProgressCallback,
) -> list[tuple[_Clusters, ViewScore]]:
    """Clusters of documents (N x V) by every view, and how they did."""
    found = []
    inside = Threads(engine.jobs_inside)
    for result in engine.map(_cluster_view, views, rows, num_topics, seed, inside):
        found.append(result)
        progress(Progress("clusters", len(found), len(views)))
    return found


def _cluster_view(
    layer_and_view: tuple[Layer | None, View],
    rows: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    threads: Threads,
) -> tuple[_Clusters, ViewScore]:
    layer, view = layer_and_view
    clusters = _clusters(rows, layer, view, num_topics, seed, threads)
    size = layer.size if layer else None
    splits = child_seed(seed, SPLITS)
    return clusters, score_view(rows, clusters.labels, num_topics, view, size, splits)


def _clusters(
    rows: sparse.csr_array,
    layer: Layer | None,
    view: View,
    num_topics: int,
    seed: np.random.SeedSequence,
    threads: Threads,
    seeds: Seeds | None = None,
) -> _Clusters:
    """Clusters of documents (N x V) by a view of one layer of the network, or of their terms."""
    labels, embedding = _cluster_layer(rows, layer, view, num_topics, seed, threads, seeds)
    documents = RowBlocks(rows)
    prior = seeds and seed_prior(documents, seeds, num_topics, threads)
    refined = view.refine(documents, labels, num_topics, threads, silent, prior)
    return _Clusters(refined, embedding)


def _cluster_layer(
    rows: sparse.csr_array,
    layer: Layer | None,
    view: View,
    num_topics: int,
    seed: np.random.SeedSequence,
    threads: Threads,
    seeds: Seeds | None = None,
) -> _Clusters:
    """The same without refinement."""
    similarity = CodeKernel(layer, threads.n_jobs) if layer else TermKernel(rows)
    rng = child_rng(seed, EMBEDDING)
    embedding = spectral_embedding(similarity, rows.shape[0], num_topics, rng)
    rows_to_cluster = scale_rows(embedding, view.exponent)
    rng = child_rng(seed, CLUSTERS)
    if seeds is None:
        labels = cluster_rows(rows_to_cluster, num_topics, rng)
    else:
        weights = seed_weights(rows, seeds)
        labels = cluster_seeded_rows(rows_to_cluster, num_topics, seeds, weights, rng)
    return _Clusters(labels, embedding)
