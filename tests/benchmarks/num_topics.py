"""How many topics: the number that is chosen without labels beside the number of classes.

    DNMF_CORPORA=... python tests/benchmarks/num_topics.py measure [--tune] [--methods ours ...]
    python tests/benchmarks/num_topics.py table
    python tests/benchmarks/num_topics.py derive

A problem is a random draw of classes of a corpus, with all their documents, up to 4,000. `measure`
appends a line for each problem and method to results/num_topics.jsonl; what is there is not
measured again. Ours is `choose_num_topics`, then a fit with the number found and one with the
number of classes, of which NMI and seconds are kept. Beside it on every sixth problem: `c_v`, the
loop over LdaModel that takes the most coherent number (corpora with texts); `hdp`, the topics of
tomotopy's HDPModel that hold documents; `bertopic`, the clusters that BERTopic finds by itself, its
outliers left out (`others.py` says what has to be installed).

With --tune the problems are others, and the line has the measures of all candidates: `derive`
prints what the constants of `core.number_curve` give on a corpus when they are set without it.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections import defaultdict
from pathlib import Path
from unittest import mock

import numpy as np
from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus
from gensim.models import CoherenceModel, LdaModel
from loading import load, of_texts, read_texts
from others import Encoder, _words
from scipy import sparse

from dnmf_topics import DnmfModel, choose_num_topics
from dnmf_topics.bench import Corpus
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import (
    Mbn,
    Tfidf,
    choose_number,
    find_unit_documents,
    number,
    number_curve,
)
from dnmf_topics.evaluation import normalized_mutual_information

FOLDER = Path(__file__).parent / "results"
RESULTS, TUNING = FOLDER / "num_topics.jsonl", FOLDER / "num_topics-tuning.jsonl"
KEY = ("corpus", "classes", "seed", "method")
MOST = 4_000  # documents
# Numbers of classes to draw from each corpus, with every seed.
DRAWS = {
    "20newsgroups": (3, 5, 10, 15),
    "20newsgroups-bare": (6, 12, 20),
    "tdt2": (4, 8, 15, 30),
    "reuters21578-30": (5, 10, 20, 30),
    "arxiv": (3, 6, 12, 25),
    "agnews": (3, 4),
    "webkb": (3, 4),
    "stackoverflow": (4, 10, 20),
    "biomedical": (4, 10, 20),
}
TUNE_SEEDS, FRESH_SEEDS = (1,), (21, 22, 31, 32)
WITHOUT_TEXTS = ("tdt2", "reuters21578-30")
RIVALS = ("c_v", "hdp", "bertopic")
DOCS_PER_CATEGORY = 300  # of arXiv, from categories with at least 200
LOOP = (2, 3, 4, 6, 8, 10, 15, 20, 30, 40)  # numbers that the c_v loop tries
HDP_ITERATIONS = 500
HIGHEST = 50  # number that is tried with --tune


def arxiv():
    """Titles with abstracts, as many of each of the larger categories."""
    texts, labels = read_texts("arxiv/arxiv-100k.jsonl.gz")
    labels, rng, chosen = np.array(labels), np.random.default_rng(0), []
    for name, size in zip(*np.unique(labels, return_counts=True), strict=True):
        if size >= 200:
            rows = np.flatnonzero(labels == name)
            chosen.append(rng.choice(rows, min(DOCS_PER_CATEGORY, rows.size), replace=False))
    rows = np.sort(np.concatenate(chosen))
    return of_texts([texts[row] for row in rows], labels[rows])


def corpus_of(name) -> Corpus:
    return arxiv() if name == "arxiv" else load(name)


def problems(seeds):
    for name, numbers in DRAWS.items():
        for seed in seeds:
            for classes in numbers:
                yield {"corpus": name, "classes": classes, "seed": seed}


def draw(corpus, problem) -> Corpus:
    """The documents of the drawn classes, those with words."""
    rng = np.random.default_rng([problem["seed"], problem["classes"]])
    drawn = rng.choice(np.unique(corpus.classes), problem["classes"], replace=False)
    rows = np.flatnonzero(np.isin(corpus.classes, drawn))
    if rows.size > MOST:
        rows = np.sort(rng.choice(rows, MOST, replace=False))
    rows = rows[np.diff(corpus.counts.indptr)[rows] > 0]
    return corpus.rows(rows)


# Methods: from the documents to the number found, and what else is worth a column


def measure_ours(corpus, problem):
    start = time.perf_counter()
    choice = choose_num_topics(corpus.counts.T, random_state=problem["seed"])
    seconds = time.perf_counter() - start
    models = []
    for num_topics in (problem["classes"], choice.number):
        start = time.perf_counter()
        models.append(DnmfModel(corpus.counts.T, num_topics, random_state=problem["seed"]))
        if len(models) == 1:
            fit_seconds = time.perf_counter() - start
    at_true, at_found = (
        normalized_mutual_information(corpus.classes, model.cluster_labels) for model in models
    )
    return {
        "found": choice.number, "low": choice.low, "high": choice.high,
        "alternatives": choice.alternatives, "nmi": round(at_found, 4),
        "nmi_true": round(at_true, 4), "seconds": round(seconds, 2),
        "fit_seconds": round(fit_seconds, 2),
    }  # fmt: skip


def measure_tuning(corpus, problem):
    """The trials by all views with every number up to 50, in all repetitions."""
    documents = RowBlocks(Tfidf.fit(corpus.counts).transform(corpus.counts))
    units, repetitions = find_unit_documents(documents, Threads(-1)), []
    with (
        mock.patch.object(number_curve, "FINALIST", 0.0),
        mock.patch.object(number, "best_trials", lambda trials: keep(trials, repetitions)),
    ):
        seed = np.random.SeedSequence(problem["seed"])
        choose_number(units, Mbn(), None, seed, Threads(-1), highest=HIGHEST)
    rounded = [
        [[trial[0], *(round(value, 4) for value in trial[1:])] for trial in trials]
        for trials in repetitions
    ]
    return {"repetitions": rounded}


def keep(trials, repetitions):
    repetitions.append(list(trials))
    return number_curve.best_trials(trials)


def measure_c_v(corpus, problem):
    """LdaModel with each number; the one whose topics have the best c_v coherence."""
    bows = Sparse2Corpus(sparse.csc_array(corpus.counts.T))
    texts = [[corpus.words[int(word)] for word in words] for words in _words(corpus.counts)]
    words = Dictionary.from_corpus(bows, id2word=dict(corpus.words.items()))
    start, best = time.perf_counter(), (-math.inf, 0)
    for num_topics in LOOP:
        model = LdaModel(bows, num_topics, words, passes=5, random_state=problem["seed"])
        scored = CoherenceModel(model, texts=texts, dictionary=words, coherence="c_v", processes=1)
        best = max(best, (scored.get_coherence(), num_topics))
    return {"found": best[1], "seconds": round(time.perf_counter() - start, 2)}


def measure_hdp(corpus, problem):
    """Topics of tomotopy's HDPModel that some document has as its main one."""
    import tomotopy

    start = time.perf_counter()
    model = tomotopy.HDPModel(seed=problem["seed"])
    for words in _words(corpus.counts):
        model.add_doc(words)
    model.train(HDP_ITERATIONS, workers=1)
    main = np.array([np.argmax(document.get_topic_dist()) for document in model.docs])
    seconds = round(time.perf_counter() - start, 2)
    return {"found": int(np.unique(main).size), "live": model.live_k, "seconds": seconds}


