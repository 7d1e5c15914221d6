"""Scripts that put no spaces between words: whole phrases would pass for words there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from .languages import LANGUAGES
from .libraries import packages_of

# A word has up to 4 characters in Chinese and hardly 6 in Japanese, but for names from abroad in
# Katakana; a Thai one hardly 16. What is longer, and in Japanese has Hiragana, is a phrase.
HAN, KANA = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", "\u3041-\u30ff"
PHRASES = {
    "ja": re.compile(f"(?=[{HAN}{KANA}]*[\u3041-\u309f])[{HAN}{KANA}]{{6,}}"),
    "zh": re.compile(f"[{HAN}]{{6,}}"),
    "th": re.compile("[\u0e01-\u0e7f]{16,}"),
}
TOKENIZERS = {"ja": "fugashi", "zh": "jieba", "th": "pythainlp"}
# Of the different words. Phrases hardly repeat, so where such texts are more than quoted, most
# words are phrases.
LARGE_SHARE = 0.25


def spaceless_hint(words: Collection[str]) -> str | None:
    """What to do if a large part of the words are phrases of such a script."""
    enough = LARGE_SHARE * len(words)
    if len(words) - sum(map(str.isascii, words)) < enough:
        return None
    found = Counter(filter(None, map(_language_of_phrase, words)))
    if not found or found.total() < enough:
        return None
    [(code, _)] = found.most_common(1)
    tokenizer = TOKENIZERS[code]
    return (
        f"many words are whole phrases, as {LANGUAGES[code].title} has no spaces between words; "
        f"take tokenizer={tokenizer!r} (--tokenizer {tokenizer}) after `pip install "
        f"{packages_of(tokenizer)}`"
    )


def _language_of_phrase(word: str) -> str | None:
    if word.isascii():
        return None
    return next((code for code, phrase in PHRASES.items() if phrase.search(word)), None)
