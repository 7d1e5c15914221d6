"""Are the topics of equal or of unequal size? A choice without labels.

The width of a layer decides what its clustering looks like: in a wide layer, whose clusterings have
many small parts, a small topic keeps a place of its own beside a large one; in a narrow one, topics
of equal size come out whole. So several are tried, each with the spectral clustering and the
refinement that suit it, and three things are asked of the partitions that come out, in one sum:

- *fit*: how much better do a document's cluster-mates predict its terms than the corpus does?
- *separation*: how much nearer is a document to its own cluster than to the next one? (Cutting one
  large topic into parts can improve the fit; the parts are close to each other.)
- *rest*: which share of the documents is not in the largest cluster? (What is left beside some
  copies of one message is well separated from them, and no topic.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .refine import cluster_sums, leave_one_out_cosines, refine_hard, refine_soft
from .types import FloatArray, Labels

# Mass of the corpus distribution mixed into a cluster's, as a share of an average cluster's own.
# Less of it makes a small cluster's unseen terms so surprising that few large ones win, whatever
# the documents say: with a hundredth, 50 topics of arXiv abstracts were 3 and 47 leftovers.
PRIOR_SHARE = 3.0
SEPARATION_WEIGHT = 8.0  # in nats
# Of the logarithm of the rest, shared among the topics: with few of them, nearly all documents in
# one is a worse answer. More of it is better for newsgroups, which are of equal size, and worse for
# few classes of Reuters, of which one may have nearly all of the documents.
REST_WEIGHT = 3.0
WIDEST = 2500  # wider layers took long to embed and were never clearly better
# A second layer for topics of unequal size, narrower by this. The widest one may give parts of a
# large topic a place of their own and none to two small ones: ten classes of TDT2 were found with
# an accuracy of .964 without it and of .979 with it, in the mean of 40 subsets.
MEDIUM = 4


@dataclass(frozen=True)
class View:
    """A way of clustering a layer: rows u / |u|^exponent of its embedding, and the refinement."""

    name: str
    exponent: float
    refine: Callable[[sparse.csr_array, Labels, int], Labels]


# Row lengths tell a dense region from a sparse one; directions alone make all regions alike.
UNEQUAL = View("unequal", 0.0, refine_hard)
EQUAL = View("equal", 1.0, refine_soft)
# The paper's plain algorithm, without refinement: half of each.
PLAIN = View("plain", 0.5, lambda doc_term, labels, num_clusters: labels)


@dataclass(frozen=True)
class ViewScore:
    """How the partition of one view of a layer did."""

    view: str
    layer_size: int
    num_topics: int
    fit: float
    separation: float
    rest: float

    @property
    def total(self) -> float:
        """What the views are compared by."""
        rest = REST_WEIGHT / self.num_topics * math.log(self.rest)
        return self.fit + SEPARATION_WEIGHT * self.separation + rest


def views_of(layer_sizes: list[int], *, fixed: bool, refined: bool) -> list[tuple[int, View]]:
    """Layers to look at (by index), and how; with `fixed`, the last layer alone."""
    last = len(layer_sizes) - 1

    def first_of(limit: float) -> int:
        return next((i for i, size in enumerate(layer_sizes) if size <= limit), last)

    widest = first_of(WIDEST)
    medium = first_of(layer_sizes[widest] / MEDIUM)
    if fixed:
        return [(last, UNEQUAL), (last, EQUAL)] if refined else [(last, PLAIN)]
    if not refined:
        return [(widest, PLAIN), (last, PLAIN)]
    wide = [(widest, UNEQUAL)] if medium == last else [(widest, UNEQUAL), (medium, UNEQUAL)]
    return [*wide, (last, EQUAL)]


def score_view(
    doc_term: sparse.csr_array, labels: Labels, num_topics: int, view: View, layer_size: int
) -> ViewScore:
    """Fit and separation of a partition of unit-length documents (N x V)."""
    return ViewScore(
        view=view.name,
        layer_size=layer_size,
        num_topics=num_topics,
        fit=predictive_gain(doc_term, labels, num_topics),
        separation=separation(doc_term, labels, num_topics),
        # One document at least, also where there is no other cluster.
        rest=1 - min(int(np.bincount(labels).max()), labels.size - 1) / labels.size,
    )


def predictive_gain(doc_term: sparse.csr_array, labels: Labels, num_clusters: int) -> float:
    """Mean log-likelihood gain of a document under its cluster, without itself, over the corpus."""
    sums = cluster_sums(doc_term, labels, num_clusters)
    total = float(sums.sum())
    prior_mass = PRIOR_SHARE * total / num_clusters
    entries = np.diff(doc_term.indptr)
    terms, data = doc_term.indices, doc_term.data.astype(np.float64)
    corpus = sums.sum(axis=1)[terms] / total
    mass = np.bincount(np.repeat(np.arange(labels.size), entries), data, labels.size)
    # log p(w | own cluster without i) - log p(w | corpus)
    left = np.maximum(sums[terms, np.repeat(labels, entries)] - data, 0) + prior_mass * corpus
    scale = np.repeat(sums.sum(axis=0)[labels] - mass + prior_mass, entries)
    return float(data @ np.log(left / (scale * corpus)) / labels.size)


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
