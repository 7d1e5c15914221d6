"""Choosing cDNMF's lambda1 and lambda2 without labels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from ...common.progress import Progress, ProgressCallback, silent
from .cdnmf import solve_cdnmf
from .gram_norm import gram_norm
from .losses import reconstruction_loss
from .memberships import same_top_cluster
from .paper_arrays import Columns, Dense, Sparse, as_columns

CANDIDATES = (0.1, 0.3, 1.0)
DEFAULT_GRID = tuple(product(CANDIDATES, CANDIDATES))


def choose_lambdas(
    D: Columns | Sparse,
    F: Dense,
    grid: Sequence[tuple[float, float]] = DEFAULT_GRID,
    *,
    max_iterations: int = 200,
    tol: float = 1e-5,
    progress: ProgressCallback = silent,
) -> tuple[float, float]:
    """The pair (lambda1, lambda2) whose W agrees best with F, as in the paper.

    The membership serves as pseudo-labels: agreement is the share of documents whose largest topic
    weight is where their largest membership is. Ties go to the lower ||D - C W||^2, then to the
    first pair. The runs must be as long as the one they are to advise: W starts at F, so in short
    ones every pair agrees (Reuters, lambda1 = 0.3: all documents after 30 steps, .97 after 120).
    """
    if len(grid) == 1:
        return grid[0]
    D = as_columns(D)
    constant = gram_norm(D)
    scores: list[tuple[float, float]] = []
    for step, (lambda1, lambda2) in enumerate(grid, start=1):
        found = solve_cdnmf(
            D, F, lambda1, lambda2, max_iterations=max_iterations, tol=tol, gram_norm=constant
        ).on_document_scale(F)
        scores.append((-same_top_cluster(found.W, F), reconstruction_loss(D, found.C, found.W)))
        progress(Progress("lambdas", step, len(grid)))
    return grid[scores.index(min(scores))]
