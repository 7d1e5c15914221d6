r"""Which characters make words, in all scripts.

Python's ``\w`` knows no marks, such as the vowel signs of Hindi and Arabic or accents that are
characters of their own, and would cut words there.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby

JOINERS = "\u200c\u200d"  # of zero width, inside words of Persian and of Indian languages
INNER = "'\u2019.-"  # inside words as NLTK and spaCy cut them: O'Brien, U.S., e-mail
PLANES = 4  # of Unicode that have letters and marks, 65,536 characters each


@cache
def letters(*, with_digits: bool) -> str:
    """What a word can begin with, for a class of a regular expression."""
    return _ranges("L", "Nd") if with_digits else _ranges("L")


@cache
def marks() -> str:
    """What a word can go on with besides."""
    return _ranges("M") + JOINERS


@cache
def word_pattern(*, with_digits: bool) -> str:
    """A letter, and letters and marks after it."""
    first = letters(with_digits=with_digits)
    return f"[{first}][{first}{marks()}]*"


@cache
def token_pattern(*, with_digits: bool) -> str:
    """A word, as its group 1, in a token that NLTK or spaCy cut: with other signs around it."""
    first = letters(with_digits=with_digits)
    around = f"[^{letters(with_digits=True)}{marks()}]*"
    return f"{around}([{first}](?:[{first}{marks()}{INNER}]*[{first}{marks()}])?){around}"


def _ranges(*categories: str) -> str:
    """All characters of some Unicode categories as ranges."""
    codes = range(PLANES * 2**16)
    of_all = (unicodedata.category(chr(code)).startswith(categories) for code in codes)
    ranges = []
    start = 0
    for inside, run in groupby(of_all):
        stop = start + sum(1 for _ in run)
        if inside:
            ranges.append(f"{chr(start)}-{chr(stop - 1)}")
        start = stop
    return "".join(ranges)


def width(word: str) -> int:
    """Length, where a Chinese, Japanese or Korean character, more than a sound, counts double."""
    if word.isascii():
        return len(word)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in word)
