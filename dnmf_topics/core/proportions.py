"""How much of a document is about each topic: its words, divided among the topics by EM.

A word of a document comes from one of its topics, or, with a fixed probability, from the language
of the whole corpus, which no topic can claim. The shares of the topics are found for each document
by itself, from equal shares on, so that they depend on nothing but the document and the topics.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..common.arrays import Dense
from ..common.compiled import kernel

# The constants are from tests/benchmarks/mixtures.py --constants: parts of held-out mixtures of
# newsgroup posts and of TDT2's stories that go to wrong topics.
# Share of the words that come from the language of all documents.
BACKGROUND = 0.1
# Mass of the corpus distribution mixed into a topic's, as a share of an average topic's own.
CORPUS_SHARE = 0.1
# A topic has to explain more words than these to have a share, but half of the largest topic's
# words always suffice. In every text some words look like those of another topic.
SPURIOUS_WORDS = 2.0
SPURIOUS_SHARE = 0.5
MOST_STEPS = 50
CLOSE = 1e-3  # the steps end when the shares change by no more


class WordModel(NamedTuple):
    """How likely words are, in all documents and in topics.

    Attributes
    ----------
    corpus : (V) array
        p(w), positive.
    ratios : (V x K) array
        p(w | topic) / p(w), the language of all documents included.
    background : float
        Share of the words that come from there.
    """

    corpus: Dense
    ratios: Dense
    background: float = BACKGROUND

    @property
    def distributions(self) -> Dense:
        """p(w | topic) (K x V); rows sum to 1."""
        return (self.ratios * self.corpus[:, None]).T


def word_model(word_counts: Dense, background: float = BACKGROUND) -> WordModel:
    """Probabilities of words from their counts in topics (K x V), of which each word has some."""
    total = float(word_counts.sum())
    corpus = word_counts.sum(axis=0) / total
    prior = CORPUS_SHARE * total / len(word_counts)
    # p(w|k) = (n_kw + m p_w) / (n_k + m), and p_w instead of it for a part of the words
    sizes = word_counts.sum(axis=1) + prior
    ratios = word_counts.T / (corpus[:, None] * sizes)
    ratios += prior / sizes
    ratios *= 1 - background
    ratios += background
    return WordModel(corpus, np.ascontiguousarray(ratios), background)


@kernel
def divide_document(
    ids: Any, values: Any, ratios: Any, background: float, shares: Any, words: Any
) -> None:
    """Set `words` (K) to how many of a document's words each topic explains, given its shares."""
    words[:] = 0.0
    for entry in range(ids.size):
        row = ratios[ids[entry]]
        mixed = 0.0
        for k in range(shares.size):
            mixed += shares[k] * row[k]
        # r_wk = theta_k ((1 - b) p(w|k)) / p(w|theta)
        scale = values[entry] / mixed
        for k in range(shares.size):
            words[k] += scale * shares[k] * (row[k] - background)


@kernel
def add_divided_words(
    ids: Any, values: Any, ratios: Any, background: float, shares: Any, factor: float, sums: Any
) -> None:
    """Add to `sums` (V x K) a document's words, divided in the same way, times a factor."""
    for entry in range(ids.size):
        row, own = ratios[ids[entry]], sums[ids[entry]]
        mixed = 0.0
        for k in range(shares.size):
            mixed += shares[k] * row[k]
        scale = values[entry] * factor / mixed
        for k in range(shares.size):
            own[k] += scale * shares[k] * (row[k] - background)


@kernel
def _set_proportions(
    indptr: Any, ids: Any, values: Any, idf: Any, ratios: Any, background: float,
    spurious_words: float, spurious_share: float, start: Any, shares: Any, lengths: Any,
) -> None:  # fmt: skip
    words = np.zeros(start.size)
    for i in range(lengths.size):
        own_ids = ids[indptr[i] : indptr[i + 1]]
        own_values = values[indptr[i] : indptr[i + 1]]
        theta = shares[i]
        theta[:] = start
        num_used = 0
        for entry in range(own_ids.size):
            lengths[i] += own_values[entry]
            if idf.size == 0 or idf[own_ids[entry]] > 0:
                num_used += 1
        if num_used == 0:
            lengths[i] = 0.0
            continue
        # Weights count as words do on average, one each.
        scale = 1.0 if idf.size else own_ids.size / lengths[i]
        for _ in range(MOST_STEPS):
            divide_document(own_ids, own_values, ratios, background, theta, words)
            largest = words.max() * scale
            spurious = min(spurious_words, spurious_share * largest)
            total = 0.0
            for k in range(words.size):
                words[k] = max(words[k] * scale - spurious, 0.0)
                total += words[k]
            change = 0.0
            for k in range(words.size):
                share = words[k] / total
                change += abs(share - theta[k])
                theta[k] = share
            if change <= CLOSE:
                break


def topic_proportions(
    indptr: Any,
    ids: Any,
    values: Dense,
    model: WordModel,
    topic_sizes: Dense,
    idf: Dense | None,
) -> tuple[Dense, Dense]:
    """Shares of the topics (n x K) in documents, rows sum to 1; and their lengths (n) in words.

    Document i has the terms ids[indptr[i] : indptr[i + 1]], each once, with positive values: counts
    or, if `idf` is None, weights. Topics that no document ever had get nothing. A document whose
    terms all weigh nothing has length 0 and equal shares.
    """
    alive = topic_sizes > 0
    if not alive.any():
        alive[:] = True
    shares = np.zeros((len(indptr) - 1, alive.size))
    lengths = np.zeros(len(indptr) - 1)
    # One type of index, so that the loop is compiled once.
    indptr, ids = np.asarray(indptr, np.int64), np.asarray(ids, np.int64)
    _set_proportions(
        indptr, ids, values, np.zeros(0) if idf is None else idf, model.ratios, model.background,
        SPURIOUS_WORDS, SPURIOUS_SHARE, alive / alive.sum(), shares, lengths,
    )  # fmt: skip
    return shares, lengths


@kernel
def _divide_entries(
    indptr: Any, ids: Any, values: Any, ratios: Any, weights: Any, sums: Any
) -> None:
    for i in range(len(weights)):
        row_weights = weights[i]
        total = row_weights.sum()
        if total == 0:
            continue
        entries = slice(indptr[i], indptr[i + 1])
        add_divided_words(ids[entries], values[entries], ratios, 0.0, row_weights, total, sums)


def divide_words(indptr: Any, ids: Any, values: Dense, model: WordModel, weights: Dense) -> Dense:
    """Values of documents, divided among the topics and added up by words (K x V).

    Of each word a topic gets the more, the more the document has of the topic (`weights`, n x K)
    and the topic of the word. All of the value is divided, times what the document's weights sum
    to; a document with one topic gives it all.
    """
    sums = np.zeros(model.ratios.shape)
    indptr, ids = np.asarray(indptr, np.int64), np.asarray(ids, np.int64)
    _divide_entries(indptr, ids, values, model.ratios, np.ascontiguousarray(weights), sums)
    return sums.T
