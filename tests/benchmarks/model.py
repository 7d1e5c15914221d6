"""DnmfModel against LdaModel on 20 Newsgroups: inference, agreement, updates, likelihood.

    DNMF_CORPORA=... python tests/benchmarks/model.py

Each row prints a measured figure and, where there is one, its bar.
"""

from __future__ import annotations

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from loading import load
from printing import report

from dnmf_topics import DnmfModel
from dnmf_topics.bench import time_call
from dnmf_topics.evaluation import clustering_accuracy, normalized_mutual_information

NUM_DOCS = 1000  # for the times of single documents


def one_by_one(model, documents):
    return [model[document] for document in documents]


def quality(classes, labels):
    nmi = normalized_mutual_information(classes, labels)
    return f"{clustering_accuracy(classes, labels):.3f} / {nmi:.3f}"


def main():
    newsgroups = load("20newsgroups-plain")
    # Documents in random order, so that both halves have all classes.
    order = np.random.default_rng(0).permutation(newsgroups.classes.size)
    counts, classes = newsgroups.counts[order], newsgroups.classes[order]
    corpus = [
        [(int(term), int(count)) for term, count in document]
        for document in Sparse2Corpus(counts, documents_columns=False)
    ]
    id2word = {term: str(term) for term in range(counts.shape[1])}
    half = len(corpus) // 2
    model = DnmfModel(corpus, 20, id2word, random_state=0)
    lda = LdaModel(corpus, 20, id2word, random_state=0)

    documents = corpus[:NUM_DOCS]
    for what, function, bar in [("model[bow], one by one", one_by_one, 3), ("inference", None, 4)]:
        times = {}
        for other in (lda, model) * 5:
            call = (
                (other.inference, documents) if function is None else (function, other, documents)
            )
            times.setdefault(other, []).append(time_call(*call)[0])
        ratio = np.median(times[lda]) / np.median(times[model])
        report(f"LdaModel / DnmfModel, {what}", f"{ratio:.1f}", f"bar >= {bar}")

    agreement = (model.doc_topics().argmax(axis=1) == model.cluster_labels).mean()
    report(
        "argmax of a training document's topics is its cluster", f"{agreement:.4f}", "bar >= .98"
    )
    report("ACC / NMI, all documents at once", quality(classes, model.cluster_labels))
    halves = DnmfModel(corpus[:half], 20, id2word, random_state=0)
    report(
        "ACC / NMI of the first half, fitted alone", quality(classes[:half], halves.cluster_labels)
    )
    seconds, _ = time_call(halves.update, corpus[half:])
    report("ACC / NMI, second half by update", quality(classes, halves.cluster_labels))
    report("seconds of that update", f"{seconds:.1f}")

    train = DnmfModel(corpus[:half], 20, id2word, random_state=0)
    lda_train = LdaModel(corpus[:half], 20, id2word, passes=5, random_state=0)
    held_out = corpus[half:]
    report("held-out per-word bound, DnmfModel", f"{train.log_perplexity(held_out):.3f}")
    report("held-out per-word bound, LdaModel", f"{lda_train.log_perplexity(held_out):.3f}")


if __name__ == "__main__":
    main()
