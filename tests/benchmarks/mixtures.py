"""How much of a document is about what: shares of topics beside those of LDA and NMF.

    DNMF_CORPORA=... python tests/benchmarks/mixtures.py [SECTION ...] [--constants] [--rounds]

An error is the part of a document that goes to wrong topics (half the sum of the differences
between found and true shares), the mean over documents. Topics are matched with classes one to one
by the shares of the training documents. Means of three seeds, with their standard errors. Sections,
by default all:

pure        models of pure documents, errors in held-out mixtures of two classes and of three
agreement   is the topic with the largest share of a training document its cluster?
toy         the second tutorial's documents of one, two and three topics
completion  log-likelihood of the hidden half of held-out documents, nats per word; one seed
mixed       models of documents of which 60 % are mixtures; and what is lost where none are
reuters     stories with two topics: are these the first two?

The ten newsgroups of 'pure' and 'mixed' have subjects far apart; models of groups drawn at random
made errors of .25 to .34 in pairs where these have .19. The setting of 'reuters' (ten classes, 20
topics, a class has all topics that are mostly its) is one of about ten that were tried, and one in
which DnmfModel does well; with eight to fifteen classes without earn and acq, or models of stories
with one topic alone, it was often no better than LdaModel.

--constants compares the constants of core/proportions.py on the held-out mixtures of 'pure', so the
errors there are of constants that were chosen on the same two corpora. --rounds prints what
core/mixing.py decides on, for pure corpora of many kinds and for mixed ones. `others.py` says what
to install for tomotopy; without it it is left out. Times of inference are in `model.py`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import product
from unittest import mock

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from loading import load
from mixing_texts import CORPORA, Documents, draw, stories, write
from others import ALL, installed
from printing import mean_and_error, report
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import NMF, LatentDirichletAllocation

from dnmf_topics import DnmfModel
from dnmf_topics.baselines import Fitted
from dnmf_topics.baselines.lda import LdaShares
from dnmf_topics.bench import Method, Problem, measure_completion
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import Tfidf, choose_mixing, proportions, topic_posteriors, word_model
from dnmf_topics.evaluation import clustering_accuracy

SEEDS = range(3)
OURS, LDA = "DnmfModel", "LdaModel"
CONFIDENCE = "confidence (the shares of version 0.1.0)"
# Corpora of the sections, with numbers of topics.
AGREEMENT = {"20newsgroups-plain": 20, "tdt2": 30, "agnews": 4}
COMPLETION = {"20newsgroups-plain": 20, "agnews": 4, "arxiv-10000": 50}
PURE = {
    "agnews": 4, "stackoverflow": 20, "biomedical": 20, "webkb": 4, "20newsgroups-plain": 20,
    "20newsgroups-bare-3000": 20, "tdt2": 30, "reuters21578-30": 30, "arxiv-10000": 50,
}  # fmt: skip
PURE_BARS = {
    ("ten newsgroups", "50-50"): ".20", ("ten newsgroups", "thirds"): ".22",
    ("TDT2", "50-50"): ".18", ("TDT2", "thirds"): ".21",
}  # fmt: skip
TOY_BARS = {1: ".02", 2: ".12", 3: ".32"}
GRID = {
    "BACKGROUND": (0.1, 0.2, 0.3, 0.4),
    "CORPUS_SHARE": (0.05, 0.1, 0.2),
    "SPURIOUS_WORDS": (0.0, 1.0, 2.0),
}


# Methods


@dataclass(frozen=True, eq=False)
class Ours:
    """A `DnmfModel` as a method of `bench`."""

    model: DnmfModel

    @property
    def topic_term(self):
        return self.model.get_word_distributions()

    @property
    def cluster_labels(self):
        return self.model.cluster_labels

    def infer(self, counts):
        return as_shares(self.model.inference(counts.T)[0])


def fit_ours(problem, settings, seed):
    words = {term: str(term) for term in range(problem.counts.shape[1])}
    counts = sparse.csr_array(problem.counts)
    return Ours(DnmfModel(counts.T, problem.num_topics, words, random_state=seed, **settings))


def fit_nmf(problem, settings, seed):
    tfidf, nmf = Tfidf.fit(problem.counts), NMF(problem.num_topics, random_state=seed)
    weights = as_shares(nmf.fit_transform(tfidf.transform(problem.counts)))
    return Fitted(
        as_shares(nmf.components_),
        weights,
        infer=lambda counts: as_shares(nmf.transform(tfidf.transform(counts))),
    )


def fit_sklearn_lda(problem, settings, seed):
    lda = LatentDirichletAllocation(problem.num_topics, random_state=seed)
    weights = lda.fit_transform(problem.counts)
    return Fitted(as_shares(lda.components_), weights, infer=lda.transform)


def as_shares(rows):
    """Rows that sum to 1; equal shares where there is nothing."""
    sums = rows.sum(axis=1, keepdims=True)
    return np.where(sums > 0, rows / np.where(sums > 0, sums, 1), 1 / rows.shape[1])


METHODS = {
    OURS: Method(OURS, fit_ours),
    LDA: replace(ALL["lda"], title=LDA),
    "tomotopy": ALL["tomotopy"],
    "NMF": Method("NMF", fit_nmf),
    "scikit-learn's LDA": Method("scikit-learn's LDA", fit_sklearn_lda),
}


def fit(name, counts, num_topics, seed, **settings):
    return METHODS[name].fit(Problem(counts, None, num_topics, True), settings, seed)


# Measures


def match(similarity):
    """For every class (columns) its topic (rows), one to one."""
    topics, classes = linear_sum_assignment(similarity, maximize=True)
    return topics[np.argsort(classes)]


def find_topics(found, documents: Documents):
    """For every class its topic, by the shares of documents."""
    return match(found.infer(documents.counts).T @ documents.shares)


def error(shares, order, truth):
    """The part of a document that goes to wrong topics."""
    return np.abs(shares[:, order] - truth).sum(axis=1).mean() / 2


def recovery(found, documents: Documents):
    """Mean cosine of topics with the words of the pure documents of their classes.

    Those are counted; NMF's topics are weights of TF-IDF, which cannot be as near.
    """
    is_pure = documents.shares.max(axis=1) == 1
    true = (documents.counts[is_pure].T @ documents.shares[is_pure]).T
    own, true = (rows / np.linalg.norm(rows, axis=1)[:, None] for rows in (found.topic_term, true))
    cosines = own @ true.T
    return cosines[match(cosines), np.arange(len(true))].mean()


def confidence_shares(model, counts):
    """How sure the assignment is, on top of `alpha` as the model's shares are."""
    learnt = model._learnt
    posteriors, lengths = topic_posteriors(
        counts.indptr, counts.indices, counts.data, learnt.topics.idf, learnt.topics.term_weights,
        learnt.topics.synced_sizes,
    )  # fmt: skip
    return as_shares(learnt.alpha + lengths[:, None] * posteriors)


