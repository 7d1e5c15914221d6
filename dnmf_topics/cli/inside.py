"""What a run keeps of the sub-topics of its topics: not the models, but what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import storage
from ..common.arrays import Labels
from ..common.checks import check_int
from ..model import DnmfModel

if TYPE_CHECKING:
    import pandas as pd

KIND = "Subtopics"
LABELS = "labels"
NUM_WORDS = 30  # of a sub-topic that are kept
NUM_REPRESENTATIVE = 10  # documents


@dataclass(frozen=True, eq=False)
class Inside:
    """The sub-topics of one topic; the page reads it as it reads a model of its documents.

    Attributes
    ----------
    cluster_labels : (n) array of int
        The sub-topic of each of the topic's documents.
    topic_names : list of str
        Their names.
    words : list of lists of str
        Their words, the heaviest first.
    documents : list of lists of int
        The documents, by their positions among the topic's, that are most like them.
    """

    cluster_labels: Labels
    topic_names: list[str]
    words: list[list[str]]
    documents: list[list[int]]

    @classmethod
    def of(cls, model: DnmfModel) -> Inside:
        """What is kept of a model of one topic's documents."""
        topics = range(model.num_topics)
        return cls(
            model.cluster_labels,
            model.topic_names,
            model.get_topic_info(NUM_WORDS).sort_values("topic")["words"].tolist(),
            [model.get_representative_docs(topic, NUM_REPRESENTATIVE) for topic in topics],
        )

    def rows(self, num_words: int) -> list[dict[str, Any]]:
        """Number, size, share, name and words of the sub-topics, the largest first."""
        sizes = np.bincount(self.cluster_labels, minlength=len(self.topic_names))
        return [
            {
                "topic": topic, "size": int(sizes[topic]),
                "share": float(sizes[topic] / max(sizes.sum(), 1)),
                "name": self.topic_names[topic], "words": self.words[topic][:num_words],
            }
            for topic in np.argsort(-sizes, kind="stable").tolist()
        ]  # fmt: skip

    def get_topic_info(self, topn: int = 10) -> pd.DataFrame:
        """A table as `DnmfModel.get_topic_info` gives it."""
        import pandas as pd

        return pd.DataFrame(self.rows(topn))

    def get_representative_docs(self, topic: int, n: int = 10) -> list[int]:
        """Positions of the documents that are most like a sub-topic."""
        return self.documents[topic][:n]


def all_labels(subtopics: Mapping[int, Inside], topics: Labels) -> Labels:
    """The sub-topic of every document; -1 where its topic has none."""
    labels = np.full(topics.size, -1, np.int64)
    for topic, inside in subtopics.items():
        labels[topics == topic] = inside.cluster_labels
    return labels


def save_inside(path: Path, subtopics: Mapping[int, Inside], topics: Labels) -> None:
    """Write the sub-topics of the topics of all documents."""
    stored = [
        {
            "topic": topic, "names": inside.topic_names, "words": inside.words,
            "documents": inside.documents,
        }
        for topic, inside in subtopics.items()
    ]  # fmt: skip
    storage.save(path, KIND, {"topics": stored}, {LABELS: all_labels(subtopics, topics)}, {})


def load_inside(path: Path, topics: Labels) -> dict[int, Inside]:
    """What `save_inside` wrote, sound, for documents with these topics."""

    def check(meta: Any, shapes: storage.Shapes) -> None:
        if shapes != {LABELS: ("int64", (topics.size,))}:
            raise _damaged(path)

    stored = storage.load(path, KIND, check=check)
    labels = np.asarray(stored.arrays[LABELS])
    try:
        found = [_checked(each, labels, topics) for each in list(stored.meta["topics"])]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _damaged(path) from error
    return dict(found)


def _checked(stored: Any, labels: Labels, topics: Labels) -> tuple[int, Inside]:
    topic = check_int(stored["topic"], "topic", 0, int(topics.max(initial=0)))
    own = labels[topics == topic]
    names = _strings(stored["names"])
    words = [_strings(each) for each in stored["words"]]
    documents = [
        [check_int(document, "document", 0, own.size - 1) for document in each]
        for each in stored["documents"]
    ]
    if not own.size or not 0 <= own.min() <= own.max() < len(names) == len(words) == len(documents):
        raise ValueError
    return topic, Inside(own, names, words, documents)


def _strings(values: Iterable[Any]) -> list[str]:
    if not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
        raise TypeError
    return values


def _damaged(path: Path) -> storage.FileFormatError:
    return storage.FileFormatError(f"{path} must hold the sub-topics of this run; run `fit` again.")
