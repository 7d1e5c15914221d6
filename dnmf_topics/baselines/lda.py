"""Latent Dirichlet allocation (Blei, Ng and Jordan, 2003) by gensim's LdaModel, on counts."""

from __future__ import annotations

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from scipy import sparse

from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng
from .fitted import Fitted

NUM_PASSES = 10


def fit_lda(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """Ten passes of online variational Bayes; weights are the posterior's, without an objective."""
    corpus = list(Sparse2Corpus(counts, documents_columns=False))
    words = {term: str(term) for term in range(counts.shape[1])}
    model = LdaModel(
        corpus, num_topics, words, passes=NUM_PASSES,
        random_state=int(child_rng(seed, 0).integers(2**31)), eval_every=None,
    )  # fmt: skip
    progress(Progress("lda", NUM_PASSES, NUM_PASSES))
    weights, _ = model.inference(corpus)
    return Fitted(np.asarray(model.get_topics(), np.float64), np.asarray(weights, np.float64))