def report_all(what, values, bar=""):
    """A line for each method; our bar stands at ours."""
    for name, own in values.items():
        report(f"{what}, {name}", mean_and_error(own), bar if name == OURS else "")


# Sections


def pure(rivals):
    for name, (_, num_topics) in CORPORA.items():
        values = defaultdict(lambda: defaultdict(list))
        for seed in SEEDS:
            documents, held_out = draw(name, seed)
            for method in (OURS, *rivals, "NMF"):
                found = fit(method, documents.counts, num_topics, seed)
                order = find_topics(found, documents)
                for kind, (counts, truth) in held_out.items():
                    values[kind][method].append(error(found.infer(counts), order, truth))
                    if method == OURS:
                        shares = confidence_shares(found.model, counts)
                        values[kind][CONFIDENCE].append(error(shares, order, truth))
        for kind, own in values.items():
            bar = PURE_BARS.get((name, kind))
            if bar is not None:
                bar = f"bar <= {bar}, below the others"
            elif kind == "pure":
                bar = f"bar <= {np.mean(own[CONFIDENCE]) + 0.01:.3f}, confidence + .01"
            report_all(f"{name}, {kind}", own, bar or "bar: below the others")


def agreement(rivals):
    problems = [
        (f"{name}, {num_topics} topics", name, num_topics) for name, num_topics in AGREEMENT.items()
    ]
    for what, name, num_topics in [*problems, ("TDT2, 3,000 documents, 20 topics", "TDT2", 20)]:
        values = []
        for seed in SEEDS:
            counts = draw(name, seed).training.counts if name in CORPORA else load(name).counts
            model = fit(OURS, counts, num_topics, seed).model
            same = model.doc_topics().argmax(axis=1) == model.cluster_labels
            values.append(same[np.diff(counts.indptr) > 0].mean())
        report(f"largest share is the cluster, {what}", f"{np.mean(values):.4f}", "bar >= .98")


