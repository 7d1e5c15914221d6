"""Laplacian PLSI (Cai, Mei, Han and Zhai, 2008), on counts and a graph of documents.

PLSI whose P(z | d) should be close for near documents: maximize
sum_dw n(d, w) log P(w | d) - lambda/2 sum_ij W_ij sum_z (P(z | d_i) - P(z | d_j))^2.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import laplacian

from ..common.arrays import Dense
from ..common.compiled import kernel
from ..common.progress import Progress, ProgressCallback, silent
from .counts import Ints
from .em import em_step, log_likelihood, unit_columns
from .fitted import Fitted
from .graph_fit import fit_on_graph

WEIGHT = 1000.0  # lambda, for counts
MOVE = 0.1  # gamma, how far one sweep moves a document to its neighbors' mean
MAX_SWEEPS = 128
TOLERANCE = 1e-6  # relative gain of the objective that ends the fit


def fit_lapplsi(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """LapPLSI of counts (N x V); the objective is the penalized likelihood."""
    return fit_on_graph("lapplsi", lapplsi_steps, counts, num_topics, seed, progress)


def lapplsi_steps(
    counts: sparse.csr_array,
    graph: sparse.csr_array,
    term_topic: Dense,
    doc_topic: Dense,
    *,
    weight: float = WEIGHT,
    max_steps: int,
    progress: ProgressCallback = silent,
) -> tuple[Dense, Dense, list[float]]:
    """Generalized EM from P(w | z) (V x K) and P(z | d) (N x K), and the objective from there on.

    A step that does not raise the objective is taken back; then fewer sweeps follow the next one.
    """
    graph_laplacian = sparse.csr_array(laplacian(graph))
    lengths = counts.sum(axis=1)[:, None]

    def value(likelihood: float, memberships: Dense) -> float:
        # lambda/2 sum_ij W_ij |P_i - P_j|^2 = lambda sum_z P_z' L P_z
        return likelihood - weight * float(np.sum(memberships * (graph_laplacian @ memberships)))

    term_counts, doc_counts, likelihood = em_step(counts, term_topic, doc_topic)
    best, sweeps = value(likelihood, doc_topic), MAX_SWEEPS
    objective = [best]
    while len(objective) <= max_steps and sweeps >= 1:
        new_terms, new_docs = unit_columns(term_counts), doc_counts / lengths
        new_docs = smooth(graph, new_docs, sweeps)
        reached = value(log_likelihood(counts, new_terms, new_docs), new_docs)
        if reached <= best:
            sweeps //= 2
            continue
        gain, best = reached - best, reached
        term_topic, doc_topic = new_terms, new_docs
        objective.append(best)
        progress(Progress("lapplsi", len(objective) - 1, max_steps, best))
        if gain <= TOLERANCE * abs(best):
            break
        term_counts, doc_counts, _ = em_step(counts, term_topic, doc_topic)
    return term_topic, doc_topic, objective


def smooth(graph: sparse.csr_array, doc_topic: Dense, sweeps: int) -> Dense:
    """P(z | d) (N x K) after sweeps of P_i <- (1 - gamma) P_i + gamma sum_j W_ij P_j / sum_j W_ij.

    A document without neighbors stays as it is.
    """
    old, new = doc_topic.copy(), np.empty_like(doc_topic)
    for _ in range(sweeps):
        _sweep(graph.indptr, graph.indices, graph.data, old, new)
        old, new = new, old
    return old


@kernel
def _sweep(indptr: Ints, indices: Ints, data: Dense, old: Dense, new: Dense) -> None:
    num_topics = old.shape[1]
    for i in range(old.shape[0]):
        degree = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            degree += data[e]
        kept = 1 - MOVE if degree > 0 else 1.0
        for z in range(num_topics):
            new[i, z] = kept * old[i, z]
        for e in range(indptr[i], indptr[i + 1]):
            share = MOVE * data[e] / degree
            for z in range(num_topics):
                new[i, z] += share * old[indices[e], z]
