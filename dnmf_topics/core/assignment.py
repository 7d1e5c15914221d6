"""Which topic does a document belong to? By the log-likelihood ratios of its terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.arrays import Dense
from ..common.compiled import kernel


@kernel
def _set_posteriors(
    indptr: Any, ids: Any, values: Any, idf: Any, term_weights: Any, further: Any, dead: Any,
    posteriors: Any, lengths: Any,
) -> None:  # fmt: skip
    num_topics = term_weights.shape[1]
    for i in range(lengths.size):
        scores = posteriors[i]
        square = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            weight = values[entry]
            lengths[i] += weight
            if idf.size:
                # (1 + log tf) idf, as in `tfidf`
                weight = max(1 + np.log(weight), 0.0) * idf[ids[entry]]
            square += weight * weight
            for k in range(num_topics):
                scores[k] += weight * term_weights[ids[entry], k]
        if square == 0:
            lengths[i] = 0.0
            square = 1.0
        largest = -np.inf
        for k in range(num_topics):
            scores[k] = -np.inf if dead[k] else scores[k] / np.sqrt(square) + further[i, k]
            largest = max(largest, scores[k])
        total = 0.0
        for k in range(num_topics):
            scores[k] = np.exp(scores[k] - largest)
            total += scores[k]
        for k in range(num_topics):
            scores[k] /= total


def topic_posteriors(
    indptr: Any, ids: Any, values: Dense, idf: Dense | None, term_weights: Dense,
    topic_sizes: Dense, further: Dense | None = None,
) -> tuple[Dense, Dense]:  # fmt: skip
    """Probabilities (n x K) that a document belongs to a topic; and their lengths (n) in words.

    Document i has the terms ids[indptr[i] : indptr[i + 1]], each once, with positive values: counts
    to be weighed by `idf`, or weights if that is None. `term_weights` (V x K) hold
    log p(w | topic) - log p(w): a document's score in a topic is its log-likelihood ratio, and the
    result the posterior of a topic for the document's weights at unit length, if the document is
    about one of them: how sure an assignment is. What else is known adds to the scores (`further`,
    n x K). Topics that no document ever had get nothing. A
    document whose terms all weigh nothing has length 0.
    """
    dead = topic_sizes == 0
    if dead[0] and dead.all():
        dead[:] = False
    posteriors = np.zeros((len(indptr) - 1, dead.size))
    lengths = np.zeros(len(indptr) - 1)
    # One type of index, so that the loop is compiled once.
    indptr, ids = np.asarray(indptr, np.int64), np.asarray(ids, np.int64)
    _set_posteriors(
        indptr, ids, values, np.zeros(0) if idf is None else idf, term_weights,
        np.zeros_like(posteriors) if further is None else further, dead, posteriors, lengths,
    )  # fmt: skip
    return posteriors, lengths
