"""Topics as a whole: their names, the tree over them, and models with fewer of them."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..common.arrays import Dense
from ..common.checks import check_int, shortened
from ..naming import topic_names
from .growing import NAMING_WORDS, check_statistics, grow_tree
from .state import FLOOR
from .topic_methods import TopicMethods
from .topic_tree import TopicTree
from .user_names import changed_names

Model = TypeVar("Model", bound="TreeMethods")


class TreeMethods(TopicMethods):
    """Names, tree, and fewer topics."""

    @property
    def topic_names(self) -> list[str]:
        """A name for each topic, a list of str: the one you gave it, or three of its words.

        Set it to a list with a name for each topic, or to a dict that names some of them; None or
        "" stands for the automatic name. A name is one line of up to 200 characters. Names are
        saved with the model, and stay with their topics through `update` and `refine`. Automatic
        names follow the topics' words: no two forms of one word, a phrase in the place of its
        words, and no two topics with the same. A topic without words is called by its number,
        "topic 7".

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.topic_names
        ['system, user, computer', 'trees, graph, minors']
        >>> model.topic_names = {1: "Graph theory"}
        >>> model.topic_names
        ['system, user, computer', 'Graph theory']
        """
        model = copy.copy(self)  # which no update on another thread changes
        topics, given = model._learnt.topics, model._learnt.names
        automatic = topic_names(
            [
                model._heaviest_words(row, NAMING_WORDS) if has_words else []
                for row, has_words in zip(topics.expElogbeta, topics.have_words, strict=True)
            ]
        )
        names = zip(given, automatic, strict=True)
        return [own or other or f"topic {number}" for number, (own, other) in enumerate(names)]

    @topic_names.setter
    def topic_names(self, names: Any) -> None:
        with self._lock:
            learnt = self._learnt
            self._learnt = replace(learnt, names=changed_names(learnt.names, names))

    def hierarchy(self) -> TopicTree:
        """A tree over the topics: which belong together, up to one that holds all documents.

        The two topics are merged whose documents agree the most, compared with how well those of
        each agree; then again, until one is left (`core/merging.py`). It is made from `state`, in a
        moment, so that every saved model has it.

        Returns
        -------
        TopicTree
            With words, sizes and a name for every node. It prints, and has `cut`, `linkage`,
            `to_frame` and `plot`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 3, common_dictionary, random_state=0)
        >>> print(model.hierarchy())
        all documents (9)
        ├─ system, human, interface (5)
        │  ├─ 1: human, interface, eps (3)
        │  └─ 2: response, time, user (2)
        └─ 0: trees, graph, minors (4)
        """
        model = copy.copy(self)  # which no update on another thread changes
        learnt = model._learnt
        return grow_tree(
            learnt.state, learnt.sizes, model.topic_names, model._heaviest_words,
            unit_length=learnt.weighs,
        )  # fmt: skip

    def reduce_topics(self: Model, n: int) -> Model:
        """A model with n topics: those that the tree has merged where n are left.

        It is made at once, from `state`; see `merge_topics` for what it knows.

        Parameters
        ----------
        n : int
            Number of topics, from 1 to those there are.

        Returns
        -------
        DnmfModel
            A new model; this one stays as it is.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 3, common_dictionary, random_state=0)
        >>> smaller = model.reduce_topics(2)
        >>> smaller.num_topics, smaller.state.topic_sizes.tolist()
        (2, [4.0, 5.0])
        """
        model = copy.copy(self)  # which no update on another thread changes
        n = check_int(n, "n", 1, model.num_topics)
        return model.merge_topics(model.hierarchy().cut(n))

    def merge_topics(self: Model, groups: Iterable[Iterable[int]]) -> Model:
        """A model in which each of these groups of topics is one topic.

        It is made at once, from `state`, without fitting. Topics keep their order, a merged one
        stands at the place of its smallest number, and the numbers are made compact. The words are
        those that a fit with these topics would find (with bDNMF), documents have the merged topics
        and the sums of their shares, priors add up. What would take the documents to know stays as
        it was: how typical documents are of their topics (`get_representative_docs`) and how sure
        these are (`confidence`, at least so much) is that of the topics they came from; so is the
        share of the own topic where a model of more than 65,536 documents knows no others. A merged
        topic keeps the name that you gave to its largest part, unless you gave another one to
        another part.

        Parameters
        ----------
        groups : iterable of iterables of int
            Topics to merge, such as ``[[1, 5], [2, 7, 8]]``, each at most once.

        Returns
        -------
        DnmfModel
            A new model that can do all that this one can; this one stays as it is.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 3, common_dictionary, random_state=0)
        >>> model.topic_names = {0: "Graphs"}
        >>> merged = model.merge_topics([[1, 2]])
        >>> merged.topic_names
        ['Graphs', 'system, user, computer']
        >>> merged.cluster_labels.tolist()
        [1, 1, 1, 1, 1, 0, 0, 0, 0]
        """
        model = copy.copy(self)
        check_statistics(model.state)
        numbers = _numbers_after(groups, model.num_topics)
        learnt = model._learnt.merged(numbers)
        settings = replace(model.settings, num_topics=learnt.alpha.size)
        model.__dict__.update(_learnt=learnt, settings=settings, metrics=defaultdict(list))
        # Neither shares it: what one of them draws would change the other.
        model.random_state = copy.deepcopy(model.random_state)
        model.deep_model = model.num_topics_choice = None  # which are of another number of topics
        return model

    def _heaviest_words(self, weights: Dense, topn: int) -> list[str]:
        """The heaviest words of a topic with such weights (V), if they say something of it."""
        lightest = 2 * FLOOR * float(weights.mean())
        terms = np.flatnonzero(weights > lightest)
        if terms.size > topn:  # to sort but a few: all that weigh as much as the last one
            least = np.partition(weights[terms], terms.size - topn)[terms.size - topn]
            terms = terms[weights[terms] >= least]
        order = terms[np.argsort(-weights[terms], kind="stable")]
        return [self._word(term) for term in order.tolist() if self._has_word(term)][:topn]


def _numbers_after(groups: Any, num_topics: int) -> Any:
    """The numbers (K) that topics have when these groups are merged."""
    first = np.arange(num_topics)  # the smallest topic of everyone's group
    seen: set[int] = set()
    for group in _lists(groups):
        topics = [
            check_int(topic, "a topic in groups", -num_topics, num_topics - 1) % num_topics
            for topic in group
        ]
        for topic in topics:
            if topic in seen:
                raise ValueError(f"groups must have each topic at most once, got {topic} twice.")
            seen.add(topic)
        if topics:
            first[topics] = min(topics)
    return np.unique(first, return_inverse=True)[1]


def _lists(groups: Any) -> list[list[Any]]:
    try:
        return [list(group) for group in groups]
    except TypeError:
        raise TypeError(
            f"groups must be lists of topics, such as [[1, 5], [2, 7, 8]], got {shortened(groups)}."
        ) from None
