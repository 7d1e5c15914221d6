"""Deep Poisson factor modeling (Henao, Gan, Lu and Carin, 2015), two layers, by Gibbs sampling.

Layer 1 (K topics):        x_n ~ Poisson(Psi (theta_n * h_n)), the counts of document n
Layer 2 (ceil(K/2) units): h_n = 1(z_n >= 1), z_n ~ Poisson(Psi2 (theta2_n * h2_n))
Columns of Psi and Psi2 are Dirichlet, theta_kn ~ Gamma(r_k, b / (1 - b)) with b = 1/2, the units
h2_kn ~ Bernoulli(pi_k). So h_n says which topics a document has, and layer 2 which go together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense
from ..common.compiled import kernel
from ..common.progress import Progress, ProgressCallback
from ..common.seeds import child_rng
from .counts import Ints
from .fitted import Fitted

NUM_SWEEPS = 200
NUM_KEPT = 50  # of the last sweeps, whose mean is the answer
TERM_PRIOR, TOPIC_PRIOR = 0.05, 1.0  # of the Dirichlet columns of Psi and Psi2
LOG_HALF = np.log(0.5)  # log(1 - b)
LEAST = 1e-12


def fit_dpfa(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """Means over the last 50 of 200 sweeps: the topics Psi, and theta * h of layer 1.

    Fractional counts are rounded up. Sampling has no objective that falls.
    """
    whole = np.ceil(counts.data).astype(np.int64)
    rng = child_rng(seed, 0)
    state = _start(counts.shape, num_topics, rng)
    topics = np.zeros((counts.shape[1], num_topics))
    weights = np.zeros((counts.shape[0], num_topics))
    for sweep in range(1, NUM_SWEEPS + 1):
        _sweep(state, counts.indptr, counts.indices, whole, rng)
        if sweep > NUM_SWEEPS - NUM_KEPT:
            topics += state.lower.factors
            weights += state.lower.scores * state.lower.present
        progress(Progress("dpfa", sweep, NUM_SWEEPS))
    return Fitted(topics.T / NUM_KEPT, weights / NUM_KEPT)


@dataclass
class _Layer:
    """Psi (rows x k), theta and h (N x k), r (k)."""

    factors: Dense
    scores: Dense
    present: Dense
    shapes: Dense


@dataclass
class _State:
    lower: _Layer
    upper: _Layer
    chances: Dense  # pi (k2)


def _start(shape: tuple[int, int], num_topics: int, rng: np.random.Generator) -> _State:
    num_docs, num_terms = shape
    num_units = -(-num_topics // 2)

    def layer(num_rows: int, size: int) -> _Layer:
        factors = rng.dirichlet(np.ones(num_rows), size).T
        scores = rng.gamma(1.0, 1.0, (num_docs, size))
        return _Layer(np.ascontiguousarray(factors), scores, np.ones_like(scores), np.ones(size))

    return _State(
        layer(num_terms, num_topics), layer(num_topics, num_units), np.full(num_units, 0.5)
    )


def _sweep(
    state: _State, indptr: Ints, indices: Ints, whole: Ints, rng: np.random.Generator
) -> None:
    """One draw of everything, each given all the rest."""
    lower, upper = state.lower, state.upper
    # Layer 1: which topic each word of each document is from
    rates = lower.scores * lower.present
    by_term, by_doc = shared_counts(indptr, indices, whole, lower.factors, rates, rng)
    lower.factors = dirichlet_columns(TERM_PRIOR + by_term, rng)
    # P(h = 1) = 1 - exp(-lambda), lambda = Psi2 (theta2 * h2)
    expected = (upper.scores * upper.present) @ upper.factors.T + LEAST
    lower.present = draw_presence(by_doc, lower.shapes, -np.expm1(-expected), rng)
    draw_scores(lower, by_doc, rng)
    # Layer 2: counts z >= 1 where h = 1, else 0; which unit each is from
    hidden = truncated_poisson(expected, rng) * (lower.present > 0)
    columns = np.tile(np.arange(hidden.shape[1]), hidden.shape[0])
    starts = np.arange(hidden.shape[0] + 1) * hidden.shape[1]
    rates = upper.scores * upper.present
    by_topic, by_doc = shared_counts(starts, columns, hidden.ravel(), upper.factors, rates, rng)
    upper.factors = dirichlet_columns(TOPIC_PRIOR + by_topic, rng)
    upper.present = draw_presence(by_doc, upper.shapes, state.chances[None, :], rng)
    draw_scores(upper, by_doc, rng)
    used = upper.present.sum(axis=0)
    state.chances = rng.beta(1 + used, 1 + upper.present.shape[0] - used)


def shared_counts(
    indptr: Ints, indices: Ints, whole: Ints, factors: Dense, rates: Dense, rng: np.random.Generator
) -> tuple[Dense, Dense]:
    """Counts (N x rows, by entries) shared among the factors: sums by row and by document.

    x_nvk ~ Multinomial(x_nv; psi_vk theta_kn h_kn / sum)
    """
    by_row, by_doc = np.zeros_like(factors), np.zeros_like(rates)
    uniform = rng.random(int(whole.sum()))
    _share(indptr, indices, whole, factors, rates, uniform, by_row, by_doc)
    return by_row, by_doc


@kernel
def _share(
    indptr: Ints,
    indices: Ints,
    whole: Ints,
    factors: Dense,
    rates: Dense,
    uniform: Dense,
    by_row: Dense,
    by_doc: Dense,
) -> None:
    size = factors.shape[1]
    sums = np.empty(size)
    used = 0
    for n in range(rates.shape[0]):
        for e in range(indptr[n], indptr[n + 1]):
            total = 0.0
            for k in range(size):
                total += factors[indices[e], k] * (rates[n, k] + LEAST)
                sums[k] = total
            for _ in range(whole[e]):
                k = 0
                while k < size - 1 and sums[k] <= uniform[used] * total:
                    k += 1
                used += 1
                by_row[indices[e], k] += 1
                by_doc[n, k] += 1


def dirichlet_columns(weights: Dense, rng: np.random.Generator) -> Dense:
    """A draw from the Dirichlet distribution of every column."""
    draws = rng.standard_gamma(weights) + np.finfo(float).tiny
    columns: Dense = draws / draws.sum(axis=0)
    return columns


def draw_presence(by_doc: Dense, shapes: Dense, chances: Dense, rng: np.random.Generator) -> Dense:
    """Presence h (N x k): 1 where there are counts, else with theta integrated out.

    P(h = 1 | no counts) = pi (1 - b)^r / (pi (1 - b)^r + 1 - pi)
    """
    silent_chance = chances * np.exp(shapes * LOG_HALF)
    posterior = silent_chance / (silent_chance + 1 - chances)
    present: Dense = ((by_doc > 0) | (rng.random(by_doc.shape) < posterior)).astype(np.float64)
    return present


def draw_scores(layer: _Layer, by_doc: Dense, rng: np.random.Generator) -> None:
    """Shapes r by the tables of a Chinese restaurant, then theta ~ Gamma(r h + x, b)."""
    tables = restaurant_tables(by_doc, layer.shapes, rng)
    # r_k ~ Gamma(1 + sum_n l_kn, 1 / (1 - sum_n h_kn log(1 - b)))
    layer.shapes = rng.gamma(1 + tables, 1 / (1 - layer.present.sum(axis=0) * LOG_HALF))
    layer.scores = 0.5 * rng.standard_gamma(layer.shapes * layer.present + by_doc + LEAST)


def restaurant_tables(by_doc: Dense, shapes: Dense, rng: np.random.Generator) -> Dense:
    """sum_n l_kn (k), l ~ CRT(x, r): guest i of x opens a table with probability r / (r + i)."""
    tables = np.zeros(shapes.size)
    _seat(by_doc, shapes, rng.random(int(by_doc.sum())), tables)
    return tables


@kernel
def _seat(by_doc: Dense, shapes: Dense, uniform: Dense, tables: Dense) -> None:
    used = 0
    for n in range(by_doc.shape[0]):
        for k in range(by_doc.shape[1]):
            for guest in range(int(by_doc[n, k])):
                if uniform[used] * (shapes[k] + guest) < shapes[k]:
                    tables[k] += 1
                used += 1


def truncated_poisson(rates: Dense, rng: np.random.Generator) -> NDArray[np.int64]:
    """Poisson counts given that they are at least 1.

    Of a unit interval's arrivals the first comes at -log(1 - u (1 - exp(-rate))) / rate, given that
    there is one; the rest are Poisson on what is left.
    """
    first = -np.log1p(rng.random(rates.shape) * np.expm1(-rates))
    counts: NDArray[np.int64] = 1 + rng.poisson(np.maximum(rates - first, 0))
    return counts
