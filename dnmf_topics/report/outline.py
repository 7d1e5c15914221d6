"""How the topics hang together: the tree above them, and the sub-topics inside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..common.arrays import Dense, Labels
from ..common.protocols import Subtopics, TopicHierarchy
from .doc_map import bounds_of, topic_centers

NUM_WORDS = 10  # of a group of topics, and of a sub-topic
NUM_REPRESENTATIVE = 3  # documents of a sub-topic

OnMap = Callable[[Dense], list[Any]]


def tree_of(
    tree: TopicHierarchy, topics: Labels, places: Dense, on_map: OnMap
) -> dict[str, Any] | None:
    """The tree over the topics, with the place of every node on the map; None for one topic.

    Node K + i is what the i-th merge makes, as in scipy's linkage.
    """
    merges = np.asarray(tree.merges, dtype=np.int64).reshape(-1, 2)
    if not len(merges):
        return None
    members = [np.flatnonzero(topics == topic) for topic in range(len(merges) + 1)]
    for one, other in merges:
        members.append(np.concatenate([members[one], members[other]]))
    of_node = [_place(places[rows], places) for rows in members]
    return {
        "merges": merges.tolist(),
        "heights": [float(f"{height:.4g}") for height in tree.heights],
        "names": [str(name) for name in tree.names],
        "sizes": [len(rows) for rows in members],
        "words": [[str(word) for word in words[:NUM_WORDS]] for words in tree.words],
        "places": [on_map(center) for center, _ in of_node],
        "bounds": [on_map(bounds) for _, bounds in of_node],
    }


def subtopics_of(
    subtopics: Mapping[int, Subtopics],
    topics: Labels,
    num_topics: int,
    places: Dense,
    on_map: OnMap,
) -> tuple[list[list[dict[str, Any]]], list[int | None] | None]:
    """The sub-topics of every topic and the one of every document; none where none were made."""
    described: list[list[dict[str, Any]]] = [[] for _ in range(num_topics)]
    of_documents: list[int | None] = [None] * len(topics)
    for topic, model in subtopics.items():
        members = np.flatnonzero(topics == topic)
        labels = np.asarray(model.cluster_labels)
        info = model.get_topic_info(topn=NUM_WORDS).set_index("topic")
        for row, label in zip(members.tolist(), labels.tolist(), strict=True):
            of_documents[row] = label
        for label, name in enumerate(model.topic_names):
            center, bounds = _place(places[members[labels == label]], places[members])
            typical = model.get_representative_docs(label, NUM_REPRESENTATIVE)
            described[topic].append(
                {
                    "name": str(name),
                    "size": int(info.loc[label, "size"]),
                    "words": [str(word) for word in info.loc[label, "words"]],
                    "documents": members[np.asarray(typical, dtype=np.int64)].tolist(),
                    "place": on_map(center),
                    "bounds": on_map(bounds),
                }
            )
    return described, of_documents if subtopics else None


def _place(members: Dense, others: Dense) -> tuple[Dense, Dense]:
    """Where most of the members are, as a point and as a box; of none, amid the others."""
    if not len(members):
        members = others.mean(axis=0, keepdims=True)
    center = topic_centers(members, np.zeros(len(members), dtype=np.int64), 1)[0]
    return center, bounds_of(members, center)
