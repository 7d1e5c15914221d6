"""What SPA, SNPA and XRAY share: from anchor words to topics to the documents' weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from ..common.progress import ProgressCallback
from ..core import Tfidf, fold_in
from .cooccurrence import Cooccurrence, topics_of_anchors
from .fitted import Fitted

Search = Callable[
    [Cooccurrence, int, np.random.SeedSequence, ProgressCallback], tuple[list[int], list[float]]
]
"""Anchor words, at most as many as asked for, and the objective after each."""


def fit_by_anchors(
    search: Search,
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """Topics from the anchors that `search` finds in TF-IDF; weights by least squares.

    Where words differ less than there are topics, the last topics stay empty.
    """
    doc_term = Tfidf.fit(counts).transform(counts)
    words = Cooccurrence(doc_term)
    anchors, objective = search(words, num_topics, seed, progress)
    topics = np.zeros((counts.shape[1], num_topics))
    if anchors:
        topics[:, : len(anchors)] = topics_of_anchors(words, anchors)
    # min_{w >= 0} |d - C w|^2 for every document d
    return Fitted(topics.T, fold_in(doc_term, topics), tuple(objective))
