"""k-means on TF-IDF by scikit-learn, the simplest thing that gives clusters and words."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng
from ..core import Tfidf, cluster_rows, one_hot
from .fitted import Fitted


def fit_kmeans(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """The best of ten starts; a topic is its cluster's mean, a document belongs to one topic."""
    doc_term = Tfidf.fit(counts).transform(counts)
    membership = one_hot(cluster_rows(doc_term, num_topics, child_rng(seed, 0)), num_topics)
    progress(Progress("kmeans", 1, 1))
    return Fitted(membership.T @ doc_term, membership)
