"""Non-negative matrix factorization of TF-IDF by gensim and by scikit-learn."""

from __future__ import annotations

import numpy as np
from gensim.models import Nmf
from scipy import sparse
from sklearn.decomposition import NMF

from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng
from ..core import Tfidf, fold_in
from .fitted import Fitted

NUM_PASSES = 5


def fit_gensim_nmf(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """Five passes of gensim's Nmf (Zhao and Tan, 2017); weights by least squares on its topics."""
    doc_term = Tfidf.fit(counts).transform(counts)
    if doc_term.nnz == 0:
        return nothing_found(counts, num_topics)
    words = {term: str(term) for term in range(counts.shape[1])}
    model = Nmf(
        sparse.csc_matrix(doc_term.T), num_topics, words, passes=NUM_PASSES,
        random_state=int(child_rng(seed, 0).integers(2**31)), eval_every=None,
    )  # fmt: skip
    progress(Progress("gensim-nmf", NUM_PASSES, NUM_PASSES))
    topics = np.maximum(np.asarray(model.get_topics(normalize=False), np.float64), 0)
    return Fitted(topics, fold_in(doc_term, topics.T))


def fit_sklearn_nmf(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """scikit-learn's NMF with its defaults: coordinate descent on |D - C W|^2."""
    doc_term = Tfidf.fit(counts).transform(counts)
    if doc_term.nnz == 0:
        return nothing_found(counts, num_topics)
    model = NMF(num_topics, random_state=int(child_rng(seed, 0).integers(2**31)))
    weights = model.fit_transform(doc_term)
    progress(Progress("sklearn-nmf", 1, 1, float(model.reconstruction_err_)))
    return Fitted(np.asarray(model.components_, np.float64), np.asarray(weights, np.float64))


def nothing_found(counts: sparse.csr_array, num_topics: int) -> Fitted:
    """Empty topics: all documents have the same terms, so that TF-IDF weighs none."""
    return Fitted(np.zeros((num_topics, counts.shape[1])), np.zeros((counts.shape[0], num_topics)))
