"""Time, memory and topics against gensim on 20 Newsgroups, all in one run; ratios, not seconds.

    DNMF_CORPORA=... python tests/benchmarks/speed.py

Each row prints a measured figure and its bar.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from loading import load, newsgroups, of_plain
from printing import report
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import CountVectorizer

from dnmf_topics.bench import METHODS, PeakMemory, draw_rows, select, time_call
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import Mbn, Tfidf, fit_topics
from dnmf_topics.core.mbn import Layer, code_dtype, code_network, draw_network, layer_sizes
from dnmf_topics.core.spectral import CodeKernel, cluster_rows, scale_rows, spectral_embedding
from dnmf_topics.evaluation import (
    clustering_accuracy,
    normalized_mutual_information,
    similarity_count,
    top_terms,
    topic_coherence,
)

COMPILE = """
import time
import numpy as np
from scipy import sparse
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import Tfidf, fit_topics
counts = sparse.random(3000, 300, 0.05, random_state=0)  # wide enough for all kernels
counts.data = np.ceil(counts.data * 3)
def fit():
    start = time.perf_counter()
    fit_topics(Tfidf.fit(counts).transform(counts), 5, random_state=0)
    return time.perf_counter() - start
first = fit()
print(first - fit())
"""


def default_fit(counts, num_topics=20, variant="bdnmf"):
    """As `DnmfModel` fits."""
    doc_term = Tfidf.fit(counts).transform(counts)
    return fit_topics(doc_term, num_topics, random_state=0, variant=variant)


def compile_time():
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", COMPILE],
            env=environment, check=True, capture_output=True, text=True,
        )  # fmt: skip
    report("first-call compilation, seconds", f"{float(done.stdout):.1f}", "bar < 10")


def whole_fit_against_lda(counts, classes):
    corpus = Sparse2Corpus(counts, documents_columns=False)
    corpus = list(corpus)  # a list, so that LdaModel does not pay for the conversion
    default_fit(counts[:3000])  # compiles
    fit = default_fit(counts)
    doc_term = Tfidf.fit(counts).transform(counts)
    rows = doc_term.astype(np.float32)
    fits, networks, nmfs = [], [], []

    def measure():
        fits.append(time_call(default_fit, counts)[0])
        networks.append(time_call(network, rows)[0])
        nmfs.append(time_call(NMF(20, random_state=0).fit_transform, doc_term)[0])

    measure()
    measure()
    id2word = {i: str(i) for i in range(counts.shape[1])}
    lda_seconds, lda = time_call(
        LdaModel, corpus, num_topics=20, id2word=id2word, passes=10, random_state=0
    )
    measure()
    print(f"LdaModel {lda_seconds:.1f} s; fit {sorted(fits)}; network {sorted(networks)}")
    print(f"scikit-learn NMF {sorted(nmfs)}")
    report(
        "whole fit / LdaModel, median of 3", f"{np.median(fits) / lda_seconds:.3f}", "bar <= 0.15"
    )
    against_nmf = np.median(fits) / np.median(nmfs)
    report("whole fit / scikit-learn NMF, medians of 3", f"{against_nmf:.2f}", "bar <= 2.5")
    report(
        "network / LdaModel, median of 3", f"{np.median(networks) / lda_seconds:.3f}", "bar <= 0.25"
    )
    shared, _ = time_call(default_fit, counts, variant="sdnmf")
    report("the same with sDNMF, overlap 1 / LdaModel", f"{shared / lda_seconds:.3f}", "bar none")
    acc = clustering_accuracy(classes, fit.cluster_labels)
    nmi = normalized_mutual_information(classes, fit.cluster_labels)
    report("ACC / NMI", f"{acc:.3f} / {nmi:.3f}", "bar none")
    return fit, lda, corpus


def network(rows):
    settings, num_docs = Mbn(), rows.shape[0]
    sizes, pool_size = settings.sizes(num_docs, 20), settings.num_landmarks(num_docs)
    return grow_network(rows, sizes, settings.num_clusterings, 0, pool_size)


def grow_network(rows, sizes, num_clusterings, seed, pool_size=None):
    seed = np.random.SeedSequence(seed)
    draws = draw_network(rows.shape[0], sizes, num_clusterings, seed, pool_size)
    return code_network(rows, draws, Threads(-1))


def short_titles():
    counts = load("stackoverflow").counts
    default_fit(counts[:2000])  # compiles
    seconds = np.median([time_call(default_fit, counts)[0] for _ in range(3)])
    report("6,000 question titles, seconds, median of 3", f"{seconds:.2f}", "bar <= 2")


def memory_of_the_fit(counts):
    """In a process of its own, so that what others freed does not count as there before."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.npz")
        sparse.save_npz(path, counts)
        done = subprocess.run(
            [sys.executable, __file__, path], check=True, capture_output=True, text=True
        )
    report("peak memory of the fit, MB above the input", done.stdout.strip(), "bar < 600")


def print_memory(path):
    counts = sparse.load_npz(path)
    default_fit(counts[:3000])  # compiles
    memory = PeakMemory()
    default_fit(counts)
    print(f"{memory.growth() * 2**20 / 1e6:.0f}")


