"""pyLDAvis for every model that speaks gensim's protocol, as one page that needs no network."""

from __future__ import annotations

import os
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import Dense
from ..common.checks import check_int, check_real, shortened
from ..common.documents import AnyCorpus, MatrixCorpus
from ..common.protocols import TopicModel, topic_term_of, words_by_id
from ..common.writing import check_place, write_text
from .doc_term import WordsById, doc_term_matrix
from .topic_map import MAPS, topic_map
from .vis_page import vis_page

with warnings.catch_warnings():  # its import switches on every DeprecationWarning of everybody
    import pyLDAvis
    from pyLDAvis import urls

SMOOTHING = 1e-12
"""Added to every weight, because pyLDAvis takes logarithms of them."""


def prepare(
    model: TopicModel,
    corpus: AnyCorpus,
    dictionary: WordsById | None = None,
    *,
    mds: str = "pcoa",
    topn: int = 30,
    lambda_step: float = 0.01,
) -> pyLDAvis.PreparedData:
    """What pyLDAvis draws: the sizes, the words and the distances of the topics in a corpus.

    Topics keep the numbers that they have in the model, from 0. As always in pyLDAvis, the
    frequency of a word is what topics and their sizes make of it, not its count in the corpus.

    Parameters
    ----------
    model : topic model
        A model with `get_topics()` and, for the topics of documents, with `inference`,
        `get_document_topics` or `model[document]`. A topic without words has all of them alike,
        and so has a document without topics.
    corpus : gensim corpus, or matrix of shape (V, N)
        Documents as lists of (id, weight), or a matrix of terms x documents. Empty documents, and
        ids that have no word, are left out. Where weights are not whole numbers, the average weight
        counts as one occurrence of a word.
    dictionary : gensim.corpora.Dictionary or dict of int to str, optional
        The words of the ids, by default the model's `id2word`.
    mds : {"pcoa", "mmds", "tsne"}, default="pcoa"
        How the distances of the topics become a map.
    topn : int, default=30
        How many words are shown, at most 30.
    lambda_step : float, default=0.01
        The step of the slider between frequent and distinctive words.

    Returns
    -------
    pyLDAvis.PreparedData
        For `save_html`, or for pyLDAvis itself.

    Examples
    --------
    >>> from gensim.models import LdaModel
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> lda = LdaModel(common_corpus, 3, common_dictionary, random_state=0)
    >>> prepare(lda, common_corpus).topic_coordinates["topics"].tolist()
    [0, 1, 2]
    """
    _check_options(mds, topn, lambda_step)
    weights = topic_term_of(model)
    words = words_by_id(model, dictionary, weights.shape[1])
    topic_term = _distributions(weights[:, list(words)], "model.get_topics()")
    doc_term = _with_words(doc_term_matrix(corpus, weights.shape[1]), words)
    doc_topic = _doc_topic(model, MatrixCorpus(doc_term), len(weights))
    counts = _counts(doc_term)
    return pyLDAvis.prepare(
        topic_term_dists=topic_term,
        doc_topic_dists=_distributions(doc_topic, "the model's topics of documents"),
        doc_lengths=counts.sum(axis=1),
        vocab=list(words.values()),
        term_frequency=counts.sum(axis=0)[list(words)],
        R=int(topn),
        lambda_step=float(lambda_step),
        mds=partial(_points, method=mds),
        n_jobs=1,  # starting processes takes longer than the work
        sort_topics=False,
        start_index=0,
    )


def html_of(prepared: pyLDAvis.PreparedData) -> str:
    """The whole page that `save_html` writes.

    Parameters
    ----------
    prepared : pyLDAvis.PreparedData
        What `prepare` gave.

    Returns
    -------
    str
        HTML that needs no network.

    Examples
    --------
    >>> from gensim.models import Nmf
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> nmf = Nmf(common_corpus, 2, common_dictionary, random_state=0)
    >>> html = html_of(prepare(nmf, common_corpus))
    >>> "<script src=" in html  # all that it needs stands in the page
    False
    """
    scripts = (urls.LDAVIS_CSS_LOCAL, urls.D3_LOCAL, urls.LDAVIS_LOCAL)
    return vis_page(_page_data(prepared), *(Path(file).read_text("utf-8") for file in scripts))


