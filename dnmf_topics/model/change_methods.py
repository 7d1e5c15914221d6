"""How topics differ over time and between classes, as pandas tables."""

from __future__ import annotations

import copy
import logging
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.calendar_bins import calendar_bins
from ..common.checks import check_int, shortened, without_mask
from .changes import Groups, changed_words, group_sizes
from .table_methods import TableMethods
from .workshop import Workshop

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)


class ChangeMethods(TableMethods):
    """The same topics at different times and in different classes."""

    def topics_over_time(
        self, dates: Any, corpus: Any = None, *, bins: int | str = "auto", topn: int = 10
    ) -> pd.DataFrame:
        """How large each topic is at each time and, with the documents, how its words change.

        ``table.pivot(index="start", columns=["topic", "name"], values="share").plot()`` draws it.

        Parameters
        ----------
        dates : sequence
            A date for each training document, in their order, those of updates after the others.
            Whatever `pandas.to_datetime` reads, years, and Unix times; in 4/3/2019 the month comes
            first. Times are told in UTC. Documents whose date is None, NaT, NaN or "" are left out,
            and the log says how many.
        corpus : gensim corpus, or sparse matrix of shape (V, n), optional
            The training documents, in the same order, for their words.
        bins : "auto", int or str, default="auto"
            About how many times, or how long one is: "day", "week" (from Monday on), "month",
            "quarter", "year", "5 years" and so on. "auto" chooses a unit that gives around 20.
        topn : int, default=10
            Number of words, at most.

        Returns
        -------
        pandas.DataFrame
            A row for each time and topic. `start` and `end` of the time, which ends before `end`;
            `topic` and its `name`; `size`, the number of documents of that time whose main topic it
            is; their `share` of all documents of that time, NaN where there are none. With a
            corpus, `words`: a list of those that the topic's documents of that time have more often
            than the topic's documents of all times, by more than chance; the most telling first.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> years = [1987, 1987, 1987, 1989, None, 1989, 1989, 1989, 1989]
        >>> table = model.topics_over_time(years, bins="year")
        >>> table.pivot(index="start", columns="topic", values="size").to_numpy().tolist()
        [[3, 0], [0, 0], [1, 4]]
        """
        import pandas as pd

        model = copy.copy(self)  # which no update on another thread changes
        found = calendar_bins(model._one_each(dates, "dates"), bins)
        groups = Groups(found.index, found.starts.size)
        _check_known(groups, "dates", "a date")
        spans = pd.DataFrame({"start": found.starts, "end": found.ends})
        return model._by_group(spans, groups, corpus, topn)

    def topics_per_class(self, labels: Any, corpus: Any = None, *, topn: int = 10) -> pd.DataFrame:
        """How large each topic is in each class and, with the documents, how its words differ.

        Parameters
        ----------
        labels : sequence
            The class of each training document, in their order, those of updates after the others:
            strings or numbers. Documents whose label is None, NaN or "" are left out, and the log
            says how many.
        corpus : gensim corpus, or sparse matrix of shape (V, n), optional
            The training documents, in the same order, for their words.
        topn : int, default=10
            Number of words, at most.

        Returns
        -------
        pandas.DataFrame
            A row for each class, in alphabetical order, and topic: `label`, `topic`, `name`,
            `size`, `share` and `words` as in `topics_over_time`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> table = model.topics_per_class(["people"] * 3 + ["machines"] * 2 + ["math"] * 4)
        >>> table[["label", "topic", "size"]].to_dict("split")["data"]  # doctest: +ELLIPSIS
        [['machines', 0, 2], ['machines', 1, 0], ['math', 0, 0], ['math', 1, 4], ['people', ...]]
        """
        import pandas as pd

        model = copy.copy(self)
        index, names = _classes(model._one_each(labels, "labels"))
        groups = Groups(index, len(names))
        _check_known(groups, "labels", "a label")
        return model._by_group(pd.DataFrame({"label": names}), groups, corpus, topn)

    def _one_each(self, values: Any, name: str) -> Sequence[Any]:
        """One value for each training document."""
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise TypeError(f"{name} must be a sequence, got {shortened(values)}.")
        if not hasattr(values, "__len__"):
            values = list(values)
        num_docs = self._learnt.documents.cluster_labels.size
        if not num_docs:
            raise ValueError(
                "The model knows no topics of training documents: it is not trained, or was saved "
                "without them."
            )
        if len(values) != num_docs:
            raise ValueError(
                f"{name} must have an entry for each of the {num_docs} training documents, those "
                f"of updates included, got {len(values)}."
            )
        return without_mask(values)  # type: ignore[no-any-return]

    def _by_group(
        self, described: pd.DataFrame, groups: Groups, corpus: Any, topn: int
    ) -> pd.DataFrame:
        """A row for each group, of which a table says more, and topic."""
        check_int(topn, "topn", 0)
        documents, num_topics = self._learnt.documents, self.num_topics
        labels = documents.cluster_labels
        groups = replace(groups, index=np.where(documents.are_known, groups.index, -1))
        sizes = group_sizes(labels, groups, num_topics)
        totals = sizes.sum(axis=1, keepdims=True)
        table = described.loc[described.index.repeat(num_topics)].reset_index(drop=True)
        table["topic"] = np.tile(np.arange(num_topics), groups.number)
        table["name"] = self.topic_names * groups.number
        table["size"] = sizes.ravel()
        table["share"] = np.divide(
            sizes, totals, out=np.full(sizes.shape, np.nan), where=totals > 0
        ).ravel()
        if corpus is not None:
            table["words"] = self._words_by_group(corpus, groups, topn)
        return table

    def _words_by_group(self, corpus: Any, groups: Groups, topn: int) -> list[list[str]]:
        labels = self._learnt.documents.cluster_labels
        with Workshop(self.resources, self.n_jobs) as workshop:
            documents = workshop.read(corpus, self.num_terms)
            if documents.shape[0] != labels.size:
                raise ValueError(
                    f"corpus must have the {labels.size} training documents, those of updates "
                    f"included, got {documents.shape[0]}."
                )
            terms = changed_words(documents, labels, groups, self.num_topics, topn, workshop.engine)
        return [[self._word(term) for term in each] for group in terms for each in group]


def _classes(labels: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The number of each label's class (N), -1 where there is none, and the names of classes."""
    import pandas as pd

    for label in labels:
        if not isinstance(label, Hashable):
            raise TypeError(f"labels must be strings or numbers, got {shortened(label)}.")
    given = [None if isinstance(label, str) and not label else label for label in labels]
    numbers, names = pd.factorize(np.fromiter(given, object, len(given)))
    try:
        order = sorted(range(len(names)), key=lambda number: names[number])
    except TypeError:  # numbers and strings
        order = sorted(range(len(names)), key=lambda number: str(names[number]))
    places = np.append(np.argsort(order), -1)  # the last for -1
    return places[numbers], [names[number] for number in order]


def _check_known(groups: Groups, name: str, what: str) -> None:
    """Say how many documents are left out; raise if it is all of them."""
    num_unknown = int((groups.index < 0).sum())
    if not groups.number:
        raise ValueError(f"{name} must not all be unknown, got {num_unknown} that are.")
    if num_unknown:
        logger.warning(
            "documents without %s, which are left out: %i of %i",
            what, num_unknown, groups.index.size,
        )  # fmt: skip
