"""The documents as counts (N x V), whether they come as a matrix or as a gensim corpus."""

from __future__ import annotations

from typing import Any

import numpy as np
from gensim.matutils import corpus2csc
from scipy import sparse

from ..core.checks import check_doc_term


def as_counts(doc_term: Any, id2word: Any = None) -> sparse.csr_array:
    """A canonical copy (float64, csr) of a matrix or of a corpus of (term id, count) pairs.

    A corpus has as many terms as `id2word`, or one more than its largest id.
    """
    num_terms = None if id2word is None else max(id2word.keys(), default=-1) + 1
    if sparse.issparse(doc_term) or isinstance(doc_term, np.ndarray):
        return check_doc_term(doc_term, "doc_term", num_terms)
    try:
        given = list(doc_term)
        documents = [list(document) for document in given]
    except TypeError:
        raise _not_documents(doc_term) from None
    if any(isinstance(document, str) for document in given):
        raise _not_documents(doc_term)
    if documents and all(map(_is_row_of_numbers, documents)):
        return check_doc_term(documents, "doc_term", num_terms)
    return _matrix(documents, num_terms)


def _is_row_of_numbers(document: list[Any]) -> bool:
    return bool(document) and all(np.ndim(entry) == 0 for entry in document)


def _matrix(documents: list[Any], num_terms: int | None) -> sparse.csr_array:
    try:
        ids = [int(term) for document in documents for term, _ in document]
    except (TypeError, ValueError):
        raise _not_documents(documents) from None
    if num_terms is None:
        num_terms = max(ids, default=-1) + 1
    for wrong in (term for term in ids if not 0 <= term < num_terms):
        raise ValueError(
            f"doc_term must have term ids from 0 to {num_terms - 1}, got {wrong}; build it and "
            "id2word from the same texts."
        )
    columns = corpus2csc(documents, num_terms, num_docs=len(documents)) if num_terms else None
    shape = (len(documents), num_terms)
    return check_doc_term(sparse.csr_array(shape) if columns is None else columns.T, "doc_term")


def _not_documents(value: Any) -> TypeError:
    text = " ".join(repr(value).split())
    return TypeError(
        "doc_term must be a matrix of counts or a corpus of documents as lists of "
        f"(term id, count) pairs, got {text if len(text) <= 60 else text[:57] + '...'}; "
        "id2word.doc2bow makes such lists of words."
    )