def save_html(prepared: pyLDAvis.PreparedData, path: str | os.PathLike[str]) -> None:
    """Write one page that shows `prepared` in any browser, without a network.

    A file that is there already is replaced when the new one is complete.

    Parameters
    ----------
    prepared : pyLDAvis.PreparedData
        What `prepare` gave.
    path : path
        The HTML file.

    Examples
    --------
    >>> import tempfile
    >>> from gensim.models import Nmf
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> nmf = Nmf(common_corpus, 2, common_dictionary, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_html(prepare(nmf, common_corpus), f"{folder}/topics.html")
    """
    check_place(Path(path))
    write_text(Path(path), html_of(prepared))


def _check_options(mds: str, topn: int, lambda_step: float) -> None:
    if mds not in MAPS:
        raise ValueError(f"mds must be one of {', '.join(MAPS)}, got {shortened(mds)}.")
    check_int(topn, "topn", 1, 30)
    if not 0 < check_real(lambda_step, "lambda_step", 0) <= 1:
        raise ValueError(f"lambda_step must be above 0 and up to 1, got {lambda_step}.")


def _with_words(doc_term: sparse.csr_array, words: dict[int, str]) -> sparse.csr_array:
    """The documents that have words, with nothing but these."""
    has_word = np.zeros(doc_term.shape[1])
    has_word[list(words)] = 1
    doc_term = sparse.csr_array(doc_term.multiply(has_word))
    doc_term.eliminate_zeros()
    doc_term = doc_term[np.diff(doc_term.indptr) > 0]
    if not doc_term.shape[0]:
        raise ValueError("corpus must have at least one word of the model, got none.")
    return doc_term


def _counts(doc_term: sparse.csr_array) -> sparse.csr_array:
    """Weights in units of a word: pyLDAvis rounds frequencies, of tf-idf weights to nothing."""
    whole = (doc_term.data % 1 == 0).all()
    return doc_term if whole else doc_term / doc_term.data.mean()


def _doc_topic(model: TopicModel, documents: MatrixCorpus, num_topics: int) -> Dense:
    """The model's weights (N x K) of topics in documents."""
    if hasattr(model, "inference"):
        inferred = model.inference(documents)
        # gensim's HdpModel gives the weights alone
        weights = np.array(inferred[0] if isinstance(inferred, tuple) else inferred, np.float64)
        if weights.shape != (len(documents), num_topics):
            raise ValueError(
                f"model.inference must give a row for each of {len(documents)} documents and a "
                f"column for each of {num_topics} topics, got shape {weights.shape}."
            )
        return weights
    if hasattr(model, "get_document_topics"):
        document_topics = partial(model.get_document_topics, minimum_probability=0)
    elif hasattr(model, "__getitem__"):
        document_topics = model.__getitem__
    else:
        raise TypeError(
            "model must have inference, get_document_topics or model[document] for the topics of "
            f"documents, got {type(model).__name__}."
        )
    weights = np.zeros((len(documents), num_topics))
    for row, document in zip(weights, documents, strict=True):
        for topic, weight in document_topics(document):
            row[topic] = weight
    return weights


def _distributions(weights: Dense, name: str) -> Dense:
    """Rows that sum to 1, without a zero."""
    if not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError(f"{name} must be finite and at least 0 for pyLDAvis.")
    totals = weights.sum(axis=1, keepdims=True)
    shares = weights / np.where(totals > 0, totals, 1) + SMOOTHING
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _points(topic_term: Any, method: str) -> Dense:
    """The map as pyLDAvis asks for it, with a data frame."""
    return topic_map(topic_term.to_numpy(), method)


def _page_data(prepared: pyLDAvis.PreparedData) -> dict[str, Any]:
    """The tables as LDAvis reads them, with topics from 1."""
    data: dict[str, Any] = prepared.to_dict()
    topics = data["mdsDat"]["topics"]
    first = min(topics)
    data["mdsDat"]["topics"] = [topic - first + 1 for topic in topics]
    tokens = data["token.table"]
    tokens["Topic"] = [topic - first + 1 for topic in tokens["Topic"]]
    names = {f"Topic{topic}": f"Topic{topic - first + 1}" for topic in topics}
    words = data["tinfo"]
    words["Category"] = [names.get(name, name) for name in words["Category"]]
    return data | {"first_topic": first}
