"""The words of the term ids, and what a corpus says of how it came to them."""

from __future__ import annotations

import copy
import logging
from typing import Any

import numpy as np
from gensim.corpora import HashDictionary
from gensim.utils import FakeDict

from ..common.documents import AnyCorpus

logger = logging.getLogger(__name__)


def plain_vocabulary(id2word: Any) -> Any:
    """The vocabulary as it is; of a HashDictionary a dict, where all words of an id are one."""
    if not isinstance(id2word, HashDictionary):
        return id2word
    return {term: "/".join(sorted(id2word[term])) or str(term) for term in range(id2word.id_range)}


def vocabulary_size(id2word: Any) -> int:
    """One more than the largest id: ids may have gaps."""
    if isinstance(id2word, FakeDict):
        return int(id2word.num_terms)
    if not hasattr(id2word, "keys"):
        raise TypeError(
            f"id2word must be a dict or a gensim Dictionary, got {type(id2word).__name__}."
        )
    largest = -1
    for term in id2word.keys():  # noqa: SIM118 - a Dictionary is no dict
        if not isinstance(term, (int, np.integer)) or term < 0:
            raise TypeError(
                f"id2word must map term ids, whole numbers of at least 0, to words; it has the key "
                f"{term!r}."
            )
        largest = max(largest, int(term))
    return largest + 1


def identity_vocabulary(num_terms: int) -> FakeDict:
    """A vocabulary whose words are the ids."""
    logger.warning("no id2word given; the words of the topics are the term ids")
    return FakeDict(num_terms)


def tokenization_of(corpus: AnyCorpus) -> dict[str, Any] | None:
    """What a corpus says of how its text was tokenized, in the types of JSON."""
    said = getattr(corpus, "tokenization", None)
    return copy.deepcopy(said) if isinstance(said, dict) else None
