"""Slow, obvious twins of the fast paths."""

from __future__ import annotations

import numpy as np

from dnmf_topics.common.seeds import child_rng
from dnmf_topics.core.mbn import CENTROIDS


def literal_words(word_counts):
    """Distributions of topics over words (K x V), a tenth of them that of the corpus."""
    corpus = word_counts.sum(axis=0) / word_counts.sum()
    prior = 0.1 * word_counts.sum() / len(word_counts)
    topics = (word_counts + prior * corpus) / (word_counts.sum(axis=1, keepdims=True) + prior)
    return 0.9 * topics + 0.1 * corpus


def literal_draws(candidates, size, num_clusterings, seed):
    """The centroids (M x k) that a layer with this seed draws from the candidates."""
    return np.array(
        [
            child_rng(seed, CENTROIDS, m).choice(candidates, size, replace=False)
            for m in range(num_clusterings)
        ]
    )


def literal_codes(rows, centroids):
    """Nearest centroid by cosine, the first of equals, for dense rows of equal length."""
    return np.stack([(rows @ rows[docs].T).argmax(axis=1) for docs in centroids], axis=1)


def one_hot_codes(codes, size):
    """Codes (N x M) as dense one-hot rows (N x M k)."""
    num_docs, num_clusterings = codes.shape
    dense = np.zeros((num_docs, num_clusterings, size))
    np.put_along_axis(dense, codes[:, :, None].astype(np.int64), 1, axis=2)
    return dense.reshape(num_docs, -1)


def literal_vector_codes(vectors, centroids):
    """Nearest centroid by the products of vectors of whole numbers, in Python's integers."""
    rows = [[int(entry) for entry in row] for row in vectors]

    def product(first, second):
        return sum(a * b for a, b in zip(first, second, strict=True))

    codes = np.empty((len(rows), len(centroids)), np.int64)
    for i, row in enumerate(rows):
        scores = [product(row, other) for other in rows]
        for m, docs in enumerate(centroids):
            # max takes the first of equals
            codes[i, m] = max(range(len(docs)), key=lambda code: scores[docs[code]])
    return codes
