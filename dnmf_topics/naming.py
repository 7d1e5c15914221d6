"""Short names of topics, in which no word stands twice in different forms."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

NUM_WORDS = 3  # of a name


def topic_name(words: Iterable[str]) -> str:
    """The first words of a topic, the heaviest first, without forms of words that stand before.

    Parameters
    ----------
    words : iterable of str
        Words of the topic, the heaviest first; no more of them are read than it takes.

    Returns
    -------
    str
        Up to three words.

    Examples
    --------
    >>> topic_name(["game", "games", "team", "hockey", "teams", "players"])
    'game team hockey'
    """
    chosen: list[str] = []
    for word in words:
        if len(chosen) == NUM_WORDS:
            break
        if not any(are_forms(word, other) for other in chosen):
            chosen.append(word)
    return " ".join(chosen)


def are_forms(one: str, other: str) -> bool:
    """Whether two words are, by their letters alone, forms of one word in any language.

    They begin with the same four letters or more, and at most three follow in each, five in both;
    or one is the other, of three letters, with one or two more. So car and card are taken for
    forms, but two such words are seldom heavy in one topic: `tests/benchmarks/words.py` lists the
    pairs that are.

    Parameters
    ----------
    one, other : str
        Words in any case.

    Returns
    -------
    bool

    Examples
    --------
    >>> are_forms("knot", "knots"), are_forms("israelis", "israel"), are_forms("query", "queries")
    (True, True, True)
    >>> are_forms("compact", "complex"), are_forms("nation", "national"), are_forms("1990", "1991")
    (False, True, False)
    """
    one, other = one.casefold(), other.casefold()
    if one == other:
        return True
    letters = zip(one, other, strict=False)
    num_shared = len(list(takewhile(lambda pair: pair[0] == pair[1], letters)))
    rests = one[num_shared:], other[num_shared:]
    if not "".join(rests).isalpha():  # numbers and phrases have no forms
        return False
    shorter, longer = sorted(map(len, rests))
    if num_shared < 4:
        return num_shared == 3 and shorter == 0 and longer <= 2
    return longer <= 3 and shorter + longer <= 5
