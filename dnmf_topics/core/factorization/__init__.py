"""The DNMF factorizations of D (V x N, columns = documents) around a membership F (K x N).

The table is read for help too, so that solvers are loaded when they are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ...common.progress import ProgressCallback, silent
from .variant import Factorization, Iterations, Option, Variant, check_number, check_number_or_auto

if TYPE_CHECKING:
    from .memberships import OneHot
    from .paper_arrays import Columns, Dense, Sparse

__all__ = [
    "VARIANTS",
    "Factorization",
    "Iterations",
    "Option",
    "Variant",
    "check_variant",
    "factorize",
]


def _bdnmf(D: Columns, F: OneHot | Dense, iterations: Iterations) -> Factorization:
    from .bdnmf import solve_bdnmf

    return solve_bdnmf(D, F, progress=iterations.progress)


def _sdnmf(D: Columns, F: Dense, iterations: Iterations, overlap: float) -> Factorization:
    from .sdnmf import solve_sdnmf

    return solve_sdnmf(D, F, overlap=overlap, **iterations._asdict())


def _cdnmf(
    D: Columns, F: Dense, iterations: Iterations, lambda1: Any, lambda2: Any
) -> Factorization:
    from .cdnmf import solve_cdnmf
    from .lambdas import CANDIDATES, choose_lambdas

    grid = list(
        product(*(CANDIDATES if value == "auto" else (value,) for value in (lambda1, lambda2)))
    )
    chosen = choose_lambdas(D, F, grid, **iterations._asdict())
    return solve_cdnmf(D, F, *chosen, **iterations._asdict())


def _best_own_weights(doc_term: Sparse, topic_term: Dense, membership: Dense) -> Dense:
    from .sdnmf import best_own_weights

    return best_own_weights(doc_term, topic_term, membership)


def _folded_in(doc_term: Sparse, topic_term: Dense, membership: Dense) -> Dense:
    from ..folding import fold_in

    return fold_in(doc_term, topic_term.T)


VARIANTS: dict[str, Variant] = {
    "bdnmf": Variant(
        _bdnmf,
        weigh_documents=lambda doc_term, topic_term, membership: membership,
        takes_labels=True,
    ),
    "sdnmf": Variant(
        _sdnmf,
        weigh_documents=_best_own_weights,
        options={
            "overlap": Option(
                1.0,
                "how many documents of other clusters count for a topic, in parts of its own",
                check_number,
            )
        },
    ),
    "cdnmf": Variant(
        _cdnmf,
        weigh_documents=_folded_in,
        options={
            "lambda1": Option(1.0, 'weight of the penalty on W, or "auto"', check_number_or_auto),
            "lambda2": Option(1.0, 'weight of the penalty on C, or "auto"', check_number_or_auto),
        },
    ),
}
"""The factorizations that `variant` names."""


def check_variant(variant: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a variant, its own where none is given; raises what it could not use."""
    if not isinstance(variant, str) or variant not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise ValueError(f"variant must be one of {known}; got {variant!r}.")
    row = VARIANTS[variant]
    for name, value in options.items():
        if not any(name in each.options for each in VARIANTS.values()):
            raise TypeError(f"got an unexpected argument {name!r}; no variant has such an option.")
        if name not in row.options:
            known = ", ".join(row.options) or "none"
            raise TypeError(f"{name} is no option of {variant}; its options are: {known}.")
        row.options[name].check(value, name)
    return {**row.defaults, **options}


def factorize(
    D: Columns | Sparse,
    F: OneHot | Dense,
    variant: str,
    *,
    max_iterations: int = 200,
    tol: float = 1e-5,
    progress: ProgressCallback = silent,
    **options: Any,
) -> Factorization:
    """D ~ C W, C (V x K) and W (K x N), by one of `VARIANTS` with options of its own.

    Rows of W sum to what the rows of F sum to, so C has the scale of documents in every variant;
    an empty cluster has a zero topic and zero weights. W may be the
    `OneHot` that F is. Iterations end after `max_iterations`, or when one lowers the loss by no
    more than `tol` of it.
    """
    from .memberships import OneHot
    from .paper_arrays import as_columns

    complete = check_variant(variant, options)
    iterations = Iterations(max_iterations, tol, progress)
    row = VARIANTS[variant]
    membership = F if row.takes_labels else np.asarray(F)
    found = row.solve(as_columns(D), membership, iterations, **complete)
    return found if isinstance(found.W, OneHot) else found.on_document_scale(np.asarray(F))
