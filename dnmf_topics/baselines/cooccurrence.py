"""Word co-occurrence P = X'X (V x V) with rows of sum 1, never formed.

X (N x V) are weighted documents. A word's row says with which words it shares documents: if a word
occurs in one topic only (an anchor word), its row is the topic's, and the rows of all other words
are mixtures of the anchors' (Arora et al., 2013, section 4).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..core import nnls_rows

# An anchor must occur in 10 documents, or in 2 percent of fewer than 500.
MIN_DOCS, MIN_SHARE = 10, 0.02
RESOLUTION = 1e-12  # of squared lengths: what is left below it of the largest is rounding
BLOCK_SIZE = 512  # rows of P that exist at a time, sparse


class Cooccurrence:
    """The row-normalized P of weighted documents (N x V, csr), as products."""

    def __init__(self, doc_term: sparse.csr_array) -> None:
        self.doc_term = doc_term
        self.term_doc = doc_term.T.tocsr()
        # sum_u P_vu = x_v' X 1; a word without weight has an empty row
        self.sums: Dense = self.term_doc @ doc_term.sum(axis=1)
        self.scale = 1 / np.where(self.sums > 0, self.sums, 1)
        # The row of a rare word is that of its few documents: long, and of no topic.
        least = min(MIN_DOCS, doc_term.shape[0] * MIN_SHARE)
        self.candidates = np.diff(self.term_doc.indptr) >= least

    def __matmul__(self, columns: Dense) -> Dense:
        """P columns, for columns (V x k)."""
        product: Dense = self.scale[:, None] * (self.term_doc @ (self.doc_term @ columns))
        return product

    def row(self, word: int) -> Dense:
        """One row of P (V)."""
        docs = self.term_doc[[word]].toarray().ravel()
        row: Dense = self.scale[word] * (self.term_doc @ docs)
        return row

    def squared_lengths(self) -> Dense:
        """The squared length of every row (V), exactly."""
        lengths = np.empty(self.term_doc.shape[0])
        for start in range(0, lengths.size, BLOCK_SIZE):
            block = self.term_doc[start : start + BLOCK_SIZE] @ self.doc_term
            lengths[start : start + BLOCK_SIZE] = block.multiply(block).sum(axis=1)
        return lengths * self.scale**2


def topics_of_anchors(words: Cooccurrence, anchors: list[int]) -> Dense:
    """P(word | topic) (V x K) from the anchor of every topic.

    Each row of P is fitted by the anchors' rows: p_v ~ sum_k P(topic k | word v) p_anchor_k, with
    non-negative weights (their sum is 1 up to the misfit, as all rows have that sum). By Bayes
    P(v | k) is proportional to P(k | v) P(v) (Arora et al., 2013, algorithm 3, RecoverL2).
    """
    rows = np.array([words.row(anchor) for anchor in anchors])
    weights = nnls_rows(rows @ rows.T, words @ rows.T)
    sums = weights.sum(axis=1, keepdims=True)
    weights /= np.where(sums > 0, sums, 1)
    topics: Dense = weights * words.sums[:, None]
    topics /= np.maximum(topics.sum(axis=0), np.finfo(float).tiny)
    return topics
