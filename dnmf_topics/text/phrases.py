"""Words that belong together, such as new_york: learnt by gensim, joined here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gensim.models.phrases import Phrases

JOINT = "_"


def learn_phrases(
    token_lists: Iterable[list[str]], min_count: int, threshold: float
) -> tuple[str, ...]:
    """The pairs of words that stand together more often than by chance, sorted."""
    model: Any = Phrases(token_lists, min_count=min_count, threshold=threshold, delimiter=JOINT)
    return tuple(sorted(model.export_phrases()))


def join_phrases(tokens: list[str], phrases: frozenset[str]) -> list[str]:
    """The tokens with pairs that are phrases as one, from the left; gensim's FrozenPhrases does so.

    >>> join_phrases(["visit", "new", "york", "city"], frozenset(["new_york", "york_city"]))
    ['visit', 'new_york', 'city']
    """
    joined = []
    i = 0
    while i < len(tokens):
        pair = JOINT.join(tokens[i : i + 2])
        is_phrase = i + 1 < len(tokens) and pair in phrases
        joined.append(pair if is_phrase else tokens[i])
        i += 2 if is_phrase else 1
    return joined
