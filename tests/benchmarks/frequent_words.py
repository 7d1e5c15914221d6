"""How frequent the words of topics are, sDNMF's and NMF's: coherence is higher for frequent words.

    DNMF_CORPORA=... python tests/benchmarks/frequent_words.py

Means over the same four subsets of ten classes: the share of the documents that a topic's word is
in, and the paper's coherence.
"""

from __future__ import annotations

import numpy as np
from bench_corpora import CORPORA, class_subset

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.core import Tfidf, fit_topics
from dnmf_topics.evaluation import top_terms, topic_coherence

NUM_TOPICS = 10
SUBSETS = range(20000, 20004)


def main():
    for corpus, load in CORPORA.items():
        counts, classes = load()
        found = {"sDNMF": [], "NMF": []}
        for seed in SUBSETS:
            part, _ = class_subset(counts, classes, NUM_TOPICS, seed)
            doc_share = part.getnnz(axis=0) / part.shape[0]
            weighted = Tfidf.fit(part).transform(part)
            for name, fit in {
                "sDNMF": fit_topics(weighted, NUM_TOPICS, variant="sdnmf", random_state=seed),
                "NMF": fit_baseline("sklearn-nmf", part, NUM_TOPICS, random_state=seed),
            }.items():
                terms = top_terms(fit.topic_term)
                found[name].append((doc_share[terms].mean(), topic_coherence(terms, part)))
        for name, each in found.items():
            share, coherence = np.mean(each, axis=0)
            print(f"{corpus:13} {name:6} in {share:.1%}   coherence {coherence:.0f}", flush=True)


if __name__ == "__main__":
    main()
