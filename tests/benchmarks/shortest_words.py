"""How well topics agree with classes when words of two letters are kept, and when they are not.

    DNMF_CORPORA=... python tests/benchmarks/shortest_words.py [CORPUS ...]

For each corpus the number of terms, ACC and NMI (means over seeds), and the most frequent words
that the shorter limit adds, with the number of documents that have them.
"""

from __future__ import annotations

import argparse
from functools import partial
from unittest import mock

import loading
import numpy as np
from printing import mean_and_error

from dnmf_topics.bench import METHODS, Corpus, Problem
from dnmf_topics.evaluation import clustering_accuracy, normalized_mutual_information
from dnmf_topics.text import Tokenization, build_corpus

CORPORA = (
    "stackoverflow", "biomedical", "agnews", "webkb", "20newsgroups-bare-3000", "20newsgroups",
)  # fmt: skip
LENGTHS = (3, 2)
SEEDS = range(3)


def counted(name: str, min_length: int) -> Corpus:
    """A corpus of `loading`, but for the shortest word."""
    count = partial(build_corpus, tokenization=Tokenization(min_length=min_length))
    with mock.patch.object(loading.of_texts, "__defaults__", (count,)):
        return loading.CORPORA[name]()


def measure(corpus: Corpus) -> tuple[list[float], list[float]]:
    """ACC and NMI of each seed."""
    problem = Problem(
        corpus.counts, corpus.classes, np.unique(corpus.classes).size, corpus.is_balanced,
        corpus.words, corpus.texts,
    )  # fmt: skip
    accuracies, informations = [], []
    for seed in SEEDS:
        labels = METHODS["bdnmf"].fit(problem, {}, seed).cluster_labels
        accuracies.append(clustering_accuracy(corpus.classes, labels))
        informations.append(normalized_mutual_information(corpus.classes, labels))
    return accuracies, informations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CORPUS")
    differences = []
    for name in parser.parse_args().names or CORPORA:
        found = []
        for min_length in LENGTHS:
            corpus = counted(name, min_length)
            accuracies, informations = measure(corpus)
            found.append((np.mean(accuracies), np.mean(informations)))
            print(
                f"{name:23} min_length={min_length}  {corpus.counts.shape[1]:>6,} terms   "
                f"ACC {mean_and_error(accuracies)}   NMI {mean_and_error(informations)}",
                flush=True,
            )
        differences.append(np.subtract(found[1], found[0]))
        doc_frequency = np.bincount(corpus.counts.indices, minlength=corpus.counts.shape[1])
        added = [term for term in np.argsort(-doc_frequency) if len(corpus.words[int(term)]) == 2]
        frequent = [f"{corpus.words[int(term)]} {doc_frequency[term]}" for term in added[:25]]
        print(f"  {len(added)} added: {', '.join(frequent)}", flush=True)
    accuracy, information = np.mean(differences, axis=0)
    print(f"\nmean difference: ACC {accuracy:+.3f}, NMI {information:+.3f}")


if __name__ == "__main__":
    main()
