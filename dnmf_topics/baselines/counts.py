"""The documents as counts (N x V), whether they come as a matrix or as a gensim corpus."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.checks import check_doc_term, shortened
from ..common.documents import MatrixCorpus, read_matrix

LARGEST_COUNT = 1e9  # of a term in a document; the likelihoods of more overflow

Ints: TypeAlias = NDArray[np.signedinteger[Any]]
"""Row limits, ids and whole counts."""


def as_counts(doc_term: Any, id2word: Mapping[int, str] | None = None) -> sparse.csr_array:
    """A canonical copy (float64, csr) of a matrix or of a corpus of (term id, count) pairs.

    A corpus has as many terms as `id2word`, or one more than its largest id.
    """
    num_terms = None if id2word is None else max(id2word.keys(), default=-1) + 1
    if not (sparse.issparse(doc_term) or isinstance(doc_term, np.ndarray)):
        doc_term = _matrix(doc_term, num_terms)
    counts = check_doc_term(doc_term, "doc_term", num_terms)
    largest = counts.max() if counts.nnz else 1
    if not 1 / math.e < largest <= LARGEST_COUNT:  # below, tf-idf is 0
        raise ValueError(
            f"doc_term must hold counts up to {LARGEST_COUNT:g}, its largest is {largest:g}; give "
            "how often each term is in each document."
        )
    return counts


def _matrix(corpus: Any, num_terms: int | None) -> Any:
    """Rows of numbers as they are, documents of pairs as a matrix."""
    if isinstance(corpus, MatrixCorpus):
        return read_matrix(corpus, num_terms, unknown="refuse", name="doc_term")
    try:
        documents = [
            document if isinstance(document, (str, np.ndarray)) else list(document)
            for document in corpus
        ]
    except TypeError:
        raise TypeError(
            "doc_term must be a matrix of counts or a corpus of documents as lists of "
            f"(term id, count) pairs, got {shortened(corpus)}; id2word.doc2bow makes such lists of "
            "words."
        ) from None
    if documents and all(map(_is_row_of_numbers, documents)):
        return documents
    return read_matrix(documents, num_terms, unknown="refuse", name="doc_term")


def _is_row_of_numbers(document: Any) -> bool:
    return not isinstance(document, str) and len(document) > 0 and np.ndim(document[0]) == 0
