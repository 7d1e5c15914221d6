"""Documents under the model's topics: shares, words, likelihood, and what they add to the state."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from gensim.interfaces import CorpusABC
from scipy import sparse

from ..common.arrays import Dense, Labels
from ..common.documents import AnyCorpus, Documents, as_corpus, documents_of, read_documents
from ..common.protocols import Document
from ..core import Tfidf, fold_in, one_hot, topic_shares
from .posterior import evidence_bound, word_topics
from .reading import TopicReader
from .state import DnmfState

logger = logging.getLogger(__name__)

DocumentTopics = list[tuple[int, np.float64]]


class DocumentReader(TopicReader):
    """Infers documents; reads the model, never writes."""

    num_terms: int
    chunksize: int
    minimum_phi_value: float
    per_word_topics: bool
    variant: str
    weighting: str
    alpha: Dense
    eta: Dense
    state: DnmfState
    # Made from the state by `sync_state`.
    _topic_scale: Dense
    _topic_sizes: Dense
    _term_weights: Dense
    _idf: Dense

    def inference(
        self, chunk: AnyCorpus, collect_sstats: bool = False
    ) -> tuple[Dense, Dense | None]:
        """Topic weights of documents (n x K), in units of words and on top of `alpha`.

        Divided by their sums they are the documents' topic shares. With `collect_sstats` also what
        the documents would add to `state.sstats`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> weights, _ = model.inference([common_dictionary.doc2bow(["graph", "trees"])])
        >>> round(float(weights.sum()), 2)  # two words, and 1 for the prior
        3.0
        >>> (weights / weights.sum()).round(2).tolist()
        [[0.21, 0.79]]
        """
        documents = self._known(chunk)
        if collect_sstats:
            gamma, statistics = self._expect(documents.matrix)
            return gamma, statistics.sstats
        return self._gamma(documents), None

    def get_document_topics(
        self,
        bow: Document | AnyCorpus,
        minimum_probability: float | None = None,
        minimum_phi_value: float | None = None,
        per_word_topics: bool = False,
    ) -> Any:
        """Topics of a document as (topic, share) pairs, or of each document of a corpus.

        The shares sum to 1; those below `minimum_probability` (0 for none) are left out. A document
        without known words has the shares of the prior `alpha`; unknown words are ignored, with a
        warning. A corpus is read when its topics are.

        With `per_word_topics` three lists: the topics, (word id, its topics, the most likely
        first), and (word id, [(topic, the word's count that belongs to it)]), without values below
        `minimum_phi_value`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> document = common_dictionary.doc2bow(["graph", "trees"])
        >>> topics = model.get_document_topics(document)
        >>> [(topic, round(float(share), 2)) for topic, share in topics]
        [(0, 0.21), (1, 0.79)]
        >>> len(model.get_document_topics(common_corpus))
        9
        """
        if minimum_probability is None:
            minimum_probability = self.minimum_probability
        if minimum_phi_value is None:
            minimum_phi_value = self.minimum_phi_value
        limits = (minimum_probability, minimum_phi_value, per_word_topics)
        found, corpus = as_corpus(bow)
        if found:
            return TopicCorpus(self, corpus, *limits)
        return next(self._document_topics(self._known([bow]), *limits))

    def _document_topics(
        self, documents: Documents, minimum_probability: float, minimum_phi_value: float,
        per_word_topics: bool,
    ) -> Iterator[Any]:  # fmt: skip
        all_shares = normalised(self._gamma(documents))
        topic_word = self._word_distributions() if per_word_topics else None
        for (ids, values), shares in zip(documents, all_shares, strict=True):
            topics = _above(shares, minimum_probability)
            if topic_word is None:
                yield topics
                continue
            phi = word_topics(ids, values, shares, topic_word)
            kept = [_above(row, minimum_phi_value) for row in phi]
            ranked = [[k for k, _ in sorted(pairs, key=lambda p: -p[1])] for pairs in kept]
            terms = ids.tolist()
            yield topics, list(zip(terms, ranked, strict=True)), list(zip(terms, kept, strict=True))

    def __getitem__(self, bow: Document | AnyCorpus, eps: float | None = None) -> Any:
        """`get_document_topics` with the model's own limits."""
        return self.get_document_topics(bow, eps, self.minimum_phi_value, self.per_word_topics)

    def bound(
        self, corpus: AnyCorpus, gamma: Dense | None = None, subsample_ratio: float = 1.0
    ) -> float:
        """A lower bound of the log-likelihood of the documents' counts.

        The topics' word distributions are those of the counts of their documents, smoothed by
        `eta`; a document's topic shares have the prior `alpha`. It is LdaModel's bound for these
        topics but for one term: LdaModel also subtracts how far its topics are from their prior.
        `gamma` (default: that of `inference`) may be any weights; the bound is a bound for all.

        Examples
        --------
        >>> import numpy as np
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> document = [common_dictionary.doc2bow(["graph", "trees"])]
        >>> as_if_of_topic_0 = np.array([[2.0, 1.0]])
        >>> bool(model.bound(document) > model.bound(document, gamma=as_if_of_topic_0))
        True
        """
        documents = self._known(corpus)
        if gamma is None:
            gamma = self._gamma(documents)
        elif np.shape(gamma) != (len(documents), self.num_topics) or not (gamma > 0).all():
            raise ValueError(
                f"gamma must have weights above 0 of {self.num_topics} topics for each of the "
                f"{len(documents)} documents, got shape {np.shape(gamma)}."
            )
        return subsample_ratio * evidence_bound(
            documents.matrix, gamma, self.alpha, self._word_distributions()
        )

    def log_perplexity(self, chunk: AnyCorpus, total_docs: int | None = None) -> float:
        """`bound` for each word of the documents; the perplexity is 2 to the power of minus it.

        `total_docs` is LdaModel's, without an effect.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> perplexity = 2 ** -model.log_perplexity(common_corpus)
        >>> f"each word is as uncertain as one of {perplexity:.1f}"
        'each word is as uncertain as one of 5.2'
        """
        documents = self._known(chunk)
        num_words = float(documents.values.sum())
        if num_words == 0:
            raise ValueError("chunk must have a known word: nothing else has a likelihood.")
        gamma = self._gamma(documents)
        bound = evidence_bound(documents.matrix, gamma, self.alpha, self._word_distributions())
        logger.info(
            "%.3f per-word bound, %.1f perplexity of %i documents with %i words",
            bound / num_words, np.exp2(-bound / num_words), len(documents), num_words,
        )  # fmt: skip
        return bound / num_words

    def topic_order(self) -> list[int]:
        """Topic ids, the topics of most documents first.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.topic_order()
        [0, 1]
        >>> model.update(common_corpus[5:])  # four more documents of topic 1
        >>> model.topic_order()
        [1, 0]
        """
        return [int(k) for k in np.argsort(-self._topic_sizes, kind="stable")]

    @property
    def _weighs(self) -> bool:
        return self.weighting == "tfidf"

    def _known(self, chunk: AnyCorpus, warn: bool = True) -> Documents:
        documents = read_documents(chunk, self.num_terms, unknown="drop")
        if documents.has_unknown and warn:
            warnings.warn(
                "Term ids that the model's vocabulary does not have are ignored.", stacklevel=3
            )
        return documents

    def _gamma(self, documents: Documents) -> Dense:
        shares, lengths = topic_shares(
            documents.indptr, documents.ids, documents.values,
            self._idf if self._weighs else None, self._term_weights, self._topic_sizes,
        )  # fmt: skip
        return self.alpha + lengths[:, None] * shares

    def _word_distributions(self) -> Dense:
        counts = self.state.word_counts + self.eta
        distributions: Dense = counts / counts.sum(axis=1, keepdims=True)
        return distributions

    def _expect(
        self, documents: sparse.csr_array, idf: Dense | None = None
    ) -> tuple[Dense, DnmfState]:
        """Topics of documents under the model as it is, and the statistics they add.

        These are weighed by `idf`, by default the model's.
        """
        tfidf = Tfidf(self._idf if idf is None else idf)
        doc_term = tfidf.transform(documents) if self._weighs else documents
        gamma = self._gamma(documents_of(documents))
        membership = one_hot(self._assigned_topics(gamma), self.num_topics)
        topics = self.expElogbeta * self._topic_scale[:, None]
        if self._topic_sizes.any():
            topics[self._topic_sizes == 0] = 0  # topics without documents stay so
        if self.variant == "bdnmf":
            weights = membership
        elif self.variant == "sdnmf":
            # W = F . T: within a document's topic, the weight that fits it best
            squares = (topics**2).sum(axis=1)
            weights = membership * (doc_term @ topics.T) / np.where(squares > 0, squares, 1)
        else:
            weights = fold_in(doc_term, np.ascontiguousarray(topics.T))
        return gamma, self._statistics(doc_term, documents, weights, membership)

    def _own_cosines(self, documents: sparse.csr_array, labels: Labels) -> Dense:
        """Cosine of every document with the words of its topic: how typical of it the document is.

        Unlike the topic's share it does not grow with the length of the document.
        """
        doc_term = Tfidf(self._idf).transform(documents) if self._weighs else documents
        products = (doc_term @ self.expElogbeta.T)[np.arange(labels.size), labels]
        lengths = np.sqrt(np.asarray(doc_term.multiply(doc_term).sum(axis=1)).ravel())
        lengths *= np.linalg.norm(self.expElogbeta, axis=1)[labels]
        return np.asarray(products / np.where(lengths > 0, lengths, 1))

    def _statistics(
        self, doc_term: sparse.csr_array, documents: sparse.csr_array, weights: Dense,
        membership: Dense,
    ) -> DnmfState:  # fmt: skip
        statistics = DnmfState(self.num_topics, self.num_terms)
        # b_iw = 1 where document i has word w; a document without words says nothing of them
        presence = documents.astype(bool).astype(np.float64)
        weights = weights * (np.diff(documents.indptr) > 0)[:, None]
        statistics.sstats = (presence.T @ weights).T
        statistics.topic_weights = weights.sum(axis=0)
        statistics.cluster_mass = (doc_term.T @ membership).T
        statistics.word_counts = (documents.T @ membership).T
        statistics.topic_sizes = membership.sum(axis=0)
        statistics.doc_frequency += np.bincount(documents.indices, minlength=self.num_terms)
        statistics.numdocs = documents.shape[0]
        return statistics

    def _assigned_topics(self, gamma: Dense) -> Labels:
        """The topic of every document, from `inference`'s weights (n x K).

        It is the one with the highest weight, but never one without training documents. A document
        without known words goes to the largest topic.
        """
        sizes = self._topic_sizes
        allowed = sizes > 0 if sizes.any() else np.ones(self.num_topics, dtype=bool)
        labels: Labels = np.where(allowed, gamma, 0).argmax(axis=1)
        labels[(gamma == self.alpha).all(axis=1)] = sizes.argmax()
        return labels


class TopicCorpus(CorpusABC):  # type: ignore[misc]
    """The topics of the documents of a corpus, computed when they are asked for."""

    def __init__(self, model: DocumentReader, corpus: Any, *limits: Any) -> None:
        self.model = model
        self.corpus = corpus.tocsc() if sparse.issparse(corpus) else corpus
        self.limits = limits

    def __iter__(self) -> Iterator[Any]:
        warn = True
        for chunk in self._chunks():
            documents = self.model._known(chunk, warn)
            warn = warn and not documents.has_unknown  # once is enough
            yield from self.model._document_topics(documents, *self.limits)

    def __len__(self) -> int:
        return int(self.corpus.shape[1]) if sparse.issparse(self.corpus) else len(self.corpus)

    def __getitem__(self, index: Any) -> Any:
        one = not isinstance(index, slice)
        if sparse.issparse(self.corpus):
            chosen = self.corpus[:, [index] if one else index]
        else:
            chosen = [self.corpus[index]] if one else self.corpus[index]
        if not one:
            return TopicCorpus(self.model, chosen, *self.limits)
        return next(self.model._document_topics(self.model._known(chosen), *self.limits))

    def _chunks(self) -> Iterator[AnyCorpus]:
        size = self.model.chunksize
        if sparse.issparse(self.corpus):
            for start in range(0, self.corpus.shape[1], size):
                yield self.corpus[:, start : start + size]
            return
        chunk: list[Document] = []
        for document in self.corpus:
            chunk.append(document)
            if len(chunk) == size:
                yield chunk
                chunk = []
        if chunk:
            yield chunk


def normalised(gamma: Dense) -> Dense:
    """Rows divided by their sums."""
    return gamma / gamma.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def _above(shares: Dense, minimum: float) -> DocumentTopics:
    return [(k, shares[k]) for k in np.flatnonzero(shares >= minimum).tolist()]
