"""How many words topics share on 20 Newsgroups, and what the newsgroups themselves would share.

    DNMF_CORPORA=... python tests/benchmarks/shared_words.py

Coherence (higher is better) and SimCount (lower is better) of 20 topics, by the paper's measures.
"""

from __future__ import annotations

from bench_corpora import load_20newsgroups

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.core import Tfidf, fit_topics
from dnmf_topics.evaluation import clustering_accuracy, similarity_count, top_terms, topic_coherence

SEEDS = (0, 1, 2)


def main():
    counts, classes = load_20newsgroups()
    doc_term = Tfidf.fit(counts).transform(counts)

    def row(what, fitted):
        terms = top_terms(fitted.topic_term)
        acc = clustering_accuracy(classes, fitted.labels)
        coherence, shared = topic_coherence(terms, counts), similarity_count(terms)
        print(f"{what:34} {coherence:7.0f} {shared:5d}   ACC {acc:.3f}", flush=True)

    for variant in ("bdnmf", "sdnmf", "cdnmf"):
        given = fit_topics(doc_term, 20, variant=variant, deep_model=classes)
        row(f"{variant} of the true newsgroups", given)
    for seed in SEEDS:
        found = fit_topics(doc_term, 20, random_state=seed)
        row(f"sdnmf, seed {seed}", found)
        row(
            f"cdnmf, seed {seed}",
            fit_topics(doc_term, 20, variant="cdnmf", deep_model=found.labels),
        )
    for name in ("gensim-nmf", "sklearn-nmf"):
        for seed in SEEDS:
            row(f"{name}, seed {seed}", fit_baseline(name, counts, 20, random_state=seed))


if __name__ == "__main__":
    main()
