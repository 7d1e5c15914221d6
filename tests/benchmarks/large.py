"""A hundred thousand arXiv abstracts in linear time: landmarks against the number of documents.

DNMF_CORPORA=... python tests/benchmarks/large.py
"""

from __future__ import annotations

import time

from bench_corpora import load_arxiv
from measure import peak_memory, timed
from sklearn.metrics import normalized_mutual_info_score

from dnmf_topics.core import Mbn, Tfidf, fit_topics


def fit(counts, settings):
    doc_term = Tfidf.fit(counts).transform(counts)
    return fit_topics(doc_term, 50, deep_model=settings, random_state=0, variant="bdnmf")


def main():
    fit(load_arxiv(500)[0], Mbn(landmarks=200))  # compiles
    seconds = {}
    for num_docs, settings in [
        (20_000, Mbn()),
        (20_000, Mbn(landmarks=None)),
        (100_000, Mbn()),
    ]:
        counts, classes = load_arxiv(num_docs)
        cpu = time.process_time()
        (elapsed, result), memory = peak_memory(lambda c=counts, s=settings: timed(fit, c, s))
        cpu = time.process_time() - cpu
        seconds[num_docs, settings] = elapsed
        nmi = normalized_mutual_info_score(classes, result.labels)
        print(
            f"{num_docs:>7} documents, {settings.num_landmarks(num_docs)} landmarks, K = 50: "
            f"{elapsed:.1f} s ({cpu:.0f} s of CPU), peak {memory / 1e9:.2f} GB above the input, "
            f"NMI {nmi:.3f}",
            flush=True,
        )
    landmarks, exact, large = seconds.values()
    print(f"100,000 / 20,000 with default settings: {large / landmarks:.2f}   bar <= 5")
    print(f"20,000 with landmarks / with all documents as centroids: {landmarks / exact:.2f}")


if __name__ == "__main__":
    main()
