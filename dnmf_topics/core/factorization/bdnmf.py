"""Basic DNMF: min_{C >= 0} ||D - C F||_F^2 with the membership F itself as topic weights."""

from __future__ import annotations

import numpy as np

from ...common.progress import Progress, ProgressCallback, silent
from .losses import reconstruction_loss
from .memberships import is_hard
from .nnls import nnls_rows
from .paper_arrays import Dense, Sparse
from .variant import Factorization


def solve_bdnmf(D: Sparse, F: Dense, *, progress: ProgressCallback = silent) -> Factorization:
    """The global optimum for D (V x N) and F (K x N); an empty cluster gets a zero topic."""
    C = solve_topics(D, F)
    loss = reconstruction_loss(D, C, F)
    progress(Progress("bdnmf", 1, 1, loss))
    return Factorization(C, F.copy(), (loss,))


def solve_topics(D: Sparse, F: Dense) -> Dense:
    """argmin_{C >= 0} ||D - C F||^2, (V x K)."""
    DFt: Dense = D @ F.T
    FFt = F @ F.T
    if not is_hard(F):
        # One non-negative least squares problem for each term: the rows of C do not interact.
        return nnls_rows(FFt, DFt)
    # C = D F' (F F')^-1, and F F' = diag(cluster sizes): the cluster means
    sizes = np.diag(FFt)
    return np.divide(DFt, sizes, out=np.zeros_like(DFt), where=sizes > 0)