def topics_against_gensim(whole):
    problem = select(whole, 20)
    for name in ("sdnmf", "lda", "gensim-nmf"):
        terms = top_terms(METHODS[name].fit(problem, {}, 0).topic_term)
        figures = f"{topic_coherence(terms, problem.counts):.0f} / {similarity_count(terms)}"
        report(f"coherence / SimCount: {METHODS[name].title}", figures, "bar sDNMF better in both")


def fold_in_against_lda(lda, fit, counts, corpus):
    doc_term = Tfidf.fit(counts).transform(counts)[:10_000]
    fit.fold_in(doc_term[:10])
    ours = min(time_call(fit.fold_in, doc_term)[0] for _ in range(3))
    theirs, _ = time_call(lda.inference, corpus[:10_000])
    report("LdaModel.inference / fold-in of 10,000 documents", f"{theirs / ours:.0f}", "bar >= 5")


def held_out():
    train, test = newsgroups("train"), newsgroups("test")
    fitted = of_plain(train.data, train.target)
    counts, words = fitted.counts, list(fitted.words.values())
    vectorizer = CountVectorizer(token_pattern=r"[a-z]{3,}", vocabulary=words)
    unseen = vectorizer.transform(test.data)
    weights = Tfidf.fit(counts)
    fit = fit_topics(weights.transform(counts), 20, random_state=0)
    acc = clustering_accuracy(test.target, fit.assign(weights.transform(unseen)))
    trained = clustering_accuracy(train.target, fit.cluster_labels)
    report(
        "ACC of held-out documents (of the fitted ones)",
        f"{acc:.3f} ({trained:.3f})",
        "bar >= 0.66",
    )


def short_texts():
    problem = select(load("subjects-plain"), 20)
    for name in ("bdnmf", "sklearn-nmf", "kmeans"):
        labels = METHODS[name].fit(problem, {}, 0).cluster_labels
        acc = clustering_accuracy(problem.classes, labels)
        nmi = normalized_mutual_information(problem.classes, labels)
        title = METHODS[name].title
        report(
            f"subject lines, ACC / NMI: {title}", f"{acc:.3f} / {nmi:.3f}", "bar ours best in both"
        )


def literal_network(rows, sizes, num_clusterings, seed):
    """Codes of the last layer by the algorithm as written: M searches a layer, sparse products."""
    rng = np.random.default_rng(seed)
    inputs = rows
    for size in sizes:
        codes = np.empty((rows.shape[0], num_clusterings), np.int64)
        for m in range(num_clusterings):
            centroids = inputs[rng.choice(rows.shape[0], size, replace=False)]
            codes[:, m] = (inputs @ centroids.T).toarray().argmax(axis=1)
        columns = (codes + np.arange(num_clusterings) * size).ravel()
        starts = np.arange(rows.shape[0] + 1) * num_clusterings
        inputs = sparse.csr_array(
            (np.ones(columns.size, np.float32), columns, starts),
            shape=(rows.shape[0], num_clusterings * size),
        )
    return Layer(sizes[-1], codes.astype(code_dtype(sizes[-1])))


def literal_twin(counts, classes):
    """The network at N = 5,000 against the algorithm as written: time, and ACC of both."""
    drawn = draw_rows(classes, 6, 1)
    counts, classes = counts[drawn], classes[drawn]
    chosen = np.random.default_rng(0).permutation(counts.shape[0])[:5000]
    counts, classes = counts[chosen], classes[chosen]
    rows = Tfidf.fit(counts).transform(counts).astype(np.float32)
    sizes = layer_sizes(rows.shape[0] // 2, 9, 0.5)
    ours = [time_call(grow_network, rows, sizes, 400, seed) for seed in range(3)]
    theirs, literal = time_call(literal_network, rows, sizes, 400, 0)
    ratio = theirs / min(seconds for seconds, _ in ours)
    report(f"literal network / ours at N = {rows.shape[0]}", f"{ratio:.0f}", "bar >= 100")
    scores = []
    for layer in [literal, *(layers[-1] for _, layers in ours)]:
        kernel = CodeKernel(layer, n_jobs=-1)
        embedding = spectral_embedding(kernel, rows.shape[0], 6, np.random.default_rng(0))
        labels = cluster_rows(scale_rows(embedding, 1.0), 6, np.random.default_rng(0))
        scores.append(f"{clustering_accuracy(classes, labels):.3f}")
    report("ACC, literal and ours with three seeds", " ".join(scores), "bar the same")


def main():
    if len(sys.argv) > 1:
        print_memory(sys.argv[1])
        return
    compile_time()
    whole = load("20newsgroups-plain")
    counts, classes = whole.counts, whole.classes
    memory_of_the_fit(counts)
    short_titles()
    fit, lda, corpus = whole_fit_against_lda(counts, classes)
    topics_against_gensim(whole)
    fold_in_against_lda(lda, fit, counts, corpus)
    held_out()
    short_texts()
    literal_twin(counts, classes)


if __name__ == "__main__":
    main()
