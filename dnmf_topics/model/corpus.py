"""gensim's corpora as sparse matrices (documents x terms), read once and checked on the way."""

from __future__ import annotations

import copy
import logging
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from gensim.utils import FakeDict, is_corpus
from numpy.typing import NDArray
from scipy import sparse

from ..core.types import Dense

logger = logging.getLogger(__name__)

# Beyond these, products leave the range of floats: smaller weights count as 0, larger are refused.
SMALLEST, LARGEST = 1e-50, 1e50

Document = Any
"""A list of (term id, weight) pairs, or an array of two columns."""

Corpus = Any
"""An iterable of documents, also one that can be read only once; or a sparse matrix or array with a
row for each term and a column for each document, as gensim's Nmf takes it."""


def as_corpus(documents: Corpus | Document) -> tuple[bool, Corpus]:
    """Whether this is a corpus or one document, and the corpus with nothing read off it."""
    if isinstance(documents, list) and documents and _is_pair(documents[0]):
        return False, documents  # the common case; gensim's check takes long for one document
    if sparse.issparse(documents):
        return True, documents
    found, corpus = is_corpus(documents)
    return bool(found), corpus


def tokenization_of(corpus: Corpus) -> dict[str, Any] | None:
    """What a corpus says of how its text was tokenized, in the types of JSON."""
    said = getattr(corpus, "tokenization", None)
    return copy.deepcopy(said) if isinstance(said, dict) else None


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], int)


def read_corpus(corpus: Corpus, num_terms: int | None = None) -> sparse.csr_array:
    """The corpus as a matrix (N x V); V is one more than the largest id if it is not given.

    An id that is not below `num_terms` is an error here, where the vocabulary is learnt.
    """
    if sparse.issparse(corpus):
        return _checked_matrix(corpus, num_terms)
    ids, weights, indptr, _, _ = _read(corpus)
    if num_terms is None:
        num_terms = int(ids.max()) + 1 if ids.size else 0
    if ids.size and not (ids.min() >= 0 and ids.max() < num_terms):
        wrong = int(np.flatnonzero((ids < 0) | (ids >= num_terms))[0])
        raise ValueError(
            f"corpus must use the model's vocabulary, whose ids go from 0 to {num_terms - 1}; "
            f"document {_document_at(wrong, indptr)} has the id {ids[wrong]}. Build id2word and "
            "corpus from the same texts."
        )
    return _matrix(ids, weights, indptr, num_terms)


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents of known terms, as light as one document needs: scipy's matrices are slow to make.

    Document i has the terms ids[indptr[i] : indptr[i + 1]], each once, with their values.
    """

    indptr: NDArray[np.int64]
    ids: NDArray[np.int64]
    values: Dense
    num_terms: int
    has_unknown: bool = False

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], Dense]]:
        for start, stop in pairwise(self.indptr.tolist()):
            yield self.ids[start:stop], self.values[start:stop]

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The same as a matrix (n x V)."""
        return _matrix(self.ids, self.values, self.indptr, self.num_terms)


def known_documents(documents: Corpus, num_terms: int) -> Documents:
    """Documents without the terms that the vocabulary lacks."""
    if sparse.issparse(documents):
        return of_matrix(_checked_matrix(documents, num_terms))
    if isinstance(documents, list) and len(documents) == 1:
        one = _one_document(documents[0], num_terms)
        if one is not None:
            return one
    ids, values, indptr, repeated, has_zeros = _read(documents)
    # Seen as unsigned, negative ids are beyond all others.
    has_unknown = bool(ids.size) and not np.maximum.reduce(ids.view(np.uint64)) < num_terms
    if has_unknown or has_zeros:
        known = (ids >= 0) & (ids < num_terms) & (values > 0)
        indptr = np.concatenate([[0], np.cumsum(known)])[indptr]
        ids, values = ids[known], values[known]
    if repeated:
        summed = _matrix(ids, values, indptr, num_terms)
        ids, values, indptr = summed.indices, summed.data, summed.indptr
    return Documents(indptr, ids, values, num_terms, has_unknown)


def _one_document(document: Document, num_terms: int) -> Documents | None:
    """A sound list of pairs, read the short way; None for all else, which `_read` explains."""
    if not (isinstance(document, list) and document and _is_pair(document[0])):
        return None
    try:
        terms, values = zip(*document, strict=True)
        ids, weights = np.array(terms), np.array(values)
    except (TypeError, ValueError, OverflowError):
        return None
    if (
        ids.dtype != np.int64
        or weights.dtype.kind not in "if"
        or len(set(terms)) < len(terms)
        or not np.maximum.reduce(ids.view(np.uint64)) < num_terms
        or not np.minimum.reduce(weights) >= SMALLEST
        or not np.maximum.reduce(weights) <= LARGEST
    ):
        return None
    return Documents(np.array([0, ids.size]), ids, weights.astype(np.float64), num_terms)


