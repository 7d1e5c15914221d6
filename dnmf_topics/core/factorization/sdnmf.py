"""Structured DNMF: min_{C, T >= 0} ||D - C (F . T)||_F^2, the weights W = F . T masked by F."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...common.progress import Progress, ProgressCallback, silent
from .bdnmf import solve_topics
from .losses import reconstruction_loss
from .memberships import is_hard, open_borders
from .paper_arrays import Columns, Dense, Sparse, as_columns
from .rank_one import rank_one
from .variant import Factorization

NUM_SWEEPS = 3  # over a factor before it is the other one's turn


def solve_sdnmf(
    D: Columns | Sparse,
    F: Dense,
    *,
    overlap: float = 0.0,
    max_iterations: int = 200,
    tol: float = 1e-5,
    progress: ProgressCallback = silent,
) -> Factorization:
    """C (V x K) and W (K x N), zero wherever F (K x N) is, for D (V x N).

    Only the zeros of F count, as T can make any positive number of any other. With a hard F the
    result is the global optimum; with a soft F a stationary point, reached from F. Note that an F
    without zeros leaves plain NMF, started from F.

    With `overlap`, a hard F is opened at the borders of its clusters first, see `open_borders`, and
    the topics of neighboring clusters need no longer hold the words that these have in common.
    """
    columns = as_columns(D)
    if not is_hard(F):
        return _alternate(columns, F, solve_topics(columns, F), F, max_iterations, tol, progress)
    if overlap == 0:
        return _one_pair_for_each_cluster(columns, F, progress)
    alone = _one_pair_for_each_cluster(columns, F, silent)
    wider = open_borders(F, columns.unit_products(alone.C), overlap)
    return _alternate(columns, wider, alone.C, alone.W, max_iterations, tol, progress)


def best_own_weights(doc_term: Sparse, topic_term: Dense, membership: Dense) -> Dense:
    """W = F . T of documents (n x V) under given topics (K x V): in its own, what fits best."""
    squares = (topic_term**2).sum(axis=1)
    weights: Dense = membership * (doc_term @ topic_term.T) / np.where(squares > 0, squares, 1)
    return weights


def _one_pair_for_each_cluster(
    columns: Columns, F: Dense, progress: ProgressCallback
) -> Factorization:
    """Disjoint supports: cluster k's documents are approximated by C_k W_k alone."""
    C, W = np.zeros((columns.shape[0], F.shape[0])), np.zeros(F.shape)
    loss, losses = columns.squared_norm(), []
    for k, row in enumerate(F):
        members = np.flatnonzero(row)
        C[:, k], weights = rank_one(columns.take(members))
        W[k, members] = weights
        # ||B - c w'||^2 = ||B||^2 - sigma^2, and sigma = |w|
        loss -= float(weights @ weights)
        losses.append(max(loss, 0.0))
        progress(Progress("sdnmf", k + 1, F.shape[0], losses[-1]))
    return Factorization(C, W, tuple(losses))


def _alternate(
    columns: Columns,
    F: Dense,
    C: Dense,
    W: Dense,
    max_iterations: int,
    tol: float,
    progress: ProgressCallback,
) -> Factorization:
    """Least squares in W and in C by turns, until the loss falls by no more than tol."""
    loss = reconstruction_loss(columns, C, W)
    losses: list[float] = []
    for step in range(1, max_iterations + 1):
        # W: min ||D - C W||^2 with W = 0 where F = 0
        W = _descend(C.T @ C, (columns.T @ C).T, W * (F > 0), F > 0)
        # Rows of W at unit length: the weights of a topic that fades would have no bound.
        sizes = np.linalg.norm(W, axis=1)
        sizes[sizes == 0] = 1.0
        W, C = W / sizes[:, None], C * sizes
        # C: min ||D - C W||^2
        C = _descend(W @ W.T, (columns @ W.T).T, C.T).T
        previous, loss = loss, reconstruction_loss(columns, C, W)
        losses.append(loss)
        progress(Progress("sdnmf", step, max_iterations, loss))
        if previous - loss <= tol * loss:
            break
    return Factorization(np.ascontiguousarray(C), W, tuple(losses))


def _descend(G: Dense, R: Dense, X: Dense, allowed: NDArray[np.bool_] | None = None) -> Dense:
    """Sweeps over the rows of X (K x n), each set to the best there is for the others as they are.

    The objective is tr(X'G X - 2 R'X) over X >= 0, and X = 0 where it is not allowed. It falls with
    every row, and where none moves X is optimal.
    """
    X, R = X.copy(), np.ascontiguousarray(R)
    for _ in range(NUM_SWEEPS):
        for k, size in enumerate(np.diag(G)):
            X[k] = np.maximum(X[k] + (R[k] - G[k] @ X) / size, 0) if size > 0 else 0
            if allowed is not None:
                X[k] *= allowed[k]
    return X
