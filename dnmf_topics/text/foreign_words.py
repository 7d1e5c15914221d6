"""A notice for texts that are plainly in another language than the stop words.

Function words are a third to a half of running text in any language. The right list removes them;
if the words that are left are still full of those of another language, the list is the wrong one.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from .languages import LANGUAGES, language_of
from .stop_words import as_in_texts, listed_languages, resolve, words_of

if TYPE_CHECKING:
    from .counting import Vocabulary
    from .tokenization import Tokenization

# What is plain, as a share of the words in documents, each word once in each document, by whether
# the two languages are written in the same script: relatives share words, others do not. Set by
# tests/benchmarks/languages.py.
LARGE_SHARE = {True: 0.1, False: 0.04}
MANY_WORDS = 10  # that are different; the most frequent, which may be a topic's, does not count


def foreign_hint(vocabulary: Vocabulary, settings: Tokenization) -> str | None:
    """What to do if the texts are plainly in another language than a stop list of ours."""
    chosen = language_of(settings.language)
    if words_of(chosen) is None or settings.stop_words != resolve(chosen.code):
        return None
    _, script = _list_of(chosen.group, True)
    found = [
        (share, code)
        for code, share in foreign_shares(vocabulary, settings).items()
        if share >= LARGE_SHARE[_list_of(code, True)[1] == script]
    ]
    if not found:
        return None
    share, code = max(found)
    title = LANGUAGES[code].title
    return (
        f"the texts seem to be {title}, but the stop words are {chosen.title}: {share:.0%} of the "
        f"words that these leave are {title} stop words; take language={code!r} "
        f"(--language {code})"
    )


def foreign_shares(vocabulary: Vocabulary, settings: Tokenization) -> dict[str, float]:
    """How much of the words is stop words of each language of which there are many, by code."""
    accents = not settings.strip_accents
    removed = as_in_texts(settings.stop_words or (), accents=accents)
    positions, doc_frequency = vocabulary.positions, vocabulary.doc_frequency
    total = int(doc_frequency.sum())
    shares = {}
    for code in listed_languages():
        words = _list_of(code, accents)[0] - removed
        known = [positions[word] for word in words if word in positions]
        if len(known) >= MANY_WORDS:
            frequencies = doc_frequency[known]
            shares[code] = int(frequencies.sum() - frequencies.max()) / total
    return shares


@cache
def _list_of(code: str, accents: bool) -> tuple[frozenset[str], str]:
    """The words of a list as tokens show them, and the script of most."""
    words = as_in_texts(words_of(LANGUAGES[code]) or (), accents=accents)
    return words, _script(words)


def _script(words: Iterable[str]) -> str:
    """The first word of the names of most first letters, such as LATIN or CYRILLIC."""
    names = (unicodedata.name(word[0], "").partition(" ")[0] for word in words if word)
    return Counter(names).most_common(1)[0][0]
