"""Anchor words by conical hull search (XRAY; Kumar, Sindhwani and Kambadur, 2013), on TF-IDF."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.progress import Progress, ProgressCallback
from ..core import nnls_rows
from .anchors import fit_by_anchors
from .cooccurrence import RESOLUTION, Cooccurrence
from .fitted import Fitted


def fit_xray(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """XRAY on the co-occurrence of words in TF-IDF; exact, nothing is drawn.

    The objective is the residual's squared size after every anchor.
    """
    return fit_by_anchors(xray_anchors, counts, num_topics, seed, progress)


def xray_anchors(
    words: Cooccurrence, num_topics: int, seed: np.random.SeedSequence, progress: ProgressCallback
) -> tuple[list[int], list[float]]:
    """Look from the cone of the anchors to the row farthest outside, take the row most that way.

    Of the paper's ways to choose the row outside this is "max". The greedy one, which looks from
    all rows at once, may take rows inside the cone even where anchors are perfect.
    """
    lengths = words.squared_lengths()
    smallest = RESOLUTION * lengths.max(initial=0)
    distances = np.where(words.candidates, lengths, 0)
    anchors: list[int] = []
    left: list[float] = []
    rows: list[Dense] = []
    weights: Dense = np.zeros((lengths.size, 0))
    while len(anchors) < num_topics and distances.max() > smallest:
        outside = int(distances.argmax())
        residual = words.row(outside)
        for weight, row in zip(weights[outside], rows, strict=True):
            residual = residual - weight * row
        # argmax_j R_i'p_j / 1'p_j (algorithm 1, step 2); rows have sum 1
        scores = (words @ residual[:, None]).ravel()
        scores[~words.candidates] = -np.inf
        scores[anchors] = -np.inf
        anchor = int(scores.argmax())
        anchors.append(anchor)
        rows.append(words.row(anchor))
        selected = np.array(rows)
        gram, products = selected @ selected.T, words @ selected.T
        weights = nnls_rows(gram, products)
        # |p - A'h|^2 = |p|^2 - 2 h'A p + h'A A'h
        fit = np.sum(weights * (weights @ gram - 2 * products), axis=1)
        all_distances = np.maximum(lengths + fit, 0)
        distances = np.where(words.candidates, all_distances, 0)
        distances[anchors] = 0
        left.append(float(all_distances.sum()))
        progress(Progress("xray", len(anchors), num_topics, left[-1]))
    return anchors, left
