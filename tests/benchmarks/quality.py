"""Clustering accuracy without labels, on random class subsets of the paper's corpora.

    DNMF_CORPORA=... python tests/benchmarks/quality.py [--paper] [--runs 10] [--first-seed 1000]

Prints a line per cell: mean ACC and NMI with standard errors, and the bar. With --paper: the
paper's plain algorithm and its values. Refinement is off, the last layer's width goes by the
paper's rule, which knows the classes, and terms are weighted in the whole corpus before classes are
drawn from it. With --stemmed: 20 Newsgroups alone, its words stemmed.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from loading import PAPERS, load
from printing import mean_and_error

from dnmf_topics.bench import draw_rows, time_call
from dnmf_topics.core import Mbn, Tfidf, balanced_layer_size, fit_topics, imbalanced_layer_size
from dnmf_topics.evaluation import clustering_accuracy, normalized_mutual_information

# (corpus, K): bar for ACC of the default, ACC in the paper's tables
CELLS = {
    ("tdt2", 5): (0.995, 0.9808),
    ("reuters21578", 5): (0.71, 0.7160),
    ("20newsgroups", 5): (0.93, 0.8689),
    ("tdt2", 10): (0.987, 0.9100),
    ("reuters21578", 10): (0.67, 0.6110),
    ("20newsgroups", 10): (0.85, 0.7584),
    ("reuters21578", 20): (0.62, 0.4899),
    ("reuters21578", 25): (0.62, 0.4702),
    ("tdt2", 25): (0.933, 0.7664),
    ("20newsgroups", 20): (0.81, 0.6502),
}


def paper_settings(corpus, classes, num_topics):
    if corpus == "20newsgroups":
        size = balanced_layer_size(num_topics)
    else:
        smallest = np.unique(classes, return_counts=True)[1].min()
        size = imbalanced_layer_size(classes.size, smallest)
    return Mbn(
        400, first_layer_size=classes.size // 2, last_layer_size=size, landmarks=None, refine=False
    )


def run(corpus, loaded, num_topics, seed, *, paper, stemmed):
    part = loaded.rows(draw_rows(loaded.classes, num_topics, seed))
    counts, classes = part.counts, part.classes
    settings = paper_settings(corpus, classes, num_topics) if paper else Mbn()

    def fit_part():
        doc_term = Tfidf.fit(loaded.counts if paper else counts).transform(counts)
        return fit_topics(doc_term, num_topics, deep_model=settings, random_state=seed)

    seconds, fit = time_call(fit_part)
    taken = fit.deep.scores[fit.deep.view_index]
    return {
        "corpus": f"{corpus}-stemmed" if stemmed else corpus,
        "num_topics": num_topics,
        "seed": seed,
        "paper_rule": paper,
        "documents": int(classes.size),
        "view": taken.view,
        "layer": taken.layer_size,
        "largest": round(float(np.bincount(fit.cluster_labels).max() / classes.size), 4),
        "acc": round(clustering_accuracy(classes, fit.cluster_labels), 4),
        "nmi": round(normalized_mutual_information(classes, fit.cluster_labels), 4),
        "seconds": round(seconds, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--stemmed", action="store_true")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--only", help="a corpus")
    parser.add_argument("--num-topics", type=int, nargs="+", help="these numbers of topics only")
    parser.add_argument("--out", help="a file for one JSON line per run")
    options = parser.parse_args()
    out = open(options.out, "a", encoding="utf8") if options.out else None  # noqa: SIM115
    sources = PAPERS
    if options.stemmed:
        print("With stemmed words:")
        sources = {"20newsgroups": "20newsgroups-stemmed"}
    for (corpus, num_topics), (bar, paper_acc) in CELLS.items():
        if corpus not in sources or options.only not in (None, corpus):
            continue
        if options.num_topics and num_topics not in options.num_topics:
            continue
        # All classes are one subset: fewer runs tell the same.
        runs = options.runs // (2 if (corpus, num_topics) == ("20newsgroups", 20) else 1)
        results = []
        for seed in range(options.first_seed, options.first_seed + runs):
            results.append(
                run(
                    corpus, load(sources[corpus]), num_topics, seed,
                    paper=options.paper, stemmed=options.stemmed,
                )
            )  # fmt: skip
            if out:
                print(json.dumps(results[-1]), file=out, flush=True)
        acc = mean_and_error([r["acc"] for r in results])
        nmi = mean_and_error([r["nmi"] for r in results])
        goal = f"paper {paper_acc:.3f}" if options.paper else f"bar {bar:.3f}"
        print(
            f"{corpus:13} K={num_topics:<3} ACC {acc}  NMI {nmi}  {goal}  ({runs} runs)", flush=True
        )


if __name__ == "__main__":
    main()
