"""The multilayer bootstrap network (MBN), exact and fast.

A layer holds M clusterings. Each draws k documents at random as centroids and gives every
document the code of its cosine-nearest one. The M one-hot codes are the next layer's input, so
from the second layer on the cosine of two documents is the share of clusterings in which their
codes agree. Widths shrink from layer to layer: k_1 = N / 2, k_l = delta k_(l-1).

Taken literally a layer costs M N k similarities. All M clusterings choose among the same
documents, so here each document's similarities are computed once per layer and serve them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Codes
from ..common.checks import check_int, check_real
from ..common.engines import Engine, row_ranges
from ..common.progress import Progress, ProgressCallback, silent
from ..common.seeds import child_rng, child_seed
from . import kernels

CENTROIDS, POOL = 0, 1  # branches of a layer's seed
# A byte comparison costs about 1/30 of an increment through an inverted list (measured).
COMPARISONS_PER_INCREMENT = 30
# A wider first layer took long and was never clearly better, neither as a view nor below the others
# (NMI of all 20 newsgroups, three seeds each, 4,000 landmarks: .748 with 2,500, .738 with 1,250).
WIDEST = 2_500
# From more documents than this on, "auto" draws centroids from that many landmarks: their cost is
# linear in N, that of all documents quadratic. (NMI of all 20 newsgroups, three seeds each: .753
# with 8,000, .748 with 4,000.)
NUM_LANDMARKS = 8_000

GRID = 2.0**24  # of vectors, see `on_grid`
ROWS_AT_A_TIME = 64  # of vectors, beside all of the pool


@dataclass(frozen=True)
class Mbn:
    """Settings of the multilayer bootstrap network.

    Attributes
    ----------
    num_clusterings : int
        Clusterings per layer, the paper's M.
    delta : float
        By how much a layer is narrower than the one below it.
    first_layer_size : int or None
        Centroids per clustering in the first layer; None for half the documents, but no more than
        2,500. The paper has half the documents.
    last_layer_size : int or "auto"
        The same for the last layer; "auto" tries two wide ones, one of half the paper's 1.5 K and
        the documents' own terms, and takes the best; of a given one, topics of equal and of unequal
        size are tried, and the better is taken. `balanced_layer_size` and `imbalanced_layer_size`
        give the paper's rules, for those who know their topics' sizes.
    landmarks : int, "auto" or None
        How many documents, drawn afresh for every layer, may become centroids; None for all
        (exact), "auto" for all up to 8,000 documents and 8,000 landmarks beyond. Of more than
        65,536 documents the network sees these and a sample alone.
    refine : bool
        Whether to refine the clusters in TF-IDF space; False for the paper's plain algorithm.

    Examples
    --------
    >>> network = Mbn(num_clusterings=100, last_layer_size=15)
    >>> network.sizes(num_docs=1000, num_topics=10)
    [500, 250, 125, 62, 31, 15]
    >>> network.num_landmarks(1_000), network.num_landmarks(1_000_000)
    (1000, 8000)
    """

    num_clusterings: int = 200
    delta: float = 0.5
    first_layer_size: int | None = None
    last_layer_size: int | Literal["auto"] = "auto"
    landmarks: int | Literal["auto"] | None = "auto"
    refine: bool = True

    def __post_init__(self) -> None:
        check_int(self.num_clusterings, "num_clusterings", 1, 2**16 - 1)
        check_real(self.delta, "delta", 0, below=1)
        if self.first_layer_size is not None:
            check_int(self.first_layer_size, "first_layer_size", 1)
        if self.last_layer_size != "auto":
            check_int(self.last_layer_size, "last_layer_size", 1)
        if self.landmarks is not None and self.landmarks != "auto":
            check_int(self.landmarks, "landmarks", 1)

    def num_landmarks(self, num_docs: int) -> int:
        """How many of `num_docs` documents may become centroids."""
        if self.landmarks == "auto":
            return min(num_docs, NUM_LANDMARKS)
        return num_docs if self.landmarks is None else min(self.landmarks, num_docs)

    def sizes(self, num_docs: int, num_topics: int) -> list[int]:
        """Widths of the layers for a corpus of this size."""
        limit = self.num_landmarks(num_docs)
        first = self.first_layer_size or max(1, min(limit // 2, WIDEST))
        if first > limit:
            raise ValueError(
                f"first_layer_size must be at most {limit}, the number of documents (or "
                f"landmarks) to draw centroids from, got {first}."
            )
        if self.last_layer_size == "auto":
            return layer_sizes(first, narrowest_layer_size(num_topics), self.delta, exact=False)
        if self.last_layer_size > first:
            raise ValueError(
                f"last_layer_size must be at most the first layer's {first}, "
                f"got {self.last_layer_size}."
            )
        return layer_sizes(first, self.last_layer_size, self.delta)


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of the network: `codes` (N x M), integers below `size`.

    Examples
    --------
    >>> from dnmf_topics.core import Tfidf, fit_topics
    >>> counts = [[3, 1, 0, 0], [2, 2, 0, 0], [1, 2, 0, 0], [0, 0, 2, 3], [0, 0, 1, 1]]
    >>> tfidf = Tfidf.fit(counts)
    >>> fit = fit_topics(tfidf.transform(counts), num_topics=2, random_state=0)
    >>> layer = fit.deep.layers[0]  # 5 documents, 200 clusterings with 2 centroids each
    >>> layer.codes.shape, layer.size
    ((5, 200), 2)
    """

    size: int
    codes: Codes