def of_matrix(matrix: sparse.csr_array) -> Documents:
    """Documents of a matrix (n x V) without duplicates."""
    return Documents(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])


def vocabulary_size(id2word: Any) -> int:
    """One more than the largest id: ids may have gaps."""
    if isinstance(id2word, FakeDict):
        return int(id2word.num_terms)
    if not hasattr(id2word, "keys"):
        raise TypeError(
            f"id2word must be a dict or a gensim Dictionary, got {type(id2word).__name__}."
        )
    largest = -1
    for term in id2word.keys():  # noqa: SIM118 - a Dictionary is no dict
        if not isinstance(term, (int, np.integer)) or term < 0:
            raise TypeError(
                f"id2word must map term ids, whole numbers of at least 0, to words; it has the key "
                f"{term!r}."
            )
        largest = max(largest, int(term))
    return largest + 1


def identity_vocabulary(num_terms: int) -> FakeDict:
    """A vocabulary whose words are the ids."""
    logger.warning("no id2word given; the words of the topics are the term ids")
    return FakeDict(num_terms)


def _read(documents: Iterable[Document]) -> tuple[Any, Any, Any, bool, bool]:
    """Ids, weights and row limits; whether a document has an id twice, and whether one weighs 0."""
    ids, weights, indptr = array("q"), array("d"), array("q", [0])
    repeated = False
    if not hasattr(documents, "__iter__"):
        raise TypeError(f"corpus must be an iterable of documents, got {documents!r}.")
    for number, document in enumerate(documents):
        try:
            if len(document):
                repeated |= _append(document, ids, weights)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(
                f"corpus must hold documents as lists of (term id, weight) pairs, "
                f"document {number} is {shortened(document)}; id2word.doc2bow makes them of words."
            ) from None
        indptr.append(len(ids))
    limits = np.array(indptr)
    given = np.array(weights)
    read = _checked_weights(given, limits)
    return np.array(ids), read, limits, repeated, read is not given


def _checked_weights(weights: Dense, indptr: NDArray[np.int64]) -> Dense:
    if weights.size == 0 or (
        np.minimum.reduce(weights) >= SMALLEST and np.maximum.reduce(weights) <= LARGEST
    ):
        return weights
    fine = (weights >= 0) & (weights <= LARGEST)
    if not fine.all():
        wrong = int(np.flatnonzero(~fine)[0])
        raise ValueError(
            f"corpus must have finite weights from 0 to {LARGEST:g}, document "
            f"{_document_at(wrong, indptr)} has {weights[wrong]}."
        )
    return np.where(weights >= SMALLEST, weights, 0.0)


def _document_at(entry: int, indptr: NDArray[np.int64]) -> int:
    """The document that an entry belongs to."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def _append(document: Document, ids: array[int], weights: array[float]) -> bool:
    """Adds a document; whether it has an id twice."""
    # Without strict a third number of some pairs would be lost.
    terms, values = zip(*document, strict=True)
    if isinstance(document, np.ndarray):  # whose ids share the type of the weights
        terms = tuple(map(_whole, terms))
    ids.extend(terms)
    weights.extend(values)
    return len(set(terms)) < len(terms)


def _whole(number: float) -> int:
    if number != int(number):
        raise ValueError
    return int(number)


def shortened(value: Any) -> str:
    """How an error message shows a value of any size, in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _matrix(ids: Any, weights: Any, indptr: Any, num_terms: int) -> sparse.csr_array:
    matrix = sparse.csr_array((weights, ids, indptr), shape=(len(indptr) - 1, num_terms))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _checked_matrix(matrix: Any, num_terms: int | None) -> sparse.csr_array:
    if matrix.ndim != 2 or (num_terms is not None and matrix.shape[0] != num_terms):
        rows = "each term" if num_terms is None else f"each of the {num_terms} terms"
        raise ValueError(
            f"corpus, as a sparse matrix, must have a row for {rows} and a column for each "
            f"document, got shape {tuple(matrix.shape)}."
        )
    if matrix.dtype.kind not in "buif":
        raise TypeError(f"corpus must hold numbers, got a sparse matrix of dtype {matrix.dtype}.")
    documents = sparse.csr_array(matrix.T, dtype=np.float64, copy=True)
    documents.sum_duplicates()
    documents.data = _checked_weights(documents.data, documents.indptr)
    documents.eliminate_zeros()
    return documents
