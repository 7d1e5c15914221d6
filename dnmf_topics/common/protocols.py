"""What the other parts ask of a model and of a corpus.

These are contracts, not base classes: whatever has the methods will do, gensim's models among
them, and nothing has to know of this package to be taken by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from gensim.utils import FakeDict

from .arrays import Dense, FloatArray, Labels

Document: TypeAlias = Iterable[tuple[int, float]]
"""gensim's document: (term id, weight) pairs, or an array of two columns."""


@runtime_checkable
class Corpus(Protocol):
    """Documents, one after the other."""

    def __iter__(self) -> Iterator[Document]: ...


@runtime_checkable
class TopicModel(Protocol):
    """A model with topics, as gensim's LdaModel, Nmf, LsiModel and HdpModel are."""

    def get_topics(self) -> FloatArray:
        """Weights of the terms in the topics (K x V)."""
        ...


class TopicHierarchy(Protocol):
    """A tree over K topics: node K + i is what the i-th of K - 1 merges makes."""

    @property
    def merges(self) -> Any:
        """The two nodes of each merge (K - 1 x 2)."""
        ...

    @property
    def heights(self) -> Any:
        """What each merge costs, non-decreasing."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """A name for each of the 2K - 1 nodes."""
        ...

    @property
    def words(self) -> Sequence[Sequence[str]]:
        """The words of each node, the heaviest first."""
        ...


class Subtopics(Protocol):
    """What is inside a topic: a model of its documents, or what was kept of one."""

    @property
    def cluster_labels(self) -> Labels:
        """The sub-topic of each of the topic's documents."""
        ...

    @property
    def topic_names(self) -> Sequence[str]:
        """A name for each sub-topic."""
        ...

    def get_topic_info(self, topn: int = 10) -> Any:
        """A pandas table of the sub-topics: topic, size, share, words."""
        ...

    def get_representative_docs(self, topic: int, n: int = 10) -> list[int]:
        """Positions, among the topic's documents, of those most typical of a sub-topic."""
        ...


class TrainedModel(TopicModel, Protocol):
    """A model that remembers its documents: what the report is about."""

    num_topics: int
    num_terms: int
    id2word: Any
    cluster_labels: Labels
    doc_embedding: FloatArray

    @property
    def doubts(self) -> Sequence[str]:
        """What speaks against the topics, in sentences."""
        ...

    @property
    def topic_names(self) -> list[str]:
        """A name for each topic."""
        ...

    def hierarchy(self) -> TopicHierarchy:
        """The tree over the topics."""
        ...

    def doc_topics(self) -> Dense:
        """Shares of the topics in the documents (N x K)."""
        ...

    def get_word_distributions(self) -> Dense:
        """Probabilities of the terms in the topics (K x V)."""
        ...

    def get_topic_terms(self, topicid: int, topn: int | None = 10) -> list[tuple[int, Any]]:
        """The heaviest terms of a topic, with their weights."""
        ...

    def get_topic_info(self, topn: int = 10) -> Any:
        """A pandas table of the topics: topic, size, share, words."""
        ...

    def get_document_info(self) -> Any:
        """A pandas table of the documents: topic, weight, confidence."""
        ...

    def get_representative_docs(self, topic: int, n: int = 10) -> list[int]:
        """Numbers of the documents that are most typical of a topic."""
        ...

    def get_settings(self) -> Mapping[str, Any]:
        """What made the topics, by name."""
        ...


def topics_of_known(model: TrainedModel) -> Labels:
    """The topic of every document, -1 for one of which nothing is known."""
    table = model.get_document_info()
    return np.where(table["confidence"] > 0, table["topic"], -1)


def topic_term_of(model: TopicModel) -> Dense:
    """A copy of the model's `get_topics()` (K x V), zeros for a topic without words."""
    if not callable(getattr(model, "get_topics", None)):
        raise TypeError(f"model must have the method get_topics, got {type(model).__name__}.")
    with np.errstate(invalid="ignore"):
        weights = np.array(model.get_topics(), dtype=np.float64)
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(
            "model.get_topics() must give a matrix with a row for each topic and a column for each "
            f"term, got shape {weights.shape}."
        )
    # gensim's Nmf divides a topic without words by its sum, 0
    weights[np.isnan(weights).all(axis=1)] = 0
    if not np.isfinite(weights).all():
        raise ValueError("model.get_topics() must be finite, got NaN or infinity.")
    return weights


def words_by_id(model: TopicModel | None, dictionary: Any, num_terms: int) -> dict[int, str]:
    """The word of each term of the model; an id that the dictionary does not have is left out."""
    if dictionary is None:
        dictionary = getattr(model, "id2word", None)
    # What gensim makes up where a model was given no words calls them "0", "1", "2".
    if dictionary is None or isinstance(dictionary, FakeDict):
        raise ValueError("dictionary must be given, because the model has no id2word with words.")
    if not callable(getattr(dictionary, "get", None)):
        raise TypeError(
            "dictionary must be a gensim Dictionary or a dict from ids to words, "
            f"got {type(dictionary).__name__}."
        )
    words = ((term, dictionary.get(term)) for term in range(num_terms))
    known = {term: str(word) for term, word in words if word is not None}
    if not known:
        raise ValueError(
            f"dictionary must map ids from 0 to {num_terms - 1}, the terms of the model, to words, "
            "got none of these ids."
        )
    if len(set(known.values())) < len(known):
        raise ValueError("dictionary must have a different word for each id, got one word twice.")
    return known
