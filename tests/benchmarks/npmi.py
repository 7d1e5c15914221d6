"""NPMI of 20 topics of 20 Newsgroups, on the matrix and by gensim, in one run.

    DNMF_CORPORA=... python tests/benchmarks/npmi.py

A window is a document on both sides, so the values must be the same. The topics are the mean TF-IDF
of every newsgroup: what is measured does not depend on who found them.
"""

from __future__ import annotations

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from loading import load

from dnmf_topics.bench import time_call
from dnmf_topics.core import Tfidf
from dnmf_topics.evaluation import top_terms, topic_npmi

ROUNDS = 3


def main():
    newsgroups = load("20newsgroups-plain")
    counts, classes = newsgroups.counts, newsgroups.classes
    words = np.array([f"w{term}" for term in range(counts.shape[1])])
    texts = [
        list(np.repeat(words[counts.indices[a:b]], counts.data[a:b].astype(int)))
        for a, b in zip(counts.indptr, counts.indptr[1:], strict=False)
    ]
    dictionary = Dictionary(texts)
    doc_term = Tfidf.fit(counts).transform(counts)
    means = [doc_term[classes == each].mean(axis=0) for each in np.unique(classes)]
    terms = top_terms(np.vstack([np.asarray(mean).ravel() for mean in means]))
    longest = max(map(len, texts))

    def by_gensim(processes):
        model = CoherenceModel(
            topics=[list(words[topic]) for topic in terms], texts=texts, dictionary=dictionary,
            coherence="c_npmi", window_size=longest, processes=processes,
        )  # fmt: skip
        return model.get_coherence_per_topic()

    ours, theirs, theirs_alone = [], [], []
    for _ in range(ROUNDS):
        seconds, found = time_call(topic_npmi, terms, counts)
        ours.append(seconds)
        seconds, wanted = time_call(by_gensim, 2)
        theirs.append(seconds)
        seconds, _ = time_call(by_gensim, 1)
        theirs_alone.append(seconds)
    print(f"largest difference: {np.abs(found - wanted).max():.1e}")
    print(f"ours {min(ours):.3f} s, gensim with 2 processes {min(theirs):.2f} s, "
          f"with one {min(theirs_alone):.2f} s, best of {ROUNDS}")  # fmt: skip
    fastest = min(*theirs, *theirs_alone)
    print(f"gensim's c_npmi / ours {fastest / min(ours):.0f}   bar >= 10")


if __name__ == "__main__":
    main()
