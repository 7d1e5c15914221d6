"""The tree over a state's topics, with words and names for all of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..common.arrays import Dense, Labels
from ..core import link_clusters
from ..naming import topic_names
from .state import DnmfState, word_weights
from .topic_tree import TopicTree

NUM_WORDS = 10  # of a node
NAMING_WORDS = 30  # from which the name of a topic or node is made
LEADING_SHARE = 0.5  # of its mass in the smaller part, in the larger, makes a word lead a name
ROOT = "all documents"
WORDLESS = "without words"  # of a node over topics that have none

HeaviestWords = Callable[[Dense, int], list[str]]
"""From the weights of words (V) and a number to so many of the heaviest."""


def grow_tree(
    state: DnmfState,
    sizes: Labels,
    names: Sequence[str],
    heaviest_words: HeaviestWords,
    *,
    unit_length: bool,
) -> TopicTree:
    """The tree over topics with these sizes and names; TF-IDF rows are of unit length."""
    check_statistics(state)
    merges, heights = link_clusters(state.cluster_mass, state.topic_sizes, unit_length=unit_length)
    num_topics, overall = len(names), state.word_shares()
    all_sizes = np.concatenate([sizes, np.zeros(len(merges), np.int64)])
    nodes = {topic: _Node.of_topic(state, topic, overall) for topic in range(num_topics)}
    words = [node.words(heaviest_words) for node in nodes.values()]
    shared = []
    for number, pair in enumerate(merges.tolist(), num_topics):
        one, other = (nodes.pop(child) for child in pair)
        nodes[number] = one.merged(other, overall)
        all_sizes[number] = all_sizes[pair].sum()
        words.append(nodes[number].words(heaviest_words))
        shared.append(heaviest_words(_for_name(one, other), NAMING_WORDS) if words[-1] else [])
    inner = [name or WORDLESS for name in topic_names(shared, taken=names)]
    inner[-1:] = [ROOT] * len(inner[-1:])  # what all documents have in common says nothing
    return TopicTree(merges, heights, all_sizes, (*names, *inner), tuple(map(tuple, words)))


def _for_name(one: _Node, other: _Node) -> Dense:
    """How well words (V) name what two nodes become."""
    smaller, larger = sorted((one.mass, other.mass), key=np.sum)
    # The arithmetic mean and the geometric one: words of both parts and, where they have little in
    # common, words of each, as much as it has documents.
    means: Dense = (np.sqrt(smaller) + np.sqrt(larger)) ** 2
    # The first is not one that the smaller part has almost alone.
    first = np.where(larger >= LEADING_SHARE * smaller, means, 0.0).argmax()
    means[first] = 2 * means.max()
    return means


class _Node(NamedTuple):
    """What the words of a node are made of, and how much they weigh (V)."""

    sstats: Dense
    size: Dense
    weights: Dense

    @property
    def mass(self) -> Dense:
        """The weights as shares, times the size (V)."""
        mass: Dense = self.size * self.weights / self.weights.sum()
        return mass

    def words(self, heaviest_words: HeaviestWords) -> list[str]:
        """The heaviest, none where there are no documents with words."""
        return heaviest_words(self.weights, NUM_WORDS) if self.sstats.any() else []

    @classmethod
    def of_topic(cls, state: DnmfState, topic: int, overall: Dense) -> _Node:
        return cls._of(state.sstats[topic], state.topic_weights[topic : topic + 1], overall)

    def merged(self, other: _Node, overall: Dense) -> _Node:
        return self._of(self.sstats + other.sstats, self.size + other.size, overall)

    @classmethod
    def _of(cls, sstats: Dense, size: Dense, overall: Dense) -> _Node:
        return cls(sstats, size, word_weights(sstats[None], size, overall)[0])


def check_statistics(state: DnmfState) -> None:
    """Raise if there is nothing that merged topics could be made of."""
    if state.numdocs == 0:
        raise ValueError(
            "The model must have statistics of documents to merge its topics, but it is not "
            "trained, or was cleared; call update first."
        )
