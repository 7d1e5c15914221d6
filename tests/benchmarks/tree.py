"""`hierarchy`, `subtopics`, `merge_topics`: are classes found under their parents, and how fast?

    DNMF_CORPORA=... python tests/benchmarks/tree.py [--constants]

Trees: 2,000 documents, drawn anew each time, as many topics as classes, cut where there are as many
groups as parents: NMI of the groups and the parents. Beside it what BERTopic does, Ward's linkage
on distances of c-TF-IDF, of the same topics and of topics by k-means, in 100 dimensions of an SVD
of TF-IDF; Ward's linkage of the documents themselves, in these dimensions; and each topic in the
parent that most of its documents have, than which no tree can be better. Parents are the six parts
of 20 Newsgroups that its publisher names (posts as they come, and without headers), and archives of
arXiv: four categories of each of five.

Sub-topics: NMI inside each parent with more than one class, in which as many are looked for, by the
whole corpus's weights and by those of the parent's documents alone; means over the documents.

With --constants: trees by other costs, which is how POWER in `core/merging.py` was set.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from loading import load, newsgroups, read_texts
from printing import mean_and_error, report
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import normalized_mutual_info_score

from dnmf_topics import DnmfModel
from dnmf_topics.bench import time_call
from dnmf_topics.core import Tfidf, link_clusters, merging, one_hot
from dnmf_topics.text import TextCorpus, build_corpus

NUM_DOCS = 2000
DRAWS = range(12)
ARCHIVES = ("cs", "math", "physics", "cond-mat", "q-bio")
LEAST_PAPERS = 200  # of a category that is drawn
POWERS = (1.0, 0.9, 0.75, 0.6, 0.5)


class Draw(NamedTuple):
    corpus: TextCorpus
    classes: np.ndarray
    parents: np.ndarray


# Documents with classes and parents


def parent_of_group(group: str) -> str:
    """The six parts of 20 Newsgroups."""
    is_religion = group in ("alt.atheism", "soc.religion.christian", "talk.religion.misc")
    return "religion" if is_religion else group.split(".")[0]


def posts(seed: int, remove: tuple[str, ...] = ()) -> Draw:
    bunch = newsgroups(remove=remove)
    rng = np.random.default_rng(seed)
    filled = np.flatnonzero([len(text.split()) >= 10 for text in bunch.data])
    chosen = np.sort(rng.choice(filled, NUM_DOCS, replace=False))
    names = [bunch.target_names[group] for group in bunch.target[chosen]]
    return drawn([bunch.data[i] for i in chosen], names, list(map(parent_of_group, names)))


def papers(seed: int) -> Draw:
    texts, labels = read_texts("arxiv/arxiv-100k.jsonl.gz")
    labels = np.array(labels)
    rng = np.random.default_rng(seed)
    names, sizes = np.unique(labels, return_counts=True)
    names = names[sizes >= LEAST_PAPERS]
    categories = [
        rng.choice([name for name in names if name.startswith(f"{archive}.")], 4, replace=False)
        for archive in ARCHIVES
    ]
    among = np.flatnonzero(np.isin(labels, np.concatenate(categories)))
    chosen = np.sort(rng.choice(among, NUM_DOCS, replace=False))
    found = labels[chosen].tolist()
    return drawn([texts[i] for i in chosen], found, [name.split(".")[0] for name in found])


def drawn(texts: list[str], names: list[str], parents: list[str]) -> Draw:
    numbers = (np.unique(labels, return_inverse=True)[1] for labels in (names, parents))
    return Draw(build_corpus(texts), *numbers)


CORPORA: dict[str, Callable[[int], Draw]] = {
    "20 Newsgroups": posts,
    "20 Newsgroups without headers": lambda seed: posts(seed, ("headers",)),
    "arXiv": papers,
}


# Groups of topics


def by_tree(model: DnmfModel, num_groups: int) -> list[list[int]]:
    return model.hierarchy().cut(num_groups)


def by_ctfidf(counts: np.ndarray, num_groups: int) -> list[list[int]]:
    """Ward's linkage on cosine distances of c-TF-IDF, as BERTopic's `hierarchical_topics`.

    From the words' counts in topics (K x V).
    """
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    weights = shares * np.log(1 + counts.sum() / len(counts) / np.maximum(counts.sum(axis=0), 1e-9))
    units = weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-12)
    distances = np.clip(1 - units @ units.T, 0, None)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "ward")
    labels = fcluster(tree, num_groups, "maxclust")
    return [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]


def in_100_dimensions(draw: Draw) -> np.ndarray:
    counts = draw.corpus.counts.matrix
    doc_term = Tfidf.fit(counts).transform(counts)
    rows = TruncatedSVD(100, random_state=0).fit_transform(doc_term)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def group_labels(labels: np.ndarray, groups: list[list[int]]) -> np.ndarray:
    number_of = {topic: number for number, group in enumerate(groups) for topic in group}
    return np.array([number_of[topic] for topic in labels.tolist()])


def nmi(classes: np.ndarray, labels: np.ndarray) -> float:
    return float(normalized_mutual_info_score(classes, labels))


# Measurements


def fit(draw: Draw, seed: int) -> DnmfModel:
    corpus, num_topics = draw.corpus, int(draw.classes.max()) + 1
    return DnmfModel(corpus.counts, num_topics, corpus.dictionary, random_state=seed)


def tree_figures(draw: Draw, model: DnmfModel) -> Iterator[tuple[str, float]]:
    parents, labels = draw.parents, model.cluster_labels
    num_groups = int(parents.max()) + 1
    yield "hierarchy", nmi(parents, group_labels(labels, by_tree(model, num_groups)))
    groups = by_ctfidf(model.state.word_counts, num_groups)
    yield "c-TF-IDF, Ward", nmi(parents, group_labels(labels, groups))
    rows = in_100_dimensions(draw)
    means = KMeans(model.num_topics, n_init=10, random_state=0).fit_predict(rows)
    counts = one_hot(means, model.num_topics).T @ draw.corpus.counts.matrix
    groups = by_ctfidf(np.asarray(counts), num_groups)
    yield "k-means, c-TF-IDF, Ward", nmi(parents, group_labels(means, groups))
    found = fcluster(linkage(rows, "ward"), num_groups, "maxclust")
    yield "Ward on SVD-100", nmi(parents, found)
    table = np.zeros((model.num_topics, num_groups))
    np.add.at(table, (labels, parents), 1)
    yield "best possible", nmi(parents, table.argmax(axis=1)[labels])


def inside_figures(draw: Draw, seed: int) -> Iterator[tuple[str, float]]:
    """Sub-topics of the true parents, by two kinds of weights."""
    corpus, parents = draw.corpus, draw.parents
    whole = DnmfModel(
        corpus.counts, int(parents.max()) + 1, corpus.dictionary, deep_model=parents,
        random_state=seed,
    )  # fmt: skip
    figures, sizes = defaultdict(list), []
    for parent in range(whole.num_topics):
        is_own = parents == parent
        classes = np.unique(draw.classes[is_own], return_inverse=True)[1]
        if (n := int(classes.max()) + 1) == 1:
            continue
        sizes.append(classes.size)
        inside = whole.subtopics(parent, n, corpus.counts)
        figures["subtopics"].append(nmi(classes, inside.cluster_labels))
        own = corpus.counts.matrix[is_own].T
        alone = DnmfModel(own, n, corpus.dictionary, random_state=seed)
        figures["a fit of its own"].append(nmi(classes, alone.cluster_labels))
    for way, values in figures.items():
        yield way, float(np.average(values, weights=sizes))


def constant_figures(draw: Draw, model: DnmfModel) -> Iterator[tuple[str, float]]:
    state, num_groups = model.state, int(draw.parents.max()) + 1
    tree = model.hierarchy()
    set_power = merging.POWER
    for power in POWERS:
        for unit_length in (True, False):
            merging.POWER = power
            merges, heights = link_clusters(
                state.cluster_mass, state.topic_sizes, unit_length=unit_length
            )
            groups = type(tree)(merges, heights, tree.sizes, tree.names, tree.words).cut(num_groups)
            said = "without" if unit_length else "with"
            label = f"power {power}, {said} products of documents with themselves"
            yield label, nmi(draw.parents, group_labels(model.cluster_labels, groups))
    merging.POWER = set_power


def show(name: str, draws: list[dict[str, float]]) -> None:
    for way in draws[0]:
        report(f"{name}: {way}", mean_and_error([figures[way] for figures in draws]))
    for rival in ("c-TF-IDF, Ward", "k-means, c-TF-IDF, Ward", "Ward on SVD-100"):
        if rival in draws[0]:
            gains = np.array([figures["hierarchy"] - figures[rival] for figures in draws])
            wins, ties = int((gains > 1e-9).sum()), int((np.abs(gains) <= 1e-9).sum())
            text = f"{wins} of {len(draws)}, {ties} ties, worst {gains.min():+.3f}"
            report(f"{name}: draws above {rival}", text)


def time_merging() -> None:
    corpus = load("20newsgroups")
    model = DnmfModel(corpus.counts.T, 20, corpus.words, random_state=0)
    what = f"20 Newsgroups, {corpus.counts.shape[0]:,} posts, {model.num_terms:,} terms: seconds of"
    report(f"{what} hierarchy", f"{min(time_call(model.hierarchy)[0] for _ in range(3)):.3f}")
    for n in (10, 2):
        seconds = min(time_call(model.reduce_topics, n)[0] for _ in range(3))
        report(f"{what} reduce_topics({n})", f"{seconds:.3f}", "bar: 1")
    groups = [[1, 5], [2, 7, 8]]
    seconds = min(time_call(model.merge_topics, groups)[0] for _ in range(3))
    report(f"{what} merge_topics", f"{seconds:.3f}", "bar: 1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--constants", action="store_true")
    constants: Any = parser.parse_args().constants
    for name, draw_of in CORPORA.items():
        trees, insides = [], []
        for seed in DRAWS:
            draw = draw_of(seed)
            model = fit(draw, seed)
            measure = constant_figures if constants else tree_figures
            trees.append(dict(measure(draw, model)))
            if not constants:
                insides.append(dict(inside_figures(draw, seed)))
        show(f"{name}, parents", trees)
        if insides:
            show(f"{name}, inside parents", insides)
    if not constants:
        time_merging()


if __name__ == "__main__":
    main()
