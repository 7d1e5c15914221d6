"""All methods, each a row of `METHODS`: DNMF's, and beside them the baselines.

Studies, `compare`, the benchmark scripts and the tutorials have their methods from here, so that a
name means the same method wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from ..common.arrays import Dense, FloatArray, Labels
from ..common.documents import MatrixCorpus
from ..core import VARIANTS, Mbn, Tfidf, balanced_layer_size, fit_topics, imbalanced_layer_size
from .cells import Settings
from .corpora import Problem


class Found(Protocol):
    """What a method must give: topics, and the topic of every document.

    A method that finds the topic shares of further documents in a way of its own may have, besides,
    `infer`, from their counts (n x V) to the shares (n x K). These are shares of topics whose
    probabilities of words are `topic_term`, or `word_distributions` where that is there too.
    """

    @property
    def topic_term(self) -> FloatArray:
        """Weights of the terms in the topics (K x V)."""
        ...

    @property
    def cluster_labels(self) -> Labels:
        """The topic of every document (N)."""
        ...


Fit: TypeAlias = Callable[[Problem, Settings, int], Found]
"""From a problem, settings and a seed to topics."""


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


@dataclass(frozen=True)
class Method:
    """A way to find topics.

    Attributes
    ----------
    title : str
        Its name in tables, in plots and on the screen; no two methods share one.
    fit : callable
        The method itself: from a problem, settings and a seed to something with `topic_term`
        (K x V) and `cluster_labels` (N), and with `infer` and `word_distributions` where it
        has an inference of its own for further documents.
    reference : str
        Who published it, and when.
    defaults : mapping
        The hyper-parameters that a configuration may change, and what they are otherwise.
    in_paper : bool
        Whether the paper's tables have it.
    in_studies : bool
        Whether a study that names no methods has it.
    knows_classes : bool
        Whether it is told something about the classes; it is not ranked then.

    Examples
    --------
    >>> from dnmf_topics.bench import METHODS
    >>> METHODS["lda"].title, METHODS["plsi"].reference
    ('LDA (gensim)', 'Hofmann, 1999')
    >>> [name for name, method in METHODS.items() if method.knows_classes]
    ['sdnmf-paper-rule']
    """

    title: str
    fit: Fit
    reference: str = ""
    defaults: Settings = field(default_factory=dict)
    in_paper: bool = False
    in_studies: bool = True
    knows_classes: bool = False


@dataclass(frozen=True, eq=False)
class ModelTopics:
    """The topics of a `DnmfModel`, its clusters, and its inference."""

    topic_term: Dense
    cluster_labels: Labels
    word_distributions: Dense
    infer: Callable[[sparse.csr_array], Dense]


def _model(problem: Problem, settings: Settings, seed: int) -> Found:
    """`DnmfModel` as its users train it; settings are its arguments."""
    from ..model import DnmfModel  # slow to load, and only fits need it

    words = problem.words or {term: str(term) for term in range(problem.counts.shape[1])}
    corpus = MatrixCorpus(problem.counts)
    model = DnmfModel(corpus, problem.num_topics, words, random_state=seed, **settings)

    def infer(counts: sparse.csr_array) -> Dense:
        weights, _ = model.inference(MatrixCorpus(counts))
        shares: Dense = weights / weights.sum(axis=1, keepdims=True)
        return shares

    return ModelTopics(
        model.get_topics(), model.cluster_labels, model.get_word_distributions(), infer
    )


def _variant(name: str) -> Fit:
    def fit(problem: Problem, settings: Settings, seed: int) -> Found:
        network = Mbn(**{name: value for name, value in settings.items() if name in MBN})
        others = {name: value for name, value in settings.items() if name not in MBN}
        weighted = Tfidf.fit(problem.counts).transform(problem.counts)
        return fit_topics(
            weighted, problem.num_topics,
            variant=name, deep_model=network, random_state=seed, **others,
        )  # fmt: skip

    return fit


def _by_the_papers_rule(problem: Problem, settings: Settings, seed: int) -> Found:
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
    return _variant("sdnmf")(problem, {**settings, **plain}, seed)


def _baseline(name: str) -> Fit:
    def fit(problem: Problem, settings: Settings, seed: int) -> Found:
        from ..baselines import fit_baseline  # slow to load, and only fits need it

        return fit_baseline(name, problem.counts, problem.num_topics, random_state=seed)

    return fit


PAPER = "Wang and Zhang, 2021"
# In the order of the paper's columns; what it does not have follows.
METHODS: dict[str, Method] = {
    "plsi": Method("PLSI", _baseline("plsi"), "Hofmann, 1999", in_paper=True),
    "lda": Method(
        "LDA (gensim)", _baseline("lda"),
        "Blei, Ng and Jordan, 2003; Hoffman, Blei and Bach, 2010", in_paper=True,
    ),
    "lapplsi": Method(
        "LapPLSI", _baseline("lapplsi"), "Cai, Mei, Han and Zhai, 2008", in_paper=True
    ),
    "ltm": Method("LTM", _baseline("ltm"), "Cai, Wang and He, 2009", in_paper=True),
    "spa": Method("SPA", _baseline("spa"), "Gillis and Vavasis, 2014", in_paper=True),
    "snpa": Method("SNPA", _baseline("snpa"), "Gillis, 2014", in_paper=True),
    "xray": Method(
        "XRAY", _baseline("xray"), "Kumar, Sindhwani and Kambadur, 2013", in_paper=True
    ),
    "anchorfree": Method(
        "AnchorFree", _baseline("anchorfree"),
        "Fu, Huang, Sidiropoulos, Shi and Hong, 2018", in_paper=True,
    ),
    "dpfa": Method("DPFA", _baseline("dpfa"), "Henao, Gan, Lu and Carin, 2015", in_paper=True),
    **{
        name: Method(
            name.replace("dnmf", "DNMF"), _variant(name), PAPER, {**MBN, **variant.defaults},
            in_paper=True,
        )
        for name, variant in VARIANTS.items()
    },
    "gensim-nmf": Method("NMF (gensim)", _baseline("gensim-nmf"), "Zhao and Tan, 2017"),
    "sklearn-nmf": Method(
        "NMF (scikit-learn)", _baseline("sklearn-nmf"), "Cichocki and Phan, 2009"
    ),
    "kmeans": Method(
        "k-means (TF-IDF)", _baseline("kmeans"), "Lloyd, 1982; Arthur and Vassilvitskii, 2007"
    ),
    "sdnmf-paper-rule": Method(
        "sDNMF, paper's rule", _by_the_papers_rule, PAPER,
        {"num_clusterings": 400, "delta": MBN["delta"]}, knows_classes=True,
    ),
    # Clusters as the variants have them; the words are from the counts of their documents.
    "dnmf": Method("DNMF", _model, PAPER, in_studies=False),
}  # fmt: skip
"""The methods by the names that studies, results and scripts know them by."""


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
    options = VARIANTS[method].options if method in VARIANTS else {}
    for name in options.keys() & settings.keys():
        try:
            options[name].check(settings[name], f"{key}.{name}")
        except (TypeError, ValueError) as error:
            raise ConfigError(str(error)) from None
    return {name: settings[name] for name in sorted(settings) if settings[name] != defaults[name]}


def complete_settings(method: str, settings: Settings) -> dict[str, Any]:
    """All settings of a method, its own where none is given."""
    return {**METHODS[method].defaults, **settings}
