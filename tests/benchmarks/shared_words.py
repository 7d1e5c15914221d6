"""How many words topics share on 20 Newsgroups, and what the newsgroups themselves would share.

    DNMF_CORPORA=... python tests/benchmarks/shared_words.py

Coherence (higher is better) and SimCount (lower is better) of 20 topics, by the paper's measures,
and in how many of the documents a topic's words are: coherence is higher for frequent words.
gensim's Nmf is given counts, as LdaModel is, gensim's tf-idf, and that of this package.
"""

from __future__ import annotations

from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel, Nmf, TfidfModel
from loading import load

from dnmf_topics.bench import METHODS, select
from dnmf_topics.core import Tfidf, fit_topics
from dnmf_topics.evaluation import similarity_count, top_terms, topic_coherence, topic_npmi

SEEDS = (0, 1, 2)


def main():
    problem = select(load("20newsgroups-plain"), 20)
    counts, classes = problem.counts, problem.classes
    doc_term = Tfidf.fit(counts).transform(counts)
    doc_share = (counts > 0).mean(axis=0)
    corpus = list(Sparse2Corpus(counts.T))
    id2word = {term: str(term) for term in range(counts.shape[1])}

    def row(what, topics):
        terms = top_terms(topics)
        coherence, shared = topic_coherence(terms, counts), similarity_count(terms)
        npmi, share = topic_npmi(terms, counts).mean(), doc_share[terms].mean()
        print(
            f"{what:40} {coherence:7.0f} {shared:5d}   NPMI {npmi:.3f}   in {share:.1%}", flush=True
        )

    for overlap in (0, 1):
        given = fit_topics(doc_term, 20, deep_model=classes, variant="sdnmf", overlap=overlap)
        row(f"sdnmf of the true classes, overlap {overlap}", given.topic_term)
    for seed in SEEDS:
        found = fit_topics(doc_term, 20, variant="sdnmf", random_state=seed)
        row(f"sdnmf, seed {seed}", found.topic_term)
        others = {"sdnmf, overlap 0": {"variant": "sdnmf", "overlap": 0}, "bdnmf": {}}
        for name, settings in {**others, "cdnmf": {"variant": "cdnmf"}}.items():
            fit = fit_topics(doc_term, 20, deep_model=found.cluster_labels, **settings)
            row(f"{name}, seed {seed}", fit.topic_term)
    lda = LdaModel(corpus, 20, id2word, passes=10, random_state=0)
    row("gensim's LdaModel, ten passes", lda.get_topics())
    weighted = TfidfModel(corpus)[corpus]
    for name, given in {"counts": corpus, "gensim's tf-idf": weighted}.items():
        for seed in SEEDS:
            model = Nmf(given, 20, id2word, passes=5, random_state=seed)
            row(f"gensim's Nmf of {name}, seed {seed}", model.get_topics())
    for name in ("gensim-nmf", "sklearn-nmf"):
        for seed in SEEDS:
            found = METHODS[name].fit(problem, {}, seed)
            row(f"{METHODS[name].title}, of our tf-idf, seed {seed}", found.topic_term)


if __name__ == "__main__":
    main()