def toy(rivals):
    for num_parts, bar in TOY_BARS.items():
        values = defaultdict(list)
        for seed in SEEDS:
            documents = write(num_parts, seed)
            corpus = list(Sparse2Corpus(documents.counts, documents_columns=False))
            words = {term: str(term) for term in range(documents.counts.shape[1])}
            lda = LdaModel(corpus, 6, words, passes=10, chunksize=50, random_state=seed)
            inferences = {
                OURS: fit(OURS, documents.counts, 6, seed).infer,
                LDA: LdaShares(lda),
            }
            for method, infer in inferences.items():
                shares = infer(documents.counts)
                order = match(shares.T @ documents.shares)
                values[method].append(error(shares, order, documents.shares))
        report_all(f"toy, {num_parts} topics a document", values, f"bar <= {bar}, below LdaModel")


def completion(rivals):
    for name, num_topics in COMPLETION.items():
        problem = Problem(load(name).counts, None, num_topics, True)
        for method in (OURS, *rivals, "scikit-learn's LDA"):
            value = measure_completion(METHODS[method], problem, {}, 0)
            bar = "bar: above LdaModel and scikit-learn" if method == OURS else ""
            report(f"completion, {name}, {num_topics} topics, {method}", f"{value:.3f}", bar)


def mixed(rivals):
    name = "ten newsgroups"
    errors, recoveries, rounds = defaultdict(list), defaultdict(list), []
    for seed in SEEDS:
        documents, held_out = draw(name, seed, mixed=0.6)
        counts, truth = held_out["50-50"]
        for method in (OURS, *rivals, "NMF"):
            found = fit(method, documents.counts, 10, seed)
            if method == OURS:
                rounds.append(found.model._learnt.mixing_rounds)
            errors[method].append(error(found.infer(counts), find_topics(found, documents), truth))
            recoveries[method].append(recovery(found, documents))
    what = f"{name}, 60 % mixed"
    report_all(f"{what}, 50-50", errors, "bar <= .40, below the others")
    report_all(f"{what}, cosine with true topics", recoveries, "bar >= .70")
    report(f"{what}, rounds", ", ".join(map(str, rounds)))
    without_rounds = _nothing_mixed(name, mixing_rounds=0)
    for what, values in _nothing_mixed(name).items():
        bar = f"bar: as without rounds, {np.mean(without_rounds[what]):.3f}, ± .01"
        report(f"{name}, nothing mixed, {what}", mean_and_error(values), bar)


def _nothing_mixed(name, **settings):
    values = defaultdict(list)
    for seed in SEEDS:
        documents, held_out = draw(name, seed)
        found = fit(OURS, documents.counts, 10, seed, **settings)
        classes = documents.shares.argmax(axis=1)
        values["ACC"].append(clustering_accuracy(classes, found.cluster_labels))
        order = find_topics(found, documents)
        for kind in ("pure", "50-50"):
            counts, truth = held_out[kind]
            values[f"error, {kind}"].append(error(found.infer(counts), order, truth))
        values["rounds"].append(found.model._learnt.mixing_rounds)
    return values


