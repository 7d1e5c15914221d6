"""What every solver returns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .arrays import Dense


@dataclass(frozen=True, eq=False)
class Factorization:
    """D ~ C W with C (V x K), W (K x N), both non-negative.

    `losses` holds the solver's own objective after every step, so it never rises. T (K x K) and the
    lambdas belong to cDNMF, T maps its topic weights to memberships: F ~ T W.
    """

    C: Dense
    W: Dense
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
