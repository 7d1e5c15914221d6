"""The file of `--seed-words`: JSON, or a line for each topic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..model import check_seed_words


def read_seed_words(named: str) -> dict[str, list[str | int]]:
    """Names of topics and their words, from a JSON object, or from lines such as `name: a b, c`.

    In lines, words stand between spaces or commas; empty lines and those that begin with # say
    nothing.
    """
    try:
        text = Path(named).read_text("utf-8-sig")
    except UnicodeError:
        raise ValueError(f"--seed-words: {named} must be text in UTF-8.") from None
    is_json = text.lstrip().startswith("{")
    pairs = _pairs_of_json(text, named) if is_json else _pairs_of_lines(text, named)
    if not pairs:
        raise ValueError(f"--seed-words: {named} must name at least one topic.")
    return check_seed_words(dict(pairs))


def _pairs_of_json(text: str, named: str) -> list[tuple[str, Any]]:
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"--seed-words: {named}, line {error.lineno}: this is not JSON ({error.msg})."
        ) from None
    except (RecursionError, ValueError):  # too deep, or too long a number
        raise ValueError(f"--seed-words: {named} is not JSON of names and words.") from None
    for number, (name, _) in enumerate(pairs):
        if name in dict(pairs[:number]):
            raise ValueError(f"--seed-words: {named} names the topic {name!r} twice.")
    return pairs  # type: ignore[no-any-return]


def _pairs_of_lines(text: str, named: str) -> list[tuple[str, list[str]]]:
    pairs: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, rest = (part.strip() for part in line.partition(":"))
        words = rest.replace(",", " ").split()
        if not (name and colon and words):
            raise ValueError(
                f"--seed-words: {named}, line {number}: a line must be a name, a colon and words "
                f"(space: orbit, nasa), got {line.strip()[:80]!r}."
            )
        if name in pairs:
            raise ValueError(f"--seed-words: {named}, line {number}: {name!r} was named before.")
        pairs[name] = words
    return list(pairs.items())
