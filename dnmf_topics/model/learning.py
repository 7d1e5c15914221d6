"""Learning: from documents and what was learnt before to what is known then."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import FloatArray
from ..common.documents import term_lists_of
from ..core import Mbn, Tfidf, TopicFit, fit_topics
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
    doc_term = Tfidf.fit(counts).transform(counts) if weighting == "tfidf" else counts
    fit = _fit(doc_term, settings, deep_model, seed)
    missing = ((0, 0), (0, settings.num_topics - fit.num_topics))
    statistics = DnmfState.of_documents(
        doc_term, counts, np.pad(fit.doc_topic, missing), np.pad(fit.membership, missing)
    )
    learnt = replace(before, weighting=weighting, views=_views(fit))
    learnt = learnt.with_state(before.state + statistics).with_learnt_priors()
    documents = TrainingDocuments(
        cluster_labels=fit.cluster_labels,
        doc_topics=normalize_rows(doc_topic_weights(term_lists_of(counts), learnt)),
        doc_cosines=own_cosines(doc_term, fit.cluster_labels, learnt),
        doc_embedding=_embedding(fit, doc_term, settings.num_topics),
    )
    return replace(learnt, documents=documents, num_updates=before.num_updates + counts.shape[0])


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
