"""TF-IDF as the paper's corpora use it: (1 + log tf) * log(N / df), rows of unit length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense
from ..common.blocks import Blocks, DerivedBlocks
from ..common.checks import LARGEST, SparseInput, check_doc_term, shortened
from ..common.engines import Engine, Outcome


@dataclass(frozen=True, eq=False)
class Tfidf:
    """Term weights learnt from a corpus, kept so that new documents get the same ones.

    A term that occurs in every document of the corpus, or in none, weighs nothing, and neither does
    one whose `idf` (V) is below 0. A document whose terms all weigh nothing becomes an empty row.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[2, 1, 0], [0, 1, 3]])
    >>> Tfidf.fit(counts).transform(counts).toarray()
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """

    idf: Dense

    def __post_init__(self) -> None:
        idf = np.asarray(self.idf)
        if idf.ndim != 1 or idf.dtype.kind not in "biuf":
            raise TypeError(f"idf must have one number for each term, got {shortened(self.idf)}.")
        # Written so that NaN fails too.
        if not (np.abs(idf) <= LARGEST).all():
            wrong = idf[~(np.abs(idf) <= LARGEST)][0]
            raise ValueError(f"idf must be finite and at most {LARGEST:g}, got {wrong:g}.")
        object.__setattr__(self, "idf", idf.astype(np.float64, copy=False))

    @classmethod
    def fit(cls, counts: SparseInput) -> Tfidf:
        """Learn log(N / df) from term counts (N x V)."""
        counts = check_doc_term(counts, "counts")
        num_docs, num_terms = counts.shape
        return cls(idf_of(np.bincount(counts.indices, minlength=num_terms), num_docs))

    def transform(self, counts: SparseInput) -> sparse.csr_array:
        """Weights (N x V) of documents in the vocabulary of `fit`."""
        counts = check_doc_term(counts, "counts", num_terms=self.idf.size)
        # (1 + log tf) idf; fractional counts below 1/e would come out negative
        weights = np.maximum(1 + np.log(counts.data), 0) * np.maximum(self.idf, 0)[counts.indices]
        weighted = sparse.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        weighted.eliminate_zeros()
        return unit_rows(weighted)


def weigh_blocks(
    counts: Blocks, engine: Engine, other_docs: int = 0, other_frequency: Any = 0
) -> Blocks:
    """Documents by the weights learnt from them, made whenever they are asked for.

    The counts (N x V) have neither zeros nor duplicates. There may be other documents that count
    for the weights, of which so many have each term.
    """
    frequency = count_documents(counts, engine) + other_frequency
    tfidf = Tfidf(idf_of(frequency, float(counts.shape[0] + other_docs)))
    return DerivedBlocks(counts, tfidf.transform)


def count_documents(counts: Blocks, engine: Engine) -> NDArray[np.int64]:
    """Number of documents with each term (V)."""
    return engine.over(counts, _count_in_block).summand  # type: ignore[no-any-return]


def _count_in_block(counts: sparse.csr_array) -> Outcome:
    return Outcome(None, np.bincount(counts.indices, minlength=counts.shape[1]))


def idf_of(doc_frequency: NDArray[Any], num_docs: float) -> Dense:
    """log(N / df) of every term (V); 0 where no document has it."""
    # Sums that were stretched may have a df above N, by rounding.
    idf = np.log(num_docs / np.where(doc_frequency > 0, doc_frequency, num_docs))
    return np.maximum(idf, 0.0)


def unit_rows(doc_term: sparse.csr_array) -> sparse.csr_array:
    """Rows scaled to length 1; empty rows stay empty."""
    scaled = doc_term.copy()
    if not doc_term.nnz:  # of no rows or no columns there is no maximum
        return scaled
    entries = np.diff(doc_term.indptr)
    # By the largest weight first: squares of very large or small ones leave the range of floats.
    largest = doc_term.max(axis=1).toarray().ravel()
    scaled.data /= np.repeat(largest, entries)
    lengths = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    scaled.data /= np.repeat(lengths, entries)
    return scaled
