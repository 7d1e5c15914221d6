"""Which view of the documents has found their topics? A choice without labels.

The width of a layer decides what its clustering looks like: in a wide layer, whose clusterings have
many small parts, a small topic keeps a place of its own beside a large one; in a narrow one, topics
of equal size come out whole; and where documents are too short for the network, their own terms say
more. So several views are tried, each refined in the way that suits it.

The views for topics of equal size are starts of the same mixture of terms, so that the likelihood
compares them: *fit*, how much better a document's cluster-mates predict its terms than the corpus
does. Between topics of equal and of unequal size the likelihood does not decide, as cutting one
large topic into parts improves it too. Three things do, in one product:

- *information*: halve the vocabulary, and let either half alone say where each document belongs;
  how much does one answer tell about the other? (Parts that are cut at random tell nothing.)
- *separation*: how much nearer is a document to its own cluster than to the next one? (The parts of
  one topic are close to each other.)
- *cohesion*: how much more alike are two documents of the largest cluster than one in it and one
  outside? (What is left over beside some copies of one message is well separated from them, and no
  topic.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense, FloatArray, Labels
from ..common.seeds import child_rng
from .refine import (
    Refine,
    cluster_sums,
    doc_scores,
    entropy,
    leave_one_out_cosines,
    mixture_weights,
    refine_equal,
    refine_nothing,
    refine_unequal,
)

# Mass of the corpus distribution mixed into a cluster's, as a share of an average cluster's own.
# Less of it makes a small cluster's unseen terms so surprising that few large ones win, whatever
# the documents say: with a hundredth, 50 topics of arXiv abstracts were 3 and 47 leftovers.
SCORE_PRIOR = 3.0
# Both from tests/benchmarks/choice.py, which leaves one corpus out at a time: the power of the
# separation in the product, and from which cohesion on the largest cluster is beyond doubt.
SEPARATION_POWER = 2.0
ENOUGH_COHESION = 2.0
LEAST = 1e-3  # measures below it are alike
NO_INFORMATION = 1e-6  # the same for the information: nothing was found, however well separated
NUM_SPLITS = 2  # of the vocabulary


@dataclass(frozen=True)
class View:
    """A way of clustering: rows u / |u|^exponent of an embedding, and the refinement."""

    name: str
    exponent: float
    refine: Refine


# Row lengths tell a dense region from a sparse one; directions alone make all regions alike.
UNEQUAL = View("unequal", 0.0, refine_unequal)
EQUAL = View("equal", 1.0, refine_equal)
# The paper's plain algorithm, without refinement: half of each.
PLAIN = View("plain", 0.5, refine_nothing)
VIEWS = (UNEQUAL, EQUAL, PLAIN)

TERMS = None
"""In the place of a layer: the documents' own terms, below the network."""


@dataclass(frozen=True)
class ViewScore:
    """How the partition of one view did.

    Attributes
    ----------
    view : str
        "equal" or "unequal", what its refinement takes topics to be; "plain" without one, "joint"
        by words and vectors.
    layer_size : int or None
        Width of the layer; None for the documents' own terms or vectors.
    fit : float
        Mean log-likelihood that a document gains by its cluster; none is gained at 0.
    information : float
        What one half of the words tells about the topic that the other half finds; of a "joint"
        view, what the words tell about the topic that the vectors find.
    separation : float
        How much nearer documents are to their own cluster than to the next one.
    cohesion : float
        How much more alike documents of the largest cluster are to each other than to the others.
    largest : float
        Share of the documents that the largest cluster holds.

    Examples
    --------
    >>> from dnmf_topics.core import Tfidf, fit_topics
    >>> counts = [[3, 1, 0, 0], [2, 2, 0, 0], [1, 2, 0, 0], [0, 0, 2, 3], [0, 0, 1, 1]]
    >>> fit = fit_topics(Tfidf.fit(counts).transform(counts), num_topics=2, random_state=0)
    >>> score = fit.deep.scores[fit.deep.view_index]
    >>> score.view, score.layer_size, round(score.largest, 2)
    ('unequal', 2, 0.6)
    >>> score.total == max(other.total for other in fit.deep.scores)
    True
    """

    view: str
    layer_size: int | None
    fit: float
    information: float
    separation: float
    cohesion: float
    largest: float

    @property
    def total(self) -> float:
        """What views for topics of equal and of unequal size are compared by."""
        return (
            math.log(max(self.information, NO_INFORMATION))
            + SEPARATION_POWER * math.log(max(self.separation, LEAST))
            + math.log(min(max(self.cohesion, LEAST), ENOUGH_COHESION))
        )


