r"""Which characters make words, in all scripts.

Python's ``\w`` knows no marks, such as the vowel signs of Hindi and Arabic or accents that are
characters of their own, and would cut words there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

JOINERS = "\u200c\u200d"  # of zero width, inside words of Persian and of Indian languages
INNER = "'\u2019.-"  # inside words as NLTK and spaCy cut them: O'Brien, U.S., e-mail
PLANES = 4  # of Unicode that have letters and marks, 65,536 characters each


@cache
def letters(*, with_digits: bool) -> str:
    """What a word can begin with, for a class of a regular expression."""
    return _ranges("L.|Nd" if with_digits else "L.")


@cache
def marks() -> str:
    """What a word can go on with besides."""
    return _ranges("M.") + JOINERS


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


def _ranges(categories: str) -> str:
    """All characters of some Unicode categories, an expression such as "L.", as ranges."""
    # Names such as "Lu" begin with the only capital that they have, so none is found half-way.
    runs = re.finditer(f"(?:{categories})+", _all_categories())
    return "".join(f"{chr(run.start() // 2)}-{chr(run.end() // 2 - 1)}" for run in runs)


@cache
def _all_categories() -> str:
    """The categories of all characters, two letters for each."""
    return "".join(map(unicodedata.category, map(chr, range(PLANES * 2**16))))
