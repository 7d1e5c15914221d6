"""Steps on the whole text, before it is cut into words."""

from __future__ import annotations

import re
import unicodedata

# Lines such as "Lines: 9", longer ones going on after a space, up to a blank line. It is the header
# of a post only if one of them says who or what it is from.
HEADER = re.compile(r"\A\s*(?:[^\s:]+:.*\n(?:[ \t]+\S.*\n)*)+\s*(?:\n|\Z)")
ORIGIN = re.compile(r"^(?:From|Subject):", re.IGNORECASE | re.MULTILINE)
SUBJECT = re.compile(r"^Subject:(?:\s*Re:)*(.*(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE)

# Lines such as "> ..." or "JD> ...", and those that say who wrote them.
QUOTES = re.compile(
    r"^[ \t]*(?=\S)(?:\w{0,4}[>|].*|In (?:article|message)\b.*|.*\b(?:writes|wrote)[ \t]*:\s*?)$",
    re.IGNORECASE | re.MULTILINE,
)

# Accents of Latin, Greek and Cyrillic letters; not the vowel signs of other scripts.
ACCENTS = re.compile("[\u0300-\u036f]")


def strip_headers(text: str) -> str:
    """An e-mail or a post without its header, of which the subject stays."""
    found = HEADER.match(text)
    if found is None or not ORIGIN.search(found[0]):
        return text
    subject = SUBJECT.search(found[0])
    return (subject[1].strip() + "\n" if subject else "") + text[found.end() :]


def strip_quotes(text: str) -> str:
    """An e-mail or a post without the lines that it quotes."""
    return QUOTES.sub("", text)


def strip_accents(text: str) -> str:
    """The text with plain letters."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def compose(text: str) -> str:
    """The text with each accented letter as one character, however it was written."""
    return unicodedata.normalize("NFC", text)
