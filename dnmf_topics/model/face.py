"""What all methods of a model stand on: its settings, what it has learnt, and its vocabulary.

The attributes that LdaModel's users know are views of these. Each method reads `self._learnt` once,
or works on a shallow copy of the model, so that it sees one state also while another thread updates
the model. Whatever reads a value to put another in its place holds the model's lock meanwhile, so
that no change is lost; reading never waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import RLock
from typing import Any

import numpy as np

from ..common.arrays import Dense, FloatArray, Labels
from ..core import VARIANTS, Mbn
from .learnt import Learnt
from .settings import Resources, Settings
from .state import DnmfState


class Setting:
    """An attribute that is a field of `settings`, or of another value that the user decides on.

    A new value is checked as the first one was.
    """

    def __init__(self, read_only: bool, part: str = "settings") -> None:
        self.read_only, self.part = read_only, part

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        return self if model is None else getattr(getattr(model, self.part), self.name)

    def __set__(self, model: Any, value: Any) -> None:
        if self.read_only:
            raise AttributeError(f"{self.name} cannot be changed; train another model with it.")
        with model._lock:
            setattr(model, self.part, replace(getattr(model, self.part), **{self.name: value}))


class LearntValue:
    """An attribute that is a field of what the model has learnt, or of a part of it."""

    def __init__(self, part: str | None, read_only: bool) -> None:
        self.part, self.read_only = part, read_only

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        learnt = model._learnt
        return getattr(getattr(learnt, self.part) if self.part else learnt, self.name)

    def __set__(self, model: Any, value: Any) -> None:
        if self.read_only:
            raise AttributeError(f"{self.name} cannot be changed; train another model with it.")
        change = {self.name: value}
        with model._lock:
            if self.part:
                change = {self.part: replace(getattr(model._learnt, self.part), **change)}
            model._learnt = replace(model._learnt, **change)


def setting(*, read_only: bool = False) -> Any:
    """A `Setting`, under the type that the attribute declares."""
    return Setting(read_only)


def resource() -> Any:
    """The same for a field of `resources`."""
    return Setting(read_only=False, part="resources")


def learnt(part: str | None = None, *, read_only: bool = False) -> Any:
    """A `LearntValue`, in the same way."""
    return LearntValue(part, read_only)


class Face:
    """The attributes of a model."""

    settings: Settings
    resources: Resources
    id2word: Any
    num_terms: int
    random_state: np.random.RandomState
    deep_model: Any
    callbacks: Any
    metrics: dict[str, list[Any]]
    passes: int
    lifecycle_events: list[dict[str, Any]] | None
    _learnt: Learnt
    _lock: Any  # an RLock, whose type has no public name

    num_topics: int = setting(read_only=True)
    chunksize: int = setting()
    minimum_probability: float = setting()
    minimum_phi_value: float = setting()
    per_word_topics: bool = setting()
    variant: str = setting(read_only=True)
    network: Mbn = setting()
    n_jobs: int | None = setting()
    show_progress: bool = setting()

    distributed: bool = resource()
    ns_conf: Mapping[str, Any] | None = resource()
    spool: Any = resource()
    max_in_memory: int = resource()

    state: DnmfState = learnt()
    alpha: Dense = learnt()
    eta: Dense = learnt()
    optimize_alpha: bool = learnt()
    optimize_eta: bool = learnt()
    weighting: str = learnt(read_only=True)
    num_updates: int = learnt()
    views: tuple[Mapping[str, Any], ...] = learnt()
    tokenization: Mapping[str, Any] | None = learnt()
    expElogbeta: Dense = learnt("topics")  # noqa: N815 - gensim's name
    cluster_labels: Labels = learnt("documents")
    doc_embedding: FloatArray = learnt("documents")

    def __setattr__(self, name: str, value: Any) -> None:
        # What a subclass declares, or sets before it calls our constructor, is its own.
        is_own = name in self.__dict__ or hasattr(type(self), name)
        if not is_own and "settings" in self.__dict__:
            variants = [variant for variant, row in VARIANTS.items() if name in row.options]
            if variants:  # nothing would read it
                raise AttributeError(
                    f"{name}, an option of {', '.join(variants)}, cannot be changed; train another "
                    "model with it."
                )
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle has: all but the lock and the events, as it is at one moment."""
        state = self.__dict__.copy()
        for own in ("_lock", "lifecycle_events"):
            state.pop(own, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()
        self.lifecycle_events = []
