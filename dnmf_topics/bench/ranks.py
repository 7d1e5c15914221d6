"""Average ranks of methods, as in the paper's last table.

At each place (corpus and number of topics) methods are ranked by their mean over the draws that all
of them have; equals share the better rank, as in the paper, where all DNMF variants are first in
ACC. A method with a run without a value (it failed, took too long or found none) comes after all
others, and its draws do not count. Places that a method has not been run at, or without a draw that
all have, are left out. Ranks are averaged over the places of a corpus, then over corpora.
"""

from __future__ import annotations

import operator
import statistics
from collections.abc import Mapping, Sequence

from .entries import METRICS, Results, over_common_draws
from .methods import METHODS
from .paper import METRICS as PAPER_METRICS

LISTS = {
    "acc": "ACC",
    "coherence": "Coherence",
    "sim_count": "SimCount",
    "topics": "Coherence and SimCount",
    "overall": "Overall",
}
AVERAGED = {"topics": ("coherence", "sim_count"), "overall": PAPER_METRICS}


def ranked_methods(results: Results, *, in_paper: bool = False) -> list[str]:
    """Those that know nothing of the classes; all, or those of the paper's tables."""
    return [
        name for name in results.methods
        if not METHODS[name].knows_classes and (METHODS[name].in_paper or not in_paper)
    ]  # fmt: skip


def ranks(values: Mapping[str, float | None], *, higher_is_better: bool) -> dict[str, int]:
    """The rank of every method; equals share the better one, None comes last.

    Examples
    --------
    >>> ranks({"a": 0.5, "b": 0.9, "c": 0.9, "d": None}, higher_is_better=True)
    {'a': 3, 'b': 1, 'c': 1, 'd': 4}
    """
    known = [value for value in values.values() if value is not None]
    better = operator.gt if higher_is_better else operator.lt
    return {
        name: 1 + (len(known) if value is None else sum(better(other, value) for other in known))
        for name, value in values.items()
    }


def place_ranks(
    results: Results, corpus: str, metric: str, methods: Sequence[str], num_topics: int
) -> dict[str, int]:
    """Of the methods that have been run there; nothing without a draw that they have in common."""
    entries = {name: results.entry(corpus, name, num_topics, metric) for name in methods}
    run = [name for name in methods if entries[name].runs]
    compared = over_common_draws([entries[name] for name in run])
    if not any(entry.values for entry in compared):
        return {}
    means = {name: entry.mean for name, entry in zip(run, compared, strict=True)}
    return ranks(means, higher_is_better=METRICS[metric].higher_is_better)


def corpus_ranks(
    results: Results, corpus: str, metric: str, methods: Sequence[str]
) -> dict[str, float]:
    """The average over numbers of topics; nothing where there is no place to rank at."""
    found = (
        place_ranks(results, corpus, metric, methods, num_topics)
        for num_topics in results.num_topics(corpus)
    )
    places = [place for place in found if len(place) == len(methods)]
    if not places:
        return {}
    return {name: statistics.fmean(place[name] for place in places) for name in methods}


def average_ranks(results: Results, methods: Sequence[str]) -> dict[str, dict[str, float]]:
    """By list ("acc", "topics", ...) and method."""
    lists: dict[str, dict[str, float]] = {}
    for metric in PAPER_METRICS:
        by_corpus = [corpus_ranks(results, corpus, metric, methods) for corpus in results.corpora]
        found = [corpus for corpus in by_corpus if corpus]
        if found:
            lists[metric] = {
                name: statistics.fmean(corpus[name] for corpus in found) for name in methods
            }
    for name, averaged in AVERAGED.items():
        if all(metric in lists for metric in averaged):
            lists[name] = {
                method: statistics.fmean(lists[metric][method] for metric in averaged)
                for method in methods
            }
    return lists