def views_of(
    layer_sizes: list[int], *, fixed: bool, refined: bool
) -> list[tuple[int | None, View]]:
    """Layers to look at (by index, or `TERMS`), and how; with `fixed`, the last layer alone."""
    last = len(layer_sizes) - 1
    if fixed:
        return [(last, UNEQUAL), (last, EQUAL)] if refined else [(last, PLAIN)]
    if not refined:
        return [(0, PLAIN), (last, PLAIN)]
    # Of the wide layers the widest, and one a quarter as wide: the widest may give parts of a large
    # topic a place of their own and none to two small ones. Ten classes of TDT2 were found with an
    # accuracy of .964 without it and of .979 with it, in the mean of 40 subsets.
    medium = next((i for i, size in enumerate(layer_sizes) if size <= layer_sizes[0] / 4), last)
    wide = [(0, UNEQUAL)] if medium == last else [(0, UNEQUAL), (medium, UNEQUAL)]
    return [*wide, (last, EQUAL), (TERMS, EQUAL)]


def choose_view(scores: Sequence[ViewScore]) -> int:
    """Index of the view to take: of the size that does best, and of equal ones the likeliest."""
    best = max(range(len(scores)), key=lambda number: scores[number].total)
    if scores[best].view != EQUAL.name:
        return best
    equal = [number for number, score in enumerate(scores) if score.view == EQUAL.name]
    return max(equal, key=lambda number: (scores[number].fit, number))


def score_view(
    doc_term: sparse.csr_array,
    labels: Labels,
    num_topics: int,
    view: View,
    layer_size: int | None,
    seed: np.random.SeedSequence,
) -> ViewScore:
    """The measures of a partition of unit-length documents (N x V)."""
    ratios = own_log_ratios(doc_term, labels, num_topics)
    return ViewScore(
        view=view.name,
        layer_size=layer_size,
        fit=predictive_gain(ratios, labels.size),
        information=split_information(doc_term, labels, num_topics, ratios, seed),
        separation=separation(doc_term, labels, num_topics),
        cohesion=cohesion(doc_term, labels, num_topics),
        largest=float(np.bincount(labels).max() / labels.size),
    )


