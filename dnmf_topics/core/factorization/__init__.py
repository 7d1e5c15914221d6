"""The three DNMF factorizations of D (V x N, columns = documents) around a membership F (K x N)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from ...common.checks import check_real
from ...common.progress import ProgressCallback, silent
from .arrays import Dense, Sparse, as_columns
from .bdnmf import solve_bdnmf
from .cdnmf import solve_cdnmf
from .lambdas import CANDIDATES, choose_lambdas
from .losses import constrained_loss, reconstruction_loss
from .result import Factorization
from .sdnmf import solve_sdnmf

__all__ = [
    "VARIANTS",
    "Factorization",
    "Settings",
    "choose_lambdas",
    "constrained_loss",
    "factorize",
    "reconstruction_loss",
]

Lambda: TypeAlias = float | Literal["auto"]


@dataclass(frozen=True)
class Settings:
    """What a variant may read; each row of the table takes what concerns it."""

    overlap: float = 0.0
    lambda1: Lambda = 1.0
    lambda2: Lambda = 1.0
    max_iterations: int = 200
    tol: float = 1e-5


Solver: TypeAlias = Callable[[Sparse, Dense, Settings, ProgressCallback], Factorization]


def _bdnmf(D: Sparse, F: Dense, _: Settings, progress: ProgressCallback) -> Factorization:
    return solve_bdnmf(D, F, progress=progress)


def _sdnmf(D: Sparse, F: Dense, settings: Settings, progress: ProgressCallback) -> Factorization:
    return solve_sdnmf(
        D,
        F,
        overlap=settings.overlap,
        max_iterations=settings.max_iterations,
        tol=settings.tol,
        progress=progress,
    )


def _cdnmf(D: Sparse, F: Dense, settings: Settings, progress: ProgressCallback) -> Factorization:
    grid = list(product(_candidates(settings.lambda1), _candidates(settings.lambda2)))
    lambda1, lambda2 = choose_lambdas(
        D, F, grid, max_iterations=settings.max_iterations, tol=settings.tol, progress=progress
    )
    return solve_cdnmf(
        D,
        F,
        lambda1,
        lambda2,
        max_iterations=settings.max_iterations,
        tol=settings.tol,
        progress=progress,
    )


def _candidates(value: Lambda) -> tuple[float, ...]:
    return CANDIDATES if value == "auto" else (float(value),)


VARIANTS: dict[str, Solver] = {"bdnmf": _bdnmf, "sdnmf": _sdnmf, "cdnmf": _cdnmf}
"""The factorizations that `variant` names."""


def check_variant(variant: Any, overlap: float, lambda1: Lambda, lambda2: Lambda) -> None:
    """Raise at the door what `factorize` could not use."""
    if not isinstance(variant, str) or variant not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise ValueError(f"variant must be one of {known}; got {variant!r}.")
    check_real(overlap, "overlap", 0)
    for name, value in (("lambda1", lambda1), ("lambda2", lambda2)):
        if value != "auto":
            check_real(value, name, 0)


def factorize(
    D: Sparse,
    F: Dense,
    variant: str,
    *,
    overlap: float = 0.0,
    lambda1: Lambda = 1.0,
    lambda2: Lambda = 1.0,
    max_iterations: int = 200,
    tol: float = 1e-5,
    progress: ProgressCallback = silent,
) -> Factorization:
    """D ~ C W, C (V x K) and W (K x N), by one of `VARIANTS`.

    Rows of W sum to what the rows of F sum to, so C has the scale of documents in every variant;
    an empty cluster has a zero topic and zero weights. Iterations end after `max_iterations`, or
    when one lowers the loss by no more than `tol` of it. `overlap` opens sDNMF's clusters to
    their neighbours. lambda1 and lambda2 weigh cDNMF's penalties; "auto" tries several by agreement
    with F, each at the price of a factorization.
    """
    check_variant(variant, overlap, lambda1, lambda2)
    settings = Settings(overlap, lambda1, lambda2, max_iterations, tol)
    return VARIANTS[variant](as_columns(D), F, settings, progress).on_document_scale(F)
