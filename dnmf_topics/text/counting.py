"""Counting words fast: in Python once for each different word of a chunk, else in C.

A chunk of texts is counted with its own numbers for words. `Vocabulary` gives them common ones, and
selects words as gensim's `Dictionary.filter_extremes` does, with the ids that it would give.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ..common.arrays import IntArray

logger = logging.getLogger(__name__)

MOST_WORDS = 2_000_000  # of a vocabulary under way, as gensim's Dictionary has it
LEFT_OUT = -1


class _Numbers(dict[str, int]):
    """A number for each word as it stands in a text; words of the same token share theirs."""

    def __init__(self, finish: Callable[[str], str]) -> None:
        self.tokens: dict[str, int] = {}
        self._finish = finish

    def __missing__(self, word: str) -> int:
        token = self._finish(word)
        number = self.tokens.setdefault(token, len(self.tokens)) if token else LEFT_OUT
        self[word] = number
        return number


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a chunk (documents x tokens), and its tokens."""

    counts: sparse.csr_array
    tokens: list[str]


def count(word_lists: Iterable[list[str]], finish: Callable[[str], str] = str) -> Counted:
    """How often each document has each token; `finish` makes tokens of words."""
    numbers = _Numbers(finish)
    number_of = numbers.__getitem__
    found = [np.fromiter(map(number_of, words), np.int32, len(words)) for words in word_lists]
    columns = np.concatenate(found)
    kept = columns != LEFT_OUT
    limits = _limits(kept, [len(row) for row in found])
    columns = columns[kept]
    counts = sparse.csr_array(
        (np.ones(columns.size, np.int64), columns, limits),
        shape=(len(limits) - 1, len(numbers.tokens)),
    )
    counts.sum_duplicates()
    return Counted(counts, list(numbers.tokens))


class Vocabulary:
    """All tokens of the chunks so far, with their frequencies and where they first occur."""

    def __init__(self) -> None:
        self.num_docs = 0
        self.ids: dict[str, int] = {}
        self.doc_frequency: NDArray[np.int64] = np.zeros(0, np.int64)
        self.frequency: NDArray[np.int64] = np.zeros(0, np.int64)
        self._first_doc: NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, counted: Counted) -> IntArray:
        """Take in the tokens of the next chunk; return their ids."""
        ids = self.ids
        chosen = np.array([ids.setdefault(token, len(ids)) for token in counted.tokens], np.int64)
        num_new = len(ids) - len(self.frequency)
        self.doc_frequency, self.frequency, self._first_doc = (
            np.concatenate([known, np.full(num_new, start)])
            for known, start in [
                (self.doc_frequency, 0),
                (self.frequency, 0),
                (self._first_doc, np.iinfo(np.int64).max),
            ]
        )
        counts, size = counted.counts, len(counted.tokens)
        self.doc_frequency[chosen] += np.bincount(counts.indices, minlength=size)
        self.frequency[chosen] += np.asarray(counts.sum(axis=0), np.int64)
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        first = np.empty(size, np.int64)
        first[counts.indices[::-1]] = rows[::-1]  # the last to be written, the first row, stays
        self._first_doc[chosen] = np.minimum(self._first_doc[chosen], self.num_docs + first)
        self.num_docs += counts.shape[0]
        return chosen

    def prune(self) -> None:
        """Forget the rarest tokens if there are so many that memory is at risk."""
        if len(self.ids) <= MOST_WORDS:
            return
        logger.warning(
            "more than %i different words: the rarest of them start again from 0", MOST_WORDS
        )
        chosen = np.sort(np.argsort(-self.doc_frequency, kind="stable")[:MOST_WORDS])
        tokens = list(self.ids)
        self.ids = {tokens[old]: new for new, old in enumerate(chosen.tolist())}
        self.doc_frequency = self.doc_frequency[chosen]
        self.frequency = self.frequency[chosen]
        self._first_doc = self._first_doc[chosen]

    def select(self, no_below: int, no_above: float, keep_n: int | None) -> IntArray:
        """The tokens of `no_below` to `no_above` x documents, the `keep_n` most frequent of them.

        Returned are their ids here in the order of gensim's: tokens of an earlier document first,
        those of the same document in alphabetical order.
        """
        most = int(no_above * self.num_docs)
        fits = (self.doc_frequency >= no_below) & (self.doc_frequency <= most)
        tokens = np.array(list(self.ids), dtype=object)
        chosen = np.flatnonzero(fits)
        order = sorted(
            range(chosen.size),
            key=list(
                zip(self._first_doc[chosen].tolist(), tokens[chosen], strict=True)
            ).__getitem__,
        )
        chosen = chosen[order]
        by_frequency = np.argsort(-self.doc_frequency[chosen], kind="stable")[:keep_n]
        return chosen[np.sort(by_frequency)]


def gather(parts: list[tuple[sparse.csr_array, IntArray]], chosen: IntArray) -> sparse.csr_array:
    """One matrix of all chunks, each with its ids, and the columns of the chosen ids."""
    highest = max(int(ids.max(initial=0)) for _, ids in parts)
    column_of = np.full(max(highest, int(chosen.max())) + 1, LEFT_OUT, np.int32)
    column_of[chosen] = np.arange(chosen.size)
    columns = np.concatenate([column_of[ids[counts.indices]] for counts, ids in parts])
    values = np.concatenate([counts.data for counts, _ in parts])
    sizes = np.concatenate([np.diff(counts.indptr) for counts, _ in parts])
    kept = columns != LEFT_OUT
    limits = _limits(kept, sizes)
    matrix = sparse.csr_array(
        (values[kept], columns[kept], limits), shape=(len(sizes), chosen.size)
    )
    matrix.sort_indices()
    return matrix


def _limits(kept: NDArray[np.bool_], sizes: ArrayLike) -> IntArray:
    """Where rows of these sizes begin and end once only the kept entries are there."""
    limits: IntArray = np.append(0, np.cumsum(kept))[np.append(0, np.cumsum(sizes))]
    return limits
