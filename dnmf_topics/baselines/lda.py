"""Latent Dirichlet allocation (Blei, Ng and Jordan, 2003) by gensim's LdaModel, on counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from scipy import sparse

from ..common.arrays import Dense
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
    return Fitted(
        np.asarray(model.get_topics(), np.float64),
        np.asarray(weights, np.float64),
        infer=LdaShares(model),
    )


@dataclass(frozen=True, eq=False)
class LdaShares:
    """The model's own inference."""

    model: LdaModel

    def __call__(self, counts: sparse.csr_array) -> Dense:
        """The means of the topic shares (n x K) in the variational posterior of the documents."""
        # gensim draws where it starts from: the same documents are to get the same shares.
        self.model.random_state = np.random.RandomState(0)
        corpus = list(Sparse2Corpus(counts, documents_columns=False))
        weights = np.asarray(self.model.inference(corpus)[0], np.float64)
        shares: Dense = weights / weights.sum(axis=1, keepdims=True)
        return shares
