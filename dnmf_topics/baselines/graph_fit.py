"""How PLSI's two graph-regularized forms are fitted: the graph, some starts, the best one on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng
from ..core import Tfidf
from .em import random_start
from .fitted import Fitted
from .neighbors import neighbor_graph

NUM_NEIGHBORS = 7
NUM_STARTS, START_STEPS = 5, 20  # the best of the short runs goes on
MAX_STEPS = 100


def fit_on_graph(
    name: str,
    steps: Callable[..., tuple[Dense, Dense, list[float]]],
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """Fit counts (N x V, csr without empty rows) by a function of counts, graph and a start.

    The graph joins each document with its 7 nearest by the cosine of TF-IDF.
    """
    graph = neighbor_graph(Tfidf.fit(counts).transform(counts), NUM_NEIGHBORS)
    runs = []
    for start in range(NUM_STARTS):
        first = random_start(counts, num_topics, child_rng(seed, start))
        runs.append(steps(counts, graph, *first, max_steps=START_STEPS))
        progress(Progress(f"{name} starts", start + 1, NUM_STARTS, runs[-1][2][-1]))
    term_topic, doc_topic, objective = max(runs, key=lambda run: run[2][-1])
    term_topic, doc_topic, further = steps(
        counts, graph, term_topic, doc_topic, max_steps=MAX_STEPS - START_STEPS, progress=progress
    )
    return Fitted(term_topic.T, doc_topic, (*objective, *further[1:]))
