"""Basic DNMF: min_{C >= 0} ||D - C F||_F^2 with the membership F itself as topic weights."""

from __future__ import annotations

import numpy as np

from ...common.progress import Progress, ProgressCallback, silent
from .losses import reconstruction_loss
from .memberships import OneHot, is_hard
from .nnls import nnls_rows
from .paper_arrays import Columns, Dense, Sparse, as_columns
from .variant import Factorization


def solve_bdnmf(
    D: Columns | Sparse, F: OneHot | Dense, *, progress: ProgressCallback = silent
) -> Factorization:
    """The global optimum for D (V x N) and F (K x N); an empty cluster gets a zero topic."""
    D = as_columns(D)
    W: OneHot | Dense
    if isinstance(F, OneHot):
        W, DFt = F, D.cluster_sums(F.labels, F.num_topics)
        C = _means(DFt, F.sizes)
        # ||D - C F||^2 = ||D||^2 - 2 <C, D F'> + <C'C, F F'>
        loss = D.squared_norm() - 2 * np.vdot(C, DFt) + ((C**2).sum(axis=0) * F.sizes).sum()
        loss = max(float(loss), 0.0)
    else:
        W, C = F.copy(), solve_topics(D, F)
        loss = reconstruction_loss(D, C, F)
    progress(Progress("bdnmf", 1, 1, loss))
    return Factorization(C, W, (loss,))


def solve_topics(D: Columns | Sparse, F: Dense) -> Dense:
    """argmin_{C >= 0} ||D - C F||^2, (V x K)."""
    DFt: Dense = as_columns(D) @ F.T
    FFt = F @ F.T
    if not is_hard(F):
        # One non-negative least squares problem for each term: the rows of C do not interact.
        return nnls_rows(FFt, DFt)
    return _means(DFt, np.diag(FFt))


def _means(DFt: Dense, sizes: Dense) -> Dense:
    """C = D F' (F F')^-1 for F F' = diag(cluster sizes): the cluster means."""
    return np.divide(DFt, sizes, out=np.zeros_like(DFt), where=sizes > 0)
