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
class Tally:
    """The tokens of some documents, with their ids and frequencies and where they first occur.

    All ids are below `num_ids`; those that no token has were forgotten.
    """

    tokens: list[str]
    ids: IntArray
    num_ids: int
    doc_frequency: IntArray
    frequency: IntArray
    first_doc: IntArray
    num_docs: int


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a chunk (documents x tokens), and its tokens."""

    counts: sparse.csr_array
    tokens: list[str]

    def tally(self) -> Tally:
        """What a vocabulary takes in; ids are columns."""
        counts, size = self.counts, len(self.tokens)
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        first = np.empty(size, np.int64)
        first[counts.indices[::-1]] = rows[::-1]  # the last to be written, the first row, stays
        return Tally(
            self.tokens,
            np.arange(size),
            size,
            np.bincount(counts.indices, minlength=size),
            np.asarray(counts.sum(axis=0), np.int64),
            first,
            counts.shape[0],
        )


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
    """All tokens so far, with their ids and frequencies and where they first occur.

    Tokens have positions, in the arrays of their ids and frequencies. A token that is forgotten
    gives its position away but not its id: what was written with it stays right.
    """

    def __init__(self) -> None:
        self.num_docs = 0
        self.num_ids = 0
        self.positions: dict[str, int] = {}
        self.ids: NDArray[np.int64] = np.zeros(0, np.int64)
        self.doc_frequency: NDArray[np.int64] = np.zeros(0, np.int64)
        self.frequency: NDArray[np.int64] = np.zeros(0, np.int64)
        self._first_doc: NDArray[np.int64] = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.positions)

    def add(self, tally: Tally) -> IntArray:
        """Take in the tokens of the next documents; return the id here of each id there."""
        positions = self.positions
        found = [positions.setdefault(token, len(positions)) for token in tally.tokens]
        self._grow(len(positions) - self.ids.size)
        chosen = np.array(found, np.int64)
        self.doc_frequency[chosen] += tally.doc_frequency
        self.frequency[chosen] += tally.frequency
        first = self.num_docs + tally.first_doc
        self._first_doc[chosen] = np.minimum(self._first_doc[chosen], first)
        self.num_docs += tally.num_docs
        ids = np.full(tally.num_ids, LEFT_OUT, np.int64)
        ids[tally.ids] = self.ids[chosen]
        return ids

    def _grow(self, num_new: int) -> None:
        self.ids = np.append(self.ids, np.arange(self.num_ids, self.num_ids + num_new))
        self.num_ids += num_new
        nothing = np.zeros(num_new, np.int64)
        self.doc_frequency = np.append(self.doc_frequency, nothing)
        self.frequency = np.append(self.frequency, nothing)
        self._first_doc = np.append(self._first_doc, nothing + np.iinfo(np.int64).max)

    def tally(self) -> Tally:
        """What another vocabulary takes in."""
        return Tally(
            list(self.positions),
            self.ids,
            self.num_ids,
            self.doc_frequency,
            self.frequency,
            self._first_doc,
            self.num_docs,
        )

    def prune(self) -> None:
        """Forget the rarest tokens if there are so many that memory is at risk."""
        if len(self) <= MOST_WORDS:
            return
        logger.warning(
            "more than %i different words: the rarest of them start again from 0", MOST_WORDS
        )
        chosen = np.sort(np.argsort(-self.doc_frequency, kind="stable")[:MOST_WORDS])
        tokens = list(self.positions)
        self.positions = {tokens[old]: new for new, old in enumerate(chosen.tolist())}
        self.ids = self.ids[chosen]
        self.doc_frequency = self.doc_frequency[chosen]
        self.frequency = self.frequency[chosen]
        self._first_doc = self._first_doc[chosen]

    def select(self, no_below: int, no_above: float, keep_n: int | None) -> IntArray:
        """The tokens of `no_below` to `no_above` x documents, the `keep_n` most frequent of them.

        Returned are their positions in the order of gensim's ids: tokens of an earlier document
        first, those of the same document in alphabetical order.
        """
        most = int(no_above * self.num_docs)
        fits = (self.doc_frequency >= no_below) & (self.doc_frequency <= most)
        tokens = np.array(list(self.positions), dtype=object)
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


class Columns:
    """The columns that the chosen ones among a vocabulary's ids become."""

    def __init__(self, num_ids: int, chosen: IntArray) -> None:
        self.number = int(chosen.size)
        # One more: -1, which stands for no id, is the last.
        self._column_of = np.full(num_ids + 1, LEFT_OUT, np.int32)
        self._column_of[chosen] = np.arange(chosen.size)

    def of(self, counts: sparse.csr_array, ids: IntArray) -> sparse.csr_array:
        """Counts whose columns have these ids, with the chosen columns in their order."""
        columns = self._column_of[ids][counts.indices]
        kept = columns != LEFT_OUT
        limits = _limits(kept, np.diff(counts.indptr))
        if columns.size < 2**31:  # else scipy would widen the columns to the type of the limits
            limits = limits.astype(np.int32)
        shape = counts.shape[0], self.number
        matrix = sparse.csr_array((counts.data[kept], columns[kept], limits), shape=shape)
        matrix.sort_indices()
        return matrix


def _limits(kept: NDArray[np.bool_], sizes: ArrayLike) -> IntArray:
    """Where rows of these sizes begin and end once only the kept entries are there."""
    limits: IntArray = np.append(0, np.cumsum(kept))[np.append(0, np.cumsum(sizes))]
    return limits
