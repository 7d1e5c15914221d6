"""The methods of a study, each a row of `METHODS`: DNMF's, and beside them the baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..core import VARIANTS, Mbn, Tfidf, balanced_layer_size, fit_topics, imbalanced_layer_size
from .cells import Settings
from .corpora import Problem

Fit = Callable[[Problem, Settings, int], Any]
"""From a problem, settings and a seed to something with `topic_term` (K x V) and `labels` (N)."""


class ConfigError(ValueError):
    """A configuration is no study; the sentence names the key.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dnmf_topics.bench import run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Path(folder, "small.toml")
    ...     _ = study.write_text("corpus.lee = {built_in = 'lee', num_topics = 5}")
    ...     run(study, Path(folder, "results"))
    Traceback (most recent call last):
    ...
    dnmf_topics.bench.methods.ConfigError: ...lee.num_topics must be a list of whole numbers, got 5.
    """


MBN = {item.name: item.default for item in fields(Mbn)}
OVERLAP, LAMBDAS = VARIANTS["sdnmf"].defaults, VARIANTS["cdnmf"].defaults


@dataclass(frozen=True)
class Method:
    """A way to find topics.

    Attributes
    ----------
    title : the name in tables and plots.
    fit : the method itself.
    defaults : the hyper-parameters that a configuration may change, and what they are otherwise.
    in_paper : whether the paper's tables have it.
    knows_classes : whether it is told something about the classes; it is not ranked then.
    """

    title: str
    fit: Fit
    defaults: Settings = field(default_factory=dict)
    in_paper: bool = False
    knows_classes: bool = False


def _dnmf(variant: str) -> Fit:
    def fit(problem: Problem, settings: Settings, seed: int) -> Any:
        network = Mbn(**{name: value for name, value in settings.items() if name in MBN})
        others = {name: value for name, value in settings.items() if name not in MBN}
        weighted = Tfidf.fit(problem.counts).transform(problem.counts)
        return fit_topics(
            weighted, problem.num_topics,
            variant=variant, deep_model=network, random_state=seed, **others,
        )  # fmt: skip

    return fit


def _by_the_papers_rule(problem: Problem, settings: Settings, seed: int) -> Any:
    """The paper's plain algorithm, with the last layer's width by the sizes of the classes."""
    assert problem.classes is not None
    if problem.is_balanced:
        size = balanced_layer_size(problem.num_topics)
    else:
        smallest = int(np.unique(problem.classes, return_counts=True)[1].min())
        size = imbalanced_layer_size(problem.counts.shape[0], smallest)
    plain = {
        "first_layer_size": max(1, problem.counts.shape[0] // 2), "last_layer_size": size,
        "landmarks": None, "refine": False, "overlap": 0.0,
    }  # fmt: skip
    return _dnmf("sdnmf")(problem, {**settings, **plain}, seed)


def _baseline(name: str) -> Fit:
    def fit(problem: Problem, settings: Settings, seed: int) -> Any:
        from ..baselines import fit_baseline  # slow to load, and only cells need it

        return fit_baseline(name, problem.counts, problem.num_topics, random_state=seed)

    return fit


# In the order of the paper's columns; what it does not have follows.
METHODS: dict[str, Method] = {
    "plsi": Method("PLSI", _baseline("plsi"), in_paper=True),
    "lda": Method("LDA", _baseline("lda"), in_paper=True),
    "lapplsi": Method("LapPLSI", _baseline("lapplsi"), in_paper=True),
    "ltm": Method("LTM", _baseline("ltm"), in_paper=True),
    "spa": Method("SPA", _baseline("spa"), in_paper=True),
    "snpa": Method("SNPA", _baseline("snpa"), in_paper=True),
    "xray": Method("XRAY", _baseline("xray"), in_paper=True),
    "anchorfree": Method("AnchorFree", _baseline("anchorfree"), in_paper=True),
    "dpfa": Method("DPFA", _baseline("dpfa"), in_paper=True),
    "bdnmf": Method("bDNMF", _dnmf("bdnmf"), MBN, in_paper=True),
    "sdnmf": Method("sDNMF", _dnmf("sdnmf"), {**MBN, **OVERLAP}, in_paper=True),
    "cdnmf": Method("cDNMF", _dnmf("cdnmf"), {**MBN, **LAMBDAS}, in_paper=True),
    "gensim-nmf": Method("Nmf (gensim)", _baseline("gensim-nmf")),
    "sklearn-nmf": Method("NMF (scikit-learn)", _baseline("sklearn-nmf")),
    "kmeans": Method("k-means", _baseline("kmeans")),
    "sdnmf-paper-rule": Method(
        "sDNMF, paper's rule", _by_the_papers_rule,
        {"num_clusterings": 400, "delta": MBN["delta"]}, knows_classes=True,
    ),
}  # fmt: skip
"""The methods that a study may name."""


def check_settings(method: str, settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The settings that differ from the method's own, in one order; `key` names them in errors."""
    defaults = METHODS[method].defaults
    for name in settings:
        if name not in defaults:
            known = ", ".join(defaults) or "none"
            raise ConfigError(f"{key}.{name} is no setting of {method}; its settings are: {known}.")
    try:
        Mbn(**{name: value for name, value in settings.items() if name in MBN})
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{key}: {error}") from None
    for name in (*OVERLAP, *LAMBDAS):
        value = settings.get(name, 1.0)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        or_auto = ' or "auto"' if name in LAMBDAS else ""
        if not (or_auto and value == "auto") and not (is_number and 0 <= value < float("inf")):
            raise ConfigError(f"{key}.{name} must be a number from 0 on{or_auto}, got {value!r}.")
    return {name: settings[name] for name in sorted(settings) if settings[name] != defaults[name]}


def complete_settings(method: str, settings: Settings) -> dict[str, Any]:
    """All settings of a method, its own where none is given."""
    return {**METHODS[method].defaults, **settings}
