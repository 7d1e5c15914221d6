"""The step that PLSI and its two graph-regularized forms share: EM on sparse counts.

The model is P(w | d) = sum_z P(w | z) P(z | d); the log-likelihood of the counts n(d, w) is
sum_dw n(d, w) log P(w | d), up to a constant.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.compiled import kernel
from ..common.parallel import map_blocks
from .counts import Ints

LEAST = 1e-300  # of a probability, where all topics have lost a term
NUM_BLOCKS = 8  # fixed, so that sums are formed in the same order on any number of threads


def em_step(
    counts: sparse.csr_array, term_topic: Dense, doc_topic: Dense
) -> tuple[Dense, Dense, float]:
    """Expected counts n(w, z) (V x K) and n(d, z) (N x K), and the present log-likelihood.

    `term_topic` (V x K) holds P(w | z), `doc_topic` (N x K) holds P(z | d).
    """
    doc_counts = np.zeros_like(doc_topic)

    def block(start: int, stop: int) -> tuple[Dense, float]:
        term_counts = np.zeros_like(term_topic)
        likelihood = _expect(
            counts.indptr[start : stop + 1], counts.indices, counts.data,
            term_topic, doc_topic[start:stop], term_counts, doc_counts[start:stop],
        )  # fmt: skip
        return term_counts, likelihood

    total, likelihood = np.zeros_like(term_topic), 0.0
    block_size = -(-counts.shape[0] // NUM_BLOCKS)
    for part, in_block in map_blocks(block, counts.shape[0], block_size=block_size, n_jobs=-1):
        total += part
        likelihood += in_block
    return total, doc_counts, likelihood


def log_likelihood(counts: sparse.csr_array, term_topic: Dense, doc_topic: Dense) -> float:
    """sum_dw n(d, w) log sum_z P(w | z) P(z | d)."""
    return float(_likelihood(counts.indptr, counts.indices, counts.data, term_topic, doc_topic))


def unit_columns(weights: Dense) -> Dense:
    """Columns scaled to sum 1; a column without weight stays empty."""
    sums = weights.sum(axis=0)
    scaled: Dense = weights / np.where(sums > 0, sums, 1)
    return scaled


def random_start(
    counts: sparse.csr_array, num_topics: int, rng: np.random.Generator
) -> tuple[Dense, Dense]:
    """P(w | z) and P(z | d) drawn uniformly, then normalized."""
    num_docs, num_terms = counts.shape
    doc_topic = rng.random((num_docs, num_topics))
    doc_topic /= doc_topic.sum(axis=1, keepdims=True)
    return unit_columns(rng.random((num_terms, num_topics))), doc_topic


@kernel
def _expect(
    indptr: Ints,
    indices: Ints,
    data: Dense,
    term_topic: Dense,
    doc_topic: Dense,
    term_counts: Dense,
    doc_counts: Dense,
) -> float:
    num_topics = term_topic.shape[1]
    joint = np.empty(num_topics)
    likelihood = 0.0
    for d in range(doc_topic.shape[0]):
        for e in range(indptr[d], indptr[d + 1]):
            w = indices[e]
            total = 0.0
            for z in range(num_topics):
                joint[z] = term_topic[w, z] * doc_topic[d, z]
                total += joint[z]
            total = max(total, LEAST)
            likelihood += data[e] * np.log(total)
            # n(d, w) P(z | d, w), with P(z | d, w) = P(w | z) P(z | d) / P(w | d)
            ratio = data[e] / total
            for z in range(num_topics):
                expected = ratio * joint[z]
                term_counts[w, z] += expected
                doc_counts[d, z] += expected
    return likelihood


@kernel
def _likelihood(
    indptr: Ints, indices: Ints, data: Dense, term_topic: Dense, doc_topic: Dense
) -> float:
    likelihood = 0.0
    for d in range(doc_topic.shape[0]):
        for e in range(indptr[d], indptr[d + 1]):
            total = 0.0
            for z in range(term_topic.shape[1]):
                total += term_topic[indices[e], z] * doc_topic[d, z]
            likelihood += data[e] * np.log(max(total, LEAST))
    return likelihood
