"""Learning: from documents and what was learnt before to what is known then."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import Dense, FloatArray, Labels
from ..common.blocks import Blocks, DerivedBlocks
from ..common.checks import check_int
from ..common.documents import term_lists_of
from ..common.engines import Outcome, join
from ..core import (
    Columns,
    Mbn,
    Mixing,
    OneHot,
    Seeds,
    Tfidf,
    TopicFit,
    UnitDocuments,
    Vectors,
    WordModel,
    choose_mixing,
    count_documents,
    find_new_clusters,
    find_unit_documents,
    fit_blocks,
    largest_first,
    learn_parts,
    refine_clusters,
    relative_kappa,
    sum_vectors,
    topic_proportions,
    weigh_blocks,
    word_model,
)
from .embeddings import no_vectors
from .inference import (
    doc_topic_weights,
    expect,
    is_known,
    own_cosines,
    topic_confidence,
    weigh_terms,
)
from .learnt import MOST_SHARES, Learnt, TrainingDocuments
from .normalization import normalize_rows
from .reporting import reporting
from .settings import Settings
from .state import Division, DnmfState
from .workshop import Workshop

logger = logging.getLogger(__name__)

NO_WEIGHT = (
    "corpus must have a document with a weight, but all are empty, or tf-idf is 0 as every "
    "document has the same terms; weighting='none' (--weighting none at the command line) takes "
    "the counts as they are."
)


def learn_topics(
    counts: Blocks,
    settings: Settings,
    deep_model: Any,
    seed: int,
    before: Learnt,
    workshop: Workshop,
    vectors: Vectors | None = None,
) -> Learnt:
    """The topics of the first documents (N x V), in the place of those that were there.

    They may come with vectors (N x d), of one or more dimensions.
    """
    vectors = no_vectors(counts.shape[0]) if vectors is None else vectors
    before, documents, units = _weigh_first(counts, before, workshop, vectors)
    if deep_model is None:
        deep_model = settings.network
    elif not isinstance(deep_model, Mbn):
        check_int(settings.num_topics, "num_topics", 1, counts.shape[0])
    seeds = before.seeds
    if seeds is not None:
        _say_unseen(counts, before, workshop)
    fit = _fit(documents, units, settings, deep_model, seed, workshop, seeds)
    embedding = _embedding(fit, units, settings.num_topics)
    may_mix = _may_mix(fit, settings, before, vectors)
    before = _with_vectors(before, vectors, fit.cluster_labels, settings.num_topics, units)
    before = replace(before, views=_views(fit))
    fit = replace(fit, deep=None)  # whose codes are large
    before = replace(before, num_updates=before.num_updates + counts.shape[0])
    mixing = None
    if may_mix:
        mixing = _choose_mixing(counts, fit.cluster_labels, settings, seed, before, workshop)
    if mixing is None or mixing.num_rounds == 0:
        return _describe(fit, counts, embedding, before, workshop, vectors)
    before, start = replace(before, mixing_rounds=mixing.num_rounds), mixing.start
    if start is None:
        columns = Columns(counts, workshop.engine)
        start = columns.cluster_sums(fit.cluster_labels, settings.num_topics).T
    return _learn_parts(
        counts, documents, start, embedding, settings, seed, before, workshop, in_order=True
    )


def _weigh_first(
    counts: Blocks, before: Learnt, workshop: Workshop, vectors: Vectors
) -> tuple[Learnt, Blocks, UnitDocuments]:
    """How the first documents are weighed, all of them weighed, and those with a weight."""
    is_chosen = before.weighting == "auto"
    before = replace(before, weighting=find_weighting(counts, before.weighting, workshop))
    if is_chosen:
        values = "whole numbers" if before.weighs else "weights"
        logger.info("the corpus holds %s: weighting=%r", values, before.weighting)
    documents = weigh_all(counts, before, workshop)
    units = _find_units(documents, counts, vectors, workshop)
    if is_chosen and before.weighs and units.mean_mass == 0:
        logger.warning("tf-idf weighs nothing, as documents have the same terms: weighting='none'")
        before = replace(before, weighting="none")
        return before, counts, _find_units(counts, counts, vectors, workshop)
    return before, documents, units


def _say_unseen(counts: Blocks, learnt: Learnt, workshop: Workshop) -> None:
    """Say which topics have seeds of which documents (N x V) have nothing."""
    has_docs = count_documents(counts, workshop.engine) > 0
    for topic, terms in enumerate(learnt.seed_terms):
        if terms and not has_docs[list(terms)].any():
            logger.warning(
                "no document has a seed word of topic %s, which is found without",
                learnt.names[topic] or topic,
            )  # fmt: skip


def _find_units(
    documents: Blocks, counts: Blocks, vectors: Vectors, workshop: Workshop
) -> UnitDocuments:
    """Weighed documents at unit length, with their vectors if they have any."""
    return find_unit_documents(
        documents, workshop.engine, workshop.folder_for(counts), vectors if vectors.size else None
    )


def _with_vectors(
    learnt: Learnt, vectors: Vectors, labels: Labels, num_topics: int, units: UnitDocuments
) -> Learnt:
    """What is known then of the vectors of topics: those of these documents alone."""
    if not vectors.size:
        return replace(learnt, vector_sums=np.zeros((0, 0)), kappa=np.zeros(0))
    sums = sum_vectors(vectors, labels, num_topics)
    kappa = np.array([relative_kappa(units.mean_mass)])
    return replace(learnt, vector_sums=sums, kappa=kappa)


def refine_topics(
    counts: Blocks, settings: Settings, before: Learnt, workshop: Workshop, vectors: Vectors
) -> Learnt:
    """What is known when all documents (N x V) have looked again for the topic that suits them."""
    documents = weigh_all(counts, before, workshop)
    if before.is_mixed:
        return _learn_parts(
            counts, documents, before.state.word_counts, before.documents.doc_embedding, settings,
            0, before, workshop,
        )  # fmt: skip
    view = next((row["view"] for row in before.views if row["taken"]), "unequal")
    old = before.documents
    units = _find_units(documents, counts, vectors, workshop)
    with reporting(settings.show_progress) as progress:
        labels = refine_clusters(
            units, old.cluster_labels, view, workshop.engine, progress, before.seeds
        )
    fit = _fit(documents, units, settings, labels, 0, workshop)
    before = _with_vectors(before, vectors, labels, settings.num_topics, units)
    return _describe(fit, counts, old.doc_embedding, before, workshop, vectors)


def _may_mix(fit: TopicFit, settings: Settings, before: Learnt, vectors: Vectors) -> bool:
    """Whether documents may turn out to mix topics: of counts, not grouped by the user.

    A vector is that of a whole document, whose parts are not known.
    """
    if vectors.size:
        return False
    if not (before.weighs and settings.num_topics > 1 and isinstance(fit.factors.F, OneHot)):
        return False
    if settings.mixing_rounds == "auto":
        return fit.deep is not None
    return settings.mixing_rounds != 0


def _choose_mixing(
    counts: Blocks,
    labels: Labels,
    settings: Settings,
    seed: int,
    before: Learnt,
    workshop: Workshop,
) -> Mixing:
    """How documents mix topics, if they do."""
    given = None if settings.mixing_rounds == "auto" else int(settings.mixing_rounds)
    mixing = choose_mixing(
        counts, labels, settings.num_topics, before.eta, np.random.SeedSequence(seed),
        workshop.engine, given, before.seeds,
    )  # fmt: skip
    logger.info(
        "do documents mix topics? %s (words of left-out documents are predicted better by several "
        "topics than by one: %+.0f %%; by topics of parts of documents than of whole ones: "
        "%+.0f %%; both must be better)",
        f"yes, {mixing.num_rounds} rounds" if mixing.num_rounds
        else "no, a document is about one topic",
        100 * mixing.by_shares, 100 * mixing.by_rounds,
    )  # fmt: skip
    return mixing


def _learn_parts(
    counts: Blocks,
    documents: Blocks,
    word_counts: Dense,
    embedding: FloatArray,
    settings: Settings,
    seed: int,
    before: Learnt,
    workshop: Workshop,
    in_order: bool = False,
) -> Learnt:
    """Topics of documents (N x V) that mix them, from words in topics (K x V) to start with.

    They keep their numbers, unless they are to be `in_order` of their sizes; those with seeds
    always do.
    """
    engine, num_topics, seeds = workshop.engine, settings.num_topics, before.seeds
    with reporting(settings.show_progress) as progress:
        parts = learn_parts(
            counts, word_counts, before.mixing_rounds, before.eta, np.random.SeedSequence(seed),
            engine, progress, seeds,
        )  # fmt: skip
    words = word_model(parts + before.eta)
    labels, state = engine.over(counts, _divide_documents, words, num_topics)
    if in_order:
        order = largest_first(_sizes(labels, num_topics), seeds)
        words = words._replace(ratios=np.ascontiguousarray(words.ratios[:, order]))
        labels, state = engine.over(counts, _divide_documents, words, num_topics)
    if settings.variant != "bdnmf":
        state = _weigh_parts(counts, documents, words, settings, workshop)
    sizes = _sizes(labels, num_topics)
    labels = np.where(labels < 0, sizes.argmax(), labels)
    state.cluster_mass = Columns(documents, engine).cluster_sums(labels, num_topics).T
    state.topic_sizes = sizes.astype(np.float64)
    return _describe_under(state, labels, counts, embedding, before, workshop)


def _sizes(labels: Labels, num_topics: int) -> Labels:
    return np.bincount(labels[labels >= 0], minlength=num_topics)


def _divide_documents(counts: sparse.csr_array, words: WordModel, num_topics: int) -> Outcome:
    """The main topics of documents, -1 for one without words, and statistics of their parts."""
    shares = _shares_under(counts, words, num_topics)
    nobody = np.zeros_like(shares)
    state = DnmfState.of_documents(None, counts, shares, nobody, Division(shares, words))
    return Outcome(np.where(is_known(counts, None), shares.argmax(axis=1), -1), state)


def _weigh_parts(
    counts: Blocks, documents: Blocks, words: WordModel, settings: Settings, workshop: Workshop
) -> DnmfState:
    """The same with documents as a variant of the factorization weighs them; all in memory."""
    num_topics = settings.num_topics
    shares = workshop.engine.over(counts, _keep_shares, words, num_topics).kept
    with reporting(settings.show_progress) as progress:
        fit = fit_blocks(
            documents, None, num_topics, workshop.engine, deep_model=shares,
            variant=settings.variant, progress=progress, **settings.variant_options,
        )  # fmt: skip
    rows = shares, np.asarray(fit.doc_topic)
    return workshop.engine.over(counts, _sum_parts, words, split=rows).summand  # type: ignore[no-any-return]


def _keep_shares(counts: sparse.csr_array, words: WordModel, num_topics: int) -> Outcome:
    return Outcome(_shares_under(counts, words, num_topics))


def _sum_parts(
    counts: sparse.csr_array, shares: Dense, weights: Dense, words: WordModel
) -> Outcome:
    nobody = np.zeros_like(shares)
    return Outcome(
        None, DnmfState.of_documents(None, counts, weights, nobody, Division(shares, words))
    )


def _shares_under(counts: sparse.csr_array, words: WordModel, num_topics: int) -> Dense:
    """Shares of topics in documents (n x K)."""
    shares, _ = topic_proportions(
        counts.indptr, counts.indices, counts.data, words, np.ones(num_topics),
        np.ones(counts.shape[1]),
    )  # fmt: skip
    return shares


def find_weighting(counts: Blocks, weighting: str, workshop: Workshop) -> str:
    """What "auto" means for these documents; any other weighting is itself."""
    if weighting != "auto":
        return weighting
    return "tfidf" if all(workshop.engine.over(counts, _has_whole_numbers).kept) else "none"


def _has_whole_numbers(counts: sparse.csr_array) -> Outcome:
    return Outcome(bool((counts.data == np.floor(counts.data)).all()))


def weigh_all(counts: Blocks, learnt: Learnt, workshop: Workshop) -> Blocks:
    """Documents weighed by what they, and others that they are a part of, say of the terms."""
    if not learnt.weighs:
        return counts
    return weigh_blocks(counts, workshop.engine, learnt.other_docs, learnt.other_frequency)


def _describe(
    fit: TopicFit,
    counts: Blocks,
    embedding: FloatArray,
    before: Learnt,
    workshop: Workshop,
    vectors: Vectors,
) -> Learnt:
    """The topics that a fit of all documents found, and the documents under them."""
    statistics = _statistics(fit, counts, before.alpha.size, workshop, vectors)
    return _describe_under(
        statistics, fit.cluster_labels, counts, embedding, before, workshop, vectors
    )


def _describe_under(
    statistics: DnmfState,
    labels: Labels,
    counts: Blocks,
    embedding: FloatArray,
    before: Learnt,
    workshop: Workshop,
    vectors: Vectors | None = None,
) -> Learnt:
    """The topics of such statistics, and the documents under them."""
    vectors = no_vectors(labels.size) if vectors is None else vectors
    # A sum, whose arrays lie in memory as those after an update: the order of sums depends on it.
    state = DnmfState(before.alpha.size, counts.shape[1]) + statistics
    learnt = before.with_state(state).with_learnt_priors()
    keep_all = labels.size <= MOST_SHARES
    described = workshop.engine.over(
        counts, _describe_documents, learnt.for_reading(), keep_all, split=(labels, vectors)
    )
    shares, confidence, cosines = described.kept
    documents = TrainingDocuments(
        cluster_labels=labels, doc_topics=shares, doc_confidence=confidence, doc_cosines=cosines,
        doc_embedding=embedding,
    )  # fmt: skip
    return replace(learnt, documents=documents)


def _statistics(
    fit: TopicFit, counts: Blocks, num_topics: int, workshop: Workshop, vectors: Vectors
) -> DnmfState:
    """The state of all documents; topics that the fit did not have stay empty."""
    factors, engine = fit.factors, workshop.engine
    if isinstance(factors.F, OneHot) and isinstance(factors.W, OneHot):
        state = _statistics_of_labels(fit.cluster_labels, counts, num_topics, workshop, vectors)
    else:
        missing = ((0, 0), (0, num_topics - fit.num_topics))
        rows = np.pad(fit.doc_topic, missing), np.pad(fit.membership, missing), vectors
        state = engine.over(counts, _sum_statistics, split=rows).summand
    mass = np.zeros((counts.shape[1], num_topics))
    mass[:, : fit.num_topics] = factors.DFt
    state.cluster_mass = mass.T
    return state


def _statistics_of_labels(
    labels: Labels, counts: Blocks, num_topics: int, workshop: Workshop, vectors: Vectors
) -> DnmfState:
    """The same, but for `cluster_mass`, where each document counts for one topic.

    A pass for each array: sums of all of them at once would take several times the memory.
    """
    engine = workshop.engine
    state = DnmfState(num_topics, counts.shape[1])
    present = Columns(DerivedBlocks(counts, _presence), engine)
    has_words = engine.over(counts, _has_words).kept
    state.sstats = present.cluster_sums(labels, num_topics).T
    known = has_words | vectors.any(axis=1)
    state.topic_weights += np.bincount(labels[has_words], minlength=num_topics)
    state.word_counts = Columns(counts, engine).cluster_sums(labels, num_topics).T
    state.topic_sizes += np.bincount(labels[known], minlength=num_topics)
    state.doc_frequency = state.sstats.sum(axis=0)
    state.numdocs = counts.shape[0]
    return state


def _presence(counts: sparse.csr_array) -> sparse.csr_array:
    """1 where a document has a word."""
    return counts.astype(bool).astype(np.float64)


def _has_words(counts: sparse.csr_array) -> Outcome:
    return Outcome(np.diff(counts.indptr) > 0)


def _sum_statistics(
    counts: sparse.csr_array, weights: Dense, membership: Dense, vectors: Vectors
) -> Outcome:
    membership = membership * is_known(counts, vectors)[:, None]
    return Outcome(None, DnmfState.of_documents(None, counts, weights, membership))


def _describe_documents(
    counts: sparse.csr_array, labels: Labels, vectors: Vectors, learnt: Learnt, keep_all: bool
) -> Outcome:
    """Shares of all topics in documents, or of their own, how sure it is, and how typical."""
    documents = term_lists_of(counts)
    gamma = doc_topic_weights(documents, learnt)
    cosines = own_cosines(weigh_terms(counts, learnt), labels, learnt)
    confidence = topic_confidence(documents, learnt, labels, vectors)
    return Outcome((_kept_shares(gamma, labels, keep_all), confidence, cosines))


def add_topics(
    counts: Blocks,
    settings: Settings,
    num_new: int,
    seed: int,
    before: Learnt,
    workshop: Workshop,
    vectors: Vectors,
) -> Learnt:
    """New documents (n x V), and so many topics more for what those there are do not explain."""
    wide = before.widened(num_new)
    labels, found = _found_statistics(counts, settings, num_new, seed, before, workshop, vectors)
    guide = wide.with_state(wide.state + found)
    if vectors.size:
        sums = np.array(guide.vector_sums)
        sums[-num_new:] = sum_vectors(vectors, labels, len(sums))[-num_new:]
        guide = replace(guide, vector_sums=sums)
    learnt = add_documents(counts, settings, wide, workshop, vectors, guide)
    added = learnt.documents.cluster_labels[-counts.shape[0] :] >= before.alpha.size
    logger.info("%i of %i new documents have a new topic", added.sum(), counts.shape[0])
    return learnt


def _found_statistics(
    counts: Blocks,
    settings: Settings,
    num_new: int,
    seed: int,
    before: Learnt,
    workshop: Workshop,
    vectors: Vectors,
) -> tuple[Labels, DnmfState]:
    """Clusters of new documents, and the state in which the new topics alone have theirs.

    What the old topics are is known already, and not from clusters of a few documents.
    """
    engine, num_old = workshop.engine, before.alpha.size
    documents = counts
    if before.weighs:
        idf = before.idf_with(counts.shape[0], count_documents(counts, engine))
        documents = DerivedBlocks(counts, Tfidf(idf).transform)
    units = find_unit_documents(documents, engine, workshop.folder_for(counts))
    if units.numbers.size == 0:
        raise ValueError(
            "corpus must have a document with a weight to find new topics in, but all are empty, "
            "or of words that all documents have; leave new_topics out."
        )
    with reporting(settings.show_progress) as progress:
        labels = find_new_clusters(
            documents, units, before.state.cluster_mass.T, num_new, settings.network, seed,
            engine, progress,
        )  # fmt: skip
    num_topics = num_old + num_new
    state = _statistics_of_labels(labels, counts, num_topics, workshop, vectors)
    state.cluster_mass = Columns(documents, engine).cluster_sums(labels, num_topics).T
    state.forget_topics(num_old)
    return labels, state


def add_documents(
    counts: Blocks,
    settings: Settings,
    before: Learnt,
    workshop: Workshop,
    vectors: Vectors,
    guide: Learnt | None = None,
) -> Learnt:
    """New documents (n x V), with the topics as they are; then the topics' words anew.

    Their vectors, if they have any (n x d), tell their topics too, and are added to those there.
    `guide` says what the topics are that the documents are assigned to, by default those before.
    """
    engine, old = workshop.engine, before.documents
    guide = before if guide is None else guide
    keep_all = old.cluster_labels.size + counts.shape[0] <= MOST_SHARES
    # Weighed by all documents, the new ones too: or words they bring would weigh nothing.
    idf = before.idf_with(counts.shape[0], count_documents(counts, engine))
    (labels, confidence, shares), statistics = engine.over(
        counts, _fold_in, guide.for_reading(), settings.variant, idf, settings.chunksize, keep_all,
        split=(vectors,),
    )  # fmt: skip
    learnt = before.with_state(before.state + statistics).with_learnt_priors()
    if vectors.size:
        added = sum_vectors(vectors, labels, len(before.vector_sums))
        learnt = replace(learnt, vector_sums=before.vector_sums + added)
    cosines = engine.over(counts, _find_cosines, learnt.for_reading(), split=(labels,)).kept
    documents = TrainingDocuments(
        cluster_labels=np.concatenate([old.cluster_labels, labels]),
        doc_topics=np.concatenate([old.doc_topics if keep_all else old.own_shares, shares]),
        doc_confidence=np.concatenate([old.doc_confidence, confidence]),
        doc_cosines=np.concatenate([old.doc_cosines, cosines]),
        doc_embedding=old.doc_embedding[:0],
    )
    return replace(learnt, documents=documents, num_updates=before.num_updates + counts.shape[0])


def _fold_in(
    counts: sparse.csr_array,
    vectors: Vectors,
    learnt: Learnt,
    variant: str,
    idf: Dense,
    chunksize: int,
    keep_all: bool,
) -> Outcome:
    """Topics of documents, how sure these are, and shares; and the statistics that they add."""
    statistics = DnmfState(learnt.alpha.size, counts.shape[1])
    kept = []
    for start in range(0, counts.shape[0], chunksize):
        rows = slice(start, start + chunksize)
        gamma, found, added = expect(counts[rows], learnt, variant, idf, vectors[rows])
        statistics.merge(added)
        kept.append((*found, _kept_shares(gamma, found.labels, keep_all)))
    return Outcome(join(kept), statistics)


def _find_cosines(counts: sparse.csr_array, labels: Labels, learnt: Learnt) -> Outcome:
    return Outcome(own_cosines(weigh_terms(counts, learnt), labels, learnt))


def _kept_shares(gamma: Dense, labels: Labels, keep_all: bool) -> Dense:
    """Shares of all topics in documents (n x K), or of their own alone (n x 1)."""
    shares = normalize_rows(gamma)
    return shares if keep_all else shares[np.arange(labels.size), labels][:, None]


def _fit(
    documents: Blocks,
    units: UnitDocuments,
    settings: Settings,
    deep_model: Any,
    seed: int,
    workshop: Workshop,
    seeds: Seeds | None = None,
) -> TopicFit:
    num_seen = units.seen.size
    if units.mean_mass == 0:
        raise ValueError(NO_WEIGHT)
    if num_seen == 0:
        raise ValueError("embeddings must have a row that is not all zeros, got none.")
    num_topics = settings.num_topics
    is_network = isinstance(deep_model, Mbn)
    if is_network and num_seen < num_topics:
        logger.warning(
            "num_topics=%i, but only %i documents have a %s: the other topics stay empty",
            num_topics, num_seen, "weight" if units.vectors is None else "vector",
        )  # fmt: skip
        num_topics = num_seen
    with reporting(settings.show_progress) as progress:
        return fit_blocks(
            documents, units if is_network else None, num_topics, workshop.engine,
            deep_model=deep_model, variant=settings.variant, random_state=seed, progress=progress,
            seeds=seeds, **settings.variant_options,
        )  # fmt: skip


def _views(fit: TopicFit) -> tuple[dict[str, Any], ...]:
    """The groupings that were compared, as rows of `get_view_info`."""
    if fit.deep is None:
        return ()
    return tuple(
        {**vars(score), "total": score.total, "taken": number == fit.deep.view_index}
        for number, score in enumerate(fit.deep.scores)
    )


def _embedding(fit: TopicFit, units: UnitDocuments, num_topics: int) -> FloatArray:
    """The documents as the network sees them (N x K), zeros for those that it cannot see.

    Without rows where the network saw only some of the documents, or there was none.
    """
    if fit.deep is None or fit.deep.documents.size < units.seen.size:
        return np.zeros((0, num_topics), np.float32)
    embedding = np.zeros((fit.cluster_labels.size, num_topics), np.float32)
    embedding[fit.deep.documents, : fit.deep.embedding.shape[1]] = fit.deep.embedding
    return embedding
