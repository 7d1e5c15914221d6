"""Other topic models and clusterings beside ours, on labeled corpora of many kinds.

    DNMF_CORPORA=... python tests/benchmarks/rivals.py [--methods nmf kmeans] [--corpora agnews]
        [--num-topics-factor 0.5] [--cache FOLDER] [--again nmf] [--results FILE]
    DNMF_CORPORA=... python tests/benchmarks/rivals.py --draws

A line for each corpus, number of topics, method and seed goes to the file of results; one that is
there already is not measured again, except for the methods named by --again. In the end, and with
--table at once, the means of all lines are printed. There are as many topics as classes, or as
`NUM_TOPICS` says, times the factor. --draws is for random class subsets of the paper's corpora,
the same ones as in study/, for the methods that the study there does not have.

`others.py` says what has to be installed for all methods. What is not there is left
out. Texts are embedded once, which takes about 20 minutes for 20 Newsgroups on two cores; --cache
keeps the vectors. ACC and NMI say how well topics agree with classes, 'largest' is the share of
documents in the largest topic, 'small' the share of topics with less than 1 % of the documents;
seconds are without those of the embedding, which are in the lines of the file.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from loading import load
from others import ALL, OTHERS, Encoder, installed
from printing import mean_and_error

from dnmf_topics.bench import Problem, draw_rows, time_call
from dnmf_topics.evaluation import clustering_accuracy, normalized_mutual_information

RESULTS = Path(__file__).parent / "results" / "rivals.jsonl"
# The methods as the lines call them, and their rows in the table of all methods.
NAMES = {
    "ours": "bdnmf",  # the clusters are those of all variants
    "nmf": "sklearn-nmf",
    "kmeans": "kmeans",
    "tomotopy": "tomotopy",
    "gensim-lda": "lda",
    "minilm-kmeans": "minilm-kmeans",
    "bertopic": "bertopic",
}
KEY = ("corpus", "num_topics", "method", "subset", "seed")  # what tells lines apart

CORPORA = (
    "agnews", "biomedical", "stackoverflow", "webkb", "20newsgroups", "20newsgroups-bare-3000",
    "20newsgroups-bare-5000", "20newsgroups-bare", "arxiv-10000", "debian-en", "debian-de",
    "debian-fr", "debian-it",
)  # fmt: skip
NUM_TOPICS = {"arxiv-10000": 50}  # where it is not the number of classes
SEEDS = range(3)

# As in study/paper.toml: subsets are seeds too, and all classes are one subset.
# Corpus: numbers of topics and methods. Stories of Reuters have their counts in another order.
DRAWS = {
    "20newsgroups-study": ((5, 10, 20), ("tomotopy", "bertopic")),
    "reuters21578-30": ((5, 10, 20), ("tomotopy",)),
    "reuters21578-30-texts": ((5, 10, 20), ("bertopic",)),
    "tdt2": ((5, 10, 25), ("tomotopy",)),
}
SUBSETS = range(20000, 20010)
ALL_CLASSES_SEEDS = range(20000, 20005)


def cells(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What is to be measured, as the key of its line."""
    if not options.draws:
        for corpus in options.corpora or CORPORA:
            num_classes = np.unique(load(corpus).classes).size
            num_topics = NUM_TOPICS.get(corpus, num_classes) * options.num_topics_factor
            for method in options.methods:
                for seed in SEEDS:
                    key = (corpus, max(round(num_topics), 2), method, None, seed)
                    yield dict(zip(KEY, key, strict=True))
        return
    for corpus in options.corpora or DRAWS:
        all_num_topics, methods = DRAWS[corpus]
        num_classes = np.unique(load(corpus).classes).size
        for num_topics in all_num_topics:
            whole = num_topics == num_classes
            for method in (each for each in methods if each in options.methods):
                for seed in ALL_CLASSES_SEEDS if whole else SUBSETS:
                    key = (corpus, num_topics, method, None if whole else seed, seed)
                    yield dict(zip(KEY, key, strict=True))


