"""Do documents mix topics? Then the topics' words are learnt from the parts.

Clusters are the topics of documents that are about one thing. Where documents mix several, a
cluster's words are those of all that its documents are about. Rounds of EM take them apart: each
round divides every document's words among the topics, and takes what a topic got for its words.

Whether it helps, and how many rounds, is decided without labels, by *document completion*: of
documents that were left out, one half of the words says which topics they are about; how well does
that predict the other half? Rounds are taken if

- *shares* of topics predict it much better than one topic alone does: documents do mix topics; and
- the topics after the rounds predict it much better than those before, whatever predicts best then.

Where documents do mix topics, the rounds are also tried from the topics of an NMF: clusters are a
good start if some documents are about one thing, a poor one if none are. Both gains are parts of
what topics tell at all, over the words of the whole corpus.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense, Labels
from ..common.blocks import Blocks
from ..common.compiled import kernel
from ..common.engines import Engine, Threads, tree_sum
from ..common.parallel import one_blas_thread
from ..common.progress import Progress, ProgressCallback, silent
from ..common.seeds import child_rng
from .proportions import (
    WordModel,
    add_divided_words,
    divide_document,
    topic_proportions,
    word_model,
)
from .refine import cluster_sums
from .seeding import Seeds, match_seeds, seed_counts
from .tfidf import Tfidf

ROUNDS = (10, 30, 100)  # that are compared
STEPS_IN_ROUND = 3  # of a document's shares, before its words are divided
# Share of the words that come from the language of all documents, while topics are learnt: more of
# it would take frequent words out of all topics.
BACKGROUND_IN_ROUNDS = 0.02
# From tests/benchmarks/mixtures.py --rounds: pure corpora of eleven kinds gain less by one or the
# other, those of which 60 % of the documents are mixed gain more by both.
MIXING_GAIN = 0.25
ROUNDS_GAIN = 0.03
BACKGROUND_IN_DECISION = 0.2  # with which these gains were found
# Where shares lose more than this, as in titles, documents are too short to mix anything, and no
# other start is tried.
MAY_MIX = -0.15
MOST_GAIN = 9.0  # what is told may have been next to nothing before
# Documents that the number of rounds is decided by, at the most, if that is enough for so many
# topics, and which part of them is left out.
DECIDING_SAMPLE = 2_000
SAMPLE_PER_TOPIC = 50
LEFT_OUT = 0.2
FEWEST = 100  # documents; fewer decide nothing
# Documents that the rounds go over, at the most: their topics are then those of all.
MOST_IN_ROUNDS = 20_000
TASK_ROWS = 512  # fixed, since the order of sums depends on it
NMF_STEPS, NMF_TOLERANCE, NMF_DOCUMENTS = 30, 1e-3, 1_000
SAMPLE, HALVES, LEARNING, START = range(4)  # branches of the seed


@kernel
def _divide_words(
    indptr: Any, ids: Any, values: Any, ratios: Any, background: float, num_steps: int,
    shares: Any, word_counts: Any,
) -> None:  # fmt: skip
    """A round: better shares, then the words by topics, added to `word_counts` (V x K)."""
    words = np.zeros(shares.shape[1])
    for i in range(len(shares)):
        own_ids = ids[indptr[i] : indptr[i + 1]]
        own_values = values[indptr[i] : indptr[i + 1]]
        theta = shares[i]
        if own_ids.size == 0:
            continue
        for _ in range(num_steps):
            divide_document(own_ids, own_values, ratios, background, theta, words)
            theta[:] = words / words.sum()
        add_divided_words(own_ids, own_values, ratios, background, theta, 1.0, word_counts)


def _round_of_rows(
    rows: slice, counts: sparse.csr_array, shares: Dense, model: WordModel
) -> tuple[Dense, Dense]:
    part, own = counts[rows], shares[rows]
    word_counts = np.zeros(model.ratios.shape)
    indptr, ids = part.indptr.astype(np.int64), part.indices.astype(np.int64)
    _divide_words(
        indptr, ids, part.data, model.ratios, model.background, STEPS_IN_ROUND, own,
        word_counts,
    )  # fmt: skip
    return own, word_counts


class Rounds:
    """Topics that are learnt from parts of documents, round by round.

    Parameters
    ----------
    counts : csr array of shape (n, V)
        The documents.
    word_counts : (K x V) array
        Counts of the words in the topics to start from.
    smoothing : (V) or (K x V) array
        Added to these counts, so that each word has some.
    threads : Threads
        Who works.
    """

    def __init__(
        self, counts: sparse.csr_array, word_counts: Dense, smoothing: Dense, threads: Threads
    ) -> None:
        self.counts, self.word_counts, self.smoothing = counts, word_counts, smoothing
        self.threads, self.done = threads, 0
        num_docs, num_topics = counts.shape[0], len(word_counts)
        self.shares = np.full((num_docs, num_topics), 1 / num_topics)

    def go_on(self, num_rounds: int, progress: ProgressCallback) -> None:
        """More rounds, until so many are done."""
        rows = [
            slice(start, start + TASK_ROWS) for start in range(0, self.counts.shape[0], TASK_ROWS)
        ]
        for done in range(self.done + 1, num_rounds + 1):
            model = word_model(self.word_counts + self.smoothing, BACKGROUND_IN_ROUNDS)
            parts = self.threads.map(_round_of_rows, rows, self.counts, self.shares, model)
            self.word_counts = tree_sum(word_counts for _, word_counts in parts).T
            progress(Progress("mixing", done, num_rounds))
        self.done = max(self.done, num_rounds)

    def number_anew(self, order: Labels) -> None:
        """Let the topics have the numbers that are their places in `order`."""
        self.word_counts = self.word_counts[order]
        self.shares = np.ascontiguousarray(self.shares[:, order])


Halves: TypeAlias = tuple[sparse.csr_array, sparse.csr_array]


class Mixing(NamedTuple):
    """How many rounds, from where, and why."""

    num_rounds: int
    """0 where documents are about one thing."""
    start: Dense | None
    """Counts of words in topics (K x V) to start from; None for those of the clusters."""
    by_shares: float
    """Gain of shares of topics over one topic alone."""
    by_rounds: float
    """Gain of the rounds."""


def choose_mixing(
    counts: Blocks,
    labels: Labels,
    num_topics: int,
    smoothing: Dense,
    seed: np.random.SeedSequence,
    engine: Engine,
    num_rounds: int | None = None,
    seeds: Seeds | None = None,
) -> Mixing:
    """How documents (N x V) with these clusters mix topics, by a sample of them.

    `num_rounds` may be given; then where they start is chosen alone. Topics with seeds start from
    the clusters, which know them.
    """
    if labels.size < FEWEST:
        return Mixing(num_rounds or 0, None, 0.0, 0.0)
    rng = child_rng(seed, SAMPLE)
    size = max(DECIDING_SAMPLE, SAMPLE_PER_TOPIC * num_topics)
    numbers = _sample(labels.size, size, rng)
    sample, own = counts.take(numbers), labels[numbers]
    is_left_out = np.zeros(own.size, bool)
    is_left_out[rng.permutation(own.size)[: int(np.ceil(LEFT_OUT * own.size))]] = True
    halves = halve_words(sample[np.flatnonzero(is_left_out)], child_rng(seed, HALVES))
    learning = sample[np.flatnonzero(~is_left_out)]
    clusters = cluster_sums(learning, own[~is_left_out], num_topics).T
    if seeds is not None:
        smoothing = smoothing + seed_counts(learning, seeds, num_topics)
    first = ROUNDS[0] if num_rounds is None else num_rounds
    by_clusters = Rounds(learning, clusters, smoothing, engine.local)
    before = max(_completion(by_clusters, *halves))
    best, rounds = _try_rounds(by_clusters, first, halves, before), by_clusters
    if seeds is None and (num_rounds is not None or best.by_shares >= MAY_MIX):
        # Clusters of documents that mix topics may be a poor start.
        start = _nmf_topics(learning, num_topics, child_rng(seed, START))
        if start is not None:
            by_nmf = Rounds(learning, start, smoothing, engine.local)
            other = _try_rounds(by_nmf, first, halves, before)
            if other.by_rounds > best.by_rounds:
                best, rounds = other, by_nmf
    if num_rounds is None:
        if best.by_shares < MIXING_GAIN or best.by_rounds < ROUNDS_GAIN:
            return best._replace(num_rounds=0)
        best = _try_more(best, rounds, halves, before)
    return best if rounds is by_clusters else best._replace(start=rounds.word_counts)


def _try_rounds(rounds: Rounds, num_rounds: int, halves: Halves, before: float) -> Mixing:
    """What so many rounds gain over what was told `before`."""
    rounds.go_on(num_rounds, silent)
    one_topic, by_shares = _completion(rounds, *halves)
    return Mixing(num_rounds, None, _gain(by_shares, one_topic), _gain(by_shares, before))


def _try_more(best: Mixing, rounds: Rounds, halves: Halves, before: float) -> Mixing:
    """The best of all numbers of rounds, as long as more of them help."""
    for num_rounds in ROUNDS[1:]:
        more = _try_rounds(rounds, num_rounds, halves, before)
        if more.by_rounds <= best.by_rounds:
            break
        best = more
    return best


def _nmf_topics(
    counts: sparse.csr_array, num_topics: int, rng: np.random.Generator
) -> Dense | None:
    """Counts of words in topics (K x V) by an NMF; None if there are too few documents or words."""
    from sklearn.decomposition import NMF  # late: it loads slowly
    from sklearn.exceptions import ConvergenceWarning

    counts = counts[:: -(-counts.shape[0] // NMF_DOCUMENTS)]
    weighted = Tfidf.fit(counts).transform(counts)
    if num_topics > min(counts.shape) or not weighted.nnz:
        return None
    nmf = NMF(
        num_topics, init="nndsvd", max_iter=NMF_STEPS, tol=NMF_TOLERANCE,
        random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is but a start
        weights = nmf.fit_transform(weighted)
    totals = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    return np.ascontiguousarray((counts.T @ shares).T)


def _gain(new: float, old: float) -> float:
    """By which part what is told about words grows; it may have been less than nothing."""
    return new / max(old, abs(new) / (1 + MOST_GAIN), 1e-9) - 1


def learn_parts(
    counts: Blocks,
    word_counts: Dense,
    num_rounds: int,
    smoothing: Dense,
    seed: np.random.SeedSequence,
    engine: Engine,
    progress: ProgressCallback,
    seeds: Seeds | None = None,
) -> Dense:
    """Counts of the words in the topics (K x V) after so many rounds over documents (N x V).

    In each round topics have their seeds besides. When parts have formed, topics are numbered as
    the seeds want it: a cluster of documents that mix two topics may have become either.
    """
    numbers = _sample(counts.shape[0], MOST_IN_ROUNDS, child_rng(seed, LEARNING))
    documents = counts.take(numbers)
    if seeds is not None:
        smoothing = smoothing + seed_counts(documents, seeds, len(word_counts))
    rounds = Rounds(documents, word_counts, smoothing, engine.local)
    if seeds is not None:
        rounds.go_on(min(num_rounds, ROUNDS[0]), progress)
        rounds.number_anew(match_seeds(rounds.word_counts, seeds))
    rounds.go_on(num_rounds, progress)
    return rounds.word_counts


def _sample(num_docs: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of so many documents, or of all, in ascending order."""
    if size >= num_docs:
        return np.arange(num_docs)
    return np.sort(rng.choice(num_docs, size, replace=False))


