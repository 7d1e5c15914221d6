"""How good topics are: their terms, by how documents use them, and beside each other's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from ..common.arrays import Dense, IntArray
from ..common.checks import LARGEST, SMALLEST, SparseInput, check_int, check_real, check_structure

EPSILON = 1e-12  # gensim's, added to the share of documents that have both terms


def top_terms(topic_term: ArrayLike, num_terms: int = 20) -> IntArray:
    """Ids of the heaviest terms of every topic, of equals the first.

    Parameters
    ----------
    topic_term : array-like of shape (K, V)
        Weights of the terms in the topics.
    num_terms : int, default=20
        How many terms of each topic.

    Returns
    -------
    array of int, shape (K, num_terms)
        The heaviest term first.

    Examples
    --------
    >>> top_terms([[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]], num_terms=2).tolist()
    [[1, 2], [0, 2]]
    """
    check_int(num_terms, "num_terms", 1)
    if sparse.issparse(topic_term) or np.ndim(topic_term) != 2:
        raise ValueError("topic_term must be a dense matrix with a row for each topic.")
    weights = np.asarray(topic_term, np.float64)
    if np.isnan(weights).any():
        raise ValueError("topic_term must hold numbers, got NaN; remove the topic or the term.")
    order: IntArray = np.argsort(-weights, axis=1, kind="stable")
    return order[:, :num_terms]


def topic_coherence(topic_terms: IntArray, counts: SparseInput, epsilon: float = 0.01) -> float:
    """The paper's coherence, averaged over topics; higher is better.

    The sum over ordered pairs of a topic's terms of log((freq(v1, v2) + epsilon) / freq(v2)), with
    document frequencies in `counts`. A term that no document has counts as in one.

    Parameters
    ----------
    topic_terms : array of int, shape (K, n)
        Ids of the top terms of each topic, as `top_terms` gives them.
    counts : matrix or sparse matrix, shape (N, V)
        Documents as rows; what counts is whether a term is there.
    epsilon : float, default=0.01
        What two terms that never stand together count as.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> counts = [[1, 1, 0], [2, 1, 0], [0, 0, 1], [0, 0, 3]]
    >>> together, apart = np.array([[0, 1]]), np.array([[1, 2]])
    >>> round(topic_coherence(together, counts), 2), round(topic_coherence(apart, counts), 2)
    (0.01, -10.6)
    """
    check_real(epsilon, "epsilon", SMALLEST, LARGEST)
    totals = []
    for together in _co_occurrences(topic_terms, counts):
        frequency = np.maximum(together.diagonal(), 1)
        # log((freq(v1, v2) + epsilon) / freq(v2)), v1 != v2
        pairs = np.log((together + epsilon) / frequency)
        totals.append(pairs.sum() - np.trace(pairs))
    return float(np.mean(totals))


def topic_npmi(topic_terms: IntArray, counts: SparseInput) -> Dense:
    """Normalized pointwise mutual information of every topic's terms, from -1 to 1.

    The mean over pairs of terms of log(p(v1, v2) / p(v1) p(v2)) / -log p(v1, v2), with the shares
    of the documents of `counts`. It is gensim's `c_npmi` where a window is a document.

    Parameters
    ----------
    topic_terms : array of int, shape (K, n)
        Ids of the top terms of each topic, as `top_terms` gives them.
    counts : matrix or sparse matrix, shape (N, V)
        Documents as rows; what counts is whether a term is there.

    Returns
    -------
    array of float, shape (K,)
        NaN for a topic with a term that no document has, or with one term only.

    Examples
    --------
    >>> import numpy as np
    >>> counts = [[1, 1, 0], [2, 1, 0], [0, 0, 1], [0, 0, 3]]
    >>> topic_npmi(np.array([[0, 1], [1, 2]]), counts).round(2)
    array([ 1.  , -0.95])
    """
    num_docs = np.shape(counts)[0]
    values = []
    for together in _co_occurrences(topic_terms, counts):
        share = together.diagonal() / num_docs
        joint = together / num_docs + EPSILON
        with np.errstate(divide="ignore", invalid="ignore"):
            # log(p(v1, v2) / p(v1) p(v2)) / -log p(v1, v2), v1 != v2
            pairs = np.log(joint / np.outer(share, share)) / -np.log(joint)
        others = ~np.eye(len(together), dtype=bool)
        known = others.any() and np.isfinite(pairs[others]).all()
        values.append(float(pairs[others].mean()) if known else np.nan)
    return np.array(values)


def _co_occurrences(topic_terms: IntArray, counts: SparseInput) -> Iterator[Dense]:
    """For every topic, how many documents have each two of its terms; on the diagonal, each one."""
    topic_terms = np.asarray(topic_terms)
    if sparse.issparse(counts):
        check_structure(counts, "counts")
    occurs = sparse.csc_array(sparse.csr_array(counts) > 0, dtype=np.float64)
    num_terms = occurs.shape[1]
    if topic_terms.ndim != 2 or topic_terms.size == 0 or topic_terms.dtype.kind not in "iu":
        raise ValueError("topic_terms must be a matrix of term ids with a row for each topic.")
    if topic_terms.min() < 0 or topic_terms.max() >= num_terms:
        raise ValueError(
            f"topic_terms must lie from 0 to {num_terms - 1}, the terms of counts, "
            f"got {topic_terms.min()} to {topic_terms.max()}."
        )
    for terms in topic_terms:
        block = occurs[:, terms]
        yield (block.T @ block).toarray()


def similarity_count(topic_terms: IntArray) -> int:
    """Terms that two topics share, summed over all pairs of topics (SimCount); lower is better.

    Parameters
    ----------
    topic_terms : array of int, shape (K, n)
        Ids of the top terms of each topic, as `top_terms` gives them.

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> similarity_count(np.array([[0, 1], [1, 2], [1, 3]]))
    3
    """
    _, uses = np.unique(topic_terms, return_counts=True)
    return int((uses * (uses - 1) // 2).sum())


def topic_diversity(topic_terms: IntArray) -> float:
    """Share of distinct terms among the top terms of all topics: 1 if no two topics share any.

    Parameters
    ----------
    topic_terms : array of int, shape (K, n)
        Ids of the top terms of each topic, as `top_terms` gives them.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> topic_diversity(np.array([[0, 1], [1, 2]]))
    0.75
    """
    return np.unique(topic_terms).size / np.size(topic_terms)


def topic_stability(runs: Sequence[IntArray]) -> float:
    """How much of the topics comes again in other runs, from 0 to 1.

    The topics of two runs are matched one to one; what counts is the share of terms that matched
    topics have in common (Jaccard), averaged over topics and pairs of runs.

    Parameters
    ----------
    runs : sequence of arrays of int, shape (K, n)
        The top terms of several fits, as `top_terms` gives them.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there are fewer than two runs, or the runs differ in their shapes.

    Examples
    --------
    >>> import numpy as np
    >>> runs = [np.array([[0, 1], [2, 3]]), np.array([[3, 2], [1, 4]])]
    >>> round(topic_stability(runs), 2)  # one topic comes again, of the other a third
    0.67
    """
    if len(runs) < 2:
        raise ValueError(f"runs must hold the topics of at least two runs, got {len(runs)}.")
    if any(np.shape(run) != np.shape(runs[0]) or np.ndim(run) != 2 for run in runs):
        raise ValueError("runs must hold equally many topics, with equally many terms.")
    return float(np.mean([_matched_overlap(a, b) for a, b in combinations(runs, 2)]))


def _matched_overlap(one: IntArray, other: IntArray) -> float:
    shared = np.array([[np.intersect1d(a, b).size for b in other] for a in one])
    jaccard = shared / (2 * one.shape[1] - shared)
    rows, columns = linear_sum_assignment(jaccard, maximize=True)
    return float(jaccard[rows, columns].mean())
