"""Libraries that need not be there: imported when used, and nothing is ever downloaded."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from .languages import Language

RESOURCES = {"stopwords": "corpora/stopwords", "wordnet": "corpora/wordnet"}
PACKAGES = {"fugashi": "fugashi unidic-lite"}  # where it is more than the library's own name
UNUSED = ["ner", "parser", "senter"]  # the slow parts of spaCy's pipelines; words need none of them


class MissingError(ImportError, ValueError):
    """Something that must be installed first; the message has the command that does it."""


class Refused(str):
    """A name out of a file that nobody allowed: shown, compared and saved, but never loaded."""


def packages_of(name: str) -> str:
    """What `pip install` is to get."""
    return PACKAGES.get(name, name)


def library(name: str) -> Any:
    """The module, or the command that gets it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those about its own code, which users cannot mend
            return importlib.import_module(name)
    except ImportError as error:
        raise MissingError(
            f"{name} is not installed; `pip install {packages_of(name)}` gets it."
        ) from error


def nltk_resource(name: str) -> Any:
    """The reader of one of NLTK's corpora."""
    nltk = library("nltk")
    place = RESOURCES[name]
    for form in (f"{place}.zip", place):
        try:
            nltk.data.find(form)
        except LookupError:
            continue
        return getattr(importlib.import_module("nltk.corpus"), name)
    raise MissingError(
        f"The NLTK resource {name!r} is not there; `python -m nltk.downloader {name}` gets it."
    )


def spacy_language(code: str) -> Any:
    """The class that spaCy has for a language, such as "de"."""
    spacy = library("spacy")
    try:
        return spacy.util.get_lang_class(code)
    except ImportError:
        raise ValueError(f"language: spaCy knows codes such as 'en', not {code!r}.") from None


def spacy_pipeline(model: str | None, language: Language) -> Any:
    """An installed pipeline, or one of a language that only cuts texts into words."""
    spacy = library("spacy")
    if model is None:
        spacy_language(language.spacy)
        return spacy.blank(language.spacy)
    try:
        return spacy.load(model, exclude=UNUSED)
    except OSError as error:
        raise MissingError(
            f"The spaCy pipeline {model!r} is not there; `python -m spacy download {model}` gets "
            "it, or give the path of its folder."
        ) from error
