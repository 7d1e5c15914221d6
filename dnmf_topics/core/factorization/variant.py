"""What a variant of the factorization is, and what every solver returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...common.checks import LARGEST, check_real
from ...common.progress import ProgressCallback

if TYPE_CHECKING:
    from .paper_arrays import Dense, Sparse


@dataclass(frozen=True, eq=False)
class Factorization:
    """D ~ C W with C (V x K), W (K x N), both non-negative; W may be a `OneHot`.

    `losses` holds the solver's own objective after every step, so it never rises. T (K x K) and the
    lambdas belong to cDNMF, T maps its topic weights to memberships: F ~ T W.
    """

    C: Dense
    W: Any
    losses: tuple[float, ...]
    T: Dense | None = None
    lambda1: float | None = None
    lambda2: float | None = None

    @property
    def loss(self) -> float:
        """The objective at the end."""
        return self.losses[-1]

    @property
    def num_iterations(self) -> int:
        """How many steps were taken; closed forms take one, sDNMF's one for each cluster."""
        return len(self.losses)

    def on_document_scale(self, F: Dense) -> Factorization:
        """The same C W and T W with every row of W summing to what the row of F (K x N) sums to.

        A product fixes its factors up to a scale for each topic, and the solvers' own scales
        differ: cDNMF's second penalty asks for |C_k| of about sqrt(documents of k), which would
        make a weight of a small topic look larger than the same share of a big one. With W as
        large as F on average, C has the scale of documents in all variants (bDNMF's C, the
        cluster means, is already there). `losses` stay those of the solver's own scale.
        """
        totals = self.W.sum(axis=1)
        wanted = F.sum(axis=1)
        # A topic without weight or without documents has no scale to correct.
        usable = (totals > 0) & (wanted > 0)
        scale = np.divide(wanted, totals, out=np.ones_like(totals), where=usable)
        T = None if self.T is None else self.T / scale
        return replace(self, C=self.C / scale, W=self.W * scale[:, None], T=T)


class Iterations(NamedTuple):
    """How long a solver goes on, and whom it tells; closed forms take one step."""

    max_iterations: int
    tol: float
    progress: ProgressCallback


def check_number(value: Any, name: str) -> None:
    """A finite number from 0 on, with which the objective can be computed."""
    if check_real(value, name, 0) > LARGEST:
        raise ValueError(f"{name} must be at most {LARGEST:g}, got {value:g}.")


def check_number_or_auto(value: Any, name: str) -> None:
    """The same, or "auto"."""
    if isinstance(value, str) and value == "auto":
        return
    try:
        check_number(value, name)
    except (TypeError, ValueError) as error:
        raise type(error)(f'{error} Or give "auto".') from None


@dataclass(frozen=True)
class Option:
    """An option of a variant: its value where none is given, what it is, and what it may be.

    `check` is called with a value and the option's name, and raises where it cannot be used.

    Examples
    --------
    >>> from dnmf_topics.core import VARIANTS
    >>> VARIANTS["sdnmf"].options["overlap"].default
    1.0
    """

    default: Any
    meaning: str
    check: Callable[[Any, str], None]


@dataclass(frozen=True)
class Variant:
    """A way to find C and W, with all that the rest of the package has to know of it.

    Attributes
    ----------
    solve : callable
        From D (V x N, a `Columns`), F (K x N), `Iterations` and the options by name to a
        `Factorization`.
    weigh_documents : callable
        From documents that come later (n x V), the topics (K x V) and the documents' membership
        (n x K) to how much each document counts for each topic (n x K): what W would be.
    options : mapping of str to Option
        Its options by name.
    takes_labels : bool
        Whether `solve` can do with a `OneHot` in the place of a hard F. Others get the array.

    Examples
    --------
    >>> from dnmf_topics.core import VARIANTS
    >>> {name: list(variant.options) for name, variant in VARIANTS.items()}
    {'bdnmf': [], 'sdnmf': ['overlap'], 'cdnmf': ['lambda1', 'lambda2']}
    """

    solve: Callable[..., Factorization]
    weigh_documents: Callable[[Sparse, Dense, Dense], Dense]
    options: Mapping[str, Option] = field(default_factory=dict)
    takes_labels: bool = False

    @property
    def defaults(self) -> dict[str, Any]:
        """The options' values where none are given.

        Examples
        --------
        >>> from dnmf_topics.core import VARIANTS
        >>> VARIANTS["cdnmf"].defaults
        {'lambda1': 1.0, 'lambda2': 1.0}
        """
        return {name: option.default for name, option in self.options.items()}
