"""The objectives, by thin products only: nothing of size V x N, V x V or N x N is formed."""

from __future__ import annotations

import numpy as np

from .paper_arrays import Columns, Dense, Sparse, as_columns


def reconstruction_loss(
    D: Columns | Sparse, C: Dense, W: Dense, *, DtC: Dense | None = None
) -> float:
    """||D - C W||_F^2 for D (V x N), C (V x K), W (K x N); give D'C (N x K) where it is at hand."""
    D = as_columns(D)
    if DtC is None:
        DtC = D.T @ C
    # ||D - C W||^2 = ||D||^2 - 2 <D'C, W'> + <C'C, W W'>
    loss = D.squared_norm() - 2 * np.vdot(DtC, W.T) + np.vdot(C.T @ C, W @ W.T)
    # A perfect fit may come out as -1e-16.
    return max(float(loss), 0.0)


def constrained_loss(
    D: Columns | Sparse,
    F: Dense,
    C: Dense,
    W: Dense,
    T: Dense,
    lambda1: float,
    lambda2: float,
    *,
    gram_norm: float,
    DtC: Dense | None = None,
) -> float:
    """cDNMF: ||D - C W||^2 + lambda1 ||F - T W||^2 + lambda2 ||C C' - D D'||^2.

    `gram_norm` is the constant ||D D'||_F^2 of `gram_norm.gram_norm`; F is (K x N), T (K x K).
    """
    D = as_columns(D)
    if DtC is None:
        DtC = D.T @ C
    misfit = F - T @ W
    # ||C C' - D D'||^2 = ||C'C||^2 - 2 ||D'C||^2 + ||D D'||^2
    CtC = C.T @ C
    gram_misfit = np.vdot(CtC, CtC) - 2 * np.vdot(DtC, DtC) + gram_norm
    loss = reconstruction_loss(D, C, W, DtC=DtC) + lambda1 * np.vdot(misfit, misfit)
    return float(loss + lambda2 * gram_misfit)