def own_log_ratios(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> Dense:
    """x_iw (log p(w | own cluster without i) - log p(w)) for every entry of the documents."""
    sums = cluster_sums(doc_term, labels, num_clusters)
    prior_mass = SCORE_PRIOR * float(sums.sum()) / num_clusters
    entries = np.diff(doc_term.indptr)
    terms, data = doc_term.indices, doc_term.data.astype(np.float64)
    corpus = sums.sum(axis=1)[terms] / sums.sum()
    mass = np.bincount(np.repeat(np.arange(labels.size), entries), data, labels.size)
    left = np.maximum(sums[terms, np.repeat(labels, entries)] - data, 0) + prior_mass * corpus
    scale = np.repeat(sums.sum(axis=0)[labels] - mass + prior_mass, entries)
    ratios: Dense = data * np.log(left / (scale * corpus))
    return ratios


def predictive_gain(ratios: Dense, num_docs: int) -> float:
    """Mean log-likelihood gain of a document under its cluster, without itself, over the corpus.

    From `own_log_ratios`.
    """
    return float(ratios.sum() / num_docs)


class Shared(NamedTuple):
    """What two clusterings of the same documents say, in nats."""

    information: float
    """That they share, without what they would share by chance."""
    entropy: float
    """The mean of both, the most that they can share."""


def split_information(
    doc_term: sparse.csr_array,
    labels: Labels,
    num_clusters: int,
    ratios: Dense,
    seed: np.random.SeedSequence,
) -> float:
    """What the clusters that two halves of the vocabulary assign share, see `split_vocabulary`."""
    return split_vocabulary(doc_term, labels, num_clusters, ratios, seed).information


def split_vocabulary(
    doc_term: sparse.csr_array,
    labels: Labels,
    num_clusters: int,
    ratios: Dense,
    seed: np.random.SeedSequence,
    num_splits: int = NUM_SPLITS,
) -> Shared:
    """What the clusters that two halves of the vocabulary assign have in common.

    Either half assigns every document by the log-likelihood ratios of its terms, the document left
    out of its own cluster (`ratios` are its `own_log_ratios`). The mean over some random halves.
    """
    halves = [child_rng(seed, split).random(doc_term.shape[1]) < 0.5 for split in range(num_splits)]
    parts = [part for half in halves for part in (half, ~half)]
    assigned = assign_by_terms(doc_term, labels, num_clusters, ratios, parts)
    found = [
        compare_clusters(first, second, num_clusters)
        for first, second in zip(assigned[::2], assigned[1::2], strict=True)
    ]
    information, entropies = np.mean(found, axis=0).tolist()
    return Shared(information, entropies)


def assign_by_terms(
    doc_term: sparse.csr_array,
    labels: Labels,
    num_clusters: int,
    ratios: Dense,
    parts: Sequence[NDArray[np.bool_]],
) -> list[Labels]:
    """The clusters that each part of the vocabulary (V) assigns, see `split_vocabulary`."""
    sums = cluster_sums(doc_term, labels, num_clusters)
    weights = mixture_weights(sums, SCORE_PRIOR * float(sums.sum()) / num_clusters)
    own = np.repeat(labels, np.diff(doc_term.indptr))
    # What leaving a document out changes in its score for its own cluster, entry by entry.
    change = ratios - doc_term.data * weights[doc_term.indices, own]
    docs = np.repeat(np.arange(labels.size), np.diff(doc_term.indptr))
    assigned = []
    for part in parts:
        scores = doc_scores(doc_term, weights * part[:, None])
        scores[np.arange(labels.size), labels] += np.bincount(
            docs, change * part[doc_term.indices], labels.size
        )
        assigned.append(scores.argmax(axis=1))
    return assigned


def compare_clusters(first: Labels, second: Labels, size: int) -> Shared:
    """What two labelings with `size` labels each have in common."""
    # Two independent ones have about (K - 1)^2 / 2N.
    by_chance = (size - 1) ** 2 / (2 * first.size)
    information = mutual_information(first, second, size) - by_chance
    return Shared(information, (entropy(first) + entropy(second)) / 2)


def mutual_information(first: Labels, second: Labels, size: int) -> float:
    """Mutual information in nats of two labelings with `size` labels each."""
    pairs = np.bincount(first * size + second, minlength=size * size).reshape(size, size)
    shares = pairs / first.size
    expected = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    found = shares > 0
    return float((shares[found] * np.log(shares[found] / expected[found])).sum())


def separation(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> float:
    """Mean of (a - b) / max(a, b): cosines a with the own cluster, b with the nearest other one.

    The document itself is left out of its cluster. One cluster alone has the separation 0.
    """
    if num_clusters == 1:
        return 0.0
    sums = cluster_sums(doc_term, labels, num_clusters)
    cosines: FloatArray = leave_one_out_cosines(doc_term, labels, sums)
    own_entries = np.arange(labels.size), labels
    own = cosines[own_entries]
    cosines[own_entries] = -1
    other = cosines.max(axis=1)
    # A document that shares no term with anyone is near to nothing, whatever rounding left.
    largest = np.maximum(np.maximum(own, other), 1e-6)
    return float(((own - other) / largest).mean(dtype=np.float64))


def cohesion(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> float:
    """Mean cosine of two documents in the largest cluster, over that of one in it and one outside.

    At most 1 / `LEAST`; 0 where there is nothing outside.
    """
    sums = cluster_sums(doc_term, labels, num_clusters)
    sizes = np.bincount(labels, minlength=num_clusters)
    largest = int(sizes.argmax())
    size, rest = int(sizes[largest]), int(labels.size - sizes[largest])
    if rest == 0 or size == 1:
        return 0.0
    own = sums[:, largest]
    inside = float(own @ own - size) / (size * (size - 1))
    across = float(own @ (sums.sum(axis=1) - own)) / (size * rest)
    return inside / max(across, LEAST * inside, 1e-12)