def reuters(rivals):
    counts, truth = stories()
    num_topics_of = (truth > 0).sum(axis=1)
    single, double = num_topics_of == 1, num_topics_of == 2
    report("reuters, stories with one topic, with two", f"{single.sum():,}, {double.sum():,}")
    for num_topics in (20, 10):
        values = defaultdict(list)
        for seed in SEEDS:
            for method in (OURS, *rivals):
                shares = fit(method, counts, num_topics, seed).infer(counts)
                # A topic belongs to the class that has most of it.
                class_of = (shares[single].T @ truth[single]).argmax(axis=1)
                by_class = shares[double] @ np.eye(truth.shape[1])[class_of]
                first = np.argsort(-by_class, axis=1, kind="stable")[:, :2]
                right = np.take_along_axis(truth[double] > 0, first, axis=1)
                values[method].append(right.mean())
        bar = "bar >= .50, above the others" if num_topics == 20 else ""
        report_all(f"reuters, {num_topics} topics, first two classes right", values, bar)


SECTIONS = {
    "pure": pure,
    "agreement": agreement,
    "toy": toy,
    "completion": completion,
    "mixed": mixed,
    "reuters": reuters,
}


# How constants were set


def compare_constants():
    kinds = ("pure", "50-50", "thirds")
    report(f"corpus, {', '.join(GRID)}", " / ".join(kinds))
    for name, (_, num_topics) in CORPORA.items():
        values = defaultdict(list)
        for seed in SEEDS:
            documents, held_out = draw(name, seed)
            found = fit(OURS, documents.counts, num_topics, seed, mixing_rounds=0)
            order, learnt = find_topics(found, documents), found.model._learnt
            word_counts = learnt.state.word_counts + learnt.eta
            for numbers in product(*GRID.values()):
                constants = dict(zip(GRID, numbers, strict=True))
                with mock.patch.multiple(proportions, **constants):
                    words = word_model(word_counts, constants["BACKGROUND"])
                    errors = []
                    for counts, truth in map(held_out.get, kinds):
                        shares, lengths = proportions.topic_proportions(
                            counts.indptr, counts.indices, counts.data, words,
                            learnt.topics.synced_sizes, learnt.topics.idf,
                        )  # fmt: skip
                        gamma = learnt.alpha + lengths[:, None] * shares
                        errors.append(error(as_shares(gamma), order, truth))
                values[numbers].append(errors)
        in_use = tuple(getattr(proportions, constant) for constant in GRID)
        for numbers, errors in values.items():
            shown = ", ".join(f"{number:g}" for number in numbers)
            report(
                f"{name}, {shown}",
                " / ".join(f"{each:.3f}" for each in np.mean(errors, axis=0)),
                "in use" if numbers == in_use else "",
            )


def show_rounds():
    report("corpus, topics", "by shares, by rounds", "rounds taken")
    for name, num_topics in PURE.items():
        _show_mixing(name, load(name).counts, num_topics)
    for (name, (_, num_topics)), mixed in product(CORPORA.items(), (0, 0.2, 0.4, 0.6)):
        counts = draw(name, 0, mixed).training.counts
        _show_mixing(f"{name}, {mixed:.0%} mixed", counts, num_topics)


def _show_mixing(name, counts, num_topics):
    counts = sparse.csr_array(counts, dtype=float)
    model = fit(OURS, counts, num_topics, 0, mixing_rounds=0).model
    mixing = choose_mixing(
        RowBlocks(counts), model.cluster_labels, num_topics, model.eta, np.random.SeedSequence(0),
        Threads(None),
    )  # fmt: skip
    start = ", from NMF" if mixing.start is not None else ""
    report(
        f"{name}, {num_topics}",
        f"{mixing.by_shares:+.2f}, {mixing.by_rounds:+.2f}",
        f"{mixing.num_rounds}{start}",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--constants", action="store_true")
    parser.add_argument("--rounds", action="store_true")
    args = parser.parse_args()
    if unknown := set(args.sections) - set(SECTIONS):
        parser.error(f"SECTION must be one of {', '.join(SECTIONS)}, got {', '.join(unknown)}.")
    rivals = [LDA, *installed(["tomotopy"])]
    only_constants = args.constants or args.rounds
    for name in args.sections or ([] if only_constants else SECTIONS):
        SECTIONS[name](rivals)
    if args.constants:
        compare_constants()
    if args.rounds:
        show_rounds()


if __name__ == "__main__":
    main()
