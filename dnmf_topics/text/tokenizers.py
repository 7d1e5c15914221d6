"""The ways to cut texts into words: each a row of the table `TOKENIZERS`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

from .characters import word_pattern
from .languages import LANGUAGES, Language, find_language, language_of
from .libraries import MissingError, library, nltk_resource, packages_of, spacy_pipeline
from .stop_words import as_in_texts

if TYPE_CHECKING:
    from .tokenization import Tokenization

Split = Callable[[Iterable[str]], Iterator[list[str]]]
"""From texts to the words of each text as they stand there."""


@dataclass(frozen=True)
class Tokenizer:
    """How a library cuts texts into words, and reduces words to a base form."""

    split: Callable[[Tokenization], Split]
    language: str = "en"  # of the texts, if none is named
    only_language: bool = False  # whether it cuts no others
    base_forms: tuple[str, ...] = ()
    base_form: Callable[[Tokenization], Callable[[str], str]] | None = None
    named: Callable[[Tokenization], str | None] = lambda settings: None
    """What it loads, beyond its own code, by a name in the settings; a file may not, unasked."""
    only_words: bool = False  # or also punctuation, numbers, addresses
    chunk_characters: int = 6_000_000  # how much text a process takes at a time


# Regular expressions: nothing to install, any script that puts spaces between words


def _regex_split(settings: Tokenization) -> Split:
    lowercase = settings.lowercase
    # Most texts are ASCII, which Python knows without looking, and a table is faster there than
    # the expression: it puts a space where no word is.
    is_sign = str.isalnum if settings.keep_numbers else str.isalpha
    signs = (sign.lower() if lowercase else sign for sign in map(chr, range(128)))
    table = "".join(sign if is_sign(sign) else " " for sign in signs)

    def words(text: str) -> list[str]:
        if text.isascii():
            return text.translate(table).split()
        return _all_words(settings.keep_numbers).findall(text.lower() if lowercase else text)

    return partial(map, words)


@cache
def _all_words(keep_numbers: bool) -> re.Pattern[str]:
    return re.compile(word_pattern(with_digits=keep_numbers))


# NLTK: its word tokenizer needs no data; stems by Snowball, lemmas by WordNet


def _nltk_split(settings: Tokenization) -> Split:
    library("nltk")
    from nltk.tokenize import NLTKWordTokenizer

    tokenize = NLTKWordTokenizer().tokenize
    return partial(map, tokenize)


def _nltk_named(settings: Tokenization) -> str | None:
    return settings.base_form if settings.base_form == "wordnet" else None


def _nltk_base_form(settings: Tokenization) -> Callable[[str], str]:
    if settings.base_form == "wordnet":
        return partial(_wordnet_lemma, nltk_resource("wordnet"))
    library("nltk")
    from nltk.stem.snowball import SnowballStemmer

    name = LANGUAGES[language_of(settings.language).group].name
    if name not in SnowballStemmer.languages:
        known = (each for each in SnowballStemmer.languages if find_language(each))
        raise ValueError(
            f"language must be one of {', '.join(known)} for the Snowball stemmer, got {name!r}."
        )
    stem: Callable[[str], str] = SnowballStemmer(name).stem
    return stem


def _wordnet_lemma(wordnet: Any, word: str) -> str:
    # Without parts of speech: as a noun where that changes the word, else as a verb.
    lemmas = (wordnet.morphy(word, part) for part in "nv")
    return next((lemma for lemma in lemmas if lemma and lemma != word), word)


# spaCy: a pipeline of its own, which cuts, tags and lemmatizes whole texts


@lru_cache(2)  # loading takes a second, and building, streaming and reading new texts each need it
def _pipeline(model: str | None, language: Language) -> Any:
    pipeline = spacy_pipeline(model, language)
    pipeline.max_length = 10**9  # a guard for parsers, which are left out
    return pipeline


def _spacy_named(settings: Tokenization) -> str | None:
    return None if settings.model is None else os.fspath(settings.model)


def _spacy_split(settings: Tokenization) -> Split:
    pipeline = _pipeline(_spacy_named(settings), language_of(settings.language))
    lemmas = settings.base_form == "lemma"
    parts = frozenset(settings.parts_of_speech or ())
    # Stop words are looked up as they stand in the text; later only the lemma is known.
    stop_words = as_in_texts(settings.stop_words or (), accents=not settings.strip_accents)

    def words(doc: Any) -> list[str]:
        return [
            (token.lemma_ if lemmas else None) or token.text
            for token in doc
            if (not parts or token.pos_ in parts) and token.lower_ not in stop_words
        ]

    return lambda texts: map(words, pipeline.pipe(texts, batch_size=64))


# Chinese, Japanese and Thai, which have no spaces between words: by dictionaries that are installed
# with the libraries


@cache  # reading its dictionary takes a second
def _jieba_tokenizer() -> Any:
    tokenizer = library("jieba").Tokenizer()
    # As its `initialize` does, but without a copy in the folder of temporary files, where others
    # could put another one.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def _jieba_split(settings: Tokenization) -> Split:
    return partial(map, _jieba_tokenizer().lcut)


def _fugashi_split(settings: Tokenization) -> Split:
    fugashi = library("fugashi")
    try:
        tagger = fugashi.Tagger()
    except RuntimeError as error:
        raise MissingError(
            f"fugashi has no dictionary; `pip install {packages_of('fugashi')}` gets one."
        ) from error

    def words(text: str) -> list[str]:
        # MeCab reads C's strings, in UTF-8, which end at a NUL.
        text = text.replace("\0", " ").encode(errors="replace").decode()
        return [word.surface for word in tagger(text)]

    return partial(map, words)


def _pythainlp_split(settings: Tokenization) -> Split:
    library("pythainlp")
    # The safe engine takes longer texts in pieces, so that its time grows with their length only.
    cut = library("pythainlp.tokenize").word_tokenize
    return partial(map, partial(cut, engine="newmm-safe", keep_whitespace=False))


TOKENIZERS = {
    "regex": Tokenizer(_regex_split, only_words=True),
    "nltk": Tokenizer(
        _nltk_split, base_forms=("snowball", "wordnet"), base_form=_nltk_base_form,
        named=_nltk_named, chunk_characters=500_000,
    ),
    "spacy": Tokenizer(
        _spacy_split, base_forms=("lemma",), named=_spacy_named, chunk_characters=100_000,
    ),
    "jieba": Tokenizer(_jieba_split, "zh", only_language=True, chunk_characters=500_000),
    "fugashi": Tokenizer(_fugashi_split, "ja", only_language=True, chunk_characters=500_000),
    "pythainlp": Tokenizer(_pythainlp_split, "th", only_language=True, chunk_characters=200_000),
}  # fmt: skip
