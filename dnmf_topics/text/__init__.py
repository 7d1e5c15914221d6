"""From raw text to what gensim works with: documents, words, dictionary, counts and TF-IDF."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .tokenizers import TOKENIZERS as TOKENIZERS

if TYPE_CHECKING:
    from .text_names import *
else:

    def __getattr__(name: str) -> Any:
        # Late, so that help, which shows the table above, is there at once: gensim loads slowly.
        # A module of this package is none of these names: `from . import` finds it itself, while
        # the others may be half loaded.
        if find_spec(f"{__name__}.{name}") is None:
            names = vars(import_module(f"{__name__}.text_names"))
            if name in names:
                return names[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Document",
    "Documents",
    "ReadError",
    "Skipped",
    "TextCorpus",
    "Tokenization",
    "build_corpus",
    "embed_texts",
    "read_documents",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
