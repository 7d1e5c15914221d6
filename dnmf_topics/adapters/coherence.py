"""gensim's coherence measures, for every model with topics."""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from gensim.corpora import Dictionary
from gensim.matutils import argsort
from gensim.models import KeyedVectors
from gensim.models.coherencemodel import COHERENCE_MEASURES, CoherenceModel

from ..common.arrays import Dense
from ..common.checks import check_int, shortened
from ..common.documents import AnyCorpus, Bow, MatrixCorpus
from ..common.protocols import TopicModel, topic_term_of, words_by_id
from .doc_term import WordsById, doc_term_matrix

logger = logging.getLogger(__name__)

Words: TypeAlias = list[str]

MEASURES = tuple(COHERENCE_MEASURES)
"""The names of gensim's measures; higher is better in each."""


@dataclass(frozen=True, eq=False)
class Coherence:
    """The coherence of topics by one measure; NaN stands for none.

    Attributes
    ----------
    measure : str
        The name that gensim has for it.
    mean : float
        The mean over the topics that have a coherence.
    per_topic : array of float, shape (K,)
        In the order of the model's topics.

    Examples
    --------
    >>> texts = [["sun", "rain"], ["rain", "sun", "wind"], ["wine", "bread"], ["wine", "cheese"]]
    >>> topics = [["sun", "rain"], ["wine", "bread"], ["snow", "ice"]]
    >>> found = coherence(topics, texts=texts, measure="c_npmi")
    >>> found.per_topic.round(2).tolist(), round(found.mean, 2)
    ([1.0, 0.5, nan], 0.75)
    """

    measure: str
    mean: float
    per_topic: Dense


def coherence(
    model: TopicModel | Iterable[Iterable[str]],
    *,
    texts: Iterable[Iterable[str]] | None = None,
    corpus: AnyCorpus | None = None,
    dictionary: WordsById | None = None,
    measure: str = "c_v",
    topn: int = 20,
    window_size: int | None = None,
    keyed_vectors: KeyedVectors | None = None,
    processes: int = 1,
) -> Coherence:
    """How well the words of each topic go together, by one of gensim's measures.

    The values are those of gensim's CoherenceModel. Where it has none, or fails: empty texts are
    left out; words of a topic that no text has (for `c_w2v`: without a vector) are left out, and a
    warning is logged; a topic with fewer than two words left has the coherence NaN. `u_mass` has a
    value for missing words and empty texts, and leaves out neither.

    Parameters
    ----------
    model : topic model, or lists of str
        A model with `get_topics()`, or topics as lists of words.
    texts : iterable of lists of str, optional
        Documents as lists of words. `u_mass` takes a corpus instead, `c_w2v` word vectors.
    corpus : gensim corpus, or matrix of shape (V, N), optional
        Documents as lists of (id, weight), or a matrix of terms x documents, for `u_mass`.
    dictionary : gensim.corpora.Dictionary or dict of int to str, optional
        The words of the ids, by default the model's `id2word`. Lists of words need it for a corpus
        only; what it does not have is left out of them.
    measure : {"u_mass", "c_v", "c_w2v", "c_uci", "c_npmi"}, default="c_v"
        The name that gensim has for the measure.
    topn : int, default=20
        How many words of each topic count: the heaviest, of a list the first.
    window_size : int, optional
        Words that stand this close are together; by default 110 for `c_v`, 10 for `c_uci` and
        `c_npmi`, 5 for `c_w2v`.
    keyed_vectors : gensim.models.KeyedVectors, optional
        Word vectors; without them `c_w2v` trains some on the texts.
    processes : int, default=1
        More than one pays off for very many texts.

    Returns
    -------
    Coherence
        The coherence of each topic, and their mean.

    Examples
    --------
    >>> texts = [["sun", "rain"], ["rain", "sun", "wind"], ["wine", "bread"], ["wine", "cheese"]]
    >>> topics = [["sun", "rain"], ["wine", "bread"]]
    >>> coherence(topics, texts=texts, measure="c_npmi").per_topic.round(2)
    array([1. , 0.5])
    """
    _check_options(measure, topn, window_size, keyed_vectors, processes)
    _check_sources(measure, model, texts, corpus, dictionary, keyed_vectors)
    documents = None if texts is None else _word_lists(texts, "texts")
    topics, ids = _topics_and_ids(model, dictionary, topn)
    options: dict[str, Any] = {"coherence": measure, "topn": topn, "processes": processes}
    if measure == "u_mass":
        options["corpus"] = _corpus(corpus, documents, ids)
    else:
        # gensim before 4.4 fails on an empty text, and later counts it as a document.
        documents = [words for words in documents or [] if words]
        seen = {word for words in documents for word in words}
        topics = _without_unseen(topics, seen if keyed_vectors is None else keyed_vectors)
        options |= {"texts": documents, "keyed_vectors": keyed_vectors, "window_size": window_size}
    per_topic = _measure(topics, ids, options)
    known = per_topic[~np.isnan(per_topic)]
    return Coherence(measure, float(known.mean()) if known.size else np.nan, per_topic)


