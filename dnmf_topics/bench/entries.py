"""From the records of cells to one entry for each place in a table."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from .cells import key_of
from .methods import METHODS
from .records import FAILED, OK, STUDY, TIMEOUT, Record, read_records


@dataclass(frozen=True)
class Metric:
    """A column of the records: its title, how it is written, which way is better, what it is."""

    title: str
    digits: int
    higher_is_better: bool
    paper: bool = False
    meaning: str = ""

    def text(self, value: float) -> str:
        """The value as tables show it."""
        return f"{value:.{self.digits}f}"


METRICS: dict[str, Metric] = {
    "acc": Metric("ACC", 3, True, paper=True),
    "coherence": Metric("Coherence", 1, True, paper=True),
    "sim_count": Metric("SimCount", 1, False, paper=True),
    "nmi": Metric("NMI", 3, True),
    "purity": Metric("Purity", 3, True),
    "npmi": Metric("NPMI", 3, True),
    "diversity": Metric("Diversity", 3, True),
    "completion": Metric(
        "Completion", 3, True,
        meaning="Document completion: log-likelihood per word (nats) of a hidden half of held-out "
        "documents, from the topic shares of the other half and the topics of nine tenths.",
    ),
    "seconds": Metric("Seconds", 1, False),
    "peak_mb": Metric("Memory (MB)", 0, False),
}  # fmt: skip


Draw = tuple[str, int]
"""A subset of classes; a seed where all classes take part."""


@dataclass(frozen=True)
class Entry:
    """One method at one place of a table.

    Attributes
    ----------
    by_draw : mapping from draw to float
        The value of every draw, averaged over the seeds of a subset.
    runs : int
        How many there were, well ended or not.
    missing : int
        How many of them have no value.
    failed, timeouts : int
        How many of them failed and took too long.

    Examples
    --------
    >>> draws = {("subset", 0): 0.5, ("subset", 1): 0.7, ("subset", 2): 0.9}
    >>> entry = Entry(draws, runs=4, missing=1, timeouts=1)
    >>> round(entry.mean, 3), round(entry.error, 3)
    (0.7, 0.115)
    """

    by_draw: Mapping[Draw, float] = field(default_factory=dict)
    runs: int = 0
    missing: int = 0
    failed: int = 0
    timeouts: int = 0

    @property
    def values(self) -> tuple[float, ...]:
        """One for each draw."""
        return tuple(self.by_draw.values())

    @property
    def mean(self) -> float | None:
        """None where no run ended well."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean, None for less than two values."""
        if len(self.values) < 2:
            return None
        return statistics.stdev(self.values) / math.sqrt(len(self.values))

    def over(self, draws: Collection[Draw]) -> Entry:
        """The same with the values of these draws only."""
        return replace(
            self, by_draw={draw: value for draw, value in self.by_draw.items() if draw in draws}
        )


def over_common_draws(entries: Sequence[Entry]) -> list[Entry]:
    """The same entries over the same draws, those that they have in common.

    Slow methods may have run on fewer draws, and these may be easier or harder than the others. An
    entry with a run that has no value keeps none, and takes no draw away from the others.
    """
    whole = [entry for entry in entries if entry.runs and not entry.missing]
    common = set.intersection(*(set(entry.by_draw) for entry in whole)) if whole else set()
    return [entry.over(() if entry.missing else common) for entry in entries]


@dataclass(frozen=True, eq=False)
class Results:
    """The records of a folder, the last of every cell, and the study that they belong to."""

    records: list[Record]
    study: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Results:
        """From the files that a run wrote."""
        records = {key_of(record): record for record in read_records(folder)}
        path = folder / STUDY
        if not path.is_file():
            raise ValueError(f"{folder} has no {STUDY}; run the benchmark into it once more.")
        return cls(list(records.values()), json.loads(path.read_text("utf-8")))

    @property
    def corpora(self) -> list[str]:
        """In the order of the configuration."""
        return list(self.study["corpora"])

    @property
    def methods(self) -> list[str]:
        """Those of the tables, in the paper's order."""
        return [name for name in METHODS if name in self.study["methods"]]

    def num_topics(self, corpus: str) -> list[int]:
        """The rows of the corpus' tables, those that have a record."""
        found = {
            record["num_topics"] for record in self.records
            if record["corpus"] == corpus and self._in_tables(record)
        }  # fmt: skip
        return [number for number in self.study["corpora"][corpus]["num_topics"] if number in found]

    def _in_tables(self, record: Record) -> bool:
        """Not one that only a hyper-parameter study asked for."""
        settings: bool = self.study["methods"].get(record["method"]) == record["settings"]
        return settings

    @cached_property
    def _groups(self) -> dict[tuple[str, str, int, str], list[Record]]:
        groups: dict[tuple[str, str, int, str], list[Record]] = {}
        for record in self.records:
            settings = record["settings"]
            place = record["corpus"], record["method"], record["num_topics"], _text(settings)
            groups.setdefault(place, []).append(record)
        return groups

    def entry(
        self,
        corpus: str,
        method: str,
        num_topics: int,
        metric: str,
        settings: Mapping[str, Any] | None = None,
    ) -> Entry:
        """What is known of one place; by default with the settings of the tables."""
        if settings is None:
            settings = self.study["methods"].get(method, {})
        place = corpus, method, num_topics, _text(settings)
        return _entry(self._groups.get(place, []), metric)

    def study_entries(
        self, study: Mapping[str, Any], corpus: str, method: str, num_topics: int, metric: str
    ) -> list[Entry]:
        """One for each value of a hyper-parameter, all over the same draws.

        Tables may have run more of them with the default.
        """
        return over_common_draws([
            self.entry(corpus, method, num_topics, metric, settings[method])
            for settings in study["settings"]
        ])  # fmt: skip

    def draws(self, corpus: str, num_topics: int) -> str:
        """How many subsets of classes, or seeds where all take part, a row stands on."""
        rows = [
            record for record in self.records
            if (record["corpus"], record["num_topics"]) == (corpus, num_topics)
            and self._in_tables(record)
        ]  # fmt: skip
        subsets = {row["subset"] for row in rows} - {None}
        number = len(subsets) or len({row["seed"] for row in rows})
        return f"{number} {'subset' if subsets else 'seed'}" + ("s" if number > 1 else "")

    def has(self, corpus: str, metric: str) -> bool:
        """Whether any run on the corpus has a value."""
        return any(
            record["corpus"] == corpus and record.get(metric) is not None for record in self.records
        )

    @property
    def metrics(self) -> list[str]:
        """Those that were measured; completion is where a study asked for it."""
        return [name for name in METRICS if any(name in record for record in self.records)]


def _text(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


def _entry(runs: list[Record], metric: str) -> Entry:
    found: dict[Draw, list[float]] = {}
    for run in runs:
        if run["status"] == OK and run.get(metric) is not None:
            is_all = run["subset"] is None
            draw = ("seed", run["seed"]) if is_all else ("subset", run["subset"])
            found.setdefault(draw, []).append(run[metric])
    return Entry(
        {draw: statistics.fmean(values) for draw, values in found.items()},
        len(runs),
        len(runs) - sum(map(len, found.values())),
        sum(run["status"] == FAILED for run in runs),
        sum(run["status"] == TIMEOUT for run in runs),
    )
