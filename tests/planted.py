"""Corpora with a known answer, and one matrix in all the forms that users bring."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from dnmf_topics.core import Tfidf

TERMS_PER_TOPIC = 12


def planted_counts(sizes, *, seed=0, length=25, noise=0.2, num_common=10):
    """Counts (csr) and classes: documents of about `length` words, all but `noise` their topic's.

    Topic k owns the terms 12 k .. 12 k + 11; the last `num_common` terms are everybody's.
    """
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    own = np.kron(np.eye(len(sizes)), np.ones(TERMS_PER_TOPIC))[classes]
    common = np.ones((classes.size, num_common))
    rate = np.hstack(
        [length * (1 - noise) / TERMS_PER_TOPIC * own, length * noise / num_common * common]
    )
    return sparse.csr_array(rng.poisson(rate)), classes


def planted_families(num_docs=12, seed=0):
    """Counts and topics: four classes of documents, two and two of which share words.

    Classes 0 and 2 are of one family, 1 and 3 of the other.
    """
    rng = np.random.default_rng(seed)
    classes = np.repeat([0, 1, 2, 3], num_docs)
    rates = np.zeros((4, 60))
    for own in range(4):
        rates[own, 8 * own : 8 * own + 8] = 1.0  # its own words
        rates[own, 32 + 8 * (own % 2) : 40 + 8 * (own % 2)] = 1.0  # its family's
        rates[own, 48:] = 0.3  # everybody's
    return sparse.csr_array(rng.poisson(rates[classes])), classes


def planted_docs(sizes, **options):
    """The same as TF-IDF."""
    counts, classes = planted_counts(sizes, **options)
    return Tfidf.fit(counts).transform(counts), classes


def _from_parts(rows, columns, values, shape):
    """A csr array with the entries as they come: no sorting, no summing up."""
    order = np.argsort(rows, kind="stable")
    indptr = np.searchsorted(rows[order], np.arange(shape[0] + 1))
    matrix = sparse.csr_array(shape, dtype=values.dtype)
    matrix.indptr, matrix.indices = indptr.astype(np.int32), columns[order].astype(np.int32)
    matrix.data = values[order]
    matrix.has_canonical_format = matrix.has_sorted_indices = False
    return matrix


def _unsorted(dense):
    rows, columns = np.nonzero(dense)
    return _from_parts(rows[::-1], columns[::-1], dense[rows, columns][::-1], dense.shape)


def _duplicates(dense):
    """Every entry v as 1 and v - 1, so some explicit zeros too."""
    rows, columns = np.nonzero(dense)
    values = dense[rows, columns]
    twice = np.concatenate([np.ones_like(values), values - 1])
    return _from_parts(np.tile(rows, 2), np.tile(columns, 2), twice, dense.shape)


def _explicit_zeros(dense):
    rows, columns = np.indices(dense.shape)
    return _from_parts(rows.ravel(), columns.ravel(), dense.ravel(), dense.shape)


def _wide_indices(dense):
    matrix = sparse.csr_array(dense)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def _read_only(dense):
    matrix = sparse.csr_array(dense)
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    return matrix


# A dense array of whole numbers -> the same numbers in another form.
FORMS = {
    "int": lambda dense: dense,
    "uint8": lambda dense: dense.astype(np.uint8),
    "float32": lambda dense: dense.astype(np.float32),
    "float64": lambda dense: dense.astype(np.float64),
    "fortran": np.asfortranarray,
    "strided": lambda dense: np.repeat(dense, 2, axis=1)[:, ::2],
    "list": lambda dense: dense.tolist(),
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "csr float32": lambda dense: sparse.csr_matrix(dense, dtype=np.float32),
    "csr float64": lambda dense: sparse.csr_array(dense, dtype=np.float64),
    "csc_array": sparse.csc_array,
    "csc_matrix": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "coo_matrix": sparse.coo_matrix,
    "lil_matrix": sparse.lil_matrix,
    "dok_array": sparse.dok_array,
    "int64 indices": _wide_indices,
    "read-only": _read_only,
    "unsorted": _unsorted,
    "duplicates": _duplicates,
    "explicit zeros": _explicit_zeros,
}


def raw_arrays(matrix):
    """Copies of the arrays that a matrix, sparse or dense, or a list is made of."""
    names = ("data", "indices", "indptr", "row", "col")
    if sparse.issparse(matrix) and matrix.format not in ("lil", "dok"):
        return [np.array(getattr(matrix, name)) for name in names if hasattr(matrix, name)]
    return [matrix.toarray() if sparse.issparse(matrix) else np.array(matrix)]


# Whatever is no (documents x terms) matrix of finite, non-negative numbers: value, error, message.
BAD_MATRICES = {
    "NaN": ([[1.0, np.nan]], ValueError, "be finite"),
    "infinite": ([[1.0, np.inf]], ValueError, "be finite"),
    "infinite, sparse": (sparse.csc_array([[1.0, -np.inf]]), ValueError, "be finite"),
    "negative": ([[1, -2]], ValueError, "not be negative, got -2"),
    "negative, sparse": (sparse.coo_matrix([[1, -2]]), ValueError, "not be negative, got -2"),
    "tiny": ([[1.0, 1e-300]], ValueError, "1e-50 to 1e.50, got 1e-300"),
    "tiny, sparse": (sparse.csr_array([[1.0, 5e-324]]), ValueError, "1e-50 to 1e.50, got 4.9"),
    "huge": ([[1e154, 1.0]], ValueError, r"1e-50 to 1e\+50, got 1e\+154; multiply"),
    "huge, sparse": (sparse.lil_array([[1.0, 1e51]]), ValueError, r"got 1e\+51"),
    "one axis": ([1.0, 2.0], ValueError, r"got shape \(2,\)"),
    "three axes": (np.ones((2, 2, 2)), ValueError, r"got shape \(2, 2, 2\)"),
    "a number": (3.0, ValueError, r"got shape \(\)"),
    "no documents": (np.ones((0, 3)), ValueError, r"got shape \(0, 3\)"),
    "no terms": (sparse.csr_array((3, 0)), ValueError, r"got shape \(3, 0\)"),
    "ragged": ([[1, 2], [3]], (TypeError, ValueError), ""),
    "complex": ([[1j, 2]], TypeError, "got dtype complex128"),
    "complex, sparse": (sparse.csr_array([[1j, 2]]), TypeError, "got dtype complex128"),
    "object": (np.array([[1, 2]], dtype=object), TypeError, "got dtype object"),
    "text": ([["a", "b"]], TypeError, "got dtype <U1"),
    "None": (None, TypeError, "got dtype object"),
}
if sparse.coo_array([1.0, 2.0]).ndim == 1:  # older scipy makes a row of it
    BAD_MATRICES["one axis, sparse"] = (
        sparse.coo_array([1.0, 2.0]),
        ValueError,
        r"got shape \(2,\)",
    )
