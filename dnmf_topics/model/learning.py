"""Learning: from documents and what was learnt before to what is known then."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import FloatArray
from ..common.documents import term_lists_of
from ..core import Mbn, Tfidf, TopicFit, fit_topics, refine_clusters
from .inference import assign_topics, doc_topic_weights, expect, own_cosines, weigh_terms
from .learnt import Learnt, TrainingDocuments
from .normalization import normalize_rows
from .reporting import reporting
from .settings import Settings
from .state import DnmfState

logger = logging.getLogger(__name__)


def learn_topics(
    counts: sparse.csr_array, settings: Settings, deep_model: Any, seed: int, before: Learnt
) -> Learnt:
    """The topics of the first documents (N x V), in the place of those that were there."""
    weighting = before.weighting
    if weighting == "auto":
        counted = bool((counts.data == np.floor(counts.data)).all())
        weighting = "tfidf" if counted else "none"
        values = "whole numbers" if counted else "weights"
        logger.info("the corpus holds %s: weighting=%r", values, weighting)
    before = replace(before, weighting=weighting)
    doc_term = _weigh_all(counts, before)
    fit = _fit(doc_term, settings, deep_model, seed)
    embedding = _embedding(fit, doc_term, settings.num_topics)
    learnt = _describe(fit, counts, doc_term, embedding, replace(before, views=_views(fit)))
    return replace(learnt, num_updates=before.num_updates + counts.shape[0])


def refine_topics(counts: sparse.csr_array, settings: Settings, before: Learnt) -> Learnt:
    """What is known when all documents (N x V) have looked again for the topic that suits them."""
    doc_term = _weigh_all(counts, before)
    view = next((row["view"] for row in before.views if row["taken"]), "unequal")
    old = before.documents
    labels = refine_clusters(doc_term, old.cluster_labels, view, settings.n_jobs)
    fit = _fit(doc_term, settings, labels, 0)
    return _describe(fit, counts, doc_term, old.doc_embedding, before)


def _weigh_all(counts: sparse.csr_array, learnt: Learnt) -> sparse.csr_array:
    """Documents weighed by what they say of the terms themselves."""
    return Tfidf.fit(counts).transform(counts) if learnt.weighs else counts


def _describe(
    fit: TopicFit,
    counts: sparse.csr_array,
    doc_term: sparse.csr_array,
    embedding: FloatArray,
    before: Learnt,
) -> Learnt:
    """The topics that a fit of all documents found, and the documents under them."""
    num_topics = before.alpha.size
    missing = ((0, 0), (0, num_topics - fit.num_topics))
    statistics = DnmfState.of_documents(
        doc_term, counts, np.pad(fit.doc_topic, missing), np.pad(fit.membership, missing)
    )
    # A sum, whose arrays lie in memory as those after an update: the order of sums depends on it.
    state = DnmfState(num_topics, counts.shape[1]) + statistics
    learnt = before.with_state(state).with_learnt_priors()
    documents = TrainingDocuments(
        cluster_labels=fit.cluster_labels,
        doc_topics=normalize_rows(doc_topic_weights(term_lists_of(counts), learnt)),
        doc_cosines=own_cosines(doc_term, fit.cluster_labels, learnt),
        doc_embedding=embedding,
    )
    return replace(learnt, documents=documents)


def add_documents(counts: sparse.csr_array, settings: Settings, before: Learnt) -> Learnt:
    """New documents (n x V), with the topics as they are; then the topics' words anew."""
    statistics = DnmfState(settings.num_topics, counts.shape[1])
    old = before.documents
    labels, shares = [old.cluster_labels], [old.doc_topics]
    # Weighed by all documents, the new ones too: or words they bring would weigh nothing.
    idf = before.state.idf(counts)
    for start in range(0, counts.shape[0], settings.chunksize):
        chunk = counts[start : start + settings.chunksize]
        gamma, chunk_statistics = expect(chunk, before, settings.variant, idf)
        statistics.merge(chunk_statistics)
        labels.append(assign_topics(gamma, before))
        shares.append(normalize_rows(gamma))
    learnt = before.with_state(before.state + statistics).with_learnt_priors()
    cosines = own_cosines(weigh_terms(counts, learnt), np.concatenate(labels[1:]), learnt)
    documents = TrainingDocuments(
        cluster_labels=np.concatenate(labels),
        doc_topics=np.concatenate(shares),
        doc_cosines=np.concatenate([old.doc_cosines, cosines]),
        doc_embedding=old.doc_embedding[:0],
    )
    return replace(learnt, documents=documents, num_updates=before.num_updates + counts.shape[0])


def _fit(doc_term: sparse.csr_array, settings: Settings, deep_model: Any, seed: int) -> TopicFit:
    num_weighted = int((np.diff(doc_term.indptr) > 0).sum())
    if num_weighted == 0:
        raise ValueError(
            "corpus must have a document with a weight, but all are empty, or tf-idf is 0 as "
            "every document has the same terms; weighting='none' (--weighting none at the command "
            "line) takes the counts as they are."
        )
    num_topics = settings.num_topics
    deep_model = settings.network if deep_model is None else deep_model
    if isinstance(deep_model, Mbn) and num_weighted < num_topics:
        logger.warning(
            "num_topics=%i, but only %i documents have a weight: the other topics stay empty",
            num_topics, num_weighted,
        )  # fmt: skip
        num_topics = num_weighted
    with reporting(settings.show_progress) as progress:
        return fit_topics(
            doc_term, num_topics,
            deep_model=deep_model, variant=settings.variant, random_state=seed,
            n_jobs=settings.n_jobs, progress=progress, **settings.variant_options,
        )  # fmt: skip


def _views(fit: TopicFit) -> tuple[dict[str, Any], ...]:
    """The groupings that were compared, as rows of `get_view_info`."""
    if fit.deep is None:
        return ()
    return tuple(
        {**vars(score), "total": score.total, "taken": number == fit.deep.view_index}
        for number, score in enumerate(fit.deep.scores)
    )


def _embedding(fit: TopicFit, doc_term: sparse.csr_array, num_topics: int) -> FloatArray:
    """The documents as the network sees them (N x K), zeros for those without a weight.

    Without rows where the network saw only some of the documents, or there was none.
    """
    num_weighted = int((np.diff(doc_term.indptr) > 0).sum())
    if fit.deep is None or fit.deep.documents.size < num_weighted:
        return np.zeros((0, num_topics), np.float32)
    embedding = np.zeros((fit.cluster_labels.size, num_topics), np.float32)
    embedding[fit.deep.documents, : fit.deep.embedding.shape[1]] = fit.deep.embedding
    return embedding
