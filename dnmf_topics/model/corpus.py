"""gensim's corpora as sparse matrices (documents x terms), read once and checked on the way."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gensim.utils import FakeDict, is_corpus
from numpy.typing import NDArray
from scipy import sparse

from ..core.types import Dense

logger = logging.getLogger(__name__)

Document = Any
"""A list of (term id, weight) pairs, or an array of two columns."""

Corpus = Any
"""An iterable of documents, also one that can be read only once; or a sparse matrix or array with a
row for each term and a column for each document, as gensim's Nmf takes it."""


def as_corpus(documents: Corpus | Document) -> tuple[bool, Corpus]:
    """Whether this is a corpus or one document, and the corpus with nothing read off it."""
    if sparse.issparse(documents):
        return True, documents
    found, corpus = is_corpus(documents)
    return bool(found), corpus


def read_corpus(corpus: Corpus, num_terms: int | None = None) -> sparse.csr_array:
    """The corpus as a matrix (N x V); V is one more than the largest id if it is not given.

    An id that is not below `num_terms` is an error here, where the vocabulary is learnt.
    """
    if sparse.issparse(corpus):
        return _checked_matrix(corpus, num_terms)
    ids, weights, indptr, _ = _read(corpus)
    if ids.size and ids.min() < 0:
        raise ValueError(f"corpus must have term ids of at least 0, got {ids.min()}.")
    largest = int(ids.max()) if ids.size else -1
    if num_terms is None:
        num_terms = largest + 1
    elif largest >= num_terms:
        document = int(np.searchsorted(indptr, int(ids.argmax()), side="right")) - 1
        raise ValueError(
            f"corpus must use the vocabulary of id2word, whose ids end at {num_terms - 1}; "
            f"document {document} has the id {largest}. Build both from the same texts."
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
        for start, stop in zip(self.indptr[:-1], self.indptr[1:], strict=True):
            yield self.ids[start:stop], self.values[start:stop]

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The same as a matrix (n x V)."""
        return _matrix(self.ids, self.values, self.indptr, self.num_terms)


def known_documents(documents: Corpus, num_terms: int) -> Documents:
    """Documents without the terms that the vocabulary lacks."""
    if sparse.issparse(documents):
        return of_matrix(_checked_matrix(documents, num_terms))
    ids, values, indptr, repeated = _read(documents)
    has_unknown = bool(ids.size) and not (ids.min() >= 0 and ids.max() < num_terms)
    if has_unknown or not values.all():
        known = (ids >= 0) & (ids < num_terms) & (values > 0)
        indptr = np.concatenate([[0], np.cumsum(known)])[indptr]
        ids, values = ids[known], values[known]
    if repeated:
        summed = _matrix(ids, values, indptr, num_terms)
        ids, values, indptr = summed.indices, summed.data, summed.indptr
    return Documents(indptr, ids, values, num_terms, has_unknown)


def of_matrix(matrix: sparse.csr_array) -> Documents:
    """Documents of a matrix (n x V) without duplicates."""
    return Documents(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])


def vocabulary_size(id2word: Any) -> int:
    """One more than the largest id: ids may have gaps."""
    return 1 + max(id2word.keys()) if len(id2word) else 0


def identity_vocabulary(num_terms: int) -> FakeDict:
    """A vocabulary whose words are the ids."""
    logger.warning("no id2word given; the words of the topics are the term ids")
    return FakeDict(num_terms)


def _read(documents: Iterable[Document]) -> tuple[Any, Any, Any, bool]:
    """Ids, weights and row limits of the documents; and whether a document has an id twice."""
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
                f"document {number} is {_shortened(document)}; id2word.doc2bow makes them of words."
            ) from None
        indptr.append(len(ids))
    read, limits = np.array(weights), np.array(indptr)
    if read.size and not (read.min() >= 0 and read.max() < np.inf):
        wrong = int(np.flatnonzero(~(np.isfinite(read) & (read >= 0)))[0])
        document = int(np.searchsorted(limits, wrong, side="right")) - 1
        raise ValueError(
            f"corpus must have finite weights of at least 0, document {document} has {read[wrong]}."
        )
    return np.array(ids), read, limits, repeated


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


def _shortened(document: Document) -> str:
    text = repr(document)
    return text if len(text) <= 60 else text[:57] + "..."


def _matrix(ids: Any, weights: Any, indptr: Any, num_terms: int) -> sparse.csr_array:
    matrix = sparse.csr_array((weights, ids, indptr), shape=(len(indptr) - 1, num_terms))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _checked_matrix(matrix: Any, num_terms: int | None) -> sparse.csr_array:
    if num_terms is not None and matrix.shape[0] != num_terms:
        raise ValueError(
            f"corpus, as a sparse matrix, must have a row for each of the {num_terms} terms and a "
            f"column for each document, got shape {tuple(matrix.shape)}."
        )
    documents = sparse.csr_array(matrix.T, dtype=np.float64, copy=True)
    documents.sum_duplicates()
    documents.eliminate_zeros()
    if not (np.isfinite(documents.data) & (documents.data >= 0)).all():
        raise ValueError("corpus must have finite weights of at least 0.")
    return documents
