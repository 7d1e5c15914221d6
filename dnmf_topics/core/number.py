"""How many topics? Numbers are tried on a sample of the documents, without labels.

Topics are there if different words tell the same of them. So the vocabulary is halved at random,
and the documents are clustered twice, by the words of the one half and by those of the other, with
every number of topics. What the two clusterings share, their mutual information I, grows with the
number as long as there is something to tell apart. It must grow faster than what they say at all,
their entropy H: topics that are cut in two at random add to what is said, and nothing to what is
shared. A number is judged by I / H^p; p = 1 would be content with two topics that are far apart,
p = 0 would cut topics as long as words agree a little more than by chance. A clustering is by two
views of a network, for topics of unequal and of equal size, and the better one counts.

Titles are too short to be clustered by half of their words. They are clustered by all, and the
halves say then, each on its own, to which cluster a title belongs. Clusters that both halves have
made agree with either, so that they must be apart besides: the score is multiplied by how much
nearer a title is to its own cluster than to the next one.

Other halves, and other documents, often have another best number. So the best ones are tried again
with these, and the sum decides.

One network serves all numbers: the layers for many topics are the lowest ones of those
for few, and the leading eigenvectors of a layer are the same, however many of them are taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..common.arrays import FloatArray, Labels
from ..common.blocks import RowBlocks
from ..common.checks import check_int
from ..common.engines import Engine, Threads
from ..common.parallel import one_blas_thread
from ..common.progress import Progress, ProgressCallback, silent
from ..common.seeds import child_rng, child_seed
from .choice import (
    EQUAL,
    PLAIN,
    UNEQUAL,
    View,
    compare_clusters,
    own_log_ratios,
    separation,
    split_vocabulary,
)
from .deep import CLUSTERS, EMBEDDING, NETWORK, SAMPLE, SPLITS, UnitDocuments
from .mbn import WIDEST, Layer, Mbn, code_network, draw_network, narrowest_layer_size
from .number_curve import NumberCurve, Trial, Trials, best_trials, finalists, read_curve
from .refine import ENOUGH_MASS
from .spectral import CodeKernel, cluster_rows, scale_rows, spectral_embedding
from .tfidf import unit_rows

NUMBER = 5  # the branch of a fit's seed for all that happens here
# Documents that numbers are tried on, at the most; a topic should have some of them.
SAMPLE_SIZE = 3_000
DOCS_PER_TOPIC = 8
MOST_TOPICS = 100
NUM_REPETITIONS = 3
NUM_CLUSTERINGS = 100  # of a layer, at the most
NUM_STARTS = 2  # of k-means
NUM_SPLITS = 8  # of the words of short texts
STEP = 1.2  # from a candidate to the next one, at least
# Unless a range is asked for, more topics than these limits are tried only if the most so far might
# be the best number: many topics take long.
ROUNDS = (18, 27, 40, 60)


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
    *,
    lowest: int = 2,
    highest: int | None = None,
) -> NumberCurve:
    """How many topics the documents have, among `candidates`.

    For None these are sensible numbers from `lowest` to `highest`; without this limit, as far as
    better ones can be expected, and the documents can carry. `units` may have rows without a
    weight, which are left out. `seed` is that of the fit which is to follow; it is not used up.
    """
    seed, most = child_seed(seed, NUMBER), max(lowest, highest or 0)
    rows = _sample(units, most, child_seed(seed, 0))
    num_docs = rows.shape[0]
    if candidates is None:
        numbers = candidate_numbers(num_docs, lowest, highest)
    else:
        numbers = _check(candidates, num_docs)
    limits = ROUNDS if candidates is None and highest is None else ()
    repetitions = list[Trials]()
    while num_docs and len(numbers) > 1 and len(repetitions) < NUM_REPETITIONS:
        own_seed = child_seed(seed, len(repetitions))
        if repetitions:
            rows, limits = _sample(units, most, own_seed), ()
        trials = _try_sample(rows, numbers, limits, settings, own_seed, engine.local, progress)
        if not trials:
            break
        repetitions.append(trials)
        numbers = finalists(repetitions)
    return read_curve(repetitions or [{numbers[0]: Trial(numbers[0], 0.0, 0.0)}], num_docs)


def _try_sample(
    rows: sparse.csr_array,
    numbers: list[int],
    limits: Sequence[int],
    settings: Mbn,
    seed: np.random.SeedSequence,
    threads: Threads,
    progress: ProgressCallback,
) -> Trials:
    """The numbers with two halves of the words of documents (N x V), as far as these allow it.

    Those above a limit only if the largest one below it might be the best.
    """
    parts = split_documents(rows, child_rng(seed, SPLITS))
    possible = [number for number in numbers if number <= parts[0].shape[0]]
    trials = list[Trial]()
    if not possible:
        return {}
    with one_blas_thread():
        networks = [
            grow_network(part, possible[0], settings, child_seed(seed, NETWORK, place), threads)
            for place, part in enumerate(parts)
        ]
        for tried in _rounds(possible, limits):
            trials += try_numbers(parts, networks, tried, settings, seed, threads, progress)
            if tried[-1] not in finalists([best_trials(trials)]):
                break
    return best_trials(trials)


def _rounds(numbers: list[int], limits: Sequence[int]) -> list[list[int]]:
    """The numbers up to each of the limits, and the rest."""
    places = [0, *np.searchsorted(numbers, limits, side="right").tolist(), len(numbers)]
    rounds = [numbers[start:stop] for start, stop in pairwise(places)]
    return [tried for tried in rounds if tried]


def _check(candidates: Iterable[int], num_docs: int) -> list[int]:
    """Numbers of topics, each once in ascending order."""
    numbers = sorted({check_int(number, "candidates", 1, num_docs) for number in candidates})
    if not numbers:
        raise ValueError("candidates must be at least one number of topics, got none.")
    return numbers


def _sample(
    units: UnitDocuments, num_topics: int, seed: np.random.SeedSequence
) -> sparse.csr_array:
    """The documents that numbers up to this one are tried on, in their order."""
    num_docs = units.rows.shape[0]
    size = min(num_docs, max(SAMPLE_SIZE, DOCS_PER_TOPIC * num_topics))
    numbers = np.sort(child_rng(seed, SAMPLE).choice(num_docs, size, replace=False))
    return _weighted(units.rows.take(numbers))


def _weighted(rows: sparse.csr_array) -> sparse.csr_array:
    """The documents that have a weight."""
    rows.eliminate_zeros()
    filled = np.diff(rows.indptr) > 0
    return rows if filled.all() else rows[filled]


def split_documents(rows: sparse.csr_array, rng: np.random.Generator) -> list[sparse.csr_array]:
    """Documents (N x V) by two random halves of the terms, at unit length, if they have both.

    Those that are too short for it stay as they are.
    """
    if rows.sum() < ENOUGH_MASS * rows.shape[0]:
        return [rows]
    used = np.bincount(rows.indices, minlength=rows.shape[1]) > 0
    first_half = rng.random(rows.shape[1]) < 0.5
    halves = [sparse.csr_array(rows[:, used & half]) for half in (first_half, ~first_half)]
    in_both = (np.diff(halves[0].indptr) > 0) & (np.diff(halves[1].indptr) > 0)
    return [unit_rows(half[in_both]) for half in halves]


class _Task(NamedTuple):
    """A clustering to be made: of which part, by which layer and view, with how many topics."""

    number: int
    part: int
    layer: int
    view: View


def try_numbers(
    parts: Sequence[sparse.csr_array],
    networks: Sequence[Sequence[Layer]],
    numbers: list[int],
    settings: Mbn,
    seed: np.random.SeedSequence,
    threads: Threads,
    progress: ProgressCallback = silent,
) -> list[Trial]:
    """Numbers of topics by all views, of documents from `split_documents` and their networks."""
    tasks = [
        _Task(number, part, layer, view)
        for number in reversed(numbers)  # the largest first, so that no thread waits for it alone
        for layer, view in _views(number, networks[0], settings, is_short=len(parts) == 1)
        for part in range(len(parts))
    ]
    # Of every layer as many eigenvectors as the largest number needs.
    sizes = {(task.part, task.layer): task.number for task in reversed(tasks)}
    places = list(sizes)
    found = threads.map(_embed, places, networks, sizes, seed)
    embeddings = dict(zip(places, found, strict=True))
    labels = []
    for clusters in threads.map(_cluster, tasks, parts, embeddings, seed):
        labels.append(clusters)
        progress(Progress(f"number of topics, up to {numbers[-1]}", len(labels), len(tasks)))
    if len(parts) == 1:
        found = zip(tasks, labels, strict=True)
        return [_split(task.number, each, parts[0], seed) for task, each in found]
    pairs = zip(tasks[::2], labels[::2], labels[1::2], strict=True)
    return [
        Trial(task.number, *compare_clusters(first, second, task.number))
        for task, first, second in pairs
    ]


def _views(
    number: int, layers: Sequence[Layer], settings: Mbn, *, is_short: bool
) -> list[tuple[int, View]]:
    """Layers to look at for so many topics, and how."""
    is_fixed = settings.last_layer_size != "auto"
    last = len(layers) - 1 if is_fixed else layer_for(number, layers)
    if not settings.refine:
        return [(last, PLAIN)]
    if is_short:  # in a wide layer they have too little in common
        return [(last, EQUAL)]
    return [(last if is_fixed else 0, UNEQUAL), (last, EQUAL)]


def layer_for(number: int, layers: Sequence[Layer]) -> int:
    """Which layer is the last one of the network for so many topics."""
    narrowest = narrowest_layer_size(number)
    return max((i for i, layer in enumerate(layers) if layer.size >= narrowest), default=0)


def grow_network(
    rows: sparse.csr_array,
    lowest: int,
    settings: Mbn,
    seed: np.random.SeedSequence,
    threads: Threads,
) -> list[Layer]:
    """The layers for `lowest` topics: those for more topics are the first of them."""
    num_docs = rows.shape[0]
    most = max(1, min(num_docs // 2, WIDEST))
    first, last = min(settings.first_layer_size or most, most), settings.last_layer_size
    settings = replace(
        settings,
        num_clusterings=min(settings.num_clusterings, NUM_CLUSTERINGS),
        first_layer_size=first,
        last_layer_size="auto" if last == "auto" else min(last, first),
        landmarks=None,
    )
    sizes = settings.sizes(num_docs, lowest)
    draws = draw_network(num_docs, sizes, settings.num_clusterings, seed)
    return code_network(rows, draws, threads)


def _embed(
    place: tuple[int, int],
    networks: Sequence[Sequence[Layer]],
    sizes: Mapping[tuple[int, int], int],
    seed: np.random.SeedSequence,
) -> FloatArray:
    part, number = place
    layer = networks[part][number]
    rng = child_rng(seed, EMBEDDING, part)
    return spectral_embedding(CodeKernel(layer, 1), layer.codes.shape[0], sizes[place], rng)


def _cluster(
    task: _Task,
    parts: Sequence[sparse.csr_array],
    embeddings: Mapping[tuple[int, int], FloatArray],
    seed: np.random.SeedSequence,
) -> Labels:
    number, part, layer, view = task
    rows_to_cluster = scale_rows(embeddings[part, layer][:, :number], view.exponent)
    labels = cluster_rows(rows_to_cluster, number, child_rng(seed, CLUSTERS, part), NUM_STARTS)
    return view.refine(RowBlocks(parts[part]), labels, number, Threads(1), silent)


def _split(
    number: int, labels: Labels, rows: sparse.csr_array, seed: np.random.SeedSequence
) -> Trial:
    """What halves of the terms say of clusters that all terms have found."""
    ratios = own_log_ratios(rows, labels, number)
    splits = child_seed(seed, SPLITS)
    shared = split_vocabulary(rows, labels, number, ratios, splits, NUM_SPLITS)
    return Trial(number, *shared, max(separation(rows, labels, number), 0.0))
