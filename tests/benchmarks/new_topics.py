"""`update(corpus, new_topics=N)`: are classes found that the model has never seen?

    DNMF_CORPORA=... python tests/benchmarks/new_topics.py

Some classes are new: the model is trained on half of the documents of the others, and updated with
all else. Printed are ACC / NMI of the new documents; ACC of those of new and of known classes under
the same matching of topics and classes; and ACC of the old documents, inferred again by the model
as it is then. At last nothing is new: the model is trained on half of all documents. Means of three
random choices, on which the way of merging clusters was chosen among others too: on classes drawn
anew expect somewhat less.
"""

from __future__ import annotations

import copy
from collections import defaultdict

import numpy as np
from loading import load
from scipy.optimize import linear_sum_assignment

from dnmf_topics import DnmfModel
from dnmf_topics.bench import keep_largest, time_call
from dnmf_topics.evaluation import normalized_mutual_information

# Name, number of classes, how many of them are new.
CORPORA = [("20newsgroups-plain", 20, 5), ("tdt2", 20, 5), ("agnews", 4, 1)]
SEEDS = range(3)


def is_right(classes, labels):
    """Which documents are in the topic that is matched with their class."""
    table = np.zeros((labels.max() + 1, classes.max() + 1))
    np.add.at(table, (labels, classes), 1)
    topics, matched = linear_sum_assignment(-table)
    class_of = np.full(len(table), -1)
    class_of[topics] = matched
    return class_of[labels] == classes


def measure(model, counts, classes, num_old, is_new_class):
    """The figures of a model that was trained on old documents and then on new ones."""
    right = is_right(classes[num_old:], model.cluster_labels[num_old:])
    again = model.get_document_info(counts[:num_old].T)["topic"].to_numpy()
    is_new = is_new_class[num_old:]
    return {
        "ACC": right.mean(),
        "NMI": normalized_mutual_information(classes[num_old:], model.cluster_labels[num_old:]),
        "new classes": right[is_new].mean() if is_new.any() else np.nan,
        "known classes": right[~is_new].mean(),
        "old documents": is_right(classes[:num_old], again).mean(),
    }


def compare(counts, classes, num_old, is_new_class, num_new, seed):
    """The figures of all ways to learn the new documents."""
    num_classes = int(classes.max()) + 1
    num_known = np.unique(classes[:num_old]).size
    words = {term: str(term) for term in range(counts.shape[1])}

    def fit(documents, num_topics):
        return DnmfModel(documents.T, num_topics, words, random_state=seed)

    def figures(model, seconds):
        return measure(model, counts, classes, num_old, is_new_class) | {"seconds": seconds}

    before = fit(counts[:num_old], num_known)
    plain, grown = copy.deepcopy(before), copy.deepcopy(before)
    new = counts[num_old:].T
    yield "update", figures(plain, time_call(plain.update, new)[0])
    seconds, _ = time_call(lambda: grown.update(new, new_topics=num_new))
    yield f"update, new_topics={num_new}", figures(grown, seconds)
    share = (grown.cluster_labels[num_old:] >= num_known).mean()
    yield "share of new documents in new topics", {"share": share}
    yield "the same, then refine", figures(grown, time_call(grown.refine, counts.T)[0])
    seconds, whole = time_call(fit, counts, num_classes)
    yield "all documents at once", figures(whole, seconds)


def problems(counts, classes, num_new, seed):
    """Documents in random order, the old ones first, with new classes and without."""
    rng = np.random.default_rng(seed)
    is_new_class = np.isin(classes, rng.choice(classes.max() + 1, num_new, replace=False))
    is_old = rng.random(classes.size) < 0.5
    for what, new in [("new classes", is_new_class), ("nothing new", np.zeros_like(is_old))]:
        old, rest = (
            rng.permutation(np.flatnonzero(part)) for part in (is_old & ~new, ~is_old | new)
        )
        order = np.concatenate([old, rest])
        yield what, (counts[order], classes[order], old.size, new[order])


def main():
    for name, num_classes, num_new in CORPORA:
        corpus = keep_largest(load(name), num_classes)
        classes = np.unique(corpus.classes, return_inverse=True)[1]
        rows = defaultdict(list)
        for seed in SEEDS:
            for what, problem in problems(corpus.counts, classes, num_new, seed):
                for way, figures in compare(*problem, num_new, seed):
                    rows[what, way].append(figures)
        for (what, way), all_figures in rows.items():
            means = {key: np.mean([each[key] for each in all_figures]) for key in all_figures[0]}
            shown = ", ".join(f"{key} {value:.3g}" for key, value in means.items())
            print(f"{name}, {what}: {way:36} {shown}", flush=True)


if __name__ == "__main__":
    main()
