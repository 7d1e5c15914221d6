"""The constant ||D D'||_F^2 = ||D' D||_F^2 of cDNMF's objective, one Gram row at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...common.compiled import kernel
from .paper_arrays import Columns, Dense, Sparse, as_columns

Index = NDArray[np.int32]


def gram_norm(D: Columns | Sparse) -> float:
    """||D D'||_F^2 of D (V x N), exactly; all of D is in memory for it.

    Both Gram matrices have the same norm. A row of D D' costs the lengths of the documents a term
    occurs in, a row of D' D the frequencies of the terms a document holds: take the cheaper side.
    """
    # Each conversion sorts the indices, on which the kernel relies.
    by_term = as_columns(D).matrix().tocsr()
    by_document = by_term.tocsc()
    lengths = np.diff(by_document.indptr).astype(np.float64)
    frequencies = np.diff(by_term.indptr).astype(np.float64)
    cheaper_by_term = lengths @ lengths <= frequencies @ frequencies
    A, At = (by_term, by_document) if cheaper_by_term else (by_document, by_term)
    return float(
        _sum_of_squared_products(A.indptr, A.indices, A.data, At.indptr, At.indices, At.data)
    )


@kernel
def _sum_of_squared_products(
    row_start: Index,
    row_index: Index,
    row_value: Dense,
    column_start: Index,
    column_index: Index,
    column_value: Dense,
) -> float:
    """sum_ij (A A')_ij^2 of A, given by its rows and by its columns."""
    num_rows = row_start.size - 1
    products = np.zeros(num_rows)
    # Where each column's entries of row >= i begin: A A' is symmetric, its upper half is enough.
    first = column_start[:-1].copy()
    total = 0.0
    for i in range(num_rows):
        # products = A A'[i, i:], collected column by column of A
        for p in range(row_start[i], row_start[i + 1]):
            column = row_index[p]
            for q in range(first[column], column_start[column + 1]):
                products[column_index[q]] += row_value[p] * column_value[q]
        total -= products[i] ** 2
        # The same walk reads and clears, so a row costs its entries and not num_rows.
        for p in range(row_start[i], row_start[i + 1]):
            column = row_index[p]
            for q in range(first[column], column_start[column + 1]):
                total += 2 * products[column_index[q]] ** 2
                products[column_index[q]] = 0.0
            first[column] += 1
    return total
