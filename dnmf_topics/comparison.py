"""DNMF beside LDA and NMF by gensim: the same corpus, the same run, the same measures."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from scipy import sparse

from .adapters.coherence import coherence
from .bench import METHODS, Problem, measure_completion, time_call
from .common.arrays import Labels
from .common.documents import AnyCorpus, read_matrix
from .common.progress import Progress, ProgressCallback, silent
from .core import fit_topics
from .evaluation import (
    clustering_accuracy,
    normalized_mutual_information,
    similarity_count,
    top_terms,
    topic_diversity,
)

logger = logging.getLogger(__name__)

COMPARED = ("dnmf", "lda", "gensim-nmf")
"""The methods that `compare` trains: keys of `dnmf_topics.bench.METHODS`."""


@dataclass(frozen=True)
class Score:
    """How one method did. NaN where a coherence has no value, None where another measure has none.

    Attributes
    ----------
    method : str
        Its title in `dnmf_topics.bench.METHODS`.
    c_v : float
        gensim's coherence of that name; higher is better.
    c_npmi : float
        gensim's coherence of that name; higher is better.
    diversity : float
        Share of distinct words among all topics' top words; higher is better.
    sim_count : int
        The paper's count of words that topics share; lower is better.
    completion : float or None
        Document completion: the log-likelihood per word (nats) of a hidden half of held-out
        documents, from the topic shares that the other half shows; higher is better. The method
        was trained once more for it, on nine tenths of the documents. None where it was not asked
        for, and where it has no value: with fewer than ten documents, with hardly more than topics,
        or with counts that are no whole numbers.
    seconds : float
        For the training, the one on all documents.
    accuracy : float or None
        Documents in the best one-to-one match of topics and labels (ACC); higher is better. None
        without labels.
    nmi : float or None
        Normalized mutual information of topics and labels; higher is better. None without labels.
    topics : list of list of str
        The top words of each topic.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary, common_texts
    >>> labels = ["interfaces"] * 5 + ["graphs"] * 4
    >>> dnmf, *_ = compare(common_corpus, common_dictionary, 2, texts=common_texts, labels=labels)
    >>> dnmf.method, dnmf.accuracy, dnmf.topics[1][:2]
    ('DNMF', 1.0, ['trees', 'graph'])
    """

    method: str
    c_v: float
    c_npmi: float
    diversity: float
    sim_count: int
    completion: float | None
    seconds: float
    accuracy: float | None
    nmi: float | None
    topics: list[list[str]]


def compare(
    corpus: AnyCorpus,
    dictionary: Dictionary,
    num_topics: int,
    *,
    texts: Iterable[Iterable[str]],
    labels: Sequence[str | None] | None = None,
    topn: int = 20,
    completion: bool = True,
    random_state: int = 0,
    model_options: Mapping[str, Any] | None = None,
    progress: ProgressCallback = silent,
) -> list[Score]:
    """Train every method on the same counts and measure its topics.

    LDA (gensim's LdaModel) makes ten passes over the counts, NMF (gensim's Nmf) five over the
    TF-IDF that this package makes of them. For document completion DNMF and LDA infer the topics of
    held-out documents themselves; NMF's topics are taken for probabilities of words, mixed with
    one percent of the corpus' own, and the shares are the most likely ones.

    Parameters
    ----------
    corpus : gensim corpus
        Documents as lists of (id, count).
    dictionary : gensim.corpora.Dictionary
        The words of the corpus by id.
    num_topics : int
        How many topics each method is to find.
    texts : iterable of iterables of str
        The documents as lists of words, for the coherence.
    labels : sequence of str or None, optional
        The documents' true classes. Documents whose label is None do not count.
    topn : int
        How many words of each topic count.
    completion : bool
        Whether document completion is measured, for which every method is trained a second time.
    random_state : int
        The seed of every method.
    model_options : mapping, optional
        Further arguments of `DnmfModel`.
    progress : callable
        Called with a `Progress` event after every step.

    Returns
    -------
    list of Score
        One for each method of `COMPARED`.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary, common_texts
    >>> scores = compare(common_corpus, common_dictionary, 2, texts=common_texts, topn=5)
    >>> [score.method for score in scores]
    ['DNMF', 'LDA (gensim)', 'NMF (gensim)']
    >>> scores[0].completion is None  # of nine documents none can be held out
    True
    """
    topn = min(topn, len(dictionary))
    num_terms = max(dictionary.keys(), default=-1) + 1
    counts = read_matrix(corpus, num_terms, unknown="refuse")
    problem = Problem(counts, None, num_topics, is_balanced=True, words=dictionary)
    options = {"dnmf": model_options or {}}
    _compile()
    topics: list[list[list[str]]] = []
    measured: list[dict[str, Any]] = []
    for step, name in enumerate(COMPARED):
        progress(Progress("training", step, len(COMPARED)))
        method = METHODS[name]
        seconds, found = time_call(method.fit, problem, options.get(name, {}), random_state)
        logger.info("%s: trained in %.1f s", method.title, seconds)
        terms = top_terms(found.topic_term, topn)
        topics.append([[dictionary[int(term)] for term in row] for row in terms])
        measured.append(
            {
                "method": method.title,
                "diversity": topic_diversity(terms),
                "sim_count": similarity_count(terms),
                "seconds": seconds,
                "topics": topics[-1],
                **_agreement(labels, found.cluster_labels),
            }
        )
    progress(Progress("training", len(COMPARED), len(COMPARED)))
    completions: list[float | None] = [None] * len(COMPARED)
    if completion:
        completions = _completions(problem, options, random_state, progress)
    for score, completed in zip(measured, completions, strict=True):
        score["completion"] = completed
    measures = ("c_v", "c_npmi")
    documents = [list(text) for text in texts]
    for step, measure in enumerate(measures):
        progress(Progress("coherence", step, len(measures)))
        for score, value in zip(measured, _coherences(topics, documents, measure), strict=True):
            score[measure] = value
    progress(Progress("coherence", len(measures), len(measures)))
    return [Score(**score) for score in measured]


def _compile() -> None:
    """What happens once on a machine or in a process is not to be counted as training."""
    tiny = sparse.csr_array(sparse.eye_array(4))
    fit_topics(tiny, 2)
    METHODS["gensim-nmf"].fit(Problem(tiny, None, 2, is_balanced=True), {}, 0)


def _agreement(labels: Sequence[str | None] | None, found: Labels) -> dict[str, float | None]:
    known = [] if labels is None else [i for i, label in enumerate(labels) if label is not None]
    if not known or labels is None:
        return {"accuracy": None, "nmi": None}
    classes = [labels[i] for i in known]
    return {
        "accuracy": clustering_accuracy(classes, found[known]),
        "nmi": normalized_mutual_information(classes, found[known]),
    }


def _completions(
    problem: Problem,
    options: Mapping[str, Mapping[str, Any]],
    random_state: int,
    progress: ProgressCallback,
) -> list[float | None]:
    """Of all methods on the same held-out documents, each after a training without them."""
    values = []
    for step, name in enumerate(COMPARED):
        progress(Progress("completion", step, len(COMPARED)))
        settings = options.get(name, {})
        values.append(measure_completion(METHODS[name], problem, settings, random_state))
    progress(Progress("completion", len(COMPARED), len(COMPARED)))
    return values


def _coherences(topics: list[list[list[str]]], texts: list[list[str]], measure: str) -> list[float]:
    """The mean coherence of each method's topics, from one reading of the texts for all."""
    together = [topic for method_topics in topics for topic in method_topics]
    values = coherence(together, texts=texts, measure=measure, topn=len(together[0])).per_topic
    means = []
    for method_values in np.split(values, len(topics)):
        known = method_values[~np.isnan(method_values)]
        means.append(float(known.mean()) if known.size else float("nan"))
    return means
