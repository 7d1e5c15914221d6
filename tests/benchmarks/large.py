"""A hundred thousand arXiv abstracts in linear time: landmarks against the number of documents.

DNMF_CORPORA=... python tests/benchmarks/large.py
"""

from __future__ import annotations

import time

from loading import arxiv, of_plain

from dnmf_topics.bench import PeakMemory, time_call
from dnmf_topics.core import Mbn, Tfidf, fit_topics
from dnmf_topics.evaluation import normalized_mutual_information


def fit(counts, settings):
    doc_term = Tfidf.fit(counts).transform(counts)
    return fit_topics(doc_term, 50, deep_model=settings, random_state=0, variant="bdnmf")


def main():
    fit(arxiv(500, count=of_plain).counts, Mbn(landmarks=200))  # compiles
    seconds = {}
    for num_docs, settings in [
        (20_000, Mbn()),
        (20_000, Mbn(landmarks=None)),
        (100_000, Mbn()),
    ]:
        corpus = arxiv(num_docs, count=of_plain)
        memory, cpu = PeakMemory(), time.process_time()
        elapsed, result = time_call(fit, corpus.counts, settings)
        cpu, gigabytes = time.process_time() - cpu, memory.growth() * 2**20 / 1e9
        seconds[num_docs, settings] = elapsed
        nmi = normalized_mutual_information(corpus.classes, result.cluster_labels)
        print(
            f"{num_docs:>7} documents, {settings.num_landmarks(num_docs)} landmarks, K = 50: "
            f"{elapsed:.1f} s ({cpu:.0f} s of CPU), peak {gigabytes:.2f} GB above the input, "
            f"NMI {nmi:.3f}",
            flush=True,
        )
    landmarks, exact, large = seconds.values()
    print(f"100,000 / 20,000 with default settings: {large / landmarks:.2f}   bar <= 5")
    print(f"20,000 with landmarks / with all documents as centroids: {landmarks / exact:.2f}")


if __name__ == "__main__":
    main()