def _check_options(
    measure: str, topn: int, window_size: int | None, keyed_vectors: object, processes: int
) -> None:
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {shortened(measure)}.")
    check_int(topn, "topn", 2)
    check_int(processes, "processes", 1)
    if window_size is not None:
        if measure == "u_mass":
            raise ValueError("window_size must be None for u_mass, which counts whole documents.")
        check_int(window_size, "window_size", 1)
    if keyed_vectors is not None and measure != "c_w2v":
        raise ValueError(f"keyed_vectors must be None for {measure}; only c_w2v uses word vectors.")


def _check_sources(
    measure: str,
    model: object,
    texts: object,
    corpus: object,
    dictionary: object,
    keyed_vectors: object,
) -> None:
    if measure == "u_mass" and texts is None and corpus is None:
        raise ValueError("corpus or texts must be given for u_mass.")
    is_listed = isinstance(model, Iterable) and not isinstance(model, TopicModel)
    if measure == "u_mass" and corpus is not None and dictionary is None and is_listed:
        raise ValueError("dictionary must be given for topics as lists of words with a corpus.")
    if measure != "u_mass" and texts is None and keyed_vectors is None:
        raise ValueError(f"texts must be given for {measure}, got None.")


def _word_lists(lists: Iterable[Iterable[str]], name: str) -> list[Words]:
    """A copy in memory, so that a one-shot iterable serves, of nothing but strings.

    gensim waits for ever for a worker process that met something else.
    """
    copies = []
    for words in lists:
        copy = list(words)
        if isinstance(words, str) or not all(isinstance(word, str) for word in copy):
            raise TypeError(f"{name} must be lists of words, got {shortened(words)} among them.")
        copies.append(copy)
    if not any(copies):
        raise ValueError(f"{name} must have at least one word, got none.")
    return copies


def _topics_and_ids(
    model: TopicModel | Iterable[Iterable[str]], dictionary: WordsById | None, topn: int
) -> tuple[list[Words], dict[str, int]]:
    """The words of each topic, and an id for every word: the dictionary's where there is one."""
    if isinstance(model, Iterable) and not isinstance(model, TopicModel):
        return _listed_topics(model, dictionary, topn)
    weights = topic_term_of(model)
    words = words_by_id(model, dictionary, weights.shape[1])
    if topn > len(words):
        raise ValueError(f"topn must be at most {len(words)}, the number of words, got {topn}.")
    terms = np.array(list(words))
    topics = [
        # gensim's own order: it decides which of equal weights counts
        [words[term] for term in terms[argsort(row, topn, reverse=True)]] if row.any() else []
        for row in weights[:, terms]
    ]
    return topics, {word: term for term, word in words.items()}


def _listed_topics(
    lists: Iterable[Iterable[str]], dictionary: WordsById | None, topn: int
) -> tuple[list[Words], dict[str, int]]:
    topics = _word_lists(lists, "topics")
    if dictionary is None:
        distinct = dict.fromkeys(word for topic in topics for word in topic)
        ids = {word: term for term, word in enumerate(distinct)}
    else:
        known = words_by_id(None, dictionary, 1 + max(dictionary.keys(), default=0))
        ids = {word: term for term, word in known.items()}
    return [[word for word in topic if word in ids][:topn] for topic in topics], ids


def _corpus(
    corpus: AnyCorpus | None, documents: list[Words] | None, ids: dict[str, int]
) -> list[Bow]:
    if corpus is not None:
        return list(MatrixCorpus(doc_term_matrix(corpus, 1 + max(ids.values()))))
    return [[(ids[word], 1) for word in words if word in ids] for words in documents or []]


def _without_unseen(topics: list[Words], seen: Container[str]) -> list[Words]:
    """The topics without words that there is nothing to know about."""
    left = [[word for word in topic if word in seen] for topic in topics]
    missing = sum(map(len, topics)) - sum(map(len, left))
    if missing:
        logger.warning(
            "%d words of the topics are in no text (or have no vector) and are left out", missing
        )
    return left


def _measure(topics: list[Words], ids: dict[str, int], options: dict[str, Any]) -> Dense:
    """The value that gensim gives each topic; NaN for a topic with fewer than two words."""
    per_topic = np.full(len(topics), np.nan)
    several = [index for index, topic in enumerate(topics) if len(topic) > 1]
    if several:
        # A model's words may stand in a plain dict, which CoherenceModel cannot read.
        dictionary = Dictionary()
        dictionary.token2id = ids
        calculation = CoherenceModel(
            topics=[topics[index] for index in several], dictionary=dictionary, **options
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            per_topic[several] = calculation.get_coherence_per_topic()
    per_topic[~np.isfinite(per_topic)] = np.nan
    return per_topic
