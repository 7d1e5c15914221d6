"""DNMF beside gensim's LdaModel and Nmf: the same corpus, the same run, the same measures."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gensim.models import LdaModel, Nmf, TfidfModel
from scipy import sparse

from .adapters.coherence import coherence
from .common.progress import Progress, ProgressCallback, silent
from .core import fit_topics
from .evaluation import (
    clustering_accuracy,
    normalized_mutual_information,
    similarity_count,
    top_terms,
    topic_diversity,
)
from .model import DnmfModel

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Score:
    """How one method did. NaN where a measure has no value; None without labels.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary, common_texts
    >>> labels = ["interfaces"] * 5 + ["graphs"] * 4
    >>> dnmf, *_ = compare(common_corpus, common_dictionary, 2, texts=common_texts, labels=labels)
    >>> dnmf.method, dnmf.accuracy, dnmf.topics[1][:2]
    ('DNMF', 1.0, ['trees', 'graph'])
    """

    method: str
    """Its name."""
    c_v: float
    """gensim's coherence; higher is better."""
    c_npmi: float
    """gensim's coherence; higher is better."""
    diversity: float
    """Share of distinct words among all topics' top words; higher is better."""
    sim_count: int
    """The paper's count of words that topics share; lower is better."""
    seconds: float
    """For the training."""
    accuracy: float | None
    """Documents in the best one-to-one match of topics and labels (ACC); higher is better."""
    nmi: float | None
    """Normalised mutual information of topics and labels; higher is better."""
    topics: list[list[str]]
    """The top words of each topic."""


@dataclass(frozen=True)
class Method:
    """How a model is trained, and how it then assigns its training documents to topics.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> lda = METHODS["LDA"]
    >>> model = lda.train(common_corpus, common_dictionary, 2, 0, {})
    >>> lda.labels(model, common_corpus, common_dictionary).shape
    (9,)
    """

    train: Callable[[Any, Any, int, int, Mapping[str, Any]], Any]
    labels: Callable[[Any, Any, Any], Any]


def _train_dnmf(
    corpus: Any, dictionary: Any, num_topics: int, seed: int, options: Mapping[str, Any]
) -> Any:
    return DnmfModel(corpus, num_topics, dictionary, random_state=seed, **options)


def _train_lda(
    corpus: Any, dictionary: Any, num_topics: int, seed: int, options: Mapping[str, Any]
) -> Any:
    return LdaModel(corpus, num_topics, dictionary, passes=10, random_state=seed)


def _train_nmf(
    corpus: Any, dictionary: Any, num_topics: int, seed: int, options: Mapping[str, Any]
) -> Any:
    weighted = list(TfidfModel(dictionary=dictionary)[corpus])
    return Nmf(weighted, num_topics, dictionary, passes=5, random_state=seed)


def _nmf_labels(model: Any, corpus: Any, dictionary: Any) -> Any:
    weights = np.zeros((len(corpus), model.num_topics))
    for row, document in zip(weights, TfidfModel(dictionary=dictionary)[corpus], strict=True):
        for topic, weight in model.get_document_topics(document, minimum_probability=0):
            row[topic] = weight
    return weights.argmax(axis=1)


METHODS = {
    "DNMF": Method(_train_dnmf, lambda model, corpus, dictionary: model.cluster_labels),
    "LDA": Method(
        _train_lda, lambda model, corpus, dictionary: model.inference(corpus)[0].argmax(axis=1)
    ),
    "NMF": Method(_train_nmf, _nmf_labels),
}


def compare(
    corpus: Any,
    dictionary: Any,
    num_topics: int,
    *,
    texts: Iterable[Iterable[str]],
    labels: Sequence[str | None] | None = None,
    topn: int = 20,
    random_state: int = 0,
    model_options: Mapping[str, Any] | None = None,
    progress: ProgressCallback = silent,
) -> list[Score]:
    """Train every method on the same counts and measure its topics.

    LdaModel makes ten passes over the counts, Nmf five over their TF-IDF.

    Parameters
    ----------
    corpus
        Documents as lists of (id, count), that can be read again and again.
    dictionary
        gensim's Dictionary of the corpus.
    num_topics
        How many topics each method is to find.
    texts
        The documents as lists of words, for the coherence.
    labels
        The documents' true classes. Documents whose label is None do not count.
    topn
        How many words of each topic count.
    random_state
        The seed of every method.
    model_options
        Further arguments of `DnmfModel`.
    progress
        Called with a `Progress` event after every step.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary, common_texts
    >>> scores = compare(common_corpus, common_dictionary, 2, texts=common_texts, topn=5)
    >>> [score.method for score in scores]
    ['DNMF', 'LDA', 'NMF']
    """
    topn = min(topn, len(dictionary))
    _compile()
    topics: list[Any] = []
    measured: list[dict[str, Any]] = []
    for step, (name, method) in enumerate(METHODS.items()):
        progress(Progress("training", step, len(METHODS)))
        start = time.perf_counter()
        model = method.train(corpus, dictionary, num_topics, random_state, model_options or {})
        seconds = time.perf_counter() - start
        logger.info("%s: trained in %.1f s", name, seconds)
        terms = top_terms(model.get_topics(), topn)
        topics.append([[dictionary[int(term)] for term in row] for row in terms])
        measured.append(
            {
                "method": name,
                "diversity": topic_diversity(terms),
                "sim_count": similarity_count(terms),
                "seconds": seconds,
                "topics": topics[-1],
                **_agreement(labels, method.labels(model, corpus, dictionary)),
            }
        )
    progress(Progress("training", len(METHODS), len(METHODS)))
    measures = ("c_v", "c_npmi")
    documents = [list(text) for text in texts]
    for step, measure in enumerate(measures):
        progress(Progress("coherence", step, len(measures)))
        for score, value in zip(measured, _coherences(topics, documents, measure), strict=True):
            score[measure] = value
    progress(Progress("coherence", len(measures), len(measures)))
    return [Score(**score) for score in measured]


def _compile() -> None:
    """What happens once on a machine is not to be counted as training."""
    fit_topics(sparse.eye_array(4, format="csr"), 2)


def _agreement(labels: Sequence[str | None] | None, found: Any) -> dict[str, float | None]:
    known = [] if labels is None else [i for i, label in enumerate(labels) if label is not None]
    if not known or labels is None:
        return {"accuracy": None, "nmi": None}
    classes = [labels[i] for i in known]
    return {
        "accuracy": clustering_accuracy(classes, found[known]),
        "nmi": normalized_mutual_information(classes, found[known]),
    }


def _coherences(topics: list[list[list[str]]], texts: list[list[str]], measure: str) -> list[float]:
    """The mean coherence of each method's topics, from one reading of the texts for all."""
    together = [topic for of_method in topics for topic in of_method]
    values = coherence(together, texts=texts, measure=measure, topn=len(together[0])).per_topic
    means = []
    for of_method in np.split(values, len(topics)):
        known = of_method[~np.isnan(of_method)]
        means.append(float(known.mean()) if known.size else float("nan"))
    return means
