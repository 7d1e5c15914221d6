"""The best non-negative rank-one approximation of a sparse non-negative block."""

from __future__ import annotations

import numpy as np

from .paper_arrays import Dense, Sparse

KRYLOV_STEPS = 16


def rank_one(B: Sparse, *, tol: float = 1e-12, max_restarts: int = 500) -> tuple[Dense, Dense]:
    """The c (V,) >= 0 of length 1 and w (n,) >= 0 that minimize ||B - c w'||_F, B (V x n) >= 0.

    By Eckart-Young and Perron-Frobenius this is the leading singular pair, w carrying the singular
    value. Restarted Lanczos steps on B'B seek it from the mean of the columns: deterministic, where
    ARPACK may draw random vectors, and fast, where the plain power iteration crawls if the second
    singular value is close. If the two are equal, either answer, or a mixture, is an optimum.
    """
    # w = B'(B 1), the cosines with the mean up to a factor; zero only if B is
    w: Dense = B.T @ (B @ np.ones(B.shape[1]))
    if not w.any():
        return np.zeros(B.shape[0]), np.zeros(B.shape[1])
    w /= np.linalg.norm(w)
    for _ in range(max_restarts):
        w, value, residual = _best_in_krylov_space(B, w)
        if residual <= tol * value:
            break
    c: Dense = B @ w
    c /= np.linalg.norm(c)
    # Given c, w = B'c is the exact minimizer.
    return c, B.T @ c


def _best_in_krylov_space(B: Sparse, w: Dense) -> tuple[Dense, float, float]:
    """The leading Ritz vector of A = B'B in span(w, A w, A^2 w, ...), its value and residual."""
    num_steps = min(KRYLOV_STEPS, w.size)
    Q = np.zeros((num_steps, w.size))
    AQ = np.zeros((num_steps, w.size))
    Q[0] = w
    size = 0
    while size < num_steps:
        AQ[size] = B.T @ (B @ Q[size])
        size += 1
        # Twice is enough for full orthogonality.
        rest = AQ[size - 1] - Q[:size].T @ (Q[:size] @ AQ[size - 1])
        rest -= Q[:size].T @ (Q[:size] @ rest)
        length = np.linalg.norm(rest)
        # Nothing left: the space is invariant and holds the answer.
        if size == num_steps or length <= 1e-13 * np.linalg.norm(AQ[size - 1]):
            break
        Q[size] = rest / length
    values, vectors = np.linalg.eigh(Q[:size] @ AQ[:size].T)
    value, y = float(values[-1]), vectors[:, -1]
    ritz, image = y @ Q[:size], y @ AQ[:size]
    residual = float(np.linalg.norm(image - value * ritz))
    # |w|'A|w| >= w'A w for A >= 0: dropping the signs never loses.
    return np.abs(ritz), value, residual
