"""How many topics? Numbers are tried one by one on a sample of the documents, without labels.

A number is judged by what a user of topics wants of them, that words agree: halve the vocabulary,
and let either half alone say where each document belongs. The information that the two answers
share (`choice.split_information`) grows with the number as long as there is something to tell
apart, and falls when topics are cut where words do not say it. Many topics can share more than few,
so that it is divided by a power of what so many could share at most, ln K.

One network serves all numbers. The layers for many topics are the lowest ones of those for few, and
the leading eigenvectors of a layer are the same, however many of them are taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..common.arrays import FloatArray
from ..common.blocks import RowBlocks
from ..common.checks import check_int
from ..common.engines import Engine, Threads
from ..common.parallel import one_blas_thread
from ..common.progress import Progress, ProgressCallback, silent
from ..common.seeds import child_rng, child_seed
from .choice import EQUAL, PLAIN, View, own_log_ratios, split_information
from .deep import CLUSTERS, EMBEDDING, NETWORK, SAMPLE, SPLITS, UnitDocuments
from .mbn import Layer, Mbn, code_network, draw_network, narrowest_layer_size
from .spectral import CodeKernel, cluster_rows, scale_rows, spectral_embedding

NUMBER = 5  # the branch of a fit's seed for all that happens here
# Documents that numbers are tried on, at the most; a topic should have some of them.
SAMPLE_SIZE = 3_000
DOCS_PER_TOPIC = 8
MOST_TOPICS = 100
NUM_CLUSTERINGS = 100  # of a layer, at the most
STEP = 1.2  # from a candidate to the next one, at least
POWER = 0.6  # of ln K
NEARLY = 0.97  # share of the best score that does about as well


@dataclass(frozen=True, eq=False)
class NumberCurve:
    """How well each number of topics did, and what follows from it.

    Attributes
    ----------
    number : int
        The number of topics to take.
    low, high : int
        The range of numbers around it that do about as well.
    alternatives : tuple of int
        Other numbers worth a look, at which the curve has a maximum too; the best first.
    candidates : tuple of int
        The numbers that were tried, in ascending order.
    scores : tuple of float
        What they are compared by.
    information : tuple of float
        What one half of the words tells about the topics that the other half finds, in nats.
    num_docs : int
        How many documents they were tried on.
    """

    number: int
    low: int
    high: int
    alternatives: tuple[int, ...]
    candidates: tuple[int, ...]
    scores: tuple[float, ...]
    information: tuple[float, ...]
    num_docs: int


def candidate_numbers(num_docs: int, lowest: int = 2, highest: int | None = None) -> list[int]:
    """Numbers of topics to try with so many documents: each a fifth more than the one before.

    >>> candidate_numbers(200)
    [2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 25]
    """
    if highest is None:
        highest = max(lowest, min(num_docs // DOCS_PER_TOPIC, MOST_TOPICS))
    highest = max(1, min(highest, num_docs))
    numbers = [min(lowest, highest)]
    while numbers[-1] < highest:
        numbers.append(min(max(numbers[-1] + 1, math.ceil(STEP * numbers[-1])), highest))
    return numbers


def choose_number(
    units: UnitDocuments,
    settings: Mbn,
    candidates: Iterable[int] | None,
    seed: np.random.SeedSequence,
    engine: Engine,
    progress: ProgressCallback = silent,
) -> NumberCurve:
    """How many topics the documents have, among `candidates` or, for None, of all sensible numbers.

    `seed` is that of the fit which is to follow; it is not used up.
    """
    seed = child_seed(seed, NUMBER)
    num_docs = units.numbers.size
    numbers = candidate_numbers(num_docs) if candidates is None else _check(candidates, num_docs)
    if len(numbers) == 1:
        return _curve(numbers, [0.0], 0)
    size = min(num_docs, max(SAMPLE_SIZE, DOCS_PER_TOPIC * numbers[-1]))
    sample = np.sort(child_rng(seed, SAMPLE).choice(num_docs, size, replace=False))
    rows = units.rows.take(sample)
    with one_blas_thread():
        information = _try_numbers(rows, numbers, settings, seed, engine.local, progress)
    return _curve(numbers, information, size)


def _check(candidates: Iterable[int], num_docs: int) -> list[int]:
    """Numbers of topics, each once in ascending order."""
    numbers = sorted({check_int(number, "candidates", 1, num_docs) for number in candidates})
    if not numbers:
        raise ValueError("candidates must be at least one number of topics, got none.")
    return numbers


class _Trial(NamedTuple):
    """A number of topics, and where to look for them."""

    number: int
    embedding: FloatArray
    view: View


def _try_numbers(
    rows: sparse.csr_array,
    numbers: list[int],
    settings: Mbn,
    seed: np.random.SeedSequence,
    threads: Threads,
    progress: ProgressCallback,
) -> list[float]:
    """The word-split information of documents (N x V) of unit length in so many topics."""
    view = EQUAL if settings.refine else PLAIN
    layers = grow_network(rows, numbers[0], settings, seed, threads)
    embeddings = _embed(layers, numbers, rows.shape[0], seed, threads)
    trials = [
        _Trial(number, embedding[:, :number], view)
        for number, embedding in zip(numbers, embeddings, strict=True)
    ]
    # The largest first, so that no thread is left alone with it.
    found: dict[int, float] = {}
    for trial, information in zip(
        reversed(trials), threads.map(_try_number, trials[::-1], rows, seed), strict=True
    ):
        found[trial.number] = information
        progress(Progress("number of topics", len(found), len(trials)))
    return [found[number] for number in numbers]


def grow_network(
    rows: sparse.csr_array,
    lowest: int,
    settings: Mbn,
    seed: np.random.SeedSequence,
    threads: Threads,
) -> list[Layer]:
    """The layers for `lowest` topics: those for more topics are the first of them."""
    num_docs = rows.shape[0]
    settings = replace(
        settings,
        num_clusterings=min(settings.num_clusterings, NUM_CLUSTERINGS),
        first_layer_size=min(settings.first_layer_size or num_docs, max(1, num_docs // 2)),
        landmarks=None,
    )
    if settings.last_layer_size != "auto" and settings.first_layer_size is not None:
        last = min(settings.last_layer_size, settings.first_layer_size)
        settings = replace(settings, last_layer_size=last)
    draws = draw_network(
        num_docs, settings.sizes(num_docs, lowest), settings.num_clusterings,
        child_seed(seed, NETWORK),
    )  # fmt: skip
    return code_network(rows, draws, threads)


def _layer_for(number: int, layers: Sequence[Layer]) -> int:
    """Which layer is the last one of the network for so many topics."""
    narrowest = narrowest_layer_size(number)
    return max((i for i, layer in enumerate(layers) if layer.size >= narrowest), default=0)


def _embed(
    layers: list[Layer],
    numbers: list[int],
    num_docs: int,
    seed: np.random.SeedSequence,
    threads: Threads,
) -> list[FloatArray]:
    """For every number the spectral embedding of its layer, of at least as many dimensions."""
    places = [_layer_for(number, layers) for number in numbers]
    dimensions = dict(zip(places, numbers, strict=True))  # of a layer the largest number
    tasks = [(layers[place], number) for place, number in dimensions.items()]
    found = threads.map(_embed_layer, tasks, num_docs, child_seed(seed, EMBEDDING))
    embeddings = dict(zip(dimensions, found, strict=True))
    return [embeddings[place] for place in places]


def _embed_layer(
    layer_and_number: tuple[Layer, int], num_docs: int, seed: np.random.SeedSequence
) -> FloatArray:
    layer, number = layer_and_number
    return spectral_embedding(CodeKernel(layer, 1), num_docs, number, child_rng(seed))


def _try_number(trial: _Trial, rows: sparse.csr_array, seed: np.random.SeedSequence) -> float:
    """The information of one number of topics."""
    number, view = trial.number, trial.view
    if number == 1:
        return 0.0
    rows_to_cluster = scale_rows(trial.embedding, view.exponent)
    labels = cluster_rows(rows_to_cluster, number, child_rng(seed, CLUSTERS))
    labels = view.refine(RowBlocks(rows), labels, number, Threads(1), silent)
    ratios = own_log_ratios(rows, labels, number)
    return split_information(rows, labels, number, ratios, child_seed(seed, SPLITS))


def _curve(numbers: list[int], information: list[float], num_docs: int) -> NumberCurve:
    """What follows from the information of all candidates."""
    scores = [
        max(value, 0.0) / math.log(number) ** POWER if number > 1 else 0.0
        for number, value in zip(numbers, information, strict=True)
    ]
    best = int(np.argmax(scores))
    low = high = best
    while low > 0 and scores[low - 1] >= NEARLY * scores[best]:
        low -= 1
    while high + 1 < len(scores) and scores[high + 1] >= NEARLY * scores[best]:
        high += 1
    return NumberCurve(
        number=numbers[best],
        low=numbers[low],
        high=numbers[high],
        alternatives=tuple(numbers[i] for i in _maxima(scores) if i != best),
        candidates=tuple(numbers),
        scores=tuple(scores),
        information=tuple(information),
        num_docs=num_docs,
    )


def _maxima(scores: Sequence[float]) -> list[int]:
    """Where the curve is higher than on both sides; the highest first."""
    found = []
    for i, score in enumerate(scores):
        rises = i == 0 or scores[i - 1] < score
        falls = i + 1 == len(scores) or scores[i + 1] <= score
        if rises and falls:
            found.append(i)
    return sorted(found, key=lambda i: -scores[i])
