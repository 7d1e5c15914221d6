"""Anchor words by successive non-negative projection (SNPA; Gillis, 2014), on TF-IDF."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.progress import Progress, ProgressCallback
from ..core import nnls_rows
from .anchors import fit_by_anchors
from .cooccurrence import RESOLUTION, Cooccurrence
from .fitted import Fitted

PENALTY = 1e6  # on a sum of weights other than 1, in units of the longest anchor


def fit_snpa(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """SNPA on the co-occurrence of words in TF-IDF; nothing is drawn.

    The objective is the largest squared distance that is left after every anchor.
    """
    return fit_by_anchors(snpa_anchors, counts, num_topics, seed, progress)


def snpa_anchors(
    words: Cooccurrence, num_topics: int, seed: np.random.SeedSequence, progress: ProgressCallback
) -> tuple[list[int], list[float]]:
    """Take the row farthest from the hull of 0 and the anchors so far, again and again."""
    lengths = words.squared_lengths()
    smallest = RESOLUTION * lengths.max(initial=0)
    distances = np.where(words.candidates, lengths, 0)
    anchors: list[int] = []
    left: list[float] = []
    rows: list[Dense] = []
    while len(anchors) < num_topics and distances.max() > smallest:
        anchor = int(distances.argmax())
        anchors.append(anchor)
        rows.append(words.row(anchor))
        selected = np.array(rows)
        gram, products = selected @ selected.T, words @ selected.T
        weights = hull_weights(gram, products)
        # |p - A'h|^2 = |p|^2 - 2 h'A p + h'A A'h
        fit = np.sum(weights * (weights @ gram - 2 * products), axis=1)
        distances = np.where(words.candidates, np.maximum(lengths + fit, 0), 0)
        distances[anchors] = 0
        left.append(float(distances.max()))
        progress(Progress("snpa", len(anchors), num_topics, left[-1]))
    return anchors, left


def hull_weights(gram: Dense, products: Dense) -> Dense:
    """For every row r of products (n x k): argmin h'G h - 2 r'h over h >= 0 with sum at most 1.

    Where the sum of the free optimum exceeds 1, it is held at 1 by a penalty.
    """
    weights = nnls_rows(gram, products)
    beyond = weights.sum(axis=1) > 1
    if beyond.any():
        heavy = PENALTY * gram.diagonal().max()
        weights[beyond] = nnls_rows(gram + heavy, products[beyond] + heavy)
    return weights
