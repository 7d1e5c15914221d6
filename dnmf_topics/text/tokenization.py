"""The steps from a text to its words, as one value that can be saved and repeated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..common.checks import check_int, check_real, shortened
from .languages import LANGUAGES, language_of
from .libraries import Refused
from .steps import tokens_of
from .stop_words import resolve, words_of
from .tokenizers import TOKENIZERS

SWITCHES = (
    "keep_numbers", "lowercase", "strip_accents", "strip_headers", "strip_quotes",
    "strip_signatures", "strip_latex", "phrases",
)  # fmt: skip


@dataclass(frozen=True)
class Tokenization:
    r"""Settings of the steps from raw text to words; the same settings always give the same words.

    A word is a run of letters of any script with their marks; an apostrophe ends it, so "don't"
    becomes "don", a stop word, and "t", which is too short. Accented letters are the same however
    they were typed (Unicode NFC). NLTK and spaCy cut words by their own rules; what has other signs
    inside than apostrophes, hyphens and full stops, such as an address, is no word there either.

    Parameters
    ----------
    tokenizer : {"regex", "nltk", "spacy", "jieba", "fugashi", "pythainlp"}, default="regex"
        Who cuts texts into words. ``"regex"`` needs nothing installed, but spaces between words;
        for Chinese take ``"jieba"``, for Japanese ``"fugashi"``, for Thai ``"pythainlp"``.
    language : str, optional
        The language of the texts, by its name or code (``"german"``, ``"de"``, ``"deu"``), for the
        stop words, NLTK's stemmer and spaCy's blank pipeline; kept as its code. By default English,
        or what the tokenizer is made for.
    model : str or path, optional
        Name or path of an installed spaCy pipeline; without it, a blank one only cuts words.
    base_form : {"snowball", "wordnet", "lemma"}, optional
        Reduce words to stems or lemmas: NLTK has ``"snowball"`` and ``"wordnet"``, a spaCy pipeline
        ``"lemma"``.
    parts_of_speech : iterable of str, optional
        Keep only these, such as ``["NOUN", "PROPN"]``; needs a spaCy pipeline.
    stop_words : "auto", str, iterable of str or None, default="auto"
        Words to leave out, as they stand in the text or as their base form, in any case.
        ``"auto"`` is the list of `language`. The name or code of a language is its list: of English
        gensim's without nouns such as "computer", of 55 others that of Stopwords ISO.
        ``"nltk:LANGUAGE"`` and ``"spacy:CODE"`` are those of NLTK and spaCy. Named lists become the
        words themselves here, so later nobody needs a library for them.
    min_length : int, default=2
        The shortest word, in characters. Words of two letters can be what a text is about ("qt",
        "pc", "eu").
    keep_numbers : bool, default=False
        Whether digits make words as letters do ("2024", "mp3").
    lowercase : bool, default=True
        Whether "House" is "house".
    strip_accents : bool, default=False
        Whether "café" is "cafe"; for Latin, Greek and Cyrillic letters.
    strip_headers, strip_quotes : bool, default=False
        Leave out the header of an e-mail or post (its subject stays), and the lines it quotes.
    strip_signatures : bool, default=False
        Leave out the signature at the end of an e-mail or post: up to 12 lines after one with
        nothing but two hyphens, or after a ruled line if there is an address among them.
    strip_latex : bool, default=False
        Leave out formulas (``$x^2$``) and commands of LaTeX (``\cite{knuth}``); the words in
        ``\emph{words}`` stay, and ``Schr\"odinger`` becomes "Schrödinger".
    phrases : bool, default=False
        Join words that occur together more often than by chance ("new_york"), by gensim's `Phrases`
        with `phrase_min_count` and `phrase_threshold`. `build_corpus` learns them.
    phrase_min_count : int, default=5
        How often the words must occur together.
    phrase_threshold : float, default=10.0
        The score they need.
    learnt_phrases : iterable of str, optional
        The phrases, once they are learnt.

    Examples
    --------
    >>> steps = Tokenization(stop_words=["the"], strip_accents=True)
    >>> list(steps.tokens(["The café didn't open in 2024.", "नमस्ते दुनिया"]))
    [['cafe', 'didn', 'open', 'in'], ['नमस्ते', 'दुनिया']]
    >>> Tokenization.from_json(steps.as_json()) == steps
    True
    """

    tokenizer: str = "regex"
    language: str | None = None
    model: str | os.PathLike[str] | None = None
    base_form: str | None = None
    parts_of_speech: Iterable[str] | None = None
    stop_words: str | Iterable[str] | None = field(default="auto", repr=False)
    min_length: int = 2
    keep_numbers: bool = False
    lowercase: bool = True
    strip_accents: bool = False
    strip_headers: bool = False
    strip_quotes: bool = False
    strip_signatures: bool = False
    strip_latex: bool = False
    phrases: bool = False
    phrase_min_count: int = 5
    phrase_threshold: float = 10.0
    learnt_phrases: Iterable[str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._check_tokenizer()
        for name in SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise TypeError(
                    f"{name} must be True or False, got {shortened(getattr(self, name))}."
                )
        for name in ("min_length", "phrase_min_count"):
            self._set(name, check_int(getattr(self, name), name, 1))
        self._set("phrase_threshold", check_real(self.phrase_threshold, "phrase_threshold", 0))
        if isinstance(self.stop_words, str) and self.stop_words == "auto":
            self._set("stop_words", self._auto_stop_words())
        self._set("stop_words", resolve(self.stop_words))
        for name in ("parts_of_speech", "learnt_phrases"):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, (Iterable, type(None))):
                raise TypeError(f"{name} must be a list of strings, got {shortened(value)}.")
            self._set(name, value if value is None else tuple(map(str, value)))

    def _check_tokenizer(self) -> None:
        if self.tokenizer not in TOKENIZERS:
            raise ValueError(
                f"tokenizer must be one of {', '.join(TOKENIZERS)}, "
                f"got {shortened(self.tokenizer)}."
            )
        row = TOKENIZERS[self.tokenizer]
        if isinstance(self.model, os.PathLike):
            self._set("model", os.fspath(self.model))
        for name in ("language", "model", "base_form"):
            if not isinstance(getattr(self, name), (str, type(None))):
                raise TypeError(
                    f"{name} must be a string or None, got {shortened(getattr(self, name))}."
                )
        code = row.language if self.language is None else language_of(self.language).code
        if row.only_language and code != row.language:
            raise ValueError(
                f"language: tokenizer={self.tokenizer!r} is for {LANGUAGES[row.language].title}; "
                f"leave language out, or take another tokenizer, got {shortened(self.language)}."
            )
        self._set("language", code)
        if self.base_form is not None and self.base_form not in row.base_forms:
            known = ", ".join(map(repr, row.base_forms)) or "nothing"
            raise ValueError(
                f"base_form can be {known} with tokenizer={self.tokenizer!r}, "
                f"got {shortened(self.base_form)}."
            )
        if self.model is not None and self.tokenizer != "spacy":
            raise ValueError("model names a spaCy pipeline; add tokenizer='spacy'.")
        needs_model = self.parts_of_speech is not None or self.base_form == "lemma"
        if needs_model and self.model is None:
            raise ValueError(
                "parts_of_speech and base_form='lemma' need a spaCy pipeline; add "
                "tokenizer='spacy' and model, such as 'en_core_web_sm'."
            )

    def _auto_stop_words(self) -> str:
        """The name of the list of the language; spaCy has some more than there are here."""
        language = language_of(self.language)
        if self.tokenizer == "spacy" and words_of(language) is None:
            return f"spacy:{language.spacy}"
        return language.code

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def as_json(self) -> dict[str, Any]:
        """The settings in the types of JSON.

        Returns
        -------
        dict
            Names and values, for `from_json`.
        """
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(
        cls, settings: Mapping[str, Any], allow: str | Iterable[str] = ()
    ) -> Tokenization:
        """The settings that `as_json` gave, taken as a stranger's: they load nothing unasked.

        Parameters
        ----------
        settings : dict
            Names and values; those that are missing have their defaults (stop words: English).
        allow : str or iterable of str, default=()
            The spaCy pipeline (its name or path, as the settings have it) or NLTK resource
            (``"wordnet"``) that the settings may load. Loading one may run code. Without it the
            tokenization can be looked at, compared and saved, but `tokens` raises ValueError.

        Returns
        -------
        Tokenization

        Examples
        --------
        >>> stored = {"tokenizer": "spacy", "model": "of_a_stranger", "stop_words": []}
        >>> Tokenization.from_json(stored).model
        'of_a_stranger'
        >>> Tokenization.from_json(stored).tokens(["Rain and wine"])
        Traceback (most recent call last):
        ...
        ValueError: The tokenization comes from a file that names 'of_a_stranger', which would be
        loaded and could run code; if you trust it, give this name as `allow` when the file is
        loaded, or as --allow on the command line.
        """
        allowed = check_allow(allow)
        given = {"stop_words": resolve("english"), **_check_types(settings)}
        for name in ("model", "base_form"):
            if isinstance(given.get(name), str) and given[name] not in allowed:
                given[name] = Refused(given[name])
        return cls(**given)

    def tokens(self, texts: Iterable[str], processes: int = 1) -> Iterator[list[str]]:
        """The words of each text, in order.

        Parameters
        ----------
        texts : iterable of str
            They are read as the words are taken.
        processes : int, default=1
            How many processes cut texts into words; more than one does not pay off for a few texts.

        Returns
        -------
        iterator of lists of str
        """
        return tokens_of(self, texts, processes)


LISTS = ("parts_of_speech", "stop_words", "learnt_phrases")


def check_allow(allow: str | Iterable[str]) -> frozenset[str]:
    """The names of what a file may load."""
    names = [allow] if isinstance(allow, (str, os.PathLike)) else allow
    try:
        return frozenset(os.fspath(name) for name in names)
    except TypeError:
        raise TypeError(f"allow must be a name or names, got {shortened(allow)}.") from None


def _check_types(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings out of a file, where a list is a list; the constructor would take lists by name."""
    if not isinstance(settings, Mapping):
        raise TypeError(f"A tokenization must be settings by name, got {shortened(settings)}.")
    unknown = set(settings) - {each.name for each in fields(Tokenization)}
    if unknown:
        raise ValueError(
            f"The tokenization has unknown settings: {shortened(', '.join(sorted(unknown)))}; "
            "upgrade dnmf_topics."
        )
    if not isinstance(settings.get("tokenizer", ""), str):
        raise TypeError(f"tokenizer must be a string, got {shortened(settings['tokenizer'])}.")
    for name in LISTS:
        value = settings.get(name)
        is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if not is_list and value is not None:
            raise TypeError(
                f"{name} must be a list of strings or None in a file, got {shortened(value)}."
            )
    return dict(settings)
