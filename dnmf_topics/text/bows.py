"""Bags of words: gensim corpora, from a sparse matrix in memory or from texts read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from numpy.typing import NDArray
from scipy import sparse

Bow = list[tuple[int, Any]]
"""gensim's document: pairs of a word's id and its count (int) or weight (float)."""

EPSILON = 1e-12  # gensim's TfidfModel leaves out weights up to this


class MatrixCorpus:
    """The rows of a sparse matrix (documents x words) as a gensim corpus."""

    def __init__(
        self, matrix: sparse.csr_array, id2word: Dictionary, tokenization: dict[str, Any] | None
    ) -> None:
        self.matrix = matrix
        self.id2word = id2word
        self.tokenization = tokenization

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __iter__(self) -> Iterator[Bow]:
        ids, values = self.matrix.indices, self.matrix.data
        for start, stop in pairwise(self.matrix.indptr.tolist()):
            yield list(zip(ids[start:stop].tolist(), values[start:stop].tolist(), strict=True))

    def __getitem__(self, rows: Any) -> Any:
        """A bag of words for a whole number; a corpus for a slice, or an array of rows."""
        if isinstance(rows, (int, np.integer)):
            # As range does: numbers from the end, and an IndexError that ends old-style loops.
            row = range(len(self))[rows]
            return next(iter(self[row : row + 1]))
        return MatrixCorpus(self.matrix[rows], self.id2word, self.tokenization)


class StreamedCorpus:
    """A gensim corpus that makes its bags of words anew in each iteration."""

    def __init__(
        self,
        read: Callable[[], Iterator[Bow]],
        num_docs: int,
        id2word: Dictionary,
        tokenization: dict[str, Any] | None,
    ) -> None:
        self._read = read
        self._num_docs = num_docs
        self.id2word = id2word
        self.tokenization = tokenization

    def __len__(self) -> int:
        return self._num_docs

    def __iter__(self) -> Iterator[Bow]:
        return self._read()


def matrix_of(corpus: MatrixCorpus | StreamedCorpus) -> sparse.csr_array:
    """The counts of a corpus (documents x words)."""
    if isinstance(corpus, MatrixCorpus):
        return corpus.matrix
    ids, counts, starts = [], [], [0]
    for bow in corpus:
        ids.append(np.array([word for word, _ in bow], np.int32))
        counts.append(np.array([count for _, count in bow], np.int64))
        starts.append(starts[-1] + len(bow))
    shape = (len(corpus), len(corpus.id2word))
    return sparse.csr_array((np.concatenate(counts), np.concatenate(ids), starts), shape=shape)


def dictionary_of(words: list[str], matrix: sparse.csr_array) -> Dictionary:
    """A gensim dictionary of the columns' words, with the frequencies that the matrix has."""
    doc_frequency = np.bincount(matrix.indices, minlength=len(words))
    frequency = np.bincount(matrix.indices, weights=matrix.data, minlength=len(words))
    return make_dictionary(words, doc_frequency, frequency.astype(np.int64), matrix.shape[0])


def make_dictionary(
    words: list[str],
    doc_frequency: NDArray[np.integer[Any]],
    frequency: NDArray[np.integer[Any]],
    num_docs: int,
) -> Dictionary:
    """A gensim dictionary, the word of id 0 first; the totals are those of its words."""
    dictionary = Dictionary()
    dictionary.token2id = {word: i for i, word in enumerate(words)}
    dictionary.id2token = dict(enumerate(words))
    dictionary.dfs = dict(enumerate(doc_frequency.tolist()))
    dictionary.cfs = dict(enumerate(frequency.tolist()))
    dictionary.num_docs = int(num_docs)
    dictionary.num_pos = int(frequency.sum())
    dictionary.num_nnz = int(doc_frequency.sum())
    return dictionary


def weigh(counts: sparse.csr_array, dictionary: Dictionary) -> sparse.csr_array:
    """TF-IDF as gensim has it: rows of count x log2(documents / doc frequency), unit length."""
    doc_frequency = np.array([dictionary.dfs[i] for i in range(len(dictionary))], np.float64)
    # A word of no document has no weight anywhere.
    idf = np.log2(dictionary.num_docs / np.maximum(doc_frequency, 1.0))
    idf[idf <= EPSILON] = 0.0
    weights = counts.astype(np.float64)
    weights.data *= idf[weights.indices]
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    lengths = np.sqrt(np.bincount(rows, weights.data**2, minlength=weights.shape[0]))
    with np.errstate(invalid="ignore"):  # 0 / 0 where a row has no weight
        weights.data /= lengths[rows]
    weights.data[~(weights.data > EPSILON)] = 0.0
    weights.eliminate_zeros()
    return weights
