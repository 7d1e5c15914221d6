"""The graph of nearest documents that LapPLSI and LTM smooth their topics over."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.compiled import kernel
from ..common.parallel import map_blocks
from .counts import Ints

BLOCK_SIZE = 256


def neighbor_graph(doc_term: sparse.csr_array, num_neighbors: int) -> sparse.csr_array:
    """Symmetric weights (N x N, sparse) of 1 between documents of which one is near to the other.

    Near are the `num_neighbors` documents with the largest positive cosine, of equals the first.
    `doc_term` (N x V, csr) has rows of unit length. One row of cosines exists at a time.
    """
    num_docs = doc_term.shape[0]
    by_term = doc_term.tocsc()

    def block(start: int, stop: int) -> Ints:
        near = np.full((stop - start, num_neighbors), -1, np.int32)
        _nearest(
            start, doc_term.indptr, doc_term.indices, doc_term.data,
            by_term.indptr, by_term.indices, by_term.data, near,
        )  # fmt: skip
        return near

    blocks = map_blocks(block, num_docs, block_size=BLOCK_SIZE, n_jobs=-1)
    near = np.concatenate(list(blocks))
    docs = np.repeat(np.arange(num_docs, dtype=np.int32), num_neighbors)
    found = near.ravel() >= 0
    one_way = sparse.csr_array(
        (np.ones(found.sum()), (docs[found], near.ravel()[found])), shape=(num_docs, num_docs)
    )
    return sparse.csr_array(one_way.maximum(one_way.T))


@kernel
def _nearest(
    start: int,
    indptr: Ints,
    indices: Ints,
    data: Dense,
    term_start: Ints,
    term_doc: Ints,
    term_weight: Dense,
    near: Ints,
) -> None:
    num_docs = indptr.size - 1
    cosines = np.empty(num_docs)
    best = np.empty(near.shape[1])
    for row in range(near.shape[0]):
        cosines[:] = 0.0
        best[:] = 0.0
        doc = start + row
        for e in range(indptr[doc], indptr[doc + 1]):
            term = indices[e]
            for p in range(term_start[term], term_start[term + 1]):
                cosines[term_doc[p]] += data[e] * term_weight[p]
        cosines[doc] = 0.0
        for other in range(num_docs):
            if cosines[other] > best[-1]:
                # Into the sorted list of the best, behind its equals
                place = best.size - 1
                while place > 0 and best[place - 1] < cosines[other]:
                    best[place] = best[place - 1]
                    near[row, place] = near[row, place - 1]
                    place -= 1
                best[place] = cosines[other]
                near[row, place] = other
