"""The numbers that the paper prints, and which of them cannot be right."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby

CORPORA = ("20newsgroups", "tdt2", "reuters21578")
METRICS = ("acc", "coherence", "sim_count")
TOP_WORDS = 20  # of every topic, in the paper's coherence and SimCount

# What is wrong with printed values, by the mark that they get.
KNOWN_ERRORS = {
    "a": "more shared words than lists of 20 words can have: K topics share at most 10 K (K - 1)",
    "b": "other values of this column are impossible (a), so its lists were longer than 20 words",
    "c": "the printed Reuters-21578 columns of SPA, SNPA and XRAY are those of TDT2 over again",
    "d": "averages over columns with wrong values (a, b, c) are wrong too",
}
COPIED = ("spa", "snpa", "xray")  # from TDT2's table into that of Reuters-21578


@dataclass(frozen=True)
class Printed:
    """A value of the paper's tables.

    `error` is None, or the mark of one of `KNOWN_ERRORS`. `other` is what another paper, in which
    the method was proposed or compared before, prints for the same cell.
    """

    value: float
    error: str | None = None
    other: float | None = None


def paper_value(corpus: str | None, metric: str, num_topics: int, method: str) -> Printed | None:
    """What the paper prints, None where it prints nothing.

    Examples
    --------
    >>> paper_value("tdt2", "acc", 5, "sdnmf")
    Printed(value=0.9808, error=None, other=None)
    >>> paper_value("20newsgroups", "sim_count", 3, "plsi").error
    'a'
    """
    return None if corpus is None else _tables().get((corpus, metric, num_topics, method))


def paper_rank(rank_list: str, method: str) -> Printed | None:
    """The paper's average rank in a list: a metric's, that of both "topics" metrics, "overall"."""
    rank = _ranks().get((rank_list, method))
    if rank is None:
        return None
    wrong = {metric for (_, metric, _, name), value in _tables().items()
             if value.error and name == method}  # fmt: skip
    lists = {*wrong, *(["overall"] if wrong else []), *(["topics"] if wrong - {"acc"} else [])}
    return Printed(rank, "d" if rank_list in lists else None)


@cache
def _tables() -> dict[tuple[str, str, int, str], Printed]:
    values: dict[str, dict[tuple[str, str, int, str], float]] = {"dnmf": {}, "anchorfree": {}}
    for row in _rows("paper.csv"):
        place = row["corpus"], row["metric"], int(row["num_topics"]), row["method"]
        values[row["source"]][place] = float(row["value"])
    tables = {}
    # A column holds the same corpus, metric and method.
    by_column = sorted(values["dnmf"], key=lambda place: (place[0], place[1], place[3]))
    for _, column in groupby(by_column, key=lambda place: (place[0], place[1], place[3])):
        places = list(column)
        too_many = {place for place in places if _impossible(place, values["dnmf"][place])}
        for place in places:
            error = "a" if place in too_many else "b" if too_many else None
            if place[0] == "reuters21578" and place[3] in COPIED:
                error = "c"
            other = values["anchorfree"].get(place)
            tables[place] = Printed(values["dnmf"][place], error, other)
    return tables


def _impossible(place: tuple[str, str, int, str], value: float) -> bool:
    _, metric, num_topics, _ = place
    pairs = num_topics * (num_topics - 1) / 2
    return metric == "sim_count" and value > TOP_WORDS * pairs


@cache
def _ranks() -> dict[tuple[str, str], float]:
    return {(row["list"], row["method"]): float(row["rank"]) for row in _rows("paper_ranks.csv")}


def _rows(name: str) -> list[dict[str, str]]:
    lines = (files(__package__) / name).read_text("utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))