@dataclass(frozen=True, eq=False)
class Draws:
    """The centroids of all clusterings of a layer.

    `pool` holds the drawn documents in ascending order; the rest says which centroid each is, as
    `kernels` describes.
    """

    pool: NDArray[np.int64]
    centroids: NDArray[np.int32]
    start: NDArray[np.uint64]
    clustering: NDArray[np.uint16]
    code: NDArray[np.uint32]


def layer_sizes(first: int, last: int, delta: float, *, exact: bool = True) -> list[int]:
    """Widths of the layers: `first`, then floor(delta * previous) down to no less than `last`.

    `exact`: one more layer, of width `last`, ends the network where the series does not hit it.
    """
    sizes = [first]
    while (size := int(delta * sizes[-1])) >= max(last, 1):
        sizes.append(size)
    if exact and last < sizes[-1]:
        sizes.append(last)
    return sizes


def narrowest_layer_size(num_topics: int) -> int:
    """Width below which no layer is worth trying: half of the paper's smallest, 1.5 K."""
    return max(2, -(-3 * num_topics // 4))


def balanced_layer_size(num_topics: int) -> int:
    """The paper's width of the last layer for topics of similar size: 1.5 K.

    Examples
    --------
    >>> balanced_layer_size(num_topics=20)
    30
    """
    return int(1.5 * check_int(num_topics, "num_topics", 1))


def imbalanced_layer_size(num_docs: int, smallest_topic: int) -> int:
    """The paper's width of the last layer for unequal topics, 30 ceil(N / N_z), at most N / 2.

    Examples
    --------
    >>> imbalanced_layer_size(num_docs=1000, smallest_topic=100)
    300
    """
    num_docs = check_int(num_docs, "num_docs", 2)
    smallest_topic = check_int(smallest_topic, "smallest_topic", 1, num_docs)
    return min(30 * -(-num_docs // smallest_topic), num_docs // 2)


def code_dtype(size: int) -> type[np.unsignedinteger[Any]]:
    """The smallest unsigned integer type that holds the codes 0..size-1."""
    return np.uint8 if size <= 2**8 else np.uint16 if size <= 2**16 else np.uint32


def draw_centroids(
    candidates: NDArray[np.int64],
    size: int,
    num_clusterings: int,
    seed: np.random.SeedSequence,
) -> Draws:
    """Let every clustering draw `size` of the `candidates` without replacement, in random order."""
    places = np.empty((num_clusterings, size), np.int64)  # among the candidates
    for m in range(num_clusterings):
        places[m] = child_rng(seed, CENTROIDS, m).choice(candidates.size, size, replace=False)
    # Turned from rows of clusterings into columns of documents, a sparse matrix of codes.
    codes = np.tile(np.arange(size, dtype=np.uint32), num_clusterings)
    starts = np.arange(num_clusterings + 1) * size
    by_doc = sparse.csr_array(
        (codes, places.ravel(), starts), shape=(num_clusterings, candidates.size)
    ).tocsc()
    is_drawn = np.diff(by_doc.indptr) > 0
    drawn = np.flatnonzero(is_drawn)
    return Draws(
        candidates[drawn],
        (np.cumsum(is_drawn, dtype=np.int32) - 1)[places],
        np.append(by_doc.indptr[drawn], codes.size).astype(np.uint64),
        by_doc.indices.astype(np.uint16),
        by_doc.data,
    )


def on_grid(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit-length rows times 2^24, rounded: whole numbers, as fine as their type can be.

    Sums of their products are whole numbers below 2^53, hence exact, in whatever order they are
    formed: equal cosines are equal, and the same on every machine.
    """
    return np.rint(vectors.astype(np.float64) * GRID).astype(np.float32)


class _Coder:
    """Finds the nearest centroids of rows, in all clusterings of a layer."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws

    def code(self, start: int, stop: int) -> Codes:
        """Codes of rows that follow each other (n x M)."""
        num_clusterings, size = self.draws.centroids.shape
        codes = np.empty((stop - start, num_clusterings), np.uint32)
        drawn = self.draws
        centroids = (drawn.centroids, drawn.start, drawn.clustering, drawn.code, codes)
        self._fill(slice(start, stop), centroids)
        return codes.astype(code_dtype(size))

    def _fill(self, rows: slice, centroids: tuple[Any, ...]) -> None:
        raise NotImplementedError


class _TermCoder(_Coder):
    """Of the documents' own terms: the first layer."""

    def __init__(self, doc_term: sparse.csr_array, draws: Draws) -> None:
        super().__init__(draws)
        self.doc_term, self.postings = doc_term, doc_term[draws.pool].tocsc()

    def _fill(self, rows: slice, centroids: tuple[Any, ...]) -> None:
        documents, postings = self.doc_term, self.postings
        kernels.term_codes(
            documents.indptr[rows.start : rows.stop + 1], documents.indices, documents.data,
            postings.indptr, postings.indices, postings.data, *centroids,
        )  # fmt: skip


class _VectorCoder(_Coder):
    """Of vectors on the grid of `on_grid`: the first layer of documents with an embedding."""

    def __init__(self, vectors: NDArray[np.float32], draws: Draws) -> None:
        super().__init__(draws)
        self.vectors = vectors
        self.pool = vectors[draws.pool].T.astype(np.float64)
        # |a'b| <= the larger of |a|^2 and |b|^2
        self.bound = float(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64).max())

    def _fill(self, rows: slice, centroids: tuple[Any, ...]) -> None:
        drawn, codes = centroids[:-1], centroids[-1]
        for start in range(0, len(codes), ROWS_AT_A_TIME):
            part = slice(start, start + ROWS_AT_A_TIME)
            scores = self.vectors[rows][part].astype(np.float64) @ self.pool
            kernels.scored_codes(scores, self.bound, codes[part], *drawn)


class _CodeCoder(_Coder):
    """Of the codes of the layer below."""

    def __init__(self, previous: Layer, draws: Draws) -> None:
        super().__init__(draws)
        self.codes = previous.codes
        self.columns = np.ascontiguousarray(previous.codes[draws.pool].T)
        num_clusterings, pool_size = self.columns.shape
        self.list_start = np.zeros((num_clusterings, previous.size + 1), np.uint32)
        self.list_doc = np.empty(self.columns.shape, np.uint16 if pool_size <= 2**16 else np.uint32)
        kernels.group_by_code(
            self.columns.astype(np.uint32), previous.size, self.list_start, self.list_doc
        )
        # What a row costs by either way, taking it for a document of the pool.
        cluster_sizes = np.diff(self.list_start, axis=1).astype(np.float64)
        increments_per_row = (cluster_sizes**2).sum() / pool_size
        comparisons_per_row = num_clusterings * pool_size
        self.compares = (
            self.columns.dtype == np.uint8
            and comparisons_per_row < COMPARISONS_PER_INCREMENT * increments_per_row
        )

    def _fill(self, rows: slice, centroids: tuple[Any, ...]) -> None:
        codes = self.codes[rows]
        if self.compares:
            kernels.compared_codes(codes, self.columns, *centroids)
        else:
            kernels.listed_codes(
                codes.astype(np.uint32), self.list_start, self.list_doc, *centroids
            )


def _code_rows(rows: tuple[int, int], coder: _Coder) -> Codes:
    return coder.code(*rows)


def draw_layer(
    num_docs: int,
    size: int,
    num_clusterings: int,
    seed: np.random.SeedSequence,
    pool_size: int | None = None,
) -> Draws:
    """The centroids of a layer.

    With `pool_size` the clusterings draw them from that many landmark documents, themselves drawn
    afresh for the layer, instead of from all documents.
    """
    candidates = np.arange(num_docs)
    if pool_size is not None and pool_size < num_docs:
        candidates = np.sort(child_rng(seed, POOL).choice(num_docs, pool_size, replace=False))
    return draw_centroids(candidates, size, num_clusterings, seed)


Inputs: TypeAlias = sparse.csr_array | NDArray[np.float32] | Layer
"""What a layer grows on: unit-length rows of terms, vectors on the grid, or another layer."""


def code_layer(inputs: Inputs, draws: Draws, engine: Engine) -> Layer:
    """One layer on top of unit-length document rows (the first) or of another layer."""
    coder: _Coder
    if isinstance(inputs, Layer):
        coder, num_docs = _CodeCoder(inputs, draws), inputs.codes.shape[0]
    elif isinstance(inputs, np.ndarray):
        coder, num_docs = _VectorCoder(inputs, draws), inputs.shape[0]
    else:
        coder, num_docs = _TermCoder(inputs, draws), inputs.shape[0]
    codes = engine.map(_code_rows, row_ranges(num_docs, engine), coder)
    return Layer(draws.centroids.shape[1], np.concatenate(list(codes)))


def draw_network(
    num_docs: int,
    sizes: list[int],
    num_clusterings: int,
    seed: np.random.SeedSequence,
    pool_size: int | None = None,
) -> list[Draws]:
    """The centroids of all layers, from the bottom up."""
    return [
        draw_layer(num_docs, size, num_clusterings, child_seed(seed, index), pool_size)
        for index, size in enumerate(sizes)
    ]


def code_network(
    rows: sparse.csr_array | NDArray[np.float32],
    draws: list[Draws],
    engine: Engine,
    progress: ProgressCallback = silent,
) -> list[Layer]:
    """All layers from the bottom up, on unit-length rows (N x V), or on vectors on the grid."""
    layers: list[Layer] = []
    inputs: Inputs = rows
    for index, drawn in enumerate(draws):
        inputs = code_layer(inputs, drawn, engine)
        layers.append(inputs)
        progress(Progress("network", index + 1, len(draws)))
    return layers
