"""Words that the user knows some topics by: checked, and as term ids of the topics.

They come as `seed_words`, or as LdaModel's prior of words for each topic, `eta` (K x V).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from gensim.utils import FakeDict

from ..common.arrays import Dense
from ..common.checks import check_int, shortened
from .user_names import Names, check_name

logger = logging.getLogger(__name__)

SeedTerms = tuple[tuple[int, ...], ...]
"""Term ids of the topics 0, 1, ...; a topic that has none, or comes after them, is free."""

STANDS_OUT = 2.0  # how many times the usual prior of a word makes it a seed


def check_seed_words(seed_words: Any) -> dict[str, list[str | int]]:
    """Names of topics, in order, and the words or term ids of each, none of them twice."""
    if not isinstance(seed_words, Mapping):
        raise TypeError(
            "seed_words must be a dict from names of topics to lists of words, got "
            f"{shortened(seed_words)}."
        )
    checked: dict[str, list[str | int]] = {}
    for given, words in seed_words.items():
        name = _checked_name(given)
        if name in checked:
            raise ValueError(f"seed_words must not name a topic twice, got {name!r} again.")
        if not isinstance(words, (list, tuple, set, frozenset, np.ndarray)):
            raise TypeError(
                f"seed_words of {shortened(name)} must be a list of words, got {shortened(words)}."
            )
        ordered = sorted(words, key=str) if isinstance(words, (set, frozenset)) else words
        checked[name] = list(dict.fromkeys(_checked_word(word, name) for word in ordered))
        if not checked[name]:
            raise ValueError(f"seed_words of {shortened(name)} must have at least one word.")
    return checked


def _checked_name(name: Any) -> str:
    checked = check_name(name)
    if checked is None:
        raise ValueError(f"seed_words must have a name for each of its topics, got {name!r}.")
    return checked


def _checked_word(word: Any, name: str) -> str | int:
    if isinstance(word, (int, np.integer)) and not isinstance(word, bool):
        return check_int(word, f"a term id in seed_words of {shortened(name)}", 0)
    if not isinstance(word, str) or not word.strip():
        raise TypeError(
            f"seed_words of {shortened(name)} must be words, or term ids of at least 0, got "
            f"{shortened(word)}."
        )
    return word.strip()


def check_seeds_fit(seed_words: Mapping[str, Any], num_topics: int) -> None:
    """Raise if there are more seeded topics than topics."""
    if len(seed_words) > num_topics:
        raise ValueError(
            f"num_topics must be at least the number of topics in seed_words, {len(seed_words)}, "
            f"got {num_topics}."
        )


def seed_names(seed_words: Mapping[str, Any], num_topics: int) -> Names:
    """The names of all topics before any is learnt: those with seed words have theirs."""
    names = tuple(seed_words)[:num_topics]
    return (*names, *[None] * (num_topics - len(names)))


def find_seed_terms(
    seed_words: Mapping[str, Sequence[str | int]], id2word: Any, num_terms: int
) -> SeedTerms:
    """The term ids of seed words; the log says which words the vocabulary lacks.

    A word that it has in other upper and lower case alone stands for all of these.
    """
    if not seed_words:
        return ()
    vocabulary = _Vocabulary(id2word, num_terms)
    found, lacking = [], []
    for name, words in seed_words.items():
        ids = {word: vocabulary.ids(word) for word in words}
        unknown = [str(word) for word in words if not ids[word]]
        if len(unknown) == len(words):
            raise ValueError(
                f"seed_words of {shortened(name)} must have a word of the vocabulary, but it has "
                f"none of them: {shortened(', '.join(unknown))}; give words as they are in it."
            )
        if unknown:
            lacking.append(f"{name}: {', '.join(unknown)}")
        found.append(tuple(sorted({term for each in ids.values() for term in each})))
    if lacking:
        logger.warning("seed words that the vocabulary lacks: %s", "; ".join(lacking))
    return tuple(found)


def merged_seeds(seed_terms: SeedTerms, numbers: Sequence[int]) -> SeedTerms:
    """The terms that merged topics are known by; `numbers` (K) are those that the topics get."""
    if not seed_terms:
        return ()
    merged: list[set[int]] = [set() for _ in range(max(numbers) + 1)]
    for terms, number in zip(seed_terms, numbers, strict=False):
        merged[number].update(terms)
    return _without_last(tuple(sorted(terms)) for terms in merged)


def _without_last(seed_terms: Iterable[tuple[int, ...]]) -> SeedTerms:
    """The same without topics at the end that have no seeds."""
    kept = list(seed_terms)
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


class _Vocabulary:
    """The ids of words."""

    def __init__(self, id2word: Any, num_terms: int) -> None:
        self.num_terms = num_terms
        if isinstance(id2word, Dictionary):
            pairs = [(word, term) for word, term in id2word.token2id.items() if term < num_terms]
        elif isinstance(id2word, FakeDict):  # whose words are the ids
            pairs = [(str(term), term) for term in range(num_terms)]
        else:
            pairs = [(str(word), term) for term, word in id2word.items()]
        self.exact: dict[str, list[int]] = {}
        self.folded: dict[str, list[int]] = {}
        for word, term in pairs:
            self.exact.setdefault(word, []).append(int(term))
            self.folded.setdefault(word.casefold(), []).append(int(term))

    def ids(self, word: str | int) -> list[int]:
        """The ids of a word, or an id itself, if there is any."""
        if isinstance(word, int):
            return [word] if word < self.num_terms else []
        return self.exact.get(word) or self.folded.get(word.casefold(), [])


def seed_terms_of_prior(eta: Dense) -> SeedTerms:
    """The words that a prior (K x V) expects in a topic more than in most others.

    A word is a seed of the topics in which its prior is at least twice that of the (lower) median
    of all topics. A prior without rows, or with equal ones, has no seeds.
    """
    if eta.ndim == 1:
        return ()
    middle = (len(eta) - 1) // 2
    usual = np.partition(eta, middle, axis=0)[middle]
    stands_out = eta >= STANDS_OUT * usual
    return _without_last(tuple(np.flatnonzero(row).tolist()) for row in stands_out)
