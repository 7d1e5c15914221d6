"""Names that users give to topics."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.arrays import Labels
from ..common.checks import check_int, shortened

logger = logging.getLogger(__name__)

LONGEST = 200  # characters of a name

Names = tuple[str | None, ...]
"""A name for each topic, None for those that the user did not name."""


def changed_names(names: Names, given: Any) -> Names:
    """Names after some were given: a sequence for all topics, or a mapping for those in it."""
    num_topics = len(names)
    if isinstance(given, Mapping):
        changed = list(names)
        for topic, name in given.items():
            place = check_int(topic, "a topic in topic_names", -num_topics, num_topics - 1)
            changed[place] = check_name(name)
        return tuple(changed)
    if not isinstance(given, (list, tuple)) or len(given) != num_topics:
        raise ValueError(
            f"topic_names must be a list of {num_topics} names, one for each topic, or a dict from "
            f"topics to names, got {shortened(given)}."
        )
    return tuple(map(check_name, given))


def check_name(name: Any) -> str | None:
    """A name without spaces around it; None for an empty one, or none."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError(f"A name of a topic must be text, got {shortened(name)}.")
    name = name.strip()
    # Line breaks, control characters, and halves of characters, which no file can hold.
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        raise ValueError(f"A name of a topic must be one line of text, got {shortened(name)}.")
    if len(name) > LONGEST:
        raise ValueError(
            f"A name of a topic must have at most {LONGEST} characters, got {len(name)}."
        )
    return name or None


def merged_names(names: Names, numbers: NDArray[np.int64], sizes: Labels) -> Names:
    """Names of topics that are merged; `numbers` (K) are those they get.

    A merged topic has the name of its largest part, unless another part has another name. The log
    says which names are gone.
    """
    merged: list[str | None] = []
    for number in range(int(numbers.max()) + 1):
        parts = np.flatnonzero(numbers == number)
        largest = int(parts[sizes[parts].argmax()])
        given = {names[part] for part in parts.tolist()} - {None}
        merged.append(names[largest] if len(given) == 1 else None)
    gone = [name for name, k in zip(names, numbers.tolist(), strict=True) if name and not merged[k]]
    if gone:
        logger.warning("names of topics that were merged are gone: %s", ", ".join(gone))
    return tuple(merged)
