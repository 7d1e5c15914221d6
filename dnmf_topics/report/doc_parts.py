"""How much of a document is about what, short enough to be written for every document."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..common.arrays import Dense

MIN_PERCENT = 5  # of a document that a topic must have to be listed; the page sums up the rest
MAX_PARTS = 5  # topics that are listed for a document
# A document is mixed if it has at least two parts, and no topic has more of it than this. Of two
# topics the second has at least two thirds of the first then.
MIXED_PERCENT = 60


def part_columns(doc_topic: Dense, is_empty: npt.NDArray[np.bool_]) -> dict[str, list[int]]:
    """The topics that are listed for the documents, the largest first, and their percents.

    The parts of all documents follow one another; `num_parts` says how many each document has. One
    without words, which is known by its vector alone, has none.
    """
    most = min(MAX_PARTS, doc_topic.shape[1])
    topics = np.argsort(-doc_topic, axis=1, kind="stable")[:, :most]
    percents = 100 * np.take_along_axis(doc_topic, topics, axis=1)
    is_listed = (percents >= MIN_PERCENT) & ~is_empty[:, np.newaxis]
    return {
        "num_parts": is_listed.sum(axis=1).tolist(),
        "part_topic": topics[is_listed].tolist(),
        "part_percent": np.rint(percents[is_listed]).astype(int).tolist(),
    }


def share_limits() -> dict[str, int]:
    """What the page has to know to speak of the parts."""
    return {"min_percent": MIN_PERCENT, "mixed_percent": MIXED_PERCENT}
