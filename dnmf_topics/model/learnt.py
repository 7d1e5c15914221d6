"""What a model has learnt, as values: an update makes new ones and leaves the old as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.arrays import Dense, FloatArray, Labels
from ..core import Seeds, WordModel, assignment_weights, word_model
from .array_fields import of_shape
from .normalization import add_rows, append_rows, normalize_rows
from .seed_words import SeedTerms, merged_seeds
from .state import DnmfState
from .user_names import merged_names

# Of more training documents than this, the shares of their own topics alone are kept.
MOST_SHARES = 65_536
NUM_ARRAYS = 6  # of topics x terms, in a state and in the topics that are made of it


@dataclass(frozen=True, eq=False)
class Topics:
    """What reading and inference need to know of the topics, made from a state.

    Attributes
    ----------
    expElogbeta : (K x V) array
        Weights of the words in the topics; rows sum to 1.
    term_weights : (V x K) array
        How much each term speaks for each topic.
    word_ratios : (V x K) array
        How many times as likely each word is in each topic as in all documents.
    corpus_words : (V) array
        How likely each word is in all documents.
    topic_scale : (K) array
        How heavy a topic is in its documents.
    synced_sizes : (K) array
        Number of documents of each topic when these were made; a `do_estep` since may have added
        others to the state.
    idf : (V) array
        Weights of the terms, learnt from the documents.
    """

    expElogbeta: Dense = field(metadata=of_shape("K", "V"))  # noqa: N815 - gensim's name
    term_weights: Dense = field(metadata=of_shape("V", "K", may_be_negative=True))
    word_ratios: Dense = field(metadata=of_shape("V", "K", may_be_zero=False))
    corpus_words: Dense = field(metadata=of_shape("V", may_be_zero=False))
    topic_scale: Dense = field(metadata=of_shape("K"))
    synced_sizes: Dense = field(metadata=of_shape("K"))
    idf: Dense = field(metadata=of_shape("V", may_be_negative=True))

    @classmethod
    def of_state(
        cls, state: DnmfState, eta: Dense, idf: Dense, logarithms: Dense | None = None
    ) -> Topics:
        """The topics of a state; `logarithms` of the word weights are taken if they are given.

        `eta`, the prior of the words, is added to their counts; `idf` are the terms' weights.
        """
        beta = normalize_rows(state.get_lambda()) if logarithms is None else np.exp(logarithms)
        # c_k such that D ~ c_k beta_k w has weights w of 1 in the mean over the topic's documents
        products = (state.cluster_mass * beta).sum(axis=1)
        squares = (beta**2).sum(axis=1)
        sizes = np.where(state.topic_sizes > 0, state.topic_sizes, 1)
        weights = assignment_weights(state.cluster_mass.T)
        words = word_model(state.word_counts + eta)
        return cls(
            expElogbeta=beta,
            term_weights=np.ascontiguousarray(weights, dtype=np.float64),
            word_ratios=words.ratios,
            corpus_words=words.corpus,
            topic_scale=products / (squares * sizes),
            synced_sizes=np.array(state.topic_sizes),
            idf=idf,
        )

    @property
    def words(self) -> WordModel:
        """How likely words are, in all documents and in topics."""
        return WordModel(self.corpus_words, self.word_ratios)

    @property
    def have_words(self) -> NDArray[np.bool_]:
        """Whether the documents of each topic (K) have words; where not, all weigh the same."""
        have: NDArray[np.bool_] = (self.topic_scale > 0) | (np.ptp(self.expElogbeta, axis=1) > 0)
        return have

    @property
    def on_document_scale(self) -> Dense:
        """The topics (K x V) as heavy as their documents; those without documents weigh nothing."""
        topics = self.expElogbeta * self.topic_scale[:, None]
        if self.synced_sizes.any():
            topics[self.synced_sizes == 0] = 0
        return topics


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """What a model remembers of the documents that it was trained on.

    Attributes
    ----------
    cluster_labels : (N) array of int
        Their topics.
    doc_topics : (N x K) or (N x 1) array
        Shares of the topics in them, as the model saw them when they came; of more than 65,536
        documents the shares of their own topics alone.
    doc_confidence : (N) array
        How sure their topics are; 0 for those of which nothing is known, neither words nor a
        vector. No topic counts these.
    doc_cosines : (N) array
        How typical of their topics they are.
    doc_embedding : (N x K) array
        How the network sees them; without rows if it saw not all of them, or after an update.
    """

    cluster_labels: Labels = field(metadata=of_shape("N", dtype=np.int64))
    doc_topics: Dense = field(metadata=of_shape("N", "K", other_shape=("N", "1")))
    doc_confidence: Dense = field(metadata=of_shape("N"))
    doc_cosines: Dense = field(metadata=of_shape("N"))
    doc_embedding: FloatArray = field(
        metadata=of_shape("N", "K", other_shape=("0", "K"), dtype=np.float32, may_be_negative=True)
    )

    @property
    def has_all_shares(self) -> bool:
        """Whether the shares of all topics were kept."""
        return bool(self.doc_topics.shape[1] == self.doc_embedding.shape[1])

    @property
    def are_known(self) -> NDArray[np.bool_]:
        """Whether anything is known of them (N), by which a topic can count them."""
        return self.doc_confidence > 0

    @property
    def own_shares(self) -> Dense:
        """Shares of the documents' own topics (N x 1)."""
        if not self.has_all_shares:
            return self.doc_topics
        return self.doc_topics[np.arange(len(self.doc_topics)), self.cluster_labels][:, None]

    def widened(self, num_new: int) -> TrainingDocuments:
        """The same documents, which have no share of so many more topics."""
        shares = self.doc_topics
        if self.has_all_shares:
            shares = np.pad(shares, ((0, 0), (0, num_new)))
        num_topics = self.doc_embedding.shape[1] + num_new
        return replace(self, doc_topics=shares, doc_embedding=np.zeros((0, num_topics), np.float32))

    def merged(self, numbers: NDArray[np.int64]) -> TrainingDocuments:
        """The same documents with topics that are merged; `numbers` (K) are those they get.

        The leading columns of the embedding are what it would be for fewer topics.
        """
        num_topics = int(numbers.max()) + 1
        shares, confidence = self.doc_topics, self.doc_confidence
        if num_topics == 1:
            shares, confidence = np.ones((len(shares), 1)), self.are_known.astype(np.float64)
        elif self.has_all_shares:
            shares = np.ascontiguousarray(add_rows(shares.T, numbers).T)
        return replace(
            self, cluster_labels=numbers[self.cluster_labels], doc_topics=shares,
            doc_confidence=confidence,
            doc_embedding=np.ascontiguousarray(self.doc_embedding[:, :num_topics]),
        )  # fmt: skip

    @classmethod
    def none(cls, num_topics: int) -> TrainingDocuments:
        """No documents."""
        return cls(
            np.zeros(0, np.int64), np.zeros((0, num_topics)), np.zeros(0), np.zeros(0),
            np.zeros((0, num_topics), np.float32),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Learnt:
    """All that a model knows; `model.update` puts another one in its place.

    `names` are those that the user gave to topics, None for the others; `seed_terms` the terms that
    topics are known by. A model of a part of the documents weighs terms as the whole does: there
    are `other_docs` more, of which so many have each term (`other_frequency`; one zero where there
    are none). `vector_sums` are the sums of the vectors of each topic's documents, where these came
    with any, and `kappa` (one number) is how much a cosine with them counts.
    """

    state: DnmfState
    topics: Topics
    alpha: Dense = field(metadata=of_shape("K", may_be_zero=False))
    eta: Dense = field(metadata=of_shape("V", other_shape=("K", "V"), may_be_zero=False))
    other_frequency: Dense = field(
        default_factory=partial(np.zeros, 1), metadata=of_shape("V", other_shape=("1",))
    )
    vector_sums: Dense = field(
        default_factory=partial(np.zeros, (0, 0)),
        metadata=of_shape("K", "D", other_shape=("0", "0"), may_be_negative=True, is_optional=True),
    )
    kappa: Dense = field(
        default_factory=partial(np.zeros, 0),
        metadata=of_shape("1", other_shape=("0",), is_optional=True),
    )
    other_docs: int = 0
    documents: TrainingDocuments = field(kw_only=True)
    weighting: str = field(kw_only=True)
    optimize_alpha: bool = field(kw_only=True)
    optimize_eta: bool = field(kw_only=True)
    names: tuple[str | None, ...] = field(kw_only=True)
    num_updates: int = 0
    mixing_rounds: int = 0
    views: tuple[Mapping[str, Any], ...] = ()
    tokenization: Mapping[str, Any] | None = None
    seed_terms: SeedTerms = ()

    @property
    def weighs(self) -> bool:
        """Whether documents come as counts, to be weighed."""
        return self.weighting == "tfidf"

    @property
    def num_dimensions(self) -> int:
        """How many numbers a vector has; 0 where documents came without any."""
        return int(self.vector_sums.shape[1])

    @property
    def seeds(self) -> Seeds | None:
        """What is known of topics before any document."""
        return Seeds.of_terms(self.seed_terms, self.state.sstats.shape[1])

    @property
    def seed_names(self) -> tuple[str | None, ...]:
        """The names of the topics that have seeds, None for the others."""
        seeded = {topic for topic, terms in enumerate(self.seed_terms) if terms}
        return tuple(name if k in seeded else None for k, name in enumerate(self.names))

    @property
    def is_mixed(self) -> bool:
        """Whether documents are taken to be about several topics, and their words are divided."""
        return self.mixing_rounds > 0

    @property
    def sizes(self) -> Labels:
        """Number of training documents of every topic, of those of which anything is known."""
        labels, sizes = self.documents.cluster_labels, self.topics.synced_sizes
        labels = labels[self.documents.are_known]
        # A model may have been saved without its documents' topics.
        if labels.size == np.rint(sizes.sum()):
            return np.bincount(labels, minlength=sizes.size)
        return np.rint(sizes).astype(np.int64)

    def for_reading(self) -> Learnt:
        """The same without state and documents, which inference does not need."""
        return replace(
            self, state=DnmfState(0, 0), documents=TrainingDocuments.none(self.alpha.size)
        )

    def with_state(self, state: DnmfState, logarithms: Dense | None = None) -> Learnt:
        """The same with another state and the topics that follow from it."""
        idf = state.idf(self.other_docs, self.other_frequency)
        return replace(self, state=state, topics=Topics.of_state(state, self.eta, idf, logarithms))

    def idf_with(self, num_docs: int, doc_frequency: Any) -> Dense:
        """The terms' weights (V) with so many more documents, of which so many have each term."""
        return self.state.idf(num_docs + self.other_docs, doc_frequency + self.other_frequency)

    def widened(self, num_new: int) -> Learnt:
        """The same with so many more topics, which have no documents."""
        state, old = self.state.widened(num_new), self.alpha.size
        alpha = append_rows(self.alpha, num_new, self.alpha.mean())
        eta = self.eta if self.eta.ndim == 1 else append_rows(self.eta, num_new, self.eta.mean(0))
        wide = replace(
            self,
            alpha=_of_so_many(alpha, old, alpha.size),
            eta=_of_so_many(eta, old, alpha.size),
            documents=self.documents.widened(num_new),
            names=(*self.names, *[None] * num_new),
        )
        if self.num_dimensions:
            wide = replace(wide, vector_sums=append_rows(self.vector_sums, num_new, 0.0))
        return wide.with_state(state)

    def merged(self, numbers: NDArray[np.int64]) -> Learnt:
        """The same with topics that are merged; `numbers` (K) are those they get."""
        state, old = self.state.merged(numbers), self.alpha.size
        new = state.topic_sizes.size
        alpha, eta = add_rows(self.alpha, numbers), self.eta
        if eta.ndim > 1:  # what is added to a topic's counts does not grow with them
            eta = add_rows(eta, numbers) / np.bincount(numbers)[:, None]
        fewer = replace(
            self,
            alpha=np.full_like(alpha, 1.0 / new) if _is_default(self.alpha, old) else alpha,
            eta=np.full_like(eta, 1.0 / new) if _is_default(self.eta, old) else eta,
            documents=self.documents.merged(numbers),
            names=merged_names(self.names, numbers, self.sizes),
            seed_terms=merged_seeds(self.seed_terms, numbers.tolist()),
        )
        if self.num_dimensions:
            fewer = replace(fewer, vector_sums=add_rows(self.vector_sums, numbers))
        return fewer.with_state(state).with_learnt_priors()

    def with_learnt_priors(self) -> Learnt:
        """The same with the priors that its state asks for, where they are to be learnt."""
        alpha, eta = self.alpha, self.eta
        if self.optimize_alpha:
            alpha = smooth_shares(self.state.topic_sizes)
        if self.optimize_eta:
            eta = word_shares(self.state.word_counts)
        learnt = replace(self, alpha=alpha, eta=eta)
        return learnt.with_state(self.state) if self.optimize_eta else learnt


def _of_so_many(prior: Dense, old: int, new: int) -> Dense:
    """A prior of 1/K, the default, with the new number of topics; another as it is."""
    return np.full_like(prior, 1.0 / new) if _is_default(prior, old) else prior


def _is_default(prior: Dense, num_topics: int) -> bool:
    return bool((prior == 1.0 / num_topics).all())


def smooth_shares(sizes: Dense) -> Dense:
    """Topics' shares (K), with one more document that has all topics: none becomes zero."""
    shares: Dense = (sizes + 1 / sizes.size) / (sizes.sum() + 1)
    return shares


def word_shares(word_counts: Dense) -> Dense:
    """Words' shares (V) in counts (K x V), each with one more; V / K in all."""
    num_topics, num_terms = word_counts.shape
    counts = word_counts.sum(axis=0) + 1
    return counts / counts.sum() * num_terms / num_topics  # type: ignore[no-any-return]
