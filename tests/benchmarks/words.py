"""How well the words of topics describe their documents, beside c-TF-IDF, NMF and LDA.

    DNMF_CORPORA=... python tests/benchmarks/words.py [--corpora agnews] [--words] [--forms]

Coverage is the share of a topic's documents that have one of its first ten words: the mean over
topics, and the smallest of topics with at least 50 documents. 'Rarest' is the smallest share of a
topic's documents that have one of its words, the mean over topics and the smallest. 'Of c-TF-IDF'
is the mean coverage in parts of that of the ten words which BERTopic's class-based TF-IDF gives the
same clusters of documents. NPMI and diversity are of ten words, SimCount is of twenty. A topic's
documents are those in which no topic weighs more.

--words prints the first ten words of our topics, with their names. --forms prints the pairs among
the first twelve that names take for forms of one word, and how many pairs with the same stem (by
NLTK's Snowball stemmer for English) they miss.

LDA is tomotopy's; `others.py` says what to install for it, and without that it is left out.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
from loading import load
from nltk.stem import SnowballStemmer
from others import ALL, class_tfidf, installed
from scipy import sparse

from dnmf_topics import DnmfModel
from dnmf_topics.bench import Corpus, Problem, time_call
from dnmf_topics.core import VARIANTS
from dnmf_topics.evaluation import similarity_count, top_terms, topic_diversity, topic_npmi
from dnmf_topics.naming import are_forms

CORPORA = {"20newsgroups": 20, "20newsgroups-bare": 20, "arxiv-10000": 50, "agnews": 4}
NUM_WORDS = 10
MIN_DOCUMENTS = 50  # of a topic whose coverage may be the worst
HEAD = "coverage worst  rarest  min  of c-TF-IDF    NPMI  diversity  SimCount  seconds"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--forms", action="store_true")
    args = parser.parse_args()
    others = installed(["sklearn-nmf", "tomotopy"])
    models = []
    for name in args.corpora:
        corpus, num_topics = load(name), CORPORA[name]
        print(f"\n{name}, {num_topics} topics\n{'':19}{HEAD}", flush=True)
        models.append(measure_all(corpus, num_topics, others))
        if args.words:
            show_words(models[-1])
    if args.forms:
        show_forms(models)


def measure_all(corpus: Corpus, num_topics: int, others: list[str]) -> DnmfModel:
    """A line for each method; the model of the default variant."""
    counts, words = corpus.counts, corpus.words
    problem = Problem(counts, corpus.classes, num_topics, corpus.is_balanced, words)
    seconds, model = time_call(DnmfModel, counts.T, num_topics, words, random_state=0)
    labels = model.cluster_labels
    show(f"DNMF, {model.variant}", problem, model.get_topics(), labels, seconds)
    for variant in VARIANTS:
        if variant != model.variant:
            options = {"variant": variant, "deep_model": labels}
            spent, other = time_call(DnmfModel, counts.T, num_topics, words, **options)
            show(f"DNMF, {variant}", problem, other.get_topics(), labels, seconds + spent)
    by_class = class_tfidf(problem, labels, num_topics)
    show("DNMF, c-TF-IDF", problem, by_class, labels, seconds)
    for name in others:
        seconds, found = time_call(ALL[name].fit, problem, {}, 0)
        show(ALL[name].title, problem, found.topic_term, found.cluster_labels, seconds)
    return model


def show(name, problem, topics, labels, seconds):
    counts, num_topics = problem.counts, len(topics)
    twenty = top_terms(topics, 2 * NUM_WORDS)
    ten = twenty[:, :NUM_WORDS]
    has_word = sparse.csr_array(counts > 0, dtype=float)
    covered, rarest, sizes = described(has_word, labels, ten)
    others, _, _ = described(
        has_word, labels, top_terms(class_tfidf(problem, labels, num_topics), NUM_WORDS)
    )
    large = covered[sizes >= MIN_DOCUMENTS]
    npmi = np.nanmean(topic_npmi(ten, counts))
    print(
        f"{name:19}{np.nanmean(covered):8.3f} {large.min():5.3f}  {np.nanmean(rarest):6.3f} "
        f"{np.nanmin(rarest):4.3f}  {np.nanmean(covered) / np.nanmean(others):11.3f}  {npmi:6.3f}  "
        f"{topic_diversity(ten):9.3f}  {similarity_count(twenty):8d}  {seconds:7.1f}",
        flush=True,
    )


def described(has_word, labels, terms):
    """For every topic its coverage, the share of its rarest word, and its number of documents.

    A topic without documents has NaN. Documents without words belong to none.
    """
    filled = np.diff(has_word.indptr) > 0
    covered, rarest = np.full((2, len(terms)), np.nan)
    sizes = np.bincount(labels[filled], minlength=len(terms))
    for topic in np.flatnonzero(sizes):
        own = has_word[filled & (labels == topic)][:, terms[topic]].toarray()
        covered[topic], rarest[topic] = own.any(axis=1).mean(), own.mean(axis=0).min()
    return covered, rarest, sizes


def show_words(model):
    for topic, size, _, name, words in model.get_topic_info(NUM_WORDS).itertuples(index=False):
        print(f"{topic:4} {size:6}  [{name}]  {' '.join(words)}", flush=True)


def show_forms(models):
    """The pairs of words in which names see one word, and those in which a stemmer would."""
    stem = SnowballStemmer("english").stem
    tops = [
        sorted(word for word, _ in model.show_topic(topic, 12))
        for model in models
        for topic in range(model.num_topics)
    ]
    pairs = {pair for words in tops for pair in combinations(words, 2)}
    stemmed = {pair for pair in pairs if len({stem(word) for word in pair}) == 1}
    found = sorted(pair for pair in pairs if are_forms(*pair))
    print(
        f"\n{len(found)} pairs are taken for forms, {len(stemmed - set(found))} of {len(stemmed)} "
        f"pairs with the same stem are not:\n{', '.join(' '.join(pair) for pair in found)}"
    )


if __name__ == "__main__":
    main()
