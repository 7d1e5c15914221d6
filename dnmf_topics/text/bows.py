"""gensim's dictionary and its TF-IDF, for counts in matrices."""

from __future__ import annotations

import numpy as np
from gensim.corpora import Dictionary
from scipy import sparse

from ..common.arrays import Dense, IntArray

EPSILON = 1e-12  # gensim's TfidfModel leaves out weights up to this


def dictionary_of(words: list[str], matrix: sparse.csr_array) -> Dictionary:
    """A gensim dictionary of the columns' words, with the frequencies that the matrix has."""
    doc_frequency = np.bincount(matrix.indices, minlength=len(words))
    frequency = np.bincount(matrix.indices, weights=matrix.data, minlength=len(words))
    return make_dictionary(words, doc_frequency, frequency.astype(np.int64), matrix.shape[0])


def make_dictionary(
    words: list[str],
    doc_frequency: IntArray,
    frequency: IntArray,
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


def gensim_idf(dictionary: Dictionary) -> Dense:
    """log2(documents / doc frequency) of each word."""
    doc_frequency = np.array([dictionary.dfs[i] for i in range(len(dictionary))], np.float64)
    # A word of no document has no weight anywhere.
    idf: Dense = np.log2(dictionary.num_docs / np.maximum(doc_frequency, 1.0))
    idf[idf <= EPSILON] = 0.0
    return idf


def make_gensim_tfidf(counts: sparse.csr_array, idf: Dense) -> sparse.csr_array:
    """TF-IDF as gensim has it: rows of count x idf, of unit length."""
    weights = counts.astype(np.float64)
    weights.data *= idf[weights.indices]
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    lengths = np.sqrt(np.bincount(rows, weights.data**2, minlength=weights.shape[0]))
    with np.errstate(invalid="ignore"):  # 0 / 0 where a row has no weight
        weights.data /= lengths[rows]
    weights.data[~(weights.data > EPSILON)] = 0.0
    weights.eliminate_zeros()
    return weights
