"""Documents under the model's topics: shares, words, likelihood, and what they add to the state."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from gensim.interfaces import CorpusABC
from scipy import sparse

from ..common.arrays import Dense
from ..common.checks import check_structure
from ..common.documents import (
    AnyCorpus,
    BlockCorpus,
    MatrixCorpus,
    TermLists,
    as_corpus,
    read_term_lists,
)
from ..common.protocols import Document
from .face import Face
from .inference import divide_one, doc_topic_weights, expect, likelihood_bound
from .learnt import Learnt
from .normalization import normalize_rows

logger = logging.getLogger(__name__)

DocumentTopics = list[tuple[int, np.float64]]


class DocumentMethods(Face):
    """Topics of documents."""

    def inference(
        self, chunk: AnyCorpus, collect_sstats: bool = False
    ) -> tuple[Dense, Dense | None]:
        """How many words of documents are about each topic (n x K), on top of `alpha`.

        Divided by their sums they are the documents' topic shares. They are found for each document
        by itself, by EM over the topics' word distributions, of which a part is the language of all
        documents; see `core/proportions.py`. Weights of a corpus that comes weighted count as words
        do on average, one each.

        Parameters
        ----------
        chunk : gensim corpus, or sparse matrix of shape (V, n)
            The documents. Unknown words are ignored, with a warning.
        collect_sstats : bool, default=False
            Whether to compute what the documents would add to `state.sstats`.

        Returns
        -------
        gamma : (n x K) array
            The topic weights.
        sstats : (K x V) array or None
            What the documents would add; None unless `collect_sstats`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> weights, _ = model.inference([common_dictionary.doc2bow(["graph", "trees"])])
        >>> round(float(weights.sum()), 2)  # two words, and 1 for the prior
        3.0
        >>> (weights / weights.sum()).round(2).tolist()
        [[0.17, 0.83]]
        """
        learnt, documents = self._learnt, self._known(chunk)
        if collect_sstats:
            gamma, _, statistics = expect(documents.matrix, learnt, self.variant)
            return gamma, statistics.sstats
        return doc_topic_weights(documents, learnt), None

    def get_document_topics(
        self,
        bow: Document | AnyCorpus,
        minimum_probability: float | None = None,
        minimum_phi_value: float | None = None,
        per_word_topics: bool = False,
    ) -> Any:
        """How much of a document is about each topic, as (topic, share) pairs; or of a corpus.

        The shares sum to 1 before any is left out. They are parts of the document, not how sure its
        topic is, which `get_document_info` tells. A document without known words has the shares of
        the prior `alpha`; unknown words are ignored, with a warning.

        Parameters
        ----------
        bow : document or corpus
            (term id, count) pairs, or documents of them. A corpus is read when its topics are.
        minimum_probability : float, optional
            Shares below it are left out, 0 for none; by default the model's own.
        minimum_phi_value : float, optional
            Counts below it are left out of the topics of words; by default the model's own.
        per_word_topics : bool, default=False
            Whether to return the topics of the words too.

        Returns
        -------
        list of (int, float)
            The topics and their shares. With `per_word_topics` a tuple of three lists: these, (word
            id, its topics, the most likely first), and (word id, [(topic, the word's count that
            belongs to it)]). For a corpus, an iterable of these, as long as the corpus.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> document = common_dictionary.doc2bow(["graph", "trees"])
        >>> topics = model.get_document_topics(document)
        >>> [(topic, round(float(share), 2)) for topic, share in topics]
        [(0, 0.17), (1, 0.83)]
        >>> len(model.get_document_topics(common_corpus))
        9
        """
        if minimum_probability is None:
            minimum_probability = self.minimum_probability
        if minimum_phi_value is None:
            minimum_phi_value = self.minimum_phi_value
        limits = Limits(minimum_probability, minimum_phi_value, per_word_topics)
        found, corpus = as_corpus(bow)
        if found:
            return TopicCorpus(self, corpus, limits)
        return next(document_topics(self._known([corpus]), self._learnt, limits))

    def __getitem__(self, bow: Document | AnyCorpus, eps: float | None = None) -> Any:
        """`get_document_topics` with the model's own limits."""
        return self.get_document_topics(bow, eps, self.minimum_phi_value, self.per_word_topics)

    def bound(
        self, corpus: AnyCorpus, gamma: Dense | None = None, subsample_ratio: float = 1.0
    ) -> float:
        """A lower bound of the log-likelihood of the documents' counts.

        The topics' word distributions are those of `get_word_distributions`; a document's topic
        shares have the prior `alpha`. It is LdaModel's bound for these topics but for one term:
        LdaModel also subtracts how far its topics are from their prior.

        Parameters
        ----------
        corpus : gensim corpus, or sparse matrix of shape (V, n)
            The documents.
        gamma : (n x K) array, optional
            Topic weights, by default those of `inference`. The bound is one for any above 0.
        subsample_ratio : float, default=1.0
            A factor of the bound, such as the number of all documents over that of these.

        Returns
        -------
        float
            The bound in nats.

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
        learnt, documents = self._learnt, self._known(corpus)
        if gamma is None:
            gamma = doc_topic_weights(documents, learnt)
        elif np.shape(gamma) != (len(documents), learnt.alpha.size) or not (gamma > 0).all():
            raise ValueError(
                f"gamma must have weights above 0 of {learnt.alpha.size} topics for each of the "
                f"{len(documents)} documents, got shape {np.shape(gamma)}."
            )
        return subsample_ratio * likelihood_bound(documents, gamma, learnt)

    def log_perplexity(self, chunk: AnyCorpus, total_docs: int | None = None) -> float:
        """`bound` for each word of the documents; the perplexity is 2 to the power of minus it.

        Parameters
        ----------
        chunk : gensim corpus, or sparse matrix of shape (V, n)
            The documents.
        total_docs : int, optional
            LdaModel's, without an effect.

        Returns
        -------
        float
            The bound divided by the number of known words.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> perplexity = 2 ** -model.log_perplexity(common_corpus)
        >>> f"each word is as uncertain as one of {perplexity:.1f}"
        'each word is as uncertain as one of 5.5'
        """
        learnt, documents = self._learnt, self._known(chunk)
        num_words = float(documents.values.sum())
        if num_words == 0:
            raise ValueError("chunk must have a known word: nothing else has a likelihood.")
        bound = likelihood_bound(documents, doc_topic_weights(documents, learnt), learnt)
        logger.info(
            "%.3f per-word bound, %.1f perplexity of %i documents with %i words",
            bound / num_words, np.exp2(-bound / num_words), len(documents), num_words,
        )  # fmt: skip
        return bound / num_words

    def _known(self, chunk: AnyCorpus, warn: bool = True) -> TermLists:
        documents = read_term_lists(chunk, self.num_terms, unknown="drop")
        if documents.has_unknown and warn:
            warnings.warn(
                "Term ids that the model's vocabulary does not have are ignored.", stacklevel=3
            )
        return documents


class Limits(NamedTuple):
    """What is left out of a document's topics, and whether its words have theirs too."""

    minimum_probability: float
    minimum_phi_value: float
    per_word_topics: bool