def measure_bertopic(corpus, problem, encoder):
    from bertopic import BERTopic
    from umap import UMAP

    vectors, embedding_seconds = encoder.encode(corpus.texts)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # UMAP with a seed runs in one thread, and says so
        umap = UMAP(
            n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine",
            random_state=problem["seed"],
        )  # fmt: skip
        topics, _ = BERTopic(umap_model=umap).fit_transform(corpus.texts, vectors)
    seconds = time.perf_counter() - start + embedding_seconds
    outliers = float(np.mean(np.array(topics) < 0))
    return {
        "found": max(1, len(set(topics) - {-1})), "outliers": round(outliers, 3),
        "seconds": round(seconds, 2),
    }  # fmt: skip


def cells(options):
    """Problems with the methods to measure; the others have every sixth."""
    if options.tune:
        yield from ({**problem, "method": "tuning"} for problem in problems(TUNE_SEEDS))
        return
    for place, problem in enumerate(problems(FRESH_SEEDS)):
        for method in options.methods:
            has_what_it_needs = method == "hdp" or problem["corpus"] not in WITHOUT_TEXTS
            if method == "ours" or (place % 6 == 0 and has_what_it_needs):
                yield {**problem, "method": method}


def measure(options):
    path = TUNING if options.tune else options.results
    done = {tuple(line[name] for name in KEY) for line in read_lines(path)}
    encoder = Encoder(options.cache) if "bertopic" in options.methods else None
    functions = {
        "ours": measure_ours, "tuning": measure_tuning, "c_v": measure_c_v, "hdp": measure_hdp,
        "bertopic": lambda corpus, problem: measure_bertopic(corpus, problem, encoder),
    }  # fmt: skip
    name, corpus = None, None
    with path.open("a", encoding="utf8") as out:
        for cell in cells(options):
            if tuple(cell[key] for key in KEY) in done:
                continue
            if cell["corpus"] != name:
                name, corpus = cell["corpus"], corpus_of(cell["corpus"])
            drawn = draw(corpus, cell)
            found = functions[cell["method"]](drawn, cell)
            line = json.dumps({**cell, "documents": int(drawn.counts.shape[0]), **found})
            print(line[:200], flush=True)
            print(line, file=out, flush=True)


def measure_posts(options):
    """The number for 5,000 posts of all 20 newsgroups."""
    posts = load("20newsgroups")
    rows = np.sort(np.random.default_rng(0).permutation(posts.classes.size)[:5000])
    for seed in range(3):
        choice = choose_num_topics(posts.counts[rows].T, random_state=seed)
        print(f"5,000 posts of 20 newsgroups, seed {seed}: {choice.sentence()}", flush=True)


