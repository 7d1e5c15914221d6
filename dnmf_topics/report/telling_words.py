"""Words that speak for some topics, so that the page can show them where a document is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..common.arrays import Dense

MAX_WORDS = 8000  # the most frequent ones: of 30,000 terms they are nearly all that a text has
MAX_TOPICS = 4  # that are named for a word
MIN_RATIO = 1.5  # how many times as frequent as in all documents a word is in a topic it speaks for


def telling_words(
    topic_word: Dense, topic_sizes: npt.NDArray[Any], id2word: Any
) -> dict[str, list[Any]]:
    """Words, and the topics they speak for with p(word | topic) / p(word), the largest first.

    The topics of all words follow one another; `num_topics` says how many each word has.
    """
    # p(w) = sum over k of p(k) p(w | k)
    overall = topic_sizes @ topic_word / topic_sizes.sum()
    frequent = np.argsort(-overall, kind="stable")[:MAX_WORDS]
    terms = np.array([term for term in frequent if _is_named(term, id2word)], dtype=np.int64)
    ratios = (topic_word[:, terms] / overall[terms]).T
    ratios[:, topic_sizes == 0] = 0  # what no document is about, no word speaks for
    topics = np.argsort(-ratios, axis=1, kind="stable")[:, :MAX_TOPICS]
    ratios = np.take_along_axis(ratios, topics, axis=1)
    is_told = ratios >= MIN_RATIO
    counts = is_told.sum(axis=1)
    return {
        "word": [str(id2word[term]) for term in terms[counts > 0]],
        "num_topics": counts[counts > 0].tolist(),
        "topic": topics[is_told].tolist(),
        "ratio": [_short(ratio) for ratio in ratios[is_told]],
    }


def _is_named(term: int, id2word: Any) -> bool:
    """Ids may have gaps, and a model that was given no words calls them by their ids."""
    return str(id2word.get(term, term)) != str(term)


def _short(ratio: float) -> float:
    """Two digits that count, without a point where they need none."""
    return round(float(ratio), 1) if ratio < 10 else round(float(ratio))