def document_topics(documents: TermLists, learnt: Learnt, limits: Limits) -> Iterator[Any]:
    """The topics of each document, as `get_document_topics` gives them."""
    all_shares = normalize_rows(doc_topic_weights(documents, learnt))
    topic_word = learnt.topics.words.distributions if limits.per_word_topics else None
    for (ids, values), shares in zip(documents, all_shares, strict=True):
        topics = _above(shares, limits.minimum_probability)
        if topic_word is None:
            yield topics
            continue
        phi = divide_one(ids, values, shares, topic_word)
        kept = [_above(row, limits.minimum_phi_value) for row in phi]
        ranked = [[k for k, _ in sorted(pairs, key=lambda p: -p[1])] for pairs in kept]
        terms = ids.tolist()
        yield topics, list(zip(terms, ranked, strict=True)), list(zip(terms, kept, strict=True))


class TopicCorpus(CorpusABC):  # type: ignore[misc]
    """The topics of the documents of a corpus, computed when they are asked for."""

    def __init__(self, model: DocumentMethods, corpus: Any, limits: Limits) -> None:
        self.model = model
        if sparse.issparse(corpus):
            check_structure(corpus, "bow")
            corpus = corpus.tocsc()
        self.corpus = corpus
        self.limits = limits

    def __iter__(self) -> Iterator[Any]:
        learnt = self.model._learnt
        for documents in known_chunks(self.model, self.corpus):
            yield from document_topics(documents, learnt, self.limits)

    def __len__(self) -> int:
        return int(self.corpus.shape[1]) if sparse.issparse(self.corpus) else len(self.corpus)

    def __getitem__(self, index: Any) -> Any:
        one = not isinstance(index, slice)
        if sparse.issparse(self.corpus):
            chosen = self.corpus[:, [index] if one else index]
        else:
            chosen = [self.corpus[index]] if one else self.corpus[index]
        if not one:
            return TopicCorpus(self.model, chosen, self.limits)
        documents = self.model._known(chosen)
        return next(document_topics(documents, self.model._learnt, self.limits))


def known_chunks(model: DocumentMethods, corpus: Any) -> Iterator[TermLists]:
    """The documents of a corpus, as many at a time as the model's `chunksize` says; at least once.

    Unknown words are ignored, with one warning.
    """
    warn = True
    for chunk in _chunks(corpus, model.chunksize):
        documents = model._known(chunk, warn)
        warn = warn and not documents.has_unknown
        yield documents


def _chunks(corpus: Any, size: int) -> Iterator[AnyCorpus]:
    if sparse.issparse(corpus):
        check_structure(corpus, "corpus")
        corpus = corpus.tocsc()
        for start in range(0, max(corpus.shape[1], 1), size):
            yield corpus[:, start : start + size]
    elif isinstance(corpus, (MatrixCorpus, BlockCorpus)):
        for start in range(0, max(len(corpus), 1), size):
            yield corpus[start : start + size]
    elif not hasattr(corpus, "__iter__"):
        yield corpus  # which is refused
    else:
        documents, is_first = iter(corpus), True
        while (chunk := list(islice(documents, min(size, sys.maxsize)))) or is_first:
            yield chunk
            is_first = False


def _above(shares: Dense, minimum: float) -> DocumentTopics:
    return [(k, shares[k]) for k in np.flatnonzero(shares >= minimum).tolist()]
