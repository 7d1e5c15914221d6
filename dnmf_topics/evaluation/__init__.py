"""How good are clusters and topics? The paper's measures, and those of today."""

from .clusters import clustering_accuracy, contingency, normalized_mutual_information, purity
from .topics import (
    similarity_count,
    top_terms,
    topic_coherence,
    topic_diversity,
    topic_npmi,
    topic_stability,
)

__all__ = [
    "clustering_accuracy",
    "contingency",
    "normalized_mutual_information",
    "purity",
    "similarity_count",
    "top_terms",
    "topic_coherence",
    "topic_diversity",
    "topic_npmi",
    "topic_stability",
]
