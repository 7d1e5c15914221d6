"""Which words of the documents become the dictionary."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from gensim.corpora import Dictionary

from ..common.checks import check_int, check_real
from .bows import make_dictionary
from .counting import Columns, Vocabulary
from .foreign_words import foreign_hint
from .spaceless import spaceless_hint
from .tokenization import Tokenization

logger = logging.getLogger(__name__)

MANY_DOCUMENTS = 1000  # from here on "auto" wants a word in 5 documents, before in 2


@dataclass(frozen=True)
class Selection:
    """In how many documents a word must be, in which share it may be, how many words are kept."""

    no_below: int | str
    no_above: float
    keep_n: int | None

    def __post_init__(self) -> None:
        if self.no_below != "auto":
            check_int(self.no_below, "no_below", 1)
        if self.keep_n is not None:
            check_int(self.keep_n, "keep_n", 1)
        if not 0 < check_real(self.no_above, "no_above", 0) <= 1:
            raise ValueError(f"no_above must be a share above 0 and up to 1, got {self.no_above}.")

    def select(self, vocabulary: Vocabulary, settings: Tokenization) -> tuple[Dictionary, Columns]:
        """The dictionary, and the columns that the vocabulary's ids become."""
        hint = spaceless_hint(vocabulary.positions) or foreign_hint(vocabulary, settings)
        if not len(vocabulary):
            raise ValueError(
                f"The {vocabulary.num_docs:,} documents have no words; they are empty, or the "
                "tokenization leaves nothing of them (shortest word, stop words, numbers)."
            )
        least = self._least(vocabulary.num_docs)
        chosen = vocabulary.select(least, self.no_above, self.keep_n)
        if not chosen.size:
            raise ValueError(
                f"None of the {len(vocabulary):,} words is in at least {least} and at most "
                f"{self.no_above:.0%} of the {vocabulary.num_docs:,} documents; "
                f"{hint or 'change these limits (no_below, no_above), or check the tokenization'}."
            )
        if hint:
            logger.warning(hint)
        tokens = list(vocabulary.positions)
        words = [tokens[position] for position in chosen.tolist()]
        doc_frequency, frequency = vocabulary.doc_frequency[chosen], vocabulary.frequency[chosen]
        dictionary = make_dictionary(words, doc_frequency, frequency, vocabulary.num_docs)
        return dictionary, Columns(vocabulary.num_ids, vocabulary.ids[chosen])

    def _least(self, num_docs: int) -> int:
        if self.no_below == "auto":
            return 2 if num_docs < MANY_DOCUMENTS else 5
        return int(self.no_below)
