"""The smallest piece of a study: one method, once, on one selection of documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Settings = Mapping[str, Any]
"""Hyper-parameters that differ from a method's own, as JSON holds them."""

FIELDS = ("corpus", "method", "num_topics", "subset", "seed", "settings")  # what tells cells apart


@dataclass(frozen=True)
class Cell:
    """One fit.

    Attributes
    ----------
    corpus : str
        Its name in the configuration.
    method : str
        Its name in `METHODS`.
    num_topics : int
        How many topics to find; where the corpus has classes, so many of them take part.
    subset : int or None
        The number of the random draw of classes; None where all documents take part.
    seed : int
        The fit's `random_state`.
    settings : mapping
        Hyper-parameters other than the method's own.
    timeout : float
        The seconds after which the cell is given up; it does not tell cells apart.
    with_completion : bool
        Whether document completion is measured, by a second fit; it does not tell cells apart.
    """

    corpus: str
    method: str
    num_topics: int
    subset: int | None
    seed: int
    settings: Settings = field(default_factory=dict)
    timeout: float = field(default=3600.0, compare=False)
    with_completion: bool = field(default=False, compare=False)

    @property
    def key(self) -> str:
        """What the results know the cell by."""
        return key_of(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """All that tells it apart from others."""
        return {name: getattr(self, name) for name in FIELDS}

    def __str__(self) -> str:
        chosen = "all classes" if self.subset is None else f"subset {self.subset}"
        changed = "".join(f", {name} = {value}" for name, value in self.settings.items())
        return (
            f"{self.corpus}, {self.method}, {self.num_topics} topics, {chosen}, "
            f"seed {self.seed}{changed}"
        )


def key_of(record: Mapping[str, Any]) -> str:
    """The same of a cell and of the record that it left behind.

    Examples
    --------
    >>> cell = Cell("lee", "lda", 5, None, 0)
    >>> cell.key == key_of({"seconds": 0.1, **cell.as_json()})
    True
    """
    return json.dumps([record[name] for name in FIELDS], sort_keys=True)
