"""What a user decides about a model, as one value: constructor, files and page read it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from ..common.checks import check_int, check_jobs, check_real, shortened
from ..common.spool import MAX_IN_MEMORY, check_spool
from ..core import Mbn, check_variant
from .seed_words import check_seed_words

WEIGHTINGS = ("auto", "tfidf", "none")
# LdaModel's parameters for its way of training, with their defaults. They mean nothing here.
IGNORED_PARAMETERS = {
    "passes": 1,
    "update_every": 1,
    "decay": 0.5,
    "offset": 1.0,
    "eval_every": 10,
    "iterations": 50,
    "gamma_threshold": 0.001,
    "dtype": np.float32,
}


def check_weighting(weighting: str) -> None:
    """Raise for a name that is not in the table."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {weighting!r}.")


@dataclass(frozen=True)
class Resources:
    """Where and with whom a `DnmfModel` trains, checked; it changes no result and is not saved."""

    distributed: bool = False
    ns_conf: Mapping[str, Any] | None = None
    spool: str | os.PathLike[str] | None = None
    max_in_memory: int = MAX_IN_MEMORY

    def __post_init__(self) -> None:
        check_int(self.max_in_memory, "max_in_memory", 0)
        if not isinstance(self.spool, (str, os.PathLike, type(None))):
            raise TypeError(f"spool must be a folder, got {shortened(self.spool)}.")
        if self.spool is not None:
            check_spool(self.spool)
        if self.distributed not in (False, True):
            raise TypeError(
                f"distributed must be True or False, got {shortened(self.distributed)}; a number "
                "of threads is given by name, as workers or n_jobs."
            )
        object.__setattr__(self, "distributed", bool(self.distributed))


@dataclass(frozen=True)
class Settings:
    """The settings of a `DnmfModel`, checked; see there for what they mean.

    `variant_options` are complete: those that were not given are the variant's own.
    """

    num_topics: int
    chunksize: int = 2000
    minimum_probability: float = 0.01
    minimum_phi_value: float = 0.01
    per_word_topics: bool = False
    variant: str = "bdnmf"
    variant_options: Mapping[str, Any] = field(default_factory=dict)
    network: Mbn = field(default_factory=Mbn)
    mixing_rounds: int | str = "auto"
    seed_words: Mapping[str, Sequence[str | int]] = field(default_factory=dict)
    weighting: str = "auto"
    n_jobs: int | None = -1
    show_progress: bool = False

    def __post_init__(self) -> None:
        # numpy's numbers become Python's, which JSON knows.
        for name in ("num_topics", "chunksize"):
            object.__setattr__(self, name, check_int(getattr(self, name), name, 1))
        # As in LdaModel, None and 0 are one.
        for name in ("minimum_probability", "minimum_phi_value"):
            limit = check_real(getattr(self, name) or 0, name, 0)
            object.__setattr__(self, name, limit)
        options = check_variant(self.variant, self.variant_options)
        plain = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in options.items()
        }
        object.__setattr__(self, "variant_options", plain)
        check_weighting(self.weighting)
        if self.mixing_rounds != "auto":
            try:
                rounds = check_int(self.mixing_rounds, "mixing_rounds", 0)
            except TypeError as error:
                raise TypeError(f'{error} Or give "auto".') from None
            object.__setattr__(self, "mixing_rounds", rounds)
        object.__setattr__(self, "seed_words", check_seed_words(self.seed_words))
        check_jobs(self.n_jobs)

    def as_json(self) -> dict[str, Any]:
        """The settings in the types of JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Settings:
        """The settings that `as_json` wrote; a missing one is a KeyError."""
        given = {each.name: stored[each.name] for each in fields(cls)}
        network = {each.name: given["network"][each.name] for each in fields(Mbn)}
        return cls(**{**given, "network": Mbn(**network)})
