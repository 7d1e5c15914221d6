"""Why baselines differ from the paper's tables: ACC on five classes of TDT2 under other settings.

    DNMF_CORPORA=... python tests/benchmarks/baselines.py

The paper does not tell its baselines' settings. Each row is a mean over the same four subsets.
"""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from loading import load
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from dnmf_topics.baselines import dpfa, fit_baseline, ltm, plsi
from dnmf_topics.baselines.cooccurrence import Cooccurrence
from dnmf_topics.baselines.snpa import snpa_anchors
from dnmf_topics.baselines.spa import spa_anchors
from dnmf_topics.baselines.xray import xray_anchors
from dnmf_topics.bench import select
from dnmf_topics.common.progress import silent
from dnmf_topics.core import Tfidf
from dnmf_topics.evaluation import clustering_accuracy

NUM_TOPICS = 5
SUBSETS = range(30000, 30004)


@contextmanager
def changed(module, **constants):
    before = {name: getattr(module, name) for name in constants}
    for name, value in constants.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def argmax(fitted):
    return fitted.cluster_labels


def k_means(fitted):
    """Clusters of the documents' weights instead of the largest weight."""
    clusterer = KMeans(NUM_TOPICS, n_init=10, random_state=0)
    return clusterer.fit_predict(normalize(fitted.doc_topic))


def started_at(counts, classes):
    """DPFA's state in which every class has a topic, and a document little of the others."""
    known = np.unique(classes)
    own = classes[:, None] == known
    words = counts.T @ own + dpfa.TERM_PRIOR
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    usual = dpfa._start

    def start(shape, num_topics, rng):
        state = usual(shape, num_topics, rng)
        state.lower.factors = np.ascontiguousarray(words / words.sum(axis=0))
        state.lower.scores = np.where(own, 1, 0.01) * lengths[:, None]
        return state

    return start


def row(problems, what, method, labels=argmax, start=None):
    found = []
    for counts, classes, seed in problems:
        with changed(dpfa, _start=start(counts, classes) if start else dpfa._start):
            fitted = fit_baseline(method, counts, NUM_TOPICS, random_state=seed)
        found.append(clustering_accuracy(classes, labels(fitted)))
    each = " ".join(f"{value:.2f}" for value in found)
    print(f"{what:60} {np.mean(found):.3f}   ({each})", flush=True)


def main():
    drawn = [select(load("tdt2"), NUM_TOPICS, subset) for subset in SUBSETS]
    problems = [
        (each.counts, each.classes, seed) for each, seed in zip(drawn, SUBSETS, strict=True)
    ]
    for method in ("lda", "plsi", "dpfa"):
        row(problems, f"{method}, as it is", method)
    for steps in (10, 30):
        with changed(plsi, MAX_STEPS=steps):
            row(problems, f"plsi, {steps} steps instead of at most 200", "plsi")
    for prior in (0.01, 0.5):
        with changed(dpfa, TERM_PRIOR=prior):
            row(problems, f"dpfa, prior of the terms {prior} instead of 0.05", "dpfa")
    with changed(dpfa, NUM_SWEEPS=600):
        row(problems, "dpfa, 600 sweeps instead of 200", "dpfa")
    row(problems, "dpfa, k-means on the documents' weights", "dpfa", k_means)
    once = [((counts > 0).astype(np.int64), *rest) for counts, *rest in problems]
    row(once, "dpfa, every word of a document counted once", "dpfa")
    row(problems, "dpfa, started at the true classes", "dpfa", start=started_at)
    row(problems, "ltm, as it is (weight 300)", "ltm")
    with changed(ltm.ltm_steps, __kwdefaults__={**ltm.ltm_steps.__kwdefaults__, "weight": 1000.0}):
        row(problems, "ltm, weight 1000, its authors' default", "ltm")
    same = 0
    for counts, _, _ in problems:
        words = Cooccurrence(Tfidf.fit(counts).transform(counts))
        seed = np.random.SeedSequence(0)
        found = [
            tuple(search(words, NUM_TOPICS, seed, silent)[0])
            for search in (spa_anchors, snpa_anchors, xray_anchors)
        ]
        same += len(set(found)) == 1
    print(f"SPA, SNPA and XRAY choose the same words in {same} of {len(problems)} subsets")


if __name__ == "__main__":
    main()
