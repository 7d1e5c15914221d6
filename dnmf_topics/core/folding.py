"""Topic weights of unseen documents, with the topics fixed."""

from __future__ import annotations

import numpy as np

from .factorization.nnls import nnls_rows
from .factorization.paper_arrays import Dense, Sparse

BLOCK_SIZE = 8192


def fold_in(
    doc_term: Sparse, C: Dense, *, tol: float = 1e-12, block_size: int = BLOCK_SIZE
) -> Dense:
    """argmin_{w >= 0} ||d - C w||^2 for every row d of doc_term (n x V), C (V x K): (n x K).

    A document without a known term gets zero weights, and so does a topic without terms. The
    answer is exact and each document's own: it does not depend on `block_size`, which only bounds
    the memory beside the result.
    """
    rows = doc_term.tocsr()
    weights = np.zeros((rows.shape[0], C.shape[1]))
    CtC = C.T @ C
    for begin in range(0, rows.shape[0], block_size):
        block = rows[begin : begin + block_size]
        # One problem for each document: w'C'C w - 2 (d'C) w
        weights[begin : begin + block_size] = nnls_rows(CtC, block @ C, tol=tol)
    return weights
