"""Short names of topics, in which no word stands twice in different forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile

NUM_WORDS = 3  # of a name
# So many of a topic's heaviest words are searched for phrases that take the place of their words.
NUM_SEARCHED = 10


def topic_name(words: Iterable[str]) -> str:
    """The first words of a topic, the heaviest first, without forms of words that stand before.

    A phrase, whose words are joined by ``_``, stands in the place of its words. Single letters and
    numbers are taken if there is nothing else.

    Parameters
    ----------
    words : iterable of str
        Words of the topic, the heaviest first; thirty of them will do.

    Returns
    -------
    str
        Up to three words or phrases.

    Examples
    --------
    >>> topic_name(["game", "games", "team", "hockey", "teams", "players"])
    'game, team, hockey'
    >>> topic_name(["york", "mayor", "5", "new_york", "police"])
    'new york, mayor, police'
    """
    return ", ".join(islice(_candidates(words), NUM_WORDS))


def topic_names(words: Sequence[Iterable[str]], taken: Iterable[str] = ()) -> list[str]:
    """Names of several topics, as `topic_name` makes them, but no two of them alike.

    Parameters
    ----------
    words : sequence of iterables of str
        Words of each topic, the heaviest first.
    taken : iterable of str, optional
        Names that others have already.

    Returns
    -------
    list of str
        Of two topics with the same first words, the later one has another last word. A topic
        without words has the name "".

    Examples
    --------
    >>> topic_names([["card", "video", "drive", "disk"], ["cards", "drive", "video", "mouse"]])
    ['card, video, drive', 'cards, drive, mouse']
    """
    names: list[str] = []
    used: dict[frozenset[str], list[list[str]]] = {}
    for name in taken:
        given = name.split(", ")
        used.setdefault(_key(given), []).append(given)
    for each in words:
        candidates = _candidates(each)
        chosen = list(islice(candidates, NUM_WORDS))
        while _is_used(chosen, used) and (other := next(candidates, None)) is not None:
            chosen = [*chosen[: NUM_WORDS - 1], other]
        used.setdefault(_key(chosen), []).append(chosen)
        names.append(", ".join(chosen))
    return names


def _is_used(chosen: list[str], used: dict[frozenset[str], list[list[str]]]) -> bool:
    """Whether another name has the same words, or forms of them."""
    return any(
        len(chosen) == len(other)
        and all(any(are_forms(word, known) for known in other) for word in chosen)
        for other in used.get(_key(chosen), [])
    )


def _key(words: list[str]) -> frozenset[str]:
    """What names with the same words, or forms of them, have in common."""
    return frozenset(word.casefold()[:3] for word in words)


def _candidates(words: Iterable[str]) -> Iterator[str]:
    """Words and phrases for a name, the best first, none of them alike."""
    words = [str(word) for word in words]
    phrases = [word for word in words[:NUM_SEARCHED] if len(_parts(word)) > 1]
    chosen: list[str] = []
    for word in sorted(words, key=_says_little):  # stable: heavier words stay before lighter ones
        whole = next((phrase for phrase in phrases if _is_part(word, phrase)), word)
        if not any(_are_alike(whole, other) for other in chosen):
            chosen.append(whole)
            yield " ".join(whole.replace("_", " ").split()) or whole


def _parts(word: str) -> list[str]:
    """The words of a phrase; of `_` alone, the word itself."""
    return [part for part in word.split("_") if part] or [word]


def _is_part(word: str, phrase: str) -> bool:
    return word != phrase and any(are_forms(word, part) for part in _parts(phrase))


def _are_alike(one: str, other: str) -> bool:
    """Whether two words or phrases have a word in common, or forms of it."""
    return any(are_forms(a, b) for a in _parts(one) for b in _parts(other))


def _says_little(word: str) -> bool:
    """Whether it is a number, a sign, or a single letter of a script that has upper and lower case.

    A single character of another script may well be a word.
    """
    is_letter = len(word) == 1 and word.lower() != word.upper()
    return is_letter or not any(character.isalpha() for character in word)


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
