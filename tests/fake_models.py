"""Small topic models with nothing but the methods that a test is about, and a corpus for them."""

from __future__ import annotations

import numpy as np

WORDS = ["sun", "rain", "wind", "wine", "bread", "cheese", "goal", "ball", "team"]
TOPICS = np.array(
    [
        [50, 40, 30, 0, 0, 0, 0, 0, 10],
        [0, 0, 0, 60, 30, 20, 0, 10, 0],
        [0, 10, 0, 0, 0, 0, 50, 60, 40],
    ]
)


class Topics:
    """Topics of these weights; a document has those whose words it has."""

    def __init__(self, weights=TOPICS, words=WORDS):
        self.weights = np.array(weights, dtype=float)
        self.id2word = dict(words if isinstance(words, dict) else enumerate(words))

    def get_topics(self):
        totals = self.weights.sum(axis=1, keepdims=True)
        return self.weights / np.where(totals > 0, totals, 1)

    def gamma(self, document):
        return sum(self.weights[:, term] * weight for term, weight in document)


class WithInference(Topics):
    def inference(self, documents):
        assert all(documents), "an empty document must not reach the model"
        return np.array([self.gamma(document) for document in documents]), None


class WithItems(Topics):
    def __getitem__(self, document):
        return [(topic, weight) for topic, weight in enumerate(self.gamma(document)) if weight]


def documents_of(weights, times=(1, 2, 3)):
    """For each topic this many documents with its words."""
    rows = zip(weights, np.resize(times, len(weights)), strict=True)
    documents = [[(t, int(w)) for t, w in enumerate(row) if w] for row, n in rows for _ in range(n)]
    return [document for document in documents if document]
