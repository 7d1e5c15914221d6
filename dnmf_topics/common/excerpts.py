"""The beginning of a text, to be shown."""

from __future__ import annotations

MOST_ON_PAGE = 65_536
"""Documents that a page shows at the most, since all of them are in it."""

IN_TABLES = 200
"""Characters of a text in tables."""


def cut_excerpt(text: str, length: int) -> str:
    """The beginning of a text in one line, cut after a word where that is near."""
    words = " ".join(text.lstrip()[: 2 * length].split())
    if len(words) <= length:
        return words
    cut = words[: length - 1]
    whole = cut.rpartition(" ")[0]
    return (whole if len(whole) > length // 2 else cut) + "…"
