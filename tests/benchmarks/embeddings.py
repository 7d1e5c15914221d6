"""Topics by words and sentence vectors (MiniLM), beside what others make of the same vectors.

    DNMF_CORPORA=... python tests/benchmarks/embeddings.py [--cache FOLDER] [--methods dnmf-minilm]
        [--again METHOD] [--table]
    DNMF_CORPORA=... python tests/benchmarks/embeddings.py --constants [--cache FOLDER]

At most 6,000 documents of four kinds, with as many topics as classes: question titles
(stackoverflow), news headlines with a sentence (agnews), titles of papers (the largest category of
each of the ten largest archives of arXiv) and bodies of posts (20 Newsgroups without headers,
footers and quotes). A line for each corpus, method and seed goes to the file of results; one that
is there already is not measured again, except for the methods named by --again. BERTopic has its
own settings and K topics; its outliers count as one more. `others.py` says what has to be
installed.

--constants shows how much terms and vectors should count (`joint.TERM_MASS`, `joint.KAPPA`): the
accuracy with each pair, and for each corpus that of the pair which is the best on the three others.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
from loading import load
from others import ALL, Encoder, installed
from rivals import key_of, read_lines

from dnmf_topics.bench import Problem, time_call
from dnmf_topics.core import joint
from dnmf_topics.evaluation import clustering_accuracy, normalized_mutual_information

RESULTS = Path(__file__).parent / "results" / "embeddings.jsonl"
CORPORA = ("stackoverflow", "agnews", "arxiv-titles-6000", "20newsgroups-bare-6000")
METHODS = ("dnmf-minilm", "bdnmf", "minilm-kmeans", "umap-kmeans", "bertopic")
SEEDS = range(3)
CONSTANTS = tuple(product((4.0, 6.0, 9.0), (10.0, 20.0, 30.0)))  # TERM_MASS and KAPPA


def problem_of(name: str, encoder: Encoder) -> Problem:
    corpus = load(name)
    vectors, _ = encoder.encode(corpus.texts)
    num_topics = np.unique(corpus.classes).size
    return Problem(
        corpus.counts, corpus.classes, num_topics, corpus.is_balanced, corpus.words, corpus.texts,
        vectors,
    )  # fmt: skip


def measure(problem: Problem, method: str, seed: int) -> dict[str, float]:
    seconds, found = time_call(ALL[method].fit, problem, {}, seed)
    return {
        "acc": round(clustering_accuracy(problem.classes, found.cluster_labels), 4),
        "nmi": round(normalized_mutual_information(problem.classes, found.cluster_labels), 4),
        "seconds": round(seconds, 2),
    }


def print_table(path: Path) -> None:
    """Means over the seeds, then over the corpora."""
    lines = list(read_lines(path).values())
    for value in ("acc", "nmi"):
        print(f"\n{value:24}" + "".join(f"{name[:22]:>24}" for name in (*CORPORA, "mean")))
        for method in METHODS:
            means = [
                np.mean([
                    line[value] for line in lines
                    if (line["corpus"], line["method"]) == (corpus, method)
                ] or [np.nan])
                for corpus in CORPORA
            ]  # fmt: skip
            cells = "".join(f"{mean:24.3f}" for mean in (*means, np.mean(means)))
            print(f"{ALL[method].title:24}{cells}")


def compare_constants(encoder: Encoder) -> None:
    """Accuracies by corpus (rows) and constants (columns), and one corpus left out at a time."""
    taken = joint.TERM_MASS, joint.KAPPA
    found = np.empty((len(CORPORA), len(CONSTANTS)))
    print(
        f"{'mass, kappa':24}" + "".join(f"{f'{m:g}, {k:g}':>8}" for m, k in CONSTANTS), flush=True
    )
    for row, corpus in enumerate(CORPORA):
        problem = problem_of(corpus, encoder)
        for column, constants in enumerate(CONSTANTS):
            joint.TERM_MASS, joint.KAPPA = constants
            found[row, column] = measure(problem, "dnmf-minilm", 0)["acc"]
        print(f"{corpus:24}" + "".join(f"{acc:8.3f}" for acc in found[row]), flush=True)
    joint.TERM_MASS, joint.KAPPA = taken
    print(f"{'mean':24}" + "".join(f"{acc:8.3f}" for acc in found.mean(axis=0)))
    for row, corpus in enumerate(CORPORA):
        best = int(np.delete(found, row, axis=0).mean(axis=0).argmax())
        print(f"without {corpus}: {CONSTANTS[best]}, which give it {found[row, best]:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--again", nargs="+", choices=METHODS, default=[], metavar="METHOD")
    parser.add_argument("--cache", type=Path, help="a folder for the vectors of texts")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--constants", action="store_true")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    options = parser.parse_args()
    if options.constants:
        compare_constants(Encoder(options.cache))
        return
    if not options.table:
        done, encoder = read_lines(options.results), Encoder(options.cache)
        methods = installed(options.methods)
        with options.results.open("a", encoding="utf8") as results:
            for corpus in CORPORA:
                problem = problem_of(corpus, encoder)
                for method in methods:
                    for seed in SEEDS:
                        cell = {
                            "corpus": corpus, "num_topics": problem.num_topics, "method": method,
                            "subset": None, "seed": seed,
                        }  # fmt: skip
                        if key_of(cell) in done and method not in options.again:
                            continue
                        line = json.dumps(cell | measure(problem, method, seed))
                        print(line, flush=True)
                        print(line, file=results, flush=True)
    print_table(options.results)


if __name__ == "__main__":
    main()
