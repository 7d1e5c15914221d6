"""Words that carry no topic: lists of many languages, of NLTK and of spaCy, or the user's own.

English is gensim's list. Those of the other languages are the collection "Stopwords ISO"
(https://github.com/stopwords-iso/stopwords-iso, MIT), which the package stopwordsiso carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ..common.checks import shortened
from .cleaning import compose, strip_accents
from .languages import LANGUAGES, Language, find_language
from .libraries import nltk_resource, spacy_language

# Words in these lists, nouns above all, that can be what a text is about.
TOPICAL = {
    "de": ["gott", "mann", "mensch", "menschen", "ordnung", "recht"],
    "en": ["bill", "computer", "cry", "fire", "mill", "system"],
    "es": ["empleo", "pais", "paìs", "trabajo"],
    "fr": ["force", "mine", "parole", "pièce", "quanta", "valeur", "voie", "état"],
    "it": [
        "citta", "città", "comprare", "consiglio", "futuro", "gruppo", "mondo", "paese",
        "registrazione", "uomo", "vita",
    ],
    "pt": [
        "caminho", "conselho", "corrente", "noite", "obra", "povo", "sistema", "trabalhar",
        "trabalho", "viagem", "área",
    ],
}  # fmt: skip
GARBLED = {"ur"}  # letters were exchanged for others, so that no text has these words

# Words that the lists lack: in English what apostrophes, numbers (11th, 5 pm) and "et al." leave
# behind, titles and interjections; in other languages words of two letters.
MISSING = {
    "af": ["of"],
    "ca": ["té"],
    "en": [
        "ah", "ain", "al", "aren", "ca", "couldn", "dr", "eh", "et", "hadn", "hasn", "haven", "hi",
        "isn", "jr", "ll", "mightn", "mr", "mustn", "n't", "nd", "needn", "oh", "ok", "pm", "rd",
        "shan", "shouldn", "st", "th", "uh", "um", "ve", "vs", "wasn", "weren", "wo", "wouldn",
    ],
    "et": ["ka"],
    "ga": ["lú", "má", "mó", "ró", "tá"],
    "he": ["בו", "זו", "נא"],
    "hy": ["դա", "թե", "ոչ", "սա", "չի", "չէ"],  # noqa: RUF001
    "lt": ["jo", "jį", "jų", "to", "tą", "šį"],
    "lv": ["to", "tu", "šo", "šī"],
    "sl": ["še"],
    "uk": [
        "бо", "за", "зі", "на", "не", "ні", "об", "по", "то", "цю", "ця", "ці", "ще", "їй", "їм",  # noqa: RUF001
    ],
}  # fmt: skip


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


@cache
def listed_languages() -> tuple[str, ...]:
    """The codes of the languages that have a list here."""
    from stopwordsiso import langs

    return tuple(code for code in LANGUAGES if code in langs() and code not in GARBLED)


@cache
def _own_words(code: str) -> frozenset[str]:
    """The list of a language that has one."""
    words = _english_words() if code == "en" else _iso_words(code)
    return words.union(MISSING.get(code, ())).difference(TOPICAL.get(code, ()))


def _english_words() -> frozenset[str]:
    from gensim.parsing.preprocessing import STOPWORDS  # late: it loads slowly

    return frozenset(STOPWORDS)


def _iso_words(code: str) -> frozenset[str]:
    from stopwordsiso import stopwords

    words: set[str] = stopwords(code)
    if code == "lt":  # there, bytes of the Baltic code page were read as Latin-1
        words = {word.encode("latin-1").decode("cp1257") for word in words}
    if code == "ro":  # letters with a comma below, as the norm has it, beside those with a cedilla
        words = words.union(word.translate(str.maketrans("şţ", "șț")) for word in words)
    # Among them are digits, signs and phrases, which no token is.
    return frozenset(filter(re.compile(r"[^\W\d_]\S*").fullmatch, words))


def words_of(language: Language) -> frozenset[str] | None:
    """The list of a language; None if there is none."""
    return _own_words(language.group) if language.group in listed_languages() else None


SOURCES: dict[str, Callable[[str], Iterable[str]]] = {"nltk": _nltk_words, "spacy": _spacy_words}
"""Where named lists come from, as in "nltk:german"."""


def resolve(stop_words: Any) -> tuple[str, ...]:
    """The words themselves, sorted."""
    source, _, language = stop_words.partition(":") if isinstance(stop_words, str) else [""] * 3
    if stop_words is None:
        return ()
    named = find_language(stop_words)
    if named is not None:
        words: Iterable[str] | None = words_of(named)
        if words is None:
            raise ValueError(
                f"stop_words: there is no list for {named.title}; give the words themselves, or "
                "None for no stop words."
            )
    elif source in SOURCES and language:
        words = SOURCES[source](language)
    elif isinstance(stop_words, Iterable) and not isinstance(stop_words, str):
        words = list(stop_words)
    else:
        raise ValueError(
            "stop_words must be 'auto', a language (such as 'german' or 'de'), 'nltk:' or 'spacy:' "
            "and a language of theirs (such as spacy:de), a list of words, or None, "
            f"got {shortened(stop_words)}."
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
