"""The beginning of a text, to be shown."""

from __future__ import annotations


def cut_excerpt(text: str, length: int) -> str:
    """The beginning of a text in one line, cut after a word where that is near."""
    words = " ".join(text.lstrip()[: 2 * length].split())
    if len(words) <= length:
        return words
    cut = words[: length - 1]
    whole = cut.rpartition(" ")[0]
    return (whole if len(whole) > length // 2 else cut) + "…"
