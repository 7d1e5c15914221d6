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
    _, class_index = np.unique(classes, return_inverse=True)
    _, cluster_index = np.unique(labels, return_inverse=True)
    if class_index.size != cluster_index.size or class_index.size == 0:
        raise ValueError(
            "classes and labels must hold one entry for each document, "
            f"got {class_index.size} and {cluster_index.size}."
        )
    table = np.zeros((class_index.max() + 1, cluster_index.max() + 1), np.int64)
    np.add.at(table, (class_index, cluster_index), 1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / class_index.size)


def top_terms(topic_term: Any, num_terms: int = 20) -> IntArray:
    """Ids (K x num_terms) of the heaviest terms of every topic (K x V), of equals the first."""
    order: IntArray = np.argsort(-np.asarray(topic_term), axis=1, kind="stable")
    return order[:, :num_terms]


def topic_coherence(topic_terms: IntArray, counts: Any, epsilon: float = 0.01) -> float:
    """The paper's coherence, averaged over topics; higher is better.

    The sum over ordered pairs of a topic's terms of log((freq(v1, v2) + epsilon) / freq(v2)), with
    document frequencies in `counts` (N x V). A term that no document has counts as in one.
    """
    occurs = sparse.csc_array(sparse.csr_array(counts) > 0, dtype=np.float64)
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
