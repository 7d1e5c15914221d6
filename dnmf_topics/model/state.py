"""What the model knows of the documents it has seen: sums that can be added up."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense
from ..core import WordModel, divide_words, idf_of
from .array_fields import of_shape
from .normalization import add_rows, append_rows, normalize_rows

# Share of a topic that is spread over all words: no probability is zero, no logarithm infinite.
FLOOR = 1e-6
# Added to the logarithm of a word's lift. Far below that of a word that tells topics apart, it
# orders words by their share where none has a lift, as in a topic of nearly all documents.
WITHOUT_LIFT = 1e-3


class Division(NamedTuple):
    """How documents that are about several topics are divided among them."""

    shares: Dense
    """Shares of the topics in the documents (n x K)."""
    words: WordModel
    """How likely words are in topics."""

    def divide(self, counts: sparse.csr_array, weights: Dense) -> Dense:
        """Sums of the counts (n x V) by topics (K x V), of documents with such weights (n x K)."""
        return divide_words(counts.indptr, counts.indices, counts.data, self.words, weights)


@dataclass(eq=False, init=False, repr=False)
class DnmfState:
    """Sufficient statistics of the documents seen, in the place of gensim's LdaState.

    All of them are sums over documents: two states merge into that of all their documents.

    Attributes
    ----------
    sstats : (K x V) array
        Sum of the topic weights W of the documents that have each word; where documents mix topics,
        the word is divided among theirs.
    topic_weights : (K) array
        Sum of the topic weights W of all documents that have words.
    cluster_mass : (K x V) array
        Summed term weights of the documents of each topic.
    word_counts : (K x V) array
        Summed counts of the documents of each topic; where documents mix topics, each word is
        divided among theirs.
    topic_sizes : (K) array
        Number of documents of each topic; those with neither words nor a vector have none.
    doc_frequency : (V) array
        Number of documents with each term.
    numdocs : int
        Number of documents.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> from dnmf_topics import DnmfModel
    >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
    >>> model.state.numdocs, model.state.topic_sizes.tolist()
    (9, [5.0, 4.0])
    """

    sstats: Dense = field(metadata=of_shape("K", "V"))
    topic_weights: Dense = field(metadata=of_shape("K"))
    cluster_mass: Dense = field(metadata=of_shape("K", "V"))
    word_counts: Dense = field(metadata=of_shape("K", "V"))
    topic_sizes: Dense = field(metadata=of_shape("K"))
    doc_frequency: Dense = field(metadata=of_shape("V"))
    numdocs: int

    def __init__(self, num_topics: int, num_terms: int) -> None:
        sizes = {"K": num_topics, "V": num_terms}
        for name, letters in self.sums().items():
            setattr(self, name, np.zeros([sizes[letter] for letter in letters]))
        self.numdocs = 0

    @classmethod
    def sums(cls) -> dict[str, tuple[str, ...]]:
        """The names of the arrays, with their shapes in letters.

        Examples
        --------
        >>> DnmfState.sums()["sstats"]
        ('K', 'V')
        """
        return {each.name: each.metadata["shapes"][0] for each in fields(cls) if each.metadata}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Dense]) -> DnmfState:
        """A state of no documents with these sums.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> DnmfState.of_arrays({name: getattr(state, name) for name in state.sums()}).numdocs
        0
        """
        state = cls.__new__(cls)
        for name in cls.sums():
            setattr(state, name, arrays[name])
        state.numdocs = 0
        return state

    @classmethod
    def of_documents(
        cls,
        doc_term: sparse.csr_array | None,
        counts: sparse.csr_array,
        weights: Dense,
        membership: Dense,
        division: Division | None = None,
    ) -> DnmfState:
        """The statistics of documents (n x V), weighed and as they came, with their topics (n x K).

        `weights` say how much each document counts for a topic's words; a `division`, that it
        counts with the words that are the topic's. Without weighed documents `cluster_mass` stays
        0.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.sparse import csr_array
        >>> counts, topics = csr_array(np.array([[2.0, 1.0], [0.0, 3.0]])), np.eye(2)
        >>> DnmfState.of_documents(counts, counts, topics, topics).sstats.tolist()
        [[1.0, 1.0], [0.0, 1.0]]
        """
        state = cls(weights.shape[1], counts.shape[1])
        # b_iw = 1 where document i has word w; a document without words says nothing of them
        presence = counts.astype(bool).astype(np.float64)
        weights = weights * (np.diff(counts.indptr) > 0)[:, None]
        if division is None:
            state.sstats = (presence.T @ weights).T
            state.word_counts = (counts.T @ membership).T
        else:
            state.sstats = division.divide(presence, weights)
            state.word_counts = division.divide(counts, division.shares)
        state.topic_weights = weights.sum(axis=0)
        if doc_term is not None:
            state.cluster_mass = (doc_term.T @ membership).T
        state.topic_sizes = membership.sum(axis=0)
        state.doc_frequency += np.bincount(counts.indices, minlength=counts.shape[1])
        state.numdocs = counts.shape[0]
        return state

    def forget_topics(self, num_topics: int) -> None:
        """Forget what the first topics have, so many of them, but not the number of documents.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> state.numdocs, state.topic_sizes[:] = 9, [5, 4]
        >>> state.forget_topics(1)
        >>> state.numdocs, state.topic_sizes.tolist()
        (9, [0.0, 4.0])
        """
        for name, letters in self.sums().items():
            if letters[0] == "K":
                getattr(self, name)[:num_topics] = 0

    def reset(self) -> None:
        """Forget everything.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> state.numdocs, state.topic_sizes[:] = 9, [5, 4]
        >>> state.reset()
        >>> state.numdocs, state.topic_sizes.tolist()
        (0, [0.0, 0.0])
        """
        self._combine(0.0, self, 0.0)
        self.numdocs = 0

    def __add__(self, other: DnmfState) -> DnmfState:
        """The state of the documents of both."""
        both = copy.copy(self)
        both.merge(other)
        return both

    def widened(self, num_new: int) -> DnmfState:
        """The same documents, and so many more topics, which have none of them.

        Examples
        --------
        >>> DnmfState(num_topics=2, num_terms=3).widened(1).sstats.shape
        (3, 3)
        """
        wide = copy.copy(self)
        for name, letters in self.sums().items():
            if letters[0] == "K":
                setattr(wide, name, append_rows(getattr(self, name), num_new, 0.0))
        return wide

    def merged(self, numbers: NDArray[np.int64]) -> DnmfState:
        """The same documents with topics that are merged; `numbers` (K) are those they get.

        Examples
        --------
        >>> import numpy as np
        >>> state = DnmfState(num_topics=3, num_terms=1)
        >>> state.topic_sizes[:] = [5, 4, 3]
        >>> state.merged(np.array([0, 1, 0])).topic_sizes.tolist()
        [8.0, 4.0]
        """
        fewer = copy.copy(self)
        for name, letters in self.sums().items():
            if letters[0] == "K":
                setattr(fewer, name, add_rows(getattr(self, name), numbers))
        return fewer

    def merge(self, other: DnmfState) -> None:
        """Add the documents of `other`.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> other = DnmfState(num_topics=2, num_terms=3)
        >>> state.numdocs, state.topic_sizes[:] = 9, [5, 4]
        >>> other.numdocs, other.topic_sizes[:] = 4, [0, 4]
        >>> state.merge(other)
        >>> state.numdocs, state.topic_sizes.tolist()
        (13, [5.0, 8.0])
        """
        self._combine(1.0, other, 1.0)
        self.numdocs += other.numdocs

    def blend(self, rhot: float, other: DnmfState, targetsize: int | None = None) -> None:
        """A weighted mean: `rhot` (0 to 1) of `other`, the rest of this one.

        Both are first stretched to `targetsize` documents, by default the number in this state, or
        in `other` if this one is empty.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> other = DnmfState(num_topics=2, num_terms=3)
        >>> state.numdocs, state.topic_sizes[:] = 8, [4, 4]
        >>> other.numdocs, other.topic_sizes[:] = 4, [0, 4]
        >>> state.blend(0.5, other)
        >>> state.numdocs, state.topic_sizes.tolist()
        (8, [2.0, 6.0])
        """
        if not 0 <= rhot <= 1:
            raise ValueError(f"rhot must be from 0 to 1, got {rhot!r}.")
        if targetsize is None:
            targetsize = self.numdocs or other.numdocs
        own = targetsize / self.numdocs if self.numdocs else 1.0
        new = targetsize / other.numdocs if other.numdocs else 1.0
        self._combine((1 - rhot) * own, other, rhot * new)
        self.numdocs = targetsize

    def get_lambda(self) -> Dense:
        """The weights of the words in the topics (K x V), not normalized; all are positive.

        A word weighs as much as the share of the topic's documents that have it, times the
        logarithm of how many times that is the word's share in all documents. Words that a topic's
        documents have no more often than all weigh next to nothing, by the order of their shares.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> state.topic_weights[:] = [4, 4]
        >>> state.sstats[:] = [[4, 3, 0], [4, 0, 2]]  # all documents have the first word
        >>> state.get_lambda().round(2).tolist()  # 3/4 log 2, 2/4 log 2
        [[0.0, 0.52, 0.0], [0.0, 0.0, 0.35]]
        """
        return word_weights(self.sstats, self.topic_weights, self.word_shares())

    def word_shares(self) -> Dense:
        """The share of all documents that have each word (V), each document as it is weighed.

        Examples
        --------
        >>> state = DnmfState(num_topics=2, num_terms=3)
        >>> state.topic_weights[:] = [4, 4]
        >>> state.sstats[:] = [[4, 3, 0], [4, 0, 2]]
        >>> state.word_shares().tolist()
        [1.0, 0.375, 0.25]
        """
        # q_w = sum_ki W_ki b_wi / sum_ki W_ki
        size = float(self.topic_weights.sum())
        shares: Dense = self.sstats.sum(axis=0) / (size if size > 0 else 1.0)
        return shares

    def get_Elogbeta(self) -> Dense:  # noqa: N802 - gensim's name
        """Logarithms of the topics' word probabilities (K x V).

        Examples
        --------
        >>> import numpy as np
        >>> state = DnmfState(num_topics=1, num_terms=2)
        >>> state.topic_weights[:], state.sstats[:] = [4], [[4, 2]]
        >>> np.exp(state.get_Elogbeta()).round(2).tolist()  # one topic: by the words' shares
        [[0.67, 0.33]]
        """
        return np.log(normalize_rows(self.get_lambda()))

    def idf(self, num_docs: int = 0, doc_frequency: Any = 0) -> Dense:
        """log(N / df) of every term (V); 0 where no document has it.

        With so many more documents, of which so many have each term.

        Examples
        --------
        >>> state = DnmfState(num_topics=1, num_terms=2)
        >>> state.numdocs, state.doc_frequency[:] = 8, [8, 2]
        >>> state.idf().round(2).tolist()
        [0.0, 1.39]
        """
        # As a float: in numpy 1 an int of more than 64 bits would make arrays of objects.
        all_docs = float(max(self.numdocs + num_docs, 1))
        return idf_of(self.doc_frequency + doc_frequency, all_docs)

    def _combine(self, own: float, other: DnmfState, new: float) -> None:
        if self.sstats.shape != other.sstats.shape:
            raise ValueError(
                f"other must have the shape of this state (topics, terms), {self.sstats.shape}, "
                f"got {other.sstats.shape}."
            )
        for name in self.sums():
            # A new array, as the old one may be mapped from a file that is only read.
            setattr(self, name, own * getattr(self, name) + new * getattr(other, name))


def word_weights(sstats: Dense, topic_weights: Dense, overall: Dense) -> Dense:
    """The weights of the words in topics (n x V), not normalized, as `get_lambda` says.

    `overall` (V) are the words' shares in all documents.
    """
    # P_wk = sum_i W_ki b_wi / sum_i W_ki, with b_wi = 1 if document i has word w
    sizes = topic_weights[:, None]
    shares = np.divide(sstats, sizes, out=np.zeros_like(sstats), where=sizes > 0)
    # P_wk (max(log(P_wk / q_w), 0) + a little)
    has_lift = (shares > overall) & (overall > 0)
    lift = np.divide(shares, overall, out=np.ones_like(shares), where=has_lift)
    topics: Dense = shares * (np.log(lift) + WITHOUT_LIFT)
    totals = topics.sum(axis=1, keepdims=True)
    # A topic without documents says nothing about words: all are alike.
    topics += np.where(totals > 0, FLOOR * totals, 1.0) / max(topics.shape[1], 1)
    return topics
