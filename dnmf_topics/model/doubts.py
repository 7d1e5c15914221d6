"""When a model has reason to doubt its topics, and what its user may try then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..common.arrays import Labels
from .learnt import Learnt

LARGE_SHARE = 0.4  # of the documents, in one of three topics or more
SMALL_SHARE = 0.01  # of the documents in a topic, or half of an equal share if that is less
MANY_SMALL = 1 / 3  # of the topics
FEW_DOCUMENTS = 100  # of which sizes say nothing
NUM_HEAVIEST = 10  # words of a topic, as tables and page show them
LITTLE_INFORMATION = 0.2  # nats; two equal topics that every word knows have .69


def doubts_of(learnt: Learnt) -> tuple[str, ...]:
    """All doubts about what was learnt."""
    return (*find_doubts(learnt.sizes, learnt.views), *_doubt_seeds(learnt))


def _doubt_seeds(learnt: Learnt) -> list[str]:
    """Topics whose heaviest words are not those that the user knows them by."""
    doubts = []
    for topic, seeds in enumerate(learnt.seed_terms):
        weights = learnt.topics.expElogbeta[topic]
        heaviest = np.argsort(-weights, kind="stable")[:NUM_HEAVIEST]
        if seeds and not np.isin(heaviest, seeds).any():
            name = learnt.names[topic]
            doubts.append(
                f"topic {topic}{f' ({name})' if name else ''} has none of its seed words among its "
                f"first {heaviest.size} words, so that it may be about something else: give it "
                "other seed words, or more of them"
            )
    return doubts


def find_doubts(sizes: Labels, views: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Sentences about topics of these sizes, found by the best of these views; often none."""
    num_topics, num_docs = sizes.size, int(sizes.sum())
    if num_docs < FEW_DOCUMENTS:
        return ()
    doubts = []
    largest, narrow = int(sizes.argmax()), max(1, round(0.75 * num_topics))
    if num_topics > 2 and sizes[largest] > LARGE_SHARE * num_docs:
        doubts.append(
            f"topic {largest} holds {sizes[largest] / num_docs:.0%} of the documents: if it should "
            "not, try another number of topics, or the view for topics of similar size "
            f"(last_layer_size={narrow}, --last-layer-size {narrow} at the command line)"
        )
    limit = min(SMALL_SHARE, 0.5 / num_topics)
    num_small = int((sizes < limit * num_docs).sum())
    if num_small >= max(MANY_SMALL * num_topics, 1):
        doubts.append(
            f"{num_small} of {num_topics} topics hold under {limit:.2g} of the documents each: "
            "try fewer topics"
        )
    if views and all(
        view["fit"] <= 0 and view["information"] < LITTLE_INFORMATION for view in views
    ):
        doubts.append(
            "no grouping of the documents explains their words better than none: they may be too "
            "few, too short or all alike; try fewer topics, or more text in each document"
        )
    return tuple(doubts)