def problem_of(cell: dict[str, Any]) -> Problem:
    corpus, num_topics = load(cell["corpus"]), cell["num_topics"]
    if cell["subset"] is not None:
        corpus = corpus.rows(draw_rows(corpus.classes, num_topics, cell["subset"]))
    return Problem(
        corpus.counts, corpus.classes, num_topics, corpus.is_balanced, corpus.words, corpus.texts
    )


def measure(cell: dict[str, Any], encoder: Encoder) -> dict[str, Any]:
    """The line of a cell."""
    name, problem = NAMES[cell["method"]], problem_of(cell)
    embedding = {}
    if name in OTHERS and OTHERS[name].embeds:
        vectors, seconds = encoder.encode(problem.texts)
        problem = replace(problem, vectors=vectors)
        embedding = {"embedding_seconds": round(seconds, 1)}
    seconds, found = time_call(ALL[name].fit, problem, {}, cell["seed"])
    labels = found.cluster_labels
    shares = np.bincount(labels, minlength=problem.num_topics) / labels.size
    return {
        **cell,
        "documents": int(labels.size),
        "acc": round(clustering_accuracy(problem.classes, labels), 4),
        "nmi": round(normalized_mutual_information(problem.classes, labels), 4),
        "largest": round(float(shares.max()), 4),
        "small": round(float((shares < 0.01).mean()), 4),
        "topics": int((shares > 0).sum()),
        "seconds": round(seconds, 2),
        **embedding,
    }


def key_of(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in KEY)


def read_lines(path: Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Of lines with the same key the last."""
    if not path.exists():
        return {}
    lines = map(json.loads, path.read_text("utf8").splitlines())
    return {key_of(line): line for line in lines}


def print_table(lines: dict[tuple[Any, ...], dict[str, Any]]) -> None:
    """Means over seeds or subsets, with standard errors of ACC and NMI."""
    groups = defaultdict(list)
    for line in lines.values():
        groups[line["corpus"], line["num_topics"], line["method"]].append(line)
    corpora, methods = [*CORPORA, *DRAWS], list(NAMES)
    order = sorted(groups, key=lambda key: (corpora.index(key[0]), key[1], methods.index(key[2])))
    last = None
    for corpus, num_topics, method in order:
        group = groups[corpus, num_topics, method]
        if last != (last := (corpus, num_topics)):
            print(f"\n{corpus}, {num_topics} topics\n{'':18} {'ACC':15} {'NMI':15}", end=" ")
            print(f"{'largest':>7} {'small':>6} {'seconds':>8} {'runs':>5}")
        acc, nmi = (mean_and_error([line[name] for line in group]) for name in ("acc", "nmi"))
        largest, small, seconds = (
            np.mean([line[name] for line in group]) for name in ("largest", "small", "seconds")
        )
        print(
            f"{ALL[NAMES[method]].title:18} {acc:15} {nmi:15} {largest:7.3f} {small:6.2f} "
            f"{seconds:8.1f} {len(group):5}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", action="store_true")
    parser.add_argument("--corpora", nargs="+", choices=[*CORPORA, *DRAWS], metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--again", nargs="+", choices=NAMES, default=[], metavar="METHOD")
    parser.add_argument("--num-topics-factor", type=float, default=1.0)
    parser.add_argument("--cache", type=Path, help="a folder for the vectors of texts")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="measure nothing")
    options = parser.parse_args()
    unknown = set(options.corpora or ()) - set(DRAWS if options.draws else (*CORPORA, *DRAWS))
    if unknown:
        parser.error(f"--draws needs --corpora among {', '.join(DRAWS)}, got {min(unknown)}")
    if not options.table:
        there = installed([NAMES[name] for name in options.methods])
        options.methods = [name for name in options.methods if NAMES[name] in there]
        done, encoder = read_lines(options.results), Encoder(options.cache)
        with options.results.open("a", encoding="utf8") as results:
            for cell in cells(options):
                if key_of(cell) in done and cell["method"] not in options.again:
                    continue
                line = json.dumps(measure(cell, encoder))
                print(line, flush=True)
                print(line, file=results, flush=True)
    print_table(read_lines(options.results))


if __name__ == "__main__":
    main()
