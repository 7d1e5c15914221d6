"""Documents that are about several things, in parts that are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from loading import folder, load, preparation
from numpy.typing import NDArray
from scipy import sparse

from dnmf_topics.bench import keep_largest
from dnmf_topics.common.arrays import Dense, Labels
from dnmf_topics.text import build_corpus

KINDS = {"pure": (1,), "50-50": (1 / 2, 1 / 2), "70-30": (0.7, 0.3), "thirds": (1 / 3,) * 3}
PAIRS = KINDS["50-50"]
MIN_WORDS = 50  # of a document that gives words to others
NUM_TRAINING, NUM_HELD_OUT = 3000, 500
NEWSGROUPS = [0, 1, 6, 7, 9, 11, 13, 14, 16, 17]  # whose subjects are apart


class Documents(NamedTuple):
    """Counts of words (n x V), and the true shares of classes or topics (n x K)."""

    counts: sparse.csr_array
    shares: Dense


class Draw(NamedTuple):
    """Documents to learn from, and mixtures of others, by kind."""

    training: Documents
    held_out: dict[str, Documents]


def of_words(documents: Sequence[NDArray[np.integer]], num_terms: int) -> sparse.csr_array:
    """Counts of documents that are lists of terms."""
    indptr = np.concatenate([[0], np.cumsum([len(words) for words in documents])])
    values = np.ones(indptr[-1])
    counts = sparse.csr_array(
        (values, np.concatenate(documents), indptr), (len(documents), num_terms)
    )
    counts.sum_duplicates()
    return counts


def mix(
    counts: sparse.csr_array, classes: Labels, parts: Sequence[float], num_docs: int, rng
) -> Documents:
    """Documents of words drawn, in these parts, from long ones of different classes.

    Words are drawn without replacement, as many as the documents allow.
    """
    is_long = counts.sum(axis=1) >= MIN_WORDS
    by_class = [np.flatnonzero(is_long & (classes == k)) for k in range(classes.max() + 1)]
    filled = [k for k, members in enumerate(by_class) if members.size]
    shares, mixed = np.zeros((num_docs, len(by_class))), []
    for row in shares:
        chosen = rng.choice(filled, len(parts), replace=False)
        row[chosen] = parts
        sources = [words_of(counts, rng.choice(by_class[k])) for k in chosen]
        length = min(len(words) / part for words, part in zip(sources, parts, strict=True))
        drawn = [
            rng.choice(words, min(round(length * part), len(words)), replace=False)
            for words, part in zip(sources, parts, strict=True)
        ]
        mixed.append(np.concatenate(drawn))
    return Documents(of_words(mixed, counts.shape[1]), shares)


def words_of(counts: sparse.csr_array, row: int) -> NDArray[np.integer]:
    own = slice(counts.indptr[row], counts.indptr[row + 1])
    return np.repeat(counts.indices[own], counts.data[own].astype(np.int64))


def newsgroups():
    """Ten groups of 20 Newsgroups with subjects apart."""
    corpus = load("20newsgroups-plain")
    return corpus.rows(np.flatnonzero(np.isin(corpus.classes, NEWSGROUPS)))


def tdt2():
    """The 20 largest classes of TDT2."""
    return keep_largest(load("tdt2"), 20)


CORPORA = {"ten newsgroups": (newsgroups, 10), "TDT2": (tdt2, 20)}


def draw(name: str, seed: int, mixed: float = 0) -> Draw:
    """Documents of one of `CORPORA`, of which a part is mixed in halves; and held-out mixtures.

    What is mixed for training comes from one half of the other documents, what is held out from the
    other.
    """
    rng = np.random.default_rng(seed)
    corpus = CORPORA[name][0]()
    order = rng.permutation(corpus.classes.size)
    counts = sparse.csr_array(corpus.counts, dtype=float)[order]
    classes = np.unique(corpus.classes, return_inverse=True)[1][order]
    num_mixed = round(mixed * NUM_TRAINING)
    num_pure, start = NUM_TRAINING - num_mixed, NUM_TRAINING
    training, shares = counts[:num_pure], np.eye(classes.max() + 1)[classes[:num_pure]]
    if num_mixed:
        start += (classes.size - NUM_TRAINING) // 2
        others = slice(NUM_TRAINING, start)
        more = mix(counts[others], classes[others], PAIRS, num_mixed, rng)
        training = sparse.csr_array(sparse.vstack([training, more.counts]))
        shares = np.concatenate([shares, more.shares])
    terms = np.unique(training.indices)
    rest = counts[start:][:, terms]
    held_out = {
        kind: mix(rest, classes[start:], parts, NUM_HELD_OUT, rng) for kind, parts in KINDS.items()
    }
    return Draw(Documents(training[:, terms], shares), held_out)


def write(topics_per_document: int, seed: int, num_docs: int = 200, num_words: int = 60):
    """The documents of the second tutorial: six vocabularies of twelve words, equal parts."""
    rng = np.random.default_rng(seed)
    probabilities = 1 / np.sqrt(np.arange(1, 13))
    probabilities /= probabilities.sum()
    shares, documents = np.zeros((num_docs, 6)), []
    for row in shares:
        row[rng.choice(6, topics_per_document, replace=False)] = 1 / topics_per_document
        topics = rng.choice(6, num_words, p=row)
        documents.append(12 * topics + rng.choice(12, num_words, p=probabilities))
    return Documents(of_words(documents, 72), shares)


def stories(num_classes: int = 10) -> Documents:
    """Reuters' stories (ModApte) with one or two topics, all of them among the most frequent."""
    archive = folder() / "reuters21578/reuters21578.tar.gz"
    found = [
        (story.text, set(story.topics))
        for story in preparation("reuters").read_archive(archive)
        if story.in_mod_apte and story.body and story.topics
    ]
    frequency = Counter(chain.from_iterable(topics for _, topics in found))
    numbers = {topic: k for k, (topic, _) in enumerate(frequency.most_common(num_classes))}
    kept = [each for each in found if len(each[1]) <= 2 and each[1] <= numbers.keys()]
    shares = np.zeros((len(kept), num_classes))
    for row, (_, topics) in zip(shares, kept, strict=True):
        row[[numbers[topic] for topic in topics]] = 1 / len(topics)
    return Documents(build_corpus([text for text, _ in kept]).counts.matrix, shares)
