"""Words that carry no topic: whole lists by name, or the user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..common.checks import shortened
from .cleaning import compose, strip_accents
from .libraries import nltk_resource, spacy_language

# Nouns in gensim's list that can be what a text is about.
TOPICAL = ["bill", "computer", "cry", "fire", "mill", "system"]

# What apostrophes leave behind; some of it is in the list of gensim.
CONTRACTIONS = [
    "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "ll", "mightn",
    "mustn", "n't", "needn", "re", "shan", "shouldn", "ve", "wasn", "weren", "wouldn",
]  # fmt: skip


def _nltk_words(language: str) -> Iterable[str]:
    stop_words: Any = nltk_resource("stopwords")
    known = stop_words.fileids()
    if language not in known:
        raise ValueError(f"stop_words: NLTK has lists for {', '.join(known)}, not {language!r}.")
    words: list[str] = stop_words.words(language)
    return words


def _spacy_words(language: str) -> Iterable[str]:
    words: set[str] = spacy_language(language).Defaults.stop_words
    if not words:
        raise ValueError(f"stop_words: spaCy has no list for {language!r}; give the words.")
    return words


SOURCES: dict[str, Callable[[str], Iterable[str]]] = {"nltk": _nltk_words, "spacy": _spacy_words}
"""Where named lists come from, as in "nltk:german"."""


def resolve(stop_words: Any) -> tuple[str, ...]:
    """The words themselves, sorted."""
    source, _, language = stop_words.partition(":") if isinstance(stop_words, str) else [""] * 3
    if stop_words is None:
        return ()
    if stop_words == "english":
        from gensim.parsing.preprocessing import STOPWORDS  # late: it loads slowly

        words: Iterable[str] = STOPWORDS.union(CONTRACTIONS).difference(TOPICAL)
    elif source in SOURCES and language:
        words = SOURCES[source](language)
    elif isinstance(stop_words, Iterable) and not isinstance(stop_words, str):
        words = list(stop_words)
    else:
        raise ValueError(
            "stop_words must be 'auto', 'english', 'nltk:' or 'spacy:' and a language (such as "
            f"spacy:de), a list of words, or None, got {shortened(stop_words)}."
        )
    if not all(isinstance(word, str) for word in words):
        raise TypeError("stop_words must be words; it has something that is not a string.")
    return tuple(sorted(set(words)))


def as_in_texts(words: Iterable[str], *, accents: bool) -> frozenset[str]:
    """The words as tokens show them: lower case; and the parts that an apostrophe leaves."""
    found = set()
    for word in words:
        word = compose(word).lower()
        found.update([word, *re.split("['\u2019]", word)])
    return frozenset(found if accents else map(strip_accents, found))
