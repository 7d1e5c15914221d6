"""Probabilistic latent semantic indexing (Hofmann, 1999) by EM, on counts.

scikit-learn's NMF with the Kullback-Leibler loss finds the same model, but takes some four times
as long for a step on sparse counts, and the graph-regularized forms need the steps one by one.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng
from .em import em_step, random_start, unit_columns
from .fitted import Fitted

MAX_STEPS = 200
TOLERANCE = 1e-6  # relative gain of the log-likelihood that ends the fit


def fit_plsi(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """PLSI of counts (N x V, csr without empty rows); the objective is the log-likelihood."""
    term_topic, doc_topic = random_start(counts, num_topics, child_rng(seed, 0))
    lengths = counts.sum(axis=1)
    objective: list[float] = []
    for step in range(1, MAX_STEPS + 1):
        term_counts, doc_counts, likelihood = em_step(counts, term_topic, doc_topic)
        objective.append(likelihood)
        progress(Progress("plsi", step, MAX_STEPS, likelihood))
        if step > 1 and likelihood - objective[-2] <= TOLERANCE * abs(likelihood):
            break
        # P(w | z) = n(w, z) / sum_w n(w, z), P(z | d) = n(d, z) / n(d)
        term_topic, doc_topic = unit_columns(term_counts), doc_counts / lengths[:, None]
    return Fitted(term_topic.T, doc_topic, tuple(objective))
