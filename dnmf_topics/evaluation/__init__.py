"""How good are clusters and topics? The paper's measures, and those of today."""

from .clusters import clustering_accuracy, contingency, normalized_mutual_information, purity
from .completion import completion_likelihood, halve_documents, infer_shares, smooth_topics
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
    "completion_likelihood",
    "contingency",
    "halve_documents",
    "infer_shares",
    "normalized_mutual_information",
    "purity",
    "similarity_count",
    "smooth_topics",
    "top_terms",
    "topic_coherence",
    "topic_diversity",
    "topic_npmi",
    "topic_stability",
]
