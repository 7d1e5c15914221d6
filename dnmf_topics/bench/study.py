"""What a study asks for, and the list of cells that this comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .cells import Cell, Settings
from .corpora import Source
from .methods import METHODS, ConfigError, check_settings

Table = Mapping[str, Any]

LIMITS: dict[str, tuple[type, Any, Any]] = {  # kind, least value, default
    "subsets": (int, 1, 10),
    "seeds": (int, 1, 1),
    "all_classes_seeds": (int, 1, 5),
    "timeout": (float, 0.1, 3600.0),
}


@dataclass(frozen=True)
class Sweep:
    """A hyper-parameter study: `setting` takes all `values`, everything else stays."""

    name: str
    setting: str
    values: tuple[Any, ...]
    methods: tuple[str, ...]
    corpora: tuple[str, ...]
    num_topics: tuple[int, ...]
    limits: Table


@dataclass(frozen=True)
class Study:
    """What a configuration asks for; `cells` lists it.

    Attributes
    ----------
    corpora : dict from str to Source
        Where each corpus comes from, by its name here.
    num_topics : dict from str to tuple of int
        The numbers of topics for each corpus.
    methods : tuple of str
        Those of the tables, keys of `METHODS`.
    settings : dict from str to mapping
        Of every method there is: a hyper-parameter study may be of one that no table has.
    sweeps : tuple of Sweep
        The hyper-parameter studies.
    first_seed : int
        The number of the first draw.
    limits : dict from (str, str) to mapping
        By kind and name: ("top", ""), ("corpus", name), ("method", name).
    completion : bool
        Whether document completion is measured.
    """

    corpora: dict[str, Source]
    num_topics: dict[str, tuple[int, ...]]
    methods: tuple[str, ...]
    settings: dict[str, Settings]
    sweeps: tuple[Sweep, ...]
    first_seed: int
    limits: dict[tuple[str, str], Table]
    completion: bool = False

    def cells(self, num_classes: Mapping[str, int | None]) -> list[Cell]:
        """All cells, without repetition, from the classes that each corpus has.

        The first subset of everything comes first, so that a run that is not over has something
        to show for all methods; hyper-parameter studies come last.
        """
        for name, topics in self.num_topics.items():
            _check_topics(topics, num_classes[name], f"corpus.{name}.num_topics")
        listed = [
            cell
            for name, topics in self.num_topics.items()
            for number in topics
            for method in self.methods
            for cell in self._runs(
                name, method, number, self.settings[method], num_classes[name], {}
            )
        ]
        listed.sort(key=lambda cell: cell.seed)
        for sweep in self.sweeps:
            swept = list(self._swept(sweep, num_classes))
            swept.sort(key=lambda cell: cell.seed)
            listed += swept
        unique: dict[str, Cell] = {}
        for cell in listed:
            unique.setdefault(cell.key, cell)
        return list(unique.values())

    def _swept(self, sweep: Sweep, num_classes: Mapping[str, int | None]) -> Iterator[Cell]:
        for name in sweep.corpora:
            _check_topics(sweep.num_topics, num_classes[name], f"study.{sweep.name}.num_topics")
            for number in sweep.num_topics:
                for method in sweep.methods:
                    for value in sweep.values:
                        settings = self.swept_settings(sweep, method, value)
                        yield from self._runs(
                            name, method, number, settings, num_classes[name], sweep.limits
                        )

    def swept_settings(self, sweep: Sweep, method: str, value: Any) -> dict[str, Any]:
        """The settings of a method at one value of the hyper-parameter."""
        settings = {**self.settings[method], sweep.setting: value}
        return check_settings(method, settings, f"study.{sweep.name}.values")

    def _runs(
        self,
        corpus: str,
        method: str,
        num_topics: int,
        settings: Settings,
        num_classes: int | None,
        limits: Table,
    ) -> Iterator[Cell]:
        """The subsets and seeds of one place in a table."""
        if num_classes is None and METHODS[method].knows_classes:
            return
        places = ("method", method), ("corpus", corpus), ("top", "")
        tables = [limits, *(self.limits.get(place, {}) for place in places)]
        subsets, seeds, all_seeds, timeout = (
            next((table[name] for table in tables if name in table), default)
            for name, (_, _, default) in LIMITS.items()
        )
        first = self.first_seed
        runs: list[tuple[int | None, int]]
        if num_classes is None or num_topics == num_classes:
            runs = [(None, first + run) for run in range(all_seeds)]
        else:
            numbers = range(first, first + subsets)
            runs = [(number, number + run) for number in numbers for run in range(seeds)]
        for subset, seed in runs:
            yield Cell(
                corpus, method, num_topics, subset, seed, settings, float(timeout), self.completion
            )


def _check_topics(topics: tuple[int, ...], num_classes: int | None, key: str) -> None:
    if num_classes is not None and max(topics) > num_classes:
        raise ConfigError(
            f"{key} must be at most {num_classes}, the classes of the corpus, got {max(topics)}."
        )
