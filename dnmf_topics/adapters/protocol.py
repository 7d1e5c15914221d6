"""What the adapters ask of a topic model, a dictionary and a corpus, checked at the door."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from gensim.utils import FakeDict
from numpy.typing import NDArray
from scipy import sparse

Dense: TypeAlias = NDArray[np.float64]
Bow: TypeAlias = list[tuple[int, float]]


def topic_weights(model: Any) -> Dense:
    """A copy of the model's `get_topics()` (K x V), zeros for a topic without words."""
    if not callable(getattr(model, "get_topics", None)):
        raise TypeError(f"model must have the method get_topics, got {type(model).__name__}.")
    with np.errstate(invalid="ignore"):
        weights = np.array(model.get_topics(), dtype=np.float64)
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(
            "model.get_topics() must give a matrix with a row for each topic and a column for each "
            f"term, got shape {weights.shape}."
        )
    # gensim's Nmf divides a topic without words by its sum, 0
    weights[np.isnan(weights).all(axis=1)] = 0
    if not np.isfinite(weights).all():
        raise ValueError("model.get_topics() must be finite, got NaN or infinity.")
    return weights


def words_by_id(model: Any, dictionary: Any, num_terms: int) -> dict[int, str]:
    """The word of each term of the model; an id that the dictionary does not have is left out."""
    if dictionary is None:
        dictionary = getattr(model, "id2word", None)
    # What gensim makes up where a model was given no words calls them "0", "1", "2".
    if dictionary is None or isinstance(dictionary, FakeDict):
        raise ValueError("dictionary must be given, because the model has no id2word with words.")
    if not callable(getattr(dictionary, "get", None)):
        raise TypeError(
            "dictionary must be a gensim Dictionary or a dict from ids to words, "
            f"got {type(dictionary).__name__}."
        )
    words = ((term, dictionary.get(term)) for term in range(num_terms))
    known = {term: str(word) for term, word in words if word is not None}
    if not known:
        raise ValueError(
            f"dictionary must map ids from 0 to {num_terms - 1}, the terms of the model, to words, "
            "got none of these ids."
        )
    if len(set(known.values())) < len(known):
        raise ValueError("dictionary must have a different word for each id, got one word twice.")
    return known


def doc_term_matrix(corpus: Any, num_terms: int) -> sparse.csr_array:
    """The weights (N x V) of a gensim corpus or of a matrix with a column for each document.

    An id that the model does not have is left out.
    """
    if sparse.issparse(corpus) or isinstance(corpus, np.ndarray):
        if corpus.ndim != 2 or corpus.shape[0] != num_terms:
            raise ValueError(
                f"corpus must have {num_terms} rows, one for each term, and a column for each "
                f"document, got shape {tuple(corpus.shape)}."
            )
        matrix = sparse.csr_array(corpus.T, dtype=np.float64, copy=True)
    else:
        matrix = _stacked(corpus, num_terms)
    if not np.isfinite(matrix.data).all() or (matrix.nnz and matrix.data.min() < 0):
        raise ValueError("corpus must hold finite weights of at least 0.")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _stacked(corpus: Iterable[Any], num_terms: int) -> sparse.csr_array:
    """A row for each document, in one pass over the corpus."""
    terms: list[int] = []
    weights: list[float] = []
    ends = [0]
    try:
        for document in corpus:
            for term, weight in document:
                if 0 <= term < num_terms:
                    terms.append(int(term))
                    weights.append(float(weight))
            ends.append(len(terms))
    except (TypeError, ValueError) as error:
        raise TypeError(
            "corpus must be documents as lists of (id, weight), as doc2bow makes them, or a matrix."
        ) from error
    return sparse.csr_array((weights, terms, ends), shape=(len(ends) - 1, num_terms), dtype=float)


def bows(doc_term: sparse.csr_array) -> list[Bow]:
    """The rows as documents in gensim's form."""
    pairs = list(zip(doc_term.indices.tolist(), doc_term.data.tolist(), strict=True))
    return [pairs[start:end] for start, end in pairwise(doc_term.indptr.tolist())]
