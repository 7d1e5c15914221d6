"""How good are clusters and topics? The paper's measures."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

IntArray = np.ndarray[Any, np.dtype[np.int64]]


def clustering_accuracy(classes: Any, labels: Any) -> float:
    """Share of documents in the best one-to-one matching of clusters and classes (ACC).

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    shapes = np.shape(classes), np.shape(labels)
    if shapes[0] != shapes[1] or len(shapes[0]) != 1 or shapes[0] == (0,):
        raise ValueError(
            "classes and labels must hold one entry for each document, "
            f"got shapes {shapes[0]} and {shapes[1]}."
        )
    _, class_index = np.unique(classes, return_inverse=True)
    _, cluster_index = np.unique(labels, return_inverse=True)
    table = np.zeros((class_index.max() + 1, cluster_index.max() + 1), np.int64)
    np.add.at(table, (class_index, cluster_index), 1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / class_index.size)


def top_terms(topic_term: Any, num_terms: Any = 20) -> IntArray:
    """Ids (K x num_terms) of the heaviest terms of every topic (K x V), of equals the first."""
    if isinstance(num_terms, bool) or not isinstance(num_terms, (int, np.integer)) or num_terms < 1:
        raise ValueError(f"num_terms must be a whole number of at least 1, got {num_terms!r}.")
    if sparse.issparse(topic_term) or np.ndim(topic_term) != 2:
        raise ValueError("topic_term must be a dense matrix with a row for each topic.")
    order: IntArray = np.argsort(-np.asarray(topic_term, np.float64), axis=1, kind="stable")
    return order[:, :num_terms]


def topic_coherence(topic_terms: IntArray, counts: Any, epsilon: float = 0.01) -> float:
    """The paper's coherence, averaged over topics; higher is better.

    The sum over ordered pairs of a topic's terms of log((freq(v1, v2) + epsilon) / freq(v2)), with
    document frequencies in `counts` (N x V). A term that no document has counts as in one.
    """
    topic_terms = np.asarray(topic_terms)
    occurs = sparse.csc_array(sparse.csr_array(counts) > 0, dtype=np.float64)
    num_terms = occurs.shape[1]
    if topic_terms.ndim != 2 or topic_terms.size == 0 or topic_terms.dtype.kind not in "iu":
        raise ValueError("topic_terms must be a matrix of term ids with a row for each topic.")
    if topic_terms.min() < 0 or topic_terms.max() >= num_terms:
        raise ValueError(
            f"topic_terms must lie from 0 to {num_terms - 1}, the terms of counts, "
            f"got {topic_terms.min()} to {topic_terms.max()}."
        )
    totals = []
    for terms in topic_terms:
        block = occurs[:, terms]
        together = (block.T @ block).toarray()
        frequency = np.maximum(together.diagonal(), 1)
        # log((freq(v1, v2) + epsilon) / freq(v2)), v1 != v2
        pairs = np.log((together + epsilon) / frequency)
        totals.append(pairs.sum() - np.trace(pairs))
    return float(np.mean(totals))


def similarity_count(topic_terms: IntArray) -> int:
    """Terms that two topics share, summed over all pairs of topics (SimCount); lower is better."""
    _, uses = np.unique(topic_terms, return_counts=True)
    return int((uses * (uses - 1) // 2).sum())


def topic_diversity(topic_terms: IntArray) -> float:
    """Share of distinct terms among the top terms of all topics: 1 if no two topics share any.

    Examples
    --------
    >>> topic_diversity(np.array([[0, 1], [1, 2]]))
    0.75
    """
    return np.unique(topic_terms).size / np.size(topic_terms)