# ------------------------------------------------------------------------------------------ tables


def read_lines(path):
    return [json.loads(line) for line in path.open(encoding="utf8")] if path.exists() else []


def octaves(lines):
    """log2(found / true) of every line."""
    return np.array([math.log2(line["found"] / line["classes"]) for line in lines])


def row_of(name, lines):
    error = np.abs(octaves(lines))
    return (
        f"{name:22} {len(lines):8} {error.mean():8.2f} {octaves(lines).mean():+7.2f} "
        f"{(error <= 1).mean():8.0%} {(error <= math.log2(1.25)).mean():9.0%}"
    )


def table(options):
    by_method = defaultdict(list)
    for line in read_lines(options.results):
        by_method[line["method"]].append(line)
    ours = by_method.pop("ours")
    head = f"{'':22} problems |octaves|    bias  within 2  within 1.25"
    print(head + "\nall problems, by corpus")
    for corpus in DRAWS:
        print(row_of(corpus, [line for line in ours if line["corpus"] == corpus]))
    print(row_of("ours, all", ours))
    always = [{**line, "found": 10} for line in ours]
    print(row_of("always 10", always))
    inside = np.mean([line["low"] <= line["classes"] <= line["high"] for line in ours])
    ratio = np.mean([line["nmi"] for line in ours]) / np.mean([line["nmi_true"] for line in ours])
    times = [line["seconds"] / line["fit_seconds"] for line in ours]
    print(f"classes within low..high: {inside:.0%}")
    print(f"NMI at the number found over that at the number of classes: {ratio:.3f}")
    print(f"seconds over those of one fit: median {np.median(times):.2f}, most {max(times):.2f}")
    print("\nbeside others, on the problems that each had\n" + head)
    for method, lines in by_method.items():
        keys = [(line["corpus"], line["classes"], line["seed"]) for line in lines]
        same = [row for row in ours if (row["corpus"], row["classes"], row["seed"]) in keys]
        print(row_of(method, lines))
        print(row_of("  ours, on the same", same))


# --------------------------------------------------------------------------------------- constants


def curve_of(line):
    """What is chosen by the trials of a line, with the constants of the present."""
    runs = [
        number_curve.best_trials([number_curve.Trial(*trial) for trial in trials])
        for trials in line["repetitions"]
    ]
    for tried in number._rounds(list(runs[0]), number.ROUNDS):
        first = {each: runs[0][each] for each in runs[0] if each <= tried[-1]}
        if tried[-1] not in number_curve.finalists([first]):
            break
    repetitions = [first]
    for run in runs[1:]:
        repetitions.append({each: run[each] for each in number_curve.finalists(repetitions)})
    return number_curve.read_curve(repetitions, 0)


def derive(options):
    lines, present = read_lines(TUNING), number_curve.POWER
    kinds = np.array([line["corpus"].split("-")[0] for line in lines])
    powers, means = np.arange(40, 71, 2) / 100, []
    for number_curve.POWER in powers:
        found = [{**line, "found": curve_of(line).number} for line in lines]
        errors = np.abs(octaves(found))
        means.append([errors[kinds == kind].mean() for kind in np.unique(kinds)])
    means = np.array(means)  # powers x corpora
    print(f"{'corpus':16} left out  present  power without it")
    at_present, left_out = int(np.abs(powers - present).argmin()), []
    for place, kind in enumerate(np.unique(kinds)):
        best = int(np.delete(means, place, axis=1).mean(axis=1).argmin())
        error = means[best, place]
        left_out.append(error)
        print(f"{kind:16} {error:8.2f} {means[at_present, place]:8.2f}  {powers[best]:.2f}")
    print(f"{'mean':16} {np.mean(left_out):8.2f} {means[at_present].mean():8.2f}")
    by_power = zip(powers, means.mean(axis=1), strict=True)
    print("mean by power:", ", ".join(f"{power:.2f} {mean:.2f}" for power, mean in by_power))
    number_curve.POWER = present
    for number_curve.NEARLY in (0.85, 0.9, 0.93, 0.95, 0.97):
        curves = [curve_of(line) for line in lines]
        held = np.mean(
            [curve.low <= line["classes"] <= curve.high
             for curve, line in zip(curves, lines, strict=True)]
        )  # fmt: skip
        width = np.mean([curve.high / curve.low for curve in curves])
        print(f"within {number_curve.NEARLY}: holds the classes {held:.0%}, high / low {width:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["measure", "posts", "table", "derive"])
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--methods", nargs="+", choices=["ours", *RIVALS], default=["ours"])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--cache", type=Path, help="a folder for the vectors of texts")
    options = parser.parse_args()
    steps = {"measure": measure, "posts": measure_posts, "table": table, "derive": derive}
    steps[options.step](options)


if __name__ == "__main__":
    main()
