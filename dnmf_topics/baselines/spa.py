"""Anchor words by successive projection (SPA; Gillis and Vavasis, 2014), on TF-IDF."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.progress import Progress, ProgressCallback
from .anchors import fit_by_anchors
from .cooccurrence import RESOLUTION, Cooccurrence
from .fitted import Fitted


def fit_spa(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """SPA on the co-occurrence of words in TF-IDF; exact, nothing is drawn.

    The objective is the largest squared length that is left after every anchor.
    """
    return fit_by_anchors(spa_anchors, counts, num_topics, seed, progress)


def spa_anchors(
    words: Cooccurrence, num_topics: int, seed: np.random.SeedSequence, progress: ProgressCallback
) -> tuple[list[int], list[float]]:
    """Take the longest row, project all rows on what is orthogonal to it, again and again."""
    lengths = np.where(words.candidates, words.squared_lengths(), 0)
    smallest = RESOLUTION * lengths.max(initial=0)
    anchors: list[int] = []
    left: list[float] = []
    basis: list[Dense] = []
    while len(anchors) < num_topics and lengths.max() > smallest:
        anchor = int(lengths.argmax())
        direction = words.row(anchor)
        for _ in range(2):  # twice is enough to stay orthogonal
            for known in basis:
                direction = direction - (known @ direction) * known
        direction /= np.linalg.norm(direction)
        # |p - u u'p|^2 = |p|^2 - (u'p)^2
        lengths = np.maximum(lengths - (words @ direction[:, None]).ravel() ** 2, 0)
        lengths[anchor] = 0
        anchors.append(anchor)
        basis.append(direction)
        left.append(float(lengths.max()))
        progress(Progress("spa", len(anchors), num_topics, left[-1]))
    return anchors, left
