r"""LaTeX in a text: formulas and commands go, words and accented letters stay.

It is no parser of TeX, but what titles, abstracts and notes have: formulas between dollars,
``\emph{words}``, ``Schr\"odinger``, ``\cite{key}``.
"""

from __future__ import annotations

import re
import unicodedata

# What an expression looks through is bounded, or ends where it could begin again, so that no text
# takes more time than its length allows.
_MATHS = r"(?:equation|align|alignat|eqnarray|gather|multline|flalign|displaymath|math)\*?"
DISPLAYS = re.compile(
    rf"\\begin\{{(?P<name>{_MATHS})\}}(?:(?!\\begin\{{(?P=name)\}})(?:.|\n))*?\\end\{{(?P=name)\}}"
    r"|\\\[(?:(?!\\\[)(?:.|\n))*?\\\]|\\\((?:(?!\\\()(?:.|\n))*?\\\)"
    r"|(?<!\\)\$\$(?:[^$\\]|\\.)*\$\$"
)
DOLLAR = re.compile(r"(?<!\\)\$")
# What stands between two dollars is no formula if, without commands and what is in braces, it has
# two words in a row, a word after a number ("$5 or $10"), nothing but a word, or a blank line.
NO_PLAIN_WORDS = re.compile(r"\{[^{}]*\}|\\[A-Za-z]+")
PROSE = re.compile(
    r"(?<!\S)[A-Za-z]{2,}[,.;:]?\s+[A-Za-z]{2,}(?![^\s,.;:])|\A\s*\d(?:.|\n)*\s[A-Za-z]{2,}[,.;:]?\s"
    r"|\A\s+[A-Za-z]{2,}\s+\Z|\n\s*\n"
)

# Commands whose arguments are names and lengths, not words.
NOT_WORDS = re.compile(
    r"\\(?:[A-Za-z]{0,9}cite[A-Za-z]{0,9}|[a-zA-Z]{0,9}ref|label|input|include|includegraphics|url"
    r"|bibliography|bibliographystyle|usepackage|documentclass|begin|end|[hv]space)\*?\s*"
    r"(?:\[[^\[\]\\]{0,200}\]\s*){0,2}\{[^{}]*\}"
    r"|\\href\s*\{[^{}]*\}"
)

# By TeX's sign or letter of the accent, the Unicode mark that follows the letter.
MARKS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323",
    "c": "\u0327", "k": "\u0328",
}  # fmt: skip
ACCENTS = re.compile(
    r"\\(?:(?P<sign>[`'^~=.\"])\s*|(?P<mark>[urHvdck])(?=\s|\{)\s*)"
    r"(?:\{\s*\\?(?P<inside>[^\W\d_])\s*\}|\\?(?P<bare>[^\W\d_]))"
)
LETTERS = {
    "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "ss": "ß", "i": "i", "j": "j",
}  # fmt: skip
LETTER_COMMANDS = re.compile(rf"\\({'|'.join(LETTERS)})(?![A-Za-z])(?:\{{\}}|[ \t]+)?")

COMMANDS = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\]\n]{0,200}\])?|\\(?:[^A-Za-z-]|$)")
SCRIPTS = re.compile(r"[_^]\{[^{}]*\}")  # outside of formulas


def strip_latex(text: str) -> str:
    """The text without formulas and commands, of which the words stay; with accented letters."""
    if "\\" not in text and "$" not in text:
        return text
    text = text.replace("\\\\", " ")  # the end of a line
    text = _strip_formulas(DISPLAYS.sub(" ", text))
    text = ACCENTS.sub(_accented, text)
    text = LETTER_COMMANDS.sub(lambda found: LETTERS[found[1]], text)
    text = NOT_WORDS.sub(" ", text)
    text = SCRIPTS.sub(" ", COMMANDS.sub(" ", text.replace("\\-", "")))
    return text.replace("{", "").replace("}", "").replace("~", " ")


def _strip_formulas(text: str) -> str:
    """The text without what stands between two dollars, unless that is prose."""
    first, *others = DOLLAR.split(text)
    kept = [first]
    outside = True
    for number, part in enumerate(others, 1):
        if not outside:
            kept.append(part)
            outside = True
        elif number == len(others) or PROSE.search(NO_PLAIN_WORDS.sub("", part)):
            kept.append("$" + part)
        else:
            kept.append(" ")
            outside = False
    return "".join(kept)


def _accented(found: re.Match[str]) -> str:
    letter = found["inside"] or found["bare"]
    return unicodedata.normalize("NFC", letter + MARKS[found["sign"] or found["mark"]])
