"""Locally-consistent topic modeling (Cai, Wang and He, 2009), on counts and a graph of documents.

PLSI whose P(z | d) should differ little, in Kullback-Leibler divergence, between near documents:
maximize sum_dw n(d, w) log P(w | d) - lambda/2 sum_ij W_ij (D(P_i || P_j) + D(P_j || P_i)).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import laplacian

from ..common.arrays import Dense
from ..common.progress import Progress, ProgressCallback, silent
from .em import em_step, unit_columns
from .fitted import Fitted
from .graph_fit import fit_on_graph

WEIGHT = 300.0  # lambda, for counts; with 1000 large groups of documents melt into one topic
TOLERANCE = 1e-6  # relative gain of the objective that ends the fit
SOLVED = 1e-6  # relative residual of the smoothed memberships
MAX_PRODUCTS = 1000
LEAST = 1e-200  # of a probability in a logarithm


def fit_ltm(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """LTM of counts (N x V); the objective is the penalized likelihood."""
    return fit_on_graph("ltm", ltm_steps, counts, num_topics, seed, progress)


def ltm_steps(
    counts: sparse.csr_array,
    graph: sparse.csr_array,
    term_topic: Dense,
    doc_topic: Dense,
    *,
    weight: float = WEIGHT,
    max_steps: int,
    progress: ProgressCallback = silent,
) -> tuple[Dense, Dense, list[float]]:
    """Steps from given P(w | z) (V x K) and P(z | d) (N x K), and the objective from there on.

    The M-step is the paper's, which takes log x as x - 1; a step that lowers the objective is not
    taken and ends the fit.
    """
    graph_laplacian = sparse.csr_array(laplacian(graph))
    # Omega + lambda L, with Omega the documents' lengths
    smoother = sparse.csr_array(sparse.diags_array(counts.sum(axis=1)) + weight * graph_laplacian)

    def value(likelihood: float, memberships: Dense) -> float:
        # lambda/2 sum_ij W_ij (D(P_i || P_j) + D(P_j || P_i)) = lambda sum_z P_z' L log P_z
        images = graph_laplacian @ np.log(memberships + LEAST)
        return likelihood - weight * float(np.sum(memberships * images))

    term_counts, doc_counts, likelihood = em_step(counts, term_topic, doc_topic)
    reached = value(likelihood, doc_topic)
    objective = [reached]
    for step in range(1, max_steps + 1):
        new_terms = unit_columns(term_counts)
        # (Omega + lambda L) P_z = n(d, z)
        new_docs = np.maximum(solve_all(smoother, doc_counts, doc_topic), 0)
        new_docs /= new_docs.sum(axis=1, keepdims=True)
        term_counts, doc_counts, likelihood = em_step(counts, new_terms, new_docs)
        before, reached = reached, value(likelihood, new_docs)
        if reached < before:
            break
        term_topic, doc_topic = new_terms, new_docs
        objective.append(reached)
        progress(Progress("ltm", step, max_steps, reached))
        if reached - before <= TOLERANCE * abs(reached):
            break
    return term_topic, doc_topic, objective


def solve_all(matrix: sparse.csr_array, targets: Dense, start: Dense) -> Dense:
    """Solution of matrix X = targets (N x K), by conjugate gradients on all columns at once.

    Factorizing the matrix fills it: near documents of near documents are many.
    """
    scale = 1 / matrix.diagonal()[:, None]
    solution = start.copy()
    residual = targets - matrix @ solution
    direction = scale * residual
    fit = np.sum(residual * direction, axis=0)
    wanted = SOLVED * np.linalg.norm(targets, axis=0)
    for _ in range(MAX_PRODUCTS):
        if np.all(np.linalg.norm(residual, axis=0) <= wanted):
            break
        image = matrix @ direction
        length = fit / np.maximum(np.sum(direction * image, axis=0), np.finfo(float).tiny)
        solution += length * direction
        residual -= length * image
        scaled = scale * residual
        new_fit = np.sum(residual * scaled, axis=0)
        direction = scaled + new_fit / np.maximum(fit, np.finfo(float).tiny) * direction
        fit = new_fit
    return solution