def halve_words(
    counts: sparse.csr_array, rng: np.random.Generator
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Every word of the documents (n x V) in one of two halves, at random; counts are whole."""
    # What is too large for whole numbers goes to one half as a whole.
    times = np.where(counts.data < 2**31, counts.data, 1).astype(np.int64)
    values = counts.data * rng.binomial(times, 0.5) / times
    halves = []
    for data in (values, counts.data - values):
        half = sparse.csr_array((data, counts.indices.copy(), counts.indptr.copy()), counts.shape)
        half.eliminate_zeros()
        halves.append(half)
    return halves[0], halves[1]


def _completion(
    rounds: Rounds, shown: sparse.csr_array, hidden: sparse.csr_array
) -> tuple[float, float]:
    """What the shown words tell about a hidden one, in nats: by one topic, and by shares."""
    model = word_model(rounds.word_counts + rounds.smoothing, BACKGROUND_IN_DECISION)
    sizes = np.ones(len(rounds.word_counts))
    shares, _ = topic_proportions(
        shown.indptr, shown.indices, shown.data, model, sizes, np.ones(model.corpus.size)
    )
    scores = shown @ np.log(model.ratios)
    posteriors = np.exp(scores - scores.max(axis=1, keepdims=True))
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    total = max(float(hidden.sum()), 1e-9)
    return _told(hidden, posteriors, model) / total, _told(hidden, shares, model) / total


def _told(hidden: sparse.csr_array, shares: Dense, model: WordModel) -> float:
    """Log-likelihood of words under shares of topics (n x K), over that of the corpus."""
    rows = np.repeat(np.arange(hidden.shape[0]), np.diff(hidden.indptr))
    mixed = np.einsum("ek,ek->e", shares[rows], model.ratios[hidden.indices])
    return float(hidden.data @ np.log(mixed))
