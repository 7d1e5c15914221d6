"""Exact non-negative least squares for many right-hand sides that share one small Gram matrix.

bDNMF with a soft membership is this problem, once for each term, and so are the weights of new
documents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...common.compiled import kernel
from .paper_arrays import Dense

LEAST_PIVOT = 1e-12  # keeps the face step solvable when two topics are the same


def nnls_rows(
    G: Dense,
    R: Dense,
    *,
    tol: float = 1e-12,
    max_sweeps: int = 1000,
) -> Dense:
    """For every row r of R (n x K): argmin_{x >= 0} x'G x - 2 r'x, with G (K x K) = A'A, r = A'b.

    A row is finished when a whole sweep moves no coordinate by more than `tol` times the row's
    largest entry, both measured in the problem scaled to a unit diagonal.
    """
    # With y = S x and S = diag(G)^1/2 the Gram matrix has a unit diagonal and `tol` has no unit.
    S = np.sqrt(np.diag(G))
    S[S == 0] = 1.0
    unit_G = np.ascontiguousarray(G / np.outer(S, S))
    scaled_R = np.ascontiguousarray(R / S)
    Y = np.zeros_like(scaled_R)
    _solve_rows(unit_G, scaled_R, Y, tol, max_sweeps)
    solution: Dense = Y / S
    return solution


@kernel
def _solve_rows(G: Dense, R: Dense, Y: Dense, tol: float, max_sweeps: int) -> None:
    """Fills Y, which comes as zeros: sweeps find the support, face steps solve on it."""
    K = R.shape[1]
    gradient, p, face = np.empty(K), np.empty(K), np.empty((K, K))
    support = np.empty(K, dtype=np.int64)
    for i in range(R.shape[0]):
        y, r = Y[i], R[i]
        largest = 0.0  # a loop, as numpy's max takes long to compile
        for k in range(K):
            largest = max(largest, r[k])
        if largest == 0:
            # y'G y >= 0, so nothing is gained by leaving zero.
            continue
        for _ in range(max_sweeps):
            _set_gradient(G, r, y, gradient)
            if _sweep(G, gradient, y) <= tol * largest:
                break
            # Every stop at the border takes one coordinate out, so this ends.
            while not _face_step(G, gradient, y, support, face, p):
                _set_gradient(G, r, y, gradient)


@kernel
def _set_gradient(G: Dense, r: Dense, y: Dense, gradient: Dense) -> None:
    """Sets gradient = G y - r, half of the objective's."""
    for k in range(y.size):
        gradient[k] = -r[k]
    for k in range(y.size):
        if y[k] > 0:
            for j in range(y.size):
                gradient[j] += y[k] * G[k, j]


@kernel
def _sweep(G: Dense, gradient: Dense, y: Dense) -> float:
    """One exact minimization along every coordinate; returns the longest move."""
    longest = 0.0
    for k in range(y.size):
        # y_k <- max(0, y_k - gradient_k), as G_kk = 1
        move = max(-gradient[k], -y[k])
        if move != 0.0:
            y[k] += move
            for j in range(y.size):
                gradient[j] += move * G[k, j]
            longest = max(longest, abs(move))
    return longest


@kernel
def _face_step(
    G: Dense, gradient: Dense, y: Dense, support: NDArray[np.int64], face: Dense, p: Dense
) -> bool:
    """Towards the minimizer among the y with the present support; whether y >= 0 let it get there.

    Coordinate sweeps alone crawl when topics resemble each other. The direction p solves
    (G + E) p = -gradient on the support, E >= 0 being what lifted pivots add to the diagonal, so
    the change t gradient'p + t^2/2 p'G p is negative for every t in (0, 1]. From the minimizer of
    one support to that of the next the objective falls, so no support comes twice. The last three
    arguments are room to work in.
    """
    size = _find_support(y, support)
    for i in range(size):
        p[i] = -gradient[support[i]]
        for j in range(i + 1):
            face[i, j] = G[support[i], support[j]]
    _solve_by_cholesky(face, p, size)
    # The longest t <= 1 with y + t p >= 0
    t, border = 1.0, -1
    for i in range(size):
        if y[support[i]] + t * p[i] < 0:
            t, border = -y[support[i]] / p[i], support[i]
    for i in range(size):
        y[support[i]] = max(0.0, y[support[i]] + t * p[i])
    if border >= 0:
        y[border] = 0.0
    return border < 0


@kernel
def _find_support(y: Dense, support: NDArray[np.int64]) -> int:
    """Lists the positive entries at the head of `support` and returns their number."""
    size = 0
    for k in range(y.size):
        if y[k] > 0:
            support[size] = k
            size += 1
    return size


@kernel
def _solve_by_cholesky(A: Dense, b: Dense, size: int) -> None:
    """A x = b with x in place of b, from the lower triangle of A[:size, :size], which is spent.

    By hand, because supports are tiny and numpy's solver doubles numba's time to compile.
    """
    for i in range(size):
        for j in range(i + 1):
            # L_ij = (A_ij - sum_{m<j} L_im L_jm) / L_jj
            rest = A[i, j]
            for m in range(j):
                rest -= A[i, m] * A[j, m]
            # Rounding may leave nothing of a pivot when two topics are the same.
            A[i, j] = np.sqrt(max(rest, LEAST_PIVOT)) if i == j else rest / A[j, j]
    for i in range(size):
        for m in range(i):
            b[i] -= A[i, m] * b[m]
        b[i] /= A[i, i]
    for i in range(size - 1, -1, -1):
        for m in range(i + 1, size):
            b[i] -= A[m, i] * b[m]
        b[i] /= A[i, i]
