"""How frequent the words of topics are, sDNMF's and NMF's: coherence is higher for frequent words.

    DNMF_CORPORA=... python tests/benchmarks/frequent_words.py

Means over the same four subsets of ten classes: the share of the documents that a topic's word is
in, and the paper's coherence.
"""

from __future__ import annotations

import numpy as np
from loading import PAPERS, load

from dnmf_topics.bench import METHODS, select
from dnmf_topics.evaluation import top_terms, topic_coherence

COMPARED = ("sdnmf", "sklearn-nmf")
NUM_TOPICS = 10
SUBSETS = range(20000, 20004)


def main():
    for corpus, source in PAPERS.items():
        found = {name: [] for name in COMPARED}
        for subset in SUBSETS:
            problem = select(load(source), NUM_TOPICS, subset)
            doc_share = (problem.counts > 0).mean(axis=0)
            for name in COMPARED:
                terms = top_terms(METHODS[name].fit(problem, {}, subset).topic_term)
                coherence = topic_coherence(terms, problem.counts)
                found[name].append((doc_share[terms].mean(), coherence))
        for name, each in found.items():
            share, coherence = np.mean(each, axis=0)
            title = METHODS[name].title
            print(f"{corpus:13} {title:18} in {share:.1%}   coherence {coherence:.0f}", flush=True)


if __name__ == "__main__":
    main()
