"""Document completion: how well half of a document tells the other half, by its topic shares.

As in Wallach, Murray, Salakhutdinov and Mimno (2009): `halve_documents` that the model has not
seen, find the topic shares of the shown halves by the model's own inference or by `infer_shares`,
and ask `completion_likelihood` about the hidden halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ..common.arrays import Dense, IntArray
from ..common.checks import SparseInput, check_doc_term, check_int, check_real, check_seed

MOST_WORDS = 10**9  # of a document: beyond, numpy does not draw
BLOCK = 2**20  # floats of an array (entries x topics), 8 MB; documents are worked on in such blocks
TOLERANCE = 1e-5  # of sums that must be 1: shares may have been computed in 32 bits


def halve_documents(
    counts: SparseInput, random_state: Any = 0
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Divide the words of every document at random into a shown and a hidden half.

    A word that occurs three times is three words, which are drawn without replacement. Of an odd
    number the shown half has one more, so that a document of one word has nothing hidden.

    Parameters
    ----------
    counts : matrix or sparse matrix, shape (N, V)
        How often each term is in each document; whole numbers.
    random_state : int, SeedSequence, RandomState, Generator or None, default=0
        The same int gives the same halves.

    Returns
    -------
    shown, hidden : scipy.sparse.csr_array of int, shape (N, V)
        They add up to `counts`.

    Raises
    ------
    ValueError
        If counts are no whole numbers.

    Examples
    --------
    >>> shown, hidden = halve_documents([[3, 1, 0, 2], [0, 0, 5, 0]])
    >>> shown.sum(axis=1).tolist(), hidden.sum(axis=1).tolist()
    ([3, 3], [3, 2])
    >>> (shown + hidden).toarray().tolist()
    [[3, 1, 0, 2], [0, 0, 5, 0]]
    """
    matrix = check_doc_term(counts, "counts")
    rng = np.random.default_rng(check_seed(random_state))
    fractions = matrix.data[matrix.data % 1 != 0]
    if fractions.size:
        raise ValueError(
            f"counts must be whole numbers, got {fractions[0]:g}; give the counts of words, before "
            "any weighting."
        )
    sizes = matrix.sum(axis=1)
    if sizes.max() >= MOST_WORDS:
        raise ValueError(
            f"counts must have fewer than {MOST_WORDS:,} words in a document, got {sizes.max():g}."
        )
    numbers = matrix.data.astype(np.int64)
    shown = np.zeros_like(numbers)
    for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        own = numbers[start:stop]
        shown[start:stop] = rng.multivariate_hypergeometric(own, (own.sum() + 1) // 2)
    hidden = numbers - shown
    return _with_data(matrix, shown), _with_data(matrix, hidden)


def _with_data(matrix: sparse.csr_array, data: IntArray) -> sparse.csr_array:
    made = sparse.csr_array((data, matrix.indices.copy(), matrix.indptr.copy()), matrix.shape)
    made.eliminate_zeros()
    return made


def smooth_topics(topic_term: ArrayLike, counts: SparseInput, share: float = 0.01) -> Dense:
    """Topics as probabilities, of which no word of the corpus has 0.

    Rows are divided by their sums, then mixed with the corpus: (1 - share) p(w | k) + share p(w).
    A topic without weights becomes p(w), the distribution of the words in all documents.

    Parameters
    ----------
    topic_term : array-like of shape (K, V)
        Non-negative weights of the terms in the topics.
    counts : matrix or sparse matrix, shape (N, V)
        How often each term is in each document that the topics were learnt from.
    share : float, default=0.01
        How much of every topic is the corpus' distribution; at least 0 and below 1.

    Returns
    -------
    array of float, shape (K, V)
        Rows sum to 1. A term that no document has keeps the probability 0 where its weight is 0.

    Examples
    --------
    >>> smooth_topics([[3, 1, 0], [0, 0, 0]], counts=[[2, 1, 0], [0, 0, 1]], share=0.2).round(2)
    array([[0.7 , 0.25, 0.05],
           [0.5 , 0.25, 0.25]])
    """
    share = check_real(share, "share", 0, 1)
    weights = _check_weights(topic_term, "topic_term")
    matrix = check_doc_term(counts, "counts", weights.shape[1])
    if not matrix.nnz:
        raise ValueError("counts must have at least one word.")
    corpus = matrix.sum(axis=0) / matrix.sum()
    sums = weights.sum(axis=1, keepdims=True)
    own = np.divide(weights, sums, out=np.tile(corpus, (len(weights), 1)), where=sums > 0)
    smoothed: Dense = (1 - share) * own + share * corpus
    return smoothed


def infer_shares(shown: SparseInput, topic_word: ArrayLike, num_steps: int = 100) -> Dense:
    """Topic shares of documents under which their words are most likely, by plain EM.

    For methods that have no inference of their own. Nothing but the words decides, no prior: of
    few words the shares may be extreme, where an inference with a prior would be careful.

    Parameters
    ----------
    shown : matrix or sparse matrix, shape (N, V)
        How often each term is in each document.
    topic_word : array-like of shape (K, V)
        The probabilities of the terms in the topics; rows sum to 1. A term of a document needs
        one above 0 in some topic.
    num_steps : int, default=100
        How many steps EM makes from equal shares; none makes the words less likely.

    Returns
    -------
    array of float, shape (N, K)
        Rows sum to 1; those of documents without words are equal shares.

    Examples
    --------
    >>> topic_word = [[0.8, 0.2, 0.0], [0.0, 0.2, 0.8]]
    >>> infer_shares([[4, 2, 0], [3, 0, 1], [0, 0, 0]], topic_word).round(2)
    array([[1.  , 0.  ],
           [0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    check_int(num_steps, "num_steps", 1)
    words = _check_distributions(topic_word, "topic_word")
    matrix = check_doc_term(shown, "shown", words.shape[1])
    term_topic = np.ascontiguousarray(words.T)
    docs = np.flatnonzero(np.diff(matrix.indptr))
    shares = np.full((matrix.shape[0], len(words)), 1 / len(words))
    known = matrix[docs]
    for start, stop in _blocks(known.indptr, len(words)):
        shares[docs[start:stop]] = _maximize(known[start:stop], term_topic, num_steps)
    return shares


def _maximize(counts: sparse.csr_array, term_topic: Dense, num_steps: int) -> Dense:
    """EM of documents that all have words."""
    num_docs, num_topics = counts.shape[0], term_topic.shape[1]
    rows = np.repeat(np.arange(num_docs), np.diff(counts.indptr))
    words, sizes = term_topic[counts.indices], counts.sum(axis=1)
    shares = np.full((num_docs, num_topics), 1 / num_topics)
    for _ in range(num_steps):
        # p(k | d, w) = theta_dk p(w | k) / sum_j theta_dj p(w | j)
        parts = shares[rows] * words
        parts /= _positive(parts.sum(axis=1), counts.indices)[:, None]
        # theta_dk = sum_w n_dw p(k | d, w) / n_d
        parts *= counts.data[:, None]
        shares = np.add.reduceat(parts, counts.indptr[:-1], axis=0) / sizes[:, None]
    return shares


def completion_likelihood(
    hidden: SparseInput, doc_topic: ArrayLike, topic_word: ArrayLike
) -> float:
    """Log-likelihood per word, in nats, of the hidden halves of documents; higher is better.

    The mean over all hidden words of log sum_k theta_dk p(w | k), where the shares theta come from
    the shown halves. It asks whether topic shares mean something, without labels. Only methods
    that saw the same documents and the same halves can be compared by it.

    Parameters
    ----------
    hidden : matrix or sparse matrix, shape (N, V)
        How often each term is in the hidden half of each document.
    doc_topic : array-like of shape (N, K)
        The topic shares of the documents; rows sum to 1.
    topic_word : array-like of shape (K, V)
        The probabilities of the terms in the topics; rows sum to 1.

    Returns
    -------
    float
        At most 0. Documents with nothing hidden do not count.

    Raises
    ------
    ValueError
        If arrays do not fit together, rows are no distributions, nothing is hidden, or a hidden
        word has the probability 0, which `smooth_topics` prevents.

    Examples
    --------
    >>> topic_word = [[0.8, 0.2, 0.0], [0.0, 0.2, 0.8]]
    >>> hidden = [[2, 1, 0], [0, 1, 2]]
    >>> round(completion_likelihood(hidden, [[0.9, 0.1], [0.1, 0.9]], topic_word), 3)
    -0.755
    >>> round(completion_likelihood(hidden, [[0.5, 0.5], [0.5, 0.5]], topic_word), 3)
    -1.147
    """
    words = _check_distributions(topic_word, "topic_word")
    shares = _check_distributions(doc_topic, "doc_topic")
    matrix = check_doc_term(hidden, "hidden", words.shape[1])
    if shares.shape != (matrix.shape[0], words.shape[0]):
        raise ValueError(
            f"doc_topic must have a row for each of {matrix.shape[0]} documents and a column for "
            f"each of {words.shape[0]} topics, got shape {shares.shape}."
        )
    if not matrix.nnz:
        raise ValueError("hidden must have at least one word.")
    term_topic = np.ascontiguousarray(words.T)
    total = 0.0
    for start, stop in _blocks(matrix.indptr, len(words)):
        block = matrix[start:stop]
        rows = np.repeat(np.arange(start, stop), np.diff(block.indptr))
        # p(w | d) = sum_k theta_dk p(w | k)
        probability = (shares[rows] * term_topic[block.indices]).sum(axis=1)
        # Not by BLAS, whose sums depend on the number of threads.
        total += float((block.data * np.log(_positive(probability, block.indices))).sum())
    return total / float(matrix.sum())


def _blocks(indptr: IntArray, num_topics: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows whose entries, times the topics, fit into a block; one row at least."""
    most = max(1, BLOCK // num_topics)
    start, num_rows = 0, len(indptr) - 1
    while start < num_rows:
        fitting = int(np.searchsorted(indptr, indptr[start] + most, "right")) - 1
        stop = max(start + 1, fitting)
        yield start, stop
        start = stop


def _positive(probability: Dense, terms: IntArray) -> Dense:
    if not probability.all():
        term = terms[np.flatnonzero(probability == 0)[0]]
        raise ValueError(
            f"topic_word gives the probability 0 to term {term}, which a document has; "
            "smooth_topics gives it a small one."
        )
    return probability


def _check_weights(rows: ArrayLike, name: str) -> Dense:
    try:
        weights = np.asarray(rows, np.float64)
    except (TypeError, ValueError):
        weights = np.zeros(0)
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(f"{name} must be a dense matrix of numbers, got {type(rows).__name__}.")
    if not (np.isfinite(weights).all() and weights.min() >= 0):
        raise ValueError(f"{name} must be finite and not negative; remove what is not.")
    return weights


def _check_distributions(rows: ArrayLike, name: str) -> Dense:
    weights = _check_weights(rows, name)
    sums = weights.sum(axis=1)
    wrong = np.flatnonzero(abs(sums - 1) > TOLERANCE)
    if wrong.size:
        raise ValueError(
            f"{name} must have rows that sum to 1, got {sums[wrong[0]]:g} in row {wrong[0]}; "
            "divide the rows by their sums."
        )
    return weights
