"""The steps of a tokenization at work: clean, cut, keep or drop, join phrases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from ..common.checks import MOST_PROCESSES, check_int
from . import cleaning
from .characters import token_pattern
from .libraries import Refused
from .phrases import join_phrases
from .processes import chunks, map_in_order
from .stop_words import as_in_texts
from .tokenizers import TOKENIZERS

if TYPE_CHECKING:
    from .tokenization import Tokenization

Text = TypeVar("Text")

KNOWN_WORDS = 200_000  # that are remembered with their tokens


class LoadedSteps:
    """What a tokenization does, with all that it needs loaded."""

    def __init__(self, settings: Tokenization) -> None:
        row = TOKENIZERS[settings.tokenizer]
        self._clean = _cleaner(settings)
        self._split = row.split(settings)
        self.finish = lru_cache(KNOWN_WORDS)(_finisher(settings))
        self.phrases = frozenset(settings.learnt_phrases or ()) if settings.phrases else None

    def words(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """The words of each text as they stand in it; `finish` makes tokens of them."""
        return self._split(map(self._clean, texts))

    def tokens(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """The tokens of each text."""
        for words in self.words(texts):
            tokens = [token for token in map(self.finish, words) if token]
            yield join_phrases(tokens, self.phrases) if self.phrases else tokens


def load_steps(settings: Tokenization) -> LoadedSteps:
    """The steps; what they need is loaded once in each process, and only if it is allowed."""
    named = TOKENIZERS[settings.tokenizer].named(settings)
    if isinstance(named, Refused):
        raise ValueError(
            f"The tokenization comes from a file that names {str(named)!r:.300}, which would be "
            "loaded and could run code; if you trust it, give this name as `allow` when the file "
            "is loaded, or as --allow on the command line."
        )
    return _loaded(settings)


@lru_cache(4)
def _loaded(settings: Tokenization) -> LoadedSteps:
    return LoadedSteps(settings)


def tokens_of(
    settings: Tokenization, texts: Iterable[str], processes: int = 1
) -> Iterator[list[str]]:
    """The tokens of each text, in order, by one or several processes."""
    if isinstance(texts, str):
        raise TypeError("texts must be an iterable of texts; put a single text into a list.")
    check_int(processes, "processes", 1, MOST_PROCESSES)
    steps = load_steps(settings)  # complains at once if something is missing
    if processes == 1:
        return steps.tokens(texts)
    work = partial(_tokens_of_chunk, settings)
    return chain.from_iterable(map_in_order(work, chunks_for(settings, texts, len), processes))


def chunks_for(
    settings: Tokenization, texts: Iterable[Text], length: Callable[[Text], int]
) -> Iterator[list[Text]]:
    """Texts in portions for a process; `length` says how many characters one has."""
    return chunks(texts, TOKENIZERS[settings.tokenizer].chunk_characters, length)


def _tokens_of_chunk(settings: Tokenization, texts: list[str]) -> list[list[str]]:
    return list(load_steps(settings).tokens(texts))


def _cleaner(settings: Tokenization) -> Callable[[str], str]:
    accents = settings.strip_accents

    def clean(text: str) -> str:
        text = cleaning.strip_parts(text, settings)
        if text.isascii():
            return text
        return cleaning.strip_accents(text) if accents else cleaning.compose(text)

    return clean


def _finisher(settings: Tokenization) -> Callable[[str], str]:
    """What makes a token of a word that stands in a text; of one to be left out, nothing."""
    row = TOKENIZERS[settings.tokenizer]
    base_form = row.base_form(settings) if settings.base_form and row.base_form else None
    stop_words = as_in_texts(settings.stop_words or (), accents=not settings.strip_accents)
    find = None
    if not row.only_words:
        find = re.compile(token_pattern(with_digits=settings.keep_numbers)).fullmatch
    shortest, lowercase = settings.min_length, settings.lowercase

    def is_kept(word: str) -> bool:
        return len(word) >= shortest and word.lower() not in stop_words

    def finish(word: str) -> str:
        if find is not None:
            found = find(word)
            if found is None:
                return ""
            word = found[1]
        if lowercase:
            word = word.lower()
        if not is_kept(word):
            return ""
        if base_form is not None:
            word = base_form(word)
            return word if is_kept(word) else ""
        return word

    return finish
