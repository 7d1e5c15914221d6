"""Topics that are steered by seed words: how well are those found that the words mean?

    DNMF_CORPORA=... python tests/benchmarks/seeds.py [--corpora agnews] [--no-others] [--strengths]

Some classes get three words each. The F1 of a seeded topic is that of its documents against those
of its class; printed is the mean over the seeded classes and over random states, with its standard
error, and that of the single classes. Beside it, the F1 of the topics that DNMF finds without
seeds, each class with the topic that suits it best; gensim's LdaModel (10 passes) with the same
words in its `eta`; and tomotopy's LDAModel with the same numbers as `set_word_prior` (`others.py`
says how to install it). The last two have three such priors: .01, and 1 or 100 for seed words; and
1, and 10^7 for seed words, each column divided by its sum, which is often recommended.

The words were written down before anything was measured, as somebody would who knows what the
classes are about; the words of a class are the same in all choices of classes. The first choice of
20 Newsgroups is that of the README, the others are drawn at random.

--strengths prints what other values of `refine.EARLY` and `refine.LATE` give, how much seeds count
until the clusters have formed and from there on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from loading import load
from numpy.typing import NDArray
from others import _words, missing_package
from printing import mean_and_error

from dnmf_topics import DnmfModel
from dnmf_topics.bench import Corpus
from dnmf_topics.core import refine

NEWSGROUPS = {
    "atheism": "atheism atheist religion",
    "graphics": "graphics image rendering",
    "ms-windows": "windows microsoft dos",
    "pc-hardware": "ide motherboard bios",
    "mac-hardware": "mac apple macintosh",
    "x-windows": "motif widget server",
    "forsale": "sale offer shipping",
    "autos": "car cars engine",
    "motorcycles": "motorcycle bike riding",
    "baseball": "baseball pitcher inning",
    "hockey": "hockey nhl goalie",
    "crypt": "encryption cryptography key",
    "electronics": "circuit voltage electronics",
    "medicine": "disease patients doctor",
    "space": "orbit nasa shuttle",
    "christian": "christian church jesus",
    "guns": "gun firearms weapons",
    "mideast": "israel arab armenian",
    "politics": "government president tax",
    "religion": "bible morality religion",
}
QUESTIONS = {
    "wordpress": "wordpress blog post",
    "oracle": "oracle plsql table",
    "svn": "svn subversion repository",
    "apache": "apache rewrite htaccess",
    "excel": "excel vba cell",
    "matlab": "matlab matrix plot",
    "visual-studio": "visual studio solution",
    "cocoa": "cocoa object nsstring",
    "osx": "mac osx leopard",
    "bash": "bash script shell",
    "spring": "spring bean mvc",
    "hibernate": "hibernate mapping query",
    "scala": "scala java trait",
    "sharepoint": "sharepoint list workflow",
    "ajax": "ajax jquery javascript",
    "qt": "qt widget qstring",
    "drupal": "drupal node module",
    "linq": "linq sql query",
    "haskell": "haskell monad type",
    "magento": "magento product store",
}
NEWS = {
    "world": "iraq president minister",
    "sports": "team season coach",
    "business": "stocks profit oil",
    "technology": "software internet microsoft",
}
FIRST = ("space", "hockey", "medicine", "guns", "motorcycles")
# By name of the corpus: words of the classes in the order of their labels, and the first choice.
# The labels of the questions are numbers, but in the order of text.
BY_NUMBER = dict(sorted(enumerate(QUESTIONS.items(), 1), key=lambda item: str(item[0])))
CORPORA = {
    "20newsgroups": (NEWSGROUPS, FIRST),
    "20newsgroups-bare": (NEWSGROUPS, FIRST),
    "stackoverflow": (dict(BY_NUMBER.values()), ("oracle", "excel", "matlab", "scala", "drupal")),
    "agnews": (NEWS, ("sports", "business")),
}
NUM_DRAWS, NUM_DRAWN = 3, 5  # of classes of the corpora that have many
RANDOM_STATES = range(3)
# A prior of words, of seed words, and whether columns are divided by their sums.
PRIORS = {"1": (0.01, 1.0, False), "100": (0.01, 100.0, False), "columns": (1.0, 1e7, True)}
STRENGTHS = ((1.0, 0.1), (0.1, 0.1), (0.3, 0.1), (3.0, 0.1), (1.0, 0.0), (1.0, 0.3), (1.0, 1.0))
STRENGTHS_FOR = ("20newsgroups-bare-5000", "stackoverflow", "agnews")


def scores(labels: NDArray[np.int64], classes: NDArray[np.int64], wanted: list[int]) -> list[float]:
    """F1 of the topics 0, 1, ... and of the classes that are wanted there."""
    return [
        2 * float(((labels == topic) & (classes == wanted_class)).sum())
        / float((labels == topic).sum() + (classes == wanted_class).sum())
        for topic, wanted_class in enumerate(wanted)
    ]  # fmt: skip


def best_scores(
    labels: NDArray[np.int64], classes: NDArray[np.int64], wanted: list[int]
) -> list[float]:
    """F1 of each class that is wanted, and of the topic that suits it best."""
    topics = range(int(labels.max()) + 1)
    return [
        max(scores(np.where(labels == topic, 0, 1), classes, [wanted_class])[0] for topic in topics)
        for wanted_class in wanted
    ]


def choices(name: str, words: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """The classes that get seeds."""
    first = CORPORA[name][1]
    yield first
    if len(words) < 2 * NUM_DRAWN:
        yield tuple(words)
        return
    rng = np.random.default_rng(0)
    for _ in range(NUM_DRAWS):
        yield tuple(rng.choice(list(words), NUM_DRAWN, replace=False).tolist())


def fit_dnmf(corpus: Corpus, num_topics: int, seed: int, **options: object) -> DnmfModel:
    return DnmfModel(corpus.counts.T, num_topics, corpus.words, random_state=seed, **options)


def seed_ids(corpus: Corpus, seeds: dict[str, list[str]]) -> list[list[int]]:
    ids = {word: term for term, word in corpus.words.items()}
    return [[ids[word] for word in words if word in ids] for words in seeds.values()]


def eta_of(corpus: Corpus, seeds: dict[str, list[str]], num_topics: int, prior: str):
    """A prior of the words in the topics (K x V)."""
    usual, of_seeds, divided = PRIORS[prior]
    eta = np.full((num_topics, corpus.counts.shape[1]), usual)
    for topic, ids in enumerate(seed_ids(corpus, seeds)):
        eta[topic, ids] = of_seeds
    return eta / eta.sum(axis=0) if divided else eta


def gensim_labels(corpus, eta, seeds, seed):
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    documents = Sparse2Corpus(corpus.counts.T)
    words = dict(corpus.words.items())
    model = LdaModel(documents, len(eta), words, passes=10, eta=eta, random_state=seed)
    return model.inference(documents)[0].argmax(axis=1)


def tomotopy_labels(corpus, eta, seeds, seed):
    import tomotopy

    model = tomotopy.LDAModel(k=len(eta), eta=float(np.median(eta)), seed=seed + 1)
    for words in _words(corpus.counts):
        model.add_doc(words or ["-1"])  # it drops documents without words
    for term in sorted({term for ids in seed_ids(corpus, seeds) for term in ids}):
        model.set_word_prior(str(term), eta[:, term].tolist())
    model.train(1000, workers=1)  # the result of several depends on their timing
    return np.array([np.argmax(doc.get_topic_dist()) for doc in model.docs])


OTHERS = {"LdaModel": gensim_labels, "tomotopy": tomotopy_labels}


def show(what: str, found: list[list[float]]) -> None:
    means = [float(np.mean(row)) for row in found]
    single = " ".join(f"{score:.2f}" for score in np.mean(found, axis=0))
    print(f"  {what:32} {mean_and_error(means):16} {single}", flush=True)


def compare(name: str, others: list[str]) -> None:
    corpus, (words, first) = load(name), CORPORA[name]
    num_topics, classes = len(words), list(words)
    plain = [fit_dnmf(corpus, num_topics, seed).cluster_labels for seed in RANDOM_STATES]
    for chosen in choices(name, words):
        print(f"{name}, {num_topics} topics, seeds for {', '.join(chosen)}", flush=True)
        seeds = {each: words[each].split() for each in chosen}
        wanted = [classes.index(each) for each in chosen]
        states = RANDOM_STATES if chosen is first else RANDOM_STATES[:1]
        found = [fit_dnmf(corpus, num_topics, seed, seed_words=seeds) for seed in states]
        with_seeds = [scores(each.cluster_labels, corpus.classes, wanted) for each in found]
        show("DNMF, seed_words", with_seeds)
        without = [best_scores(each, corpus.classes, wanted) for each in plain[: len(states)]]
        show("DNMF without, best topic", without)
        if chosen is first:
            etas = {prior: eta_of(corpus, seeds, num_topics, prior) for prior in PRIORS}
            labels = fit_dnmf(corpus, num_topics, 0, eta=etas["1"]).cluster_labels
            show("DNMF, eta 1", [scores(labels, corpus.classes, wanted)])
            for other in others:
                for prior, eta in etas.items():
                    labels = OTHERS[other](corpus, eta, seeds, 0)
                    show(f"{other}, prior {prior}", [scores(labels, corpus.classes, wanted)])


def compare_strengths() -> None:
    for name in STRENGTHS_FOR:
        corpus = load(name)
        words, first = CORPORA[name.removesuffix("-5000")]
        seeds = {each: words[each].split() for each in first}
        wanted = [list(words).index(each) for each in first]
        print(f"{name}, {len(words)} topics, seeds for {', '.join(first)}", flush=True)
        for early, late in STRENGTHS:
            refine.EARLY, refine.LATE = early, late
            found = [
                fit_dnmf(corpus, len(words), seed, seed_words=seeds).cluster_labels
                for seed in RANDOM_STATES
            ]
            show(
                f"early {early}, late {late}",
                [scores(each, corpus.classes, wanted) for each in found],
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--no-others", action="store_true")
    parser.add_argument("--strengths", action="store_true")
    args = parser.parse_args()
    if args.strengths:
        compare_strengths()
        return
    others = [] if args.no_others else ["LdaModel"]
    if not args.no_others and not missing_package("tomotopy"):
        others.append("tomotopy")
    for name in args.corpora:
        compare(name, others)


if __name__ == "__main__":
    main()
