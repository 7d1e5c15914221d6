"""The documents and words that the adapters are given, in every form that gensim's users have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from gensim.corpora import Dictionary
from scipy import sparse

from ..common.documents import AnyCorpus, read_matrix

WordsById: TypeAlias = Mapping[int, str] | Dictionary
"""The words of the term ids."""


def doc_term_matrix(corpus: AnyCorpus, num_terms: int) -> sparse.csr_array:
    """The weights (N x V) of a gensim corpus or of a matrix with a column for each document.

    An id that the model does not have is left out.
    """
    if isinstance(corpus, np.ndarray):
        corpus = sparse.csc_array(corpus)
    return read_matrix(corpus, num_terms, unknown="drop")
