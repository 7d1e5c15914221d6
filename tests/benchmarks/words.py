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

LDA is tomotopy's (pip install tomotopy), and left out where that is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
from itertools import combinations, pairwise

import numpy as np
from diverse_corpora import load
from measure import timed
from nltk.stem import SnowballStemmer
from scipy import sparse
from sklearn.decomposition import NMF

from dnmf_topics import DnmfModel
from dnmf_topics.core import VARIANTS, Tfidf
from dnmf_topics.core.membership import one_hot
from dnmf_topics.evaluation import similarity_count, top_terms, topic_diversity, topic_npmi
from dnmf_topics.naming import are_forms, topic_name

CORPORA = {"20newsgroups": 20, "20newsgroups-bare": 20, "arxiv-10000": 50, "agnews": 4}
NUM_WORDS = 10
MIN_DOCUMENTS = 50  # of a topic whose coverage may be the worst
LDA_ITERATIONS = 500
HEAD = "coverage worst  rarest  min  of c-TF-IDF    NPMI  diversity  SimCount  seconds"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--forms", action="store_true")
    args = parser.parse_args()
    if not has_tomotopy():
        print("LDA is left out: tomotopy is not installed.", flush=True)
    models = []
    for name in args.corpora:
        corpus, num_topics = load(name), CORPORA[name]
        print(f"\n{name}, {num_topics} topics\n{'':18}{HEAD}", flush=True)
        models.append(measure_all(corpus, num_topics))
        if args.words:
            show_words(models[-1])
    if args.forms:
        show_forms(models)


def measure_all(corpus, num_topics):
    """A line for each method; the model of the default variant."""
    counts = sparse.csr_array(corpus.counts)
    words = dict(enumerate(corpus.words.tolist()))
    seconds, model = timed(DnmfModel, counts.T, num_topics, words, random_state=0)
    labels = model.cluster_labels
    show(f"ours, {model.variant}", counts, model.get_topics(), labels, seconds)
    for variant in VARIANTS:
        if variant != model.variant:
            options = {"variant": variant, "deep_model": labels}
            spent, other = timed(DnmfModel, counts.T, num_topics, words, **options)
            show(f"ours, {variant}", counts, other.get_topics(), labels, seconds + spent)
    show("c-TF-IDF of ours", counts, class_tfidf(counts, labels, num_topics), labels, seconds)
    others = {"NMF": nmf, "LDA": lda} if has_tomotopy() else {"NMF": nmf}
    for name, fit in others.items():
        seconds, (topics, doc_topic) = timed(fit, counts, num_topics)
        show(name, counts, topics, doc_topic.argmax(axis=1), seconds)
    return model


def nmf(counts, num_topics):
    """scikit-learn's, on the same TF-IDF as ours."""
    doc_term = Tfidf.fit(counts).transform(counts)
    model = NMF(num_topics, init="nndsvd", random_state=0, max_iter=400)
    doc_topic = model.fit_transform(doc_term)
    return model.components_, doc_topic


def has_tomotopy():
    return importlib.util.find_spec("tomotopy") is not None


def lda(counts, num_topics):
    """tomotopy's; documents without words, which it takes none of, have all topics alike."""
    import tomotopy

    model = tomotopy.LDAModel(k=num_topics, seed=0)
    filled = np.diff(counts.indptr) > 0
    ids = np.arange(counts.shape[1]).astype(str)
    for start, stop in pairwise(counts.indptr):
        times = counts.data[start:stop].astype(np.int64)
        if times.size:
            model.add_doc(ids[np.repeat(counts.indices[start:stop], times)].tolist())
    model.train(LDA_ITERATIONS, workers=1)  # the result of several depends on their timing
    topics = np.zeros((num_topics, counts.shape[1]))
    used = [int(word) for word in model.used_vocabs]
    topics[:, used] = [model.get_topic_word_dist(k) for k in range(num_topics)]
    doc_topic = np.full((counts.shape[0], num_topics), 1 / num_topics)
    doc_topic[filled] = [document.get_topic_dist() for document in model.docs]
    return topics, doc_topic


def class_tfidf(counts, labels, num_topics):
    """BERTopic's weights (K x V) of the words of clusters: tf / class total * log(1 + A / f)."""
    in_class = (counts.T @ one_hot(labels, num_topics)).T
    frequency = in_class.sum(axis=0)
    totals = in_class.sum(axis=1, keepdims=True)
    idf = np.log(1 + totals.mean() / np.maximum(frequency, 1))
    return in_class / np.maximum(totals, 1) * idf


def show(name, counts, topics, labels, seconds):
    num_topics = len(topics)
    twenty = top_terms(topics, 2 * NUM_WORDS)
    ten = twenty[:, :NUM_WORDS]
    has_word = sparse.csr_array(counts > 0, dtype=float)
    covered, rarest, sizes = described(has_word, labels, ten)
    others, _, _ = described(
        has_word, labels, top_terms(class_tfidf(counts, labels, num_topics), NUM_WORDS)
    )
    large = covered[sizes >= MIN_DOCUMENTS]
    npmi = np.nanmean(topic_npmi(ten, counts))
    print(
        f"{name:18}{np.nanmean(covered):8.3f} {large.min():5.3f}  {np.nanmean(rarest):6.3f} "
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
    for topic, size, _, words in model.get_topic_info(NUM_WORDS).itertuples(index=False):
        name = topic_name(word for word, _ in model.show_topic(topic, 3 * NUM_WORDS))
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
