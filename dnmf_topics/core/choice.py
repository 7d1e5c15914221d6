"""Which layer of the network is the right one? A choice without labels.

The width of the last layer decides what the clustering looks like: many small topics want a wide
layer, equal ones or short texts a narrow one. So the layers are tried. Two things are asked of
the refined partition that comes out of it, each standardised over the layers and then added up:

- *fit*: how much better do a document's cluster-mates predict its terms than the corpus does?
- *stability*: is it the same partition when the embedding is scaled in another way?

In close calls the narrower layer wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from .compiled import kernel
from .mbn import Layer
from .parallel import map_blocks
from .progress import Progress, ProgressCallback
from .refine import cluster_sums, refine_quickly
from .seeds import child_rng
from .spectral import cluster_rows, scale_rows, spectral_embedding
from .types import FloatArray, Labels

NUM_CLUSTERINGS = 100  # of a layer's clusterings, enough to judge it by
NUM_STARTS = 2
# Documents that judge the layers. Half of 20 Newsgroups' 18,846 judged them worse than all did.
NUM_JUDGES = 20_000
EMBEDDING, CLUSTERS, JUDGES = range(3)  # branches of the seed
# Row scaling u / |u|^e of the embedding: e = 1 ruins unequal topics, e = 0 costs equal ones.
EXPONENT = 0.5
OTHER_EXPONENTS = (0.0, 1.0)
# Mass of the corpus distribution mixed into a cluster's, in units of the square root of an average
# cluster's own: more of it favours partitions into equal parts, less favours unequal ones.
PRIOR_SCALE = 0.2
WIDEST = 2500  # wider layers were never the best on 20 Newsgroups, and their embedding is slow
PARSIMONY = 0.2  # weight of a narrow layer against the two scores, for close calls


@dataclass(frozen=True)
class LayerScore:
    """How the partition of one layer did."""

    size: int
    fit: float
    stability: float


@kernel
def _predictive_gain(
    indptr: Any, indices: Any, data: Any, labels: Any, sums: Any, corpus: Any, prior_mass: float
) -> float:
    masses = sums.sum(axis=0)
    gain = 0.0
    for i in range(labels.size):
        own = labels[i]
        mass = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            mass += data[entry]
        # log p(w | own cluster without i) - log p(w | corpus)
        scale = masses[own] - mass + prior_mass
        for entry in range(indptr[i], indptr[i + 1]):
            term = indices[entry]
            left = max(sums[term, own] - data[entry], 0.0) + prior_mass * corpus[term]
            gain += data[entry] * np.log(left / (scale * corpus[term]))
    return float(gain / labels.size)


def predictive_gain(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> float:
    """Mean log-likelihood gain of a document under its cluster, without itself, over the corpus."""
    sums = cluster_sums(doc_term, labels, num_clusters)
    total = float(sums.sum())
    corpus = sums.sum(axis=1) / total
    prior_mass = PRIOR_SCALE * (total / num_clusters) ** 0.5
    return float(
        _predictive_gain(
            doc_term.indptr, doc_term.indices, doc_term.data, labels, sums, corpus, prior_mass
        )
    )


def _standardised(values: list[float]) -> FloatArray:
    """Distances from the median in units of the spread among the better half.

    How bad the bad layers are must not blur the differences between the good ones.
    """
    array: FloatArray = np.array(values)
    middle = np.median(array)
    spread = array[array >= middle].std() or array.std() or 1.0
    return (array - middle) / spread


def score_layer(
    doc_term: sparse.csr_array,
    layer: Layer,
    num_topics: int,
    seed: np.random.SeedSequence,
) -> LayerScore:
    """Fit and stability of a layer's refined partition."""
    embedding = spectral_embedding(
        layer, num_topics, child_rng(seed, EMBEDDING), num_clusterings=NUM_CLUSTERINGS, n_jobs=1
    )
    partitions = []
    for index, exponent in enumerate((EXPONENT, *OTHER_EXPONENTS)):
        rows = scale_rows(embedding, exponent)
        labels = cluster_rows(rows, num_topics, child_rng(seed, CLUSTERS, index), NUM_STARTS)
        partitions.append(refine_quickly(doc_term, labels, num_topics))
    agreements = [normalized_mutual_info_score(partitions[0], other) for other in partitions[1:]]
    return LayerScore(
        size=layer.size,
        fit=predictive_gain(doc_term, partitions[0], num_topics),
        stability=float(np.mean(agreements)),
    )


def choose_layer(
    doc_term: sparse.csr_array,
    layers: list[Layer],
    num_topics: int,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: ProgressCallback,
) -> tuple[int, tuple[LayerScore, ...]]:
    """Index of the layer with the best standardised scores, and all the scores.

    `doc_term` (N x V) has rows of unit length. Of more than 20,000 documents, a random 20,000 (or
    20 for each topic, if that is more) are the judges.
    """
    num_docs = doc_term.shape[0]
    num_judges = min(max(NUM_JUDGES, 20 * num_topics), num_docs)
    judges = np.sort(child_rng(seed, JUDGES).choice(num_docs, num_judges, replace=False))
    judged_rows = doc_term[judges]
    first = next((i for i, layer in enumerate(layers) if layer.size <= WIDEST), len(layers) - 1)
    candidates = layers[first:]

    def score(index: int, _: int) -> LayerScore:
        layer = Layer(candidates[index].size, candidates[index].codes[judges])
        # The same seed for all, so that they differ by the layer alone.
        return score_layer(judged_rows, layer, num_topics, seed)

    scores = []
    for layer_score in map_blocks(score, len(candidates), block_size=1, n_jobs=n_jobs):
        scores.append(layer_score)
        progress(Progress("layers", len(scores), len(candidates)))
    total = _standardised([s.fit for s in scores]) + _standardised([s.stability for s in scores])
    total -= PARSIMONY * _standardised([float(np.log(s.size)) for s in scores])
    return first + int(total.argmax()), tuple(scores)
