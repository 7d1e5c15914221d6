"""The topics in words: everything LdaModel can be asked about them."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from gensim.matutils import hellinger, jaccard_distance, jensen_shannon, kullback_leibler
from gensim.models.basemodel import BaseTopicModel
from gensim.models.coherencemodel import CoherenceModel
from gensim.utils import FakeDict

from ..common.arrays import Dense
from ..common.checks import check_int
from .face import Face

logger = logging.getLogger(__name__)

DISTANCES = {
    "kullback_leibler": kullback_leibler,
    "hellinger": hellinger,
    "jaccard": jaccard_distance,
    "jensen_shannon": jensen_shannon,
}


class TopicMethods(Face, BaseTopicModel):  # type: ignore[misc]
    """Topics and their words."""

    def topic_order(self) -> list[int]:
        """Topic ids, the topics of most documents first.

        Returns
        -------
        list of int
            All topics; of equally large ones the lower id first.

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
        return [int(k) for k in np.argsort(-self._learnt.sizes, kind="stable")]

    def get_topics(self) -> Dense:
        """Weights of the words in the topics.

        Words are heavy that many of a topic's documents have, and more of them than of all
        documents; see `DnmfState.get_lambda`.

        Returns
        -------
        (K x V) array
            A copy; rows sum to 1, as LdaModel's do.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.get_topics().shape
        (2, 12)
        >>> model.get_topics().sum(axis=1).round(6).tolist()
        [1.0, 1.0]
        """
        return np.array(self.expElogbeta)

    def get_word_distributions(self) -> Dense:
        """Probabilities of the words in the topics.

        How often a topic's documents use each word, common words included, mixed with how often all
        documents do: what `bound` and the documents' shares rest on. `get_topics` has the words
        that tell a topic from the others.

        Returns
        -------
        (K x V) array
            Rows sum to 1, and no probability is 0.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.get_word_distributions().sum(axis=1).round(6).tolist()
        [1.0, 1.0]
        """
        return self._learnt.topics.words.distributions

    def get_topic_terms(self, topicid: int, topn: int | None = 10) -> list[tuple[int, np.float64]]:
        """The heaviest word ids of a topic, with their weights.

        Parameters
        ----------
        topicid : int
            The topic; negative ones count from the end.
        topn : int or None, default=10
            Number of words; None for all.

        Returns
        -------
        list of (int, float)
            Term ids and weights, the heaviest first.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> [common_dictionary[term] for term, _ in model.get_topic_terms(1, topn=2)]
        ['trees', 'graph']
        """
        topics = self.expElogbeta
        topic = topics[check_topic(topicid, len(topics))]
        # Stable, so that equally heavy words come in the order of their ids.
        order = np.argsort(-topic, kind="stable")
        known = (int(term) for term in order if self._has_word(int(term)))
        limit = topic.size if topn is None else check_int(topn, "topn", 0)
        return [(term, np.float64(topic[term])) for term, _ in zip(known, range(limit))]  # noqa: B905

    def show_topic(self, topicid: int, topn: int | None = 10) -> list[tuple[str, np.float64]]:
        """The heaviest words of a topic, with their weights.

        Parameters
        ----------
        topicid : int
            The topic; negative ones count from the end.
        topn : int or None, default=10
            Number of words; None for all.

        Returns
        -------
        list of (str, float)
            Words and weights, the heaviest first.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> [(word, round(float(share), 2)) for word, share in model.show_topic(1, topn=2)]
        [('trees', 0.37), ('graph', 0.37)]
        """
        return [
            (self._word(term), probability)
            for term, probability in self.get_topic_terms(topicid, topn)
        ]

    def show_topics(
        self, num_topics: int = 10, num_words: int = 10, log: bool = False, formatted: bool = True
    ) -> list[tuple[int, Any]]:
        """The largest topics, in the order of their numbers.

        Parameters
        ----------
        num_topics : int, default=10
            Number of topics; -1 for all.
        num_words : int, default=10
            Number of words of each.
        log : bool, default=False
            Whether to log them too.
        formatted : bool, default=True
            Whether each topic is a string instead of a list.

        Returns
        -------
        list of (int, str or list of (str, float))
            Topics, each with its heaviest words and their weights.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> for topic, words in model.show_topics(num_words=2):
        ...     print(topic, words)
        0 0.167*"system" + 0.167*"user"
        1 0.368*"trees" + 0.368*"graph"
        """
        model = copy.copy(self)  # which no update on another thread changes
        largest = model.topic_order()
        shown: list[tuple[int, Any]] = []
        for topicid in sorted(largest if num_topics < 0 else largest[:num_topics]):
            words: Any = model.show_topic(topicid, num_words)
            if formatted:
                words = " + ".join(f'{probability:.3f}*"{word}"' for word, probability in words)
            shown.append((topicid, words))
            if log:
                logger.info("topic #%i: %s", topicid, words)
        return shown

    def get_term_topics(
        self, word_id: int | str, minimum_probability: float | None = None
    ) -> list[tuple[int, np.float64]]:
        """Topics in which a word is heavy.

        Parameters
        ----------
        word_id : int or str
            The word, or its id.
        minimum_probability : float, optional
            The least weight that counts; by default the model's own `minimum_probability`.

        Returns
        -------
        list of (int, float)
            Topics and the weights of the word in them, the heaviest first.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> [topic for topic, _ in model.get_term_topics("graph")]
        [1]
        >>> [topic for topic, _ in model.get_term_topics("survey", minimum_probability=0)]
        [1, 0]
        """
        if minimum_probability is None:
            minimum_probability = self.minimum_probability
        column = self.expElogbeta[:, self._term_id(word_id)]
        return [
            (int(topicid), np.float64(column[topicid]))
            for topicid in np.argsort(-column, kind="stable")
            if column[topicid] >= minimum_probability
        ]

    def top_topics(
        self,
        corpus: Any = None,
        texts: Iterable[list[str]] | None = None,
        dictionary: Any = None,
        window_size: int | None = None,
        coherence: str = "u_mass",
        topn: int = 20,
        processes: int = 1,
    ) -> list[tuple[list[tuple[np.float64, str]], float]]:
        """Topics as (weight, word) lists with their coherence, the most coherent first.

        Parameters
        ----------
        corpus : gensim corpus, optional
            Documents, for "u_mass".
        texts : iterable of lists of str, optional
            Tokenized texts, for the other measures.
        dictionary : gensim Dictionary, optional
            The words of the ids; by default the model's.
        window_size : int, optional
            Width of the windows that the measures on texts count words in; by default gensim's.
        coherence : {"u_mass", "c_v", "c_uci", "c_npmi", "c_w2v"}, default="u_mass"
            gensim's measure.
        topn : int, default=20
            Number of a topic's heaviest words that are measured.
        processes : int, default=1
            Number of gensim's workers, which are started for more than one.

        Returns
        -------
        list of (list of (float, str), float)
            All topics. Those whose measure is NaN, as no text has their words, come last.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, variant="cdnmf", random_state=0)
        >>> for words, score in model.top_topics(common_corpus, topn=4):
        ...     print(round(score, 1), *(word for _, word in words))
        -0.8 system user eps interface
        -5.0 trees graph minors survey
        """
        if texts is not None:
            texts = [text for text in texts if text]  # an empty one makes gensim's workers hang
        model = copy.copy(self)  # which no update on another thread changes
        scores = CoherenceModel(
            model=model, corpus=corpus, texts=texts, dictionary=dictionary, window_size=window_size,
            coherence=coherence, topn=topn, processes=processes,
        ).get_coherence_per_topic()  # fmt: skip
        topics = [
            [(probability, word) for word, probability in model.show_topic(topicid, topn)]
            for topicid in range(model.num_topics)
        ]
        pairs = [(topic, float(score)) for topic, score in zip(topics, scores, strict=True)]
        return sorted(
            pairs, key=lambda pair: -np.inf if np.isnan(pair[1]) else pair[1], reverse=True
        )

    def diff(
        self,
        other: Any,
        distance: str = "kullback_leibler",
        num_words: int = 100,
        n_ann_terms: int = 10,
        diagonal: bool = False,
        annotation: bool = True,
        normed: bool = True,
    ) -> tuple[Dense, Any]:
        """Distances between the topics of two models, and the words they share and do not share.

        Parameters
        ----------
        other : topic model
            Any model with `get_topics` and `show_topic`.
        distance : {"kullback_leibler", "hellinger", "jaccard", "jensen_shannon"}
            The distance, by default the first. "jaccard" compares the heaviest words as sets.
        num_words : int, default=100
            Number of heaviest words of each topic that are compared.
        n_ann_terms : int, default=10
            Number of shared and of other words in an annotation, at most.
        diagonal : bool, default=False
            Whether to compare only topics of the same number; both models must have as many.
        annotation : bool, default=True
            Whether to return the words.
        normed : bool, default=True
            Whether to divide the distances by the largest.

        Returns
        -------
        distances : (K x K') array, or (K) array with `diagonal`
            The distances.
        annotations : array of the same shape, or None without `annotation`
            For each pair of topics, the words that both have and those that only one has.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> other = DnmfModel(common_corpus, 2, common_dictionary, variant="sdnmf", random_state=0)
        >>> distances, words = model.diff(other, distance="jaccard", num_words=3)
        >>> float(distances[1, 1])  # both models have the same words in topic 1
        0.0
        >>> words[1, 1]
        [['trees', 'graph', 'minors'], []]
        """
        if distance not in DISTANCES:
            known = ", ".join(DISTANCES)
            raise ValueError(f"distance must be one of {known}; got {distance!r}.")
        if not (hasattr(other, "get_topics") and hasattr(other, "show_topic")):
            raise ValueError(f"other must be a topic model, got {type(other).__name__}.")
        model = copy.copy(self)  # which no update on another thread changes
        if isinstance(other, Face):
            other = model if other is self else copy.copy(other)
        own: Any = model.get_topics()
        others: Any = other.get_topics()
        if diagonal and len(own) != len(others):
            raise ValueError(
                f"diagonal=True must compare models with as many topics, "
                f"got {len(own)} and {len(others)}."
            )
        words = [[word for word, _ in model.show_topic(k, num_words)] for k in range(len(own))]
        other_words = [
            [word for word, _ in other.show_topic(k, num_words)] for k in range(len(others))
        ]
        own_sets, other_sets = [set(each) for each in words], [set(each) for each in other_words]
        if distance == "jaccard":
            own, others = own_sets, other_sets
        shape = (len(words),) if diagonal else (len(words), len(other_words))
        distances = np.zeros(shape)
        annotations = np.empty(shape, dtype=object) if annotation else None
        for cell in np.ndindex(shape):
            k, other_k = cell[0], cell[-1]
            distances[cell] = DISTANCES[distance](own[k], others[other_k])
            if annotations is not None:
                shared = [word for word in words[k] if word in other_sets[other_k]]
                either = words[k] + other_words[other_k]
                both = own_sets[k] & other_sets[other_k]
                rest = [word for word in either if word not in both]
                annotations[cell] = [shared[:n_ann_terms], rest[:n_ann_terms]]
        largest = np.abs(distances).max(initial=0.0)
        if normed and largest > 1e-8:
            distances /= largest
        return distances, annotations

    def _has_word(self, term: int) -> bool:
        return self.id2word is None or term in self.id2word

    def _word(self, term: int) -> str:
        return str(term) if self.id2word is None else str(self.id2word[term])

    def _term_id(self, word: int | str) -> int:
        num_terms = self.expElogbeta.shape[1]
        if not isinstance(word, str):
            return check_int(word, "word_id", 0, num_terms - 1)
        for term in self._ids_of(word):
            if term < num_terms:
                return term
        raise ValueError(f"word_id must be in the vocabulary, {word!r} is not.")

    def _ids_of(self, word: str) -> Iterable[int]:
        if isinstance(self.id2word, Dictionary):
            return [self.id2word.token2id[word]] if word in self.id2word.token2id else []
        if self.id2word is None or isinstance(self.id2word, FakeDict):
            return [int(word)] if word.isdecimal() else []
        return sorted(term for term, known in self.id2word.items() if str(known) == word)


def check_topic(topic: int, num_topics: int, name: str = "topicid") -> int:
    """The number of a topic, an argument of this name; negative ones count from the end."""
    return check_int(topic, name, -num_topics, num_topics - 1) % num_topics
