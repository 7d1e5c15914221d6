"""One page that shows what a model found: its topics, its documents, and how it was made.

`summary` gathers all that is shown in a dict, `page` writes it as HTML, and `Report` does both.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..adapters.pyldavis import html_of, prepare
from ..common.arrays import Labels
from ..common.checks import without_mask
from ..common.documents import AnyCorpus, read_matrix
from ..common.excerpts import MOST_ON_PAGE
from ..common.protocols import Subtopics, TrainedModel, topics_of_known
from ..common.reading_dates import read_dates
from ..common.writing import check_place, write_text
from .page import html_page
from .summary import summarize

__all__ = ["Report"]


class Report:
    """An interactive page about a trained model, in one HTML file that needs no network.

    Parameters
    ----------
    model : DnmfModel
        The trained model.
    corpus : gensim corpus, or sparse matrix of shape (V, N)
        The documents that it was trained on, in its order.
    excerpts : sequence of str, optional
        The beginnings of their texts, to be read on the map and found by the search.
    ids : sequence of str, optional
        Their names; by default they are counted from 0.
    labels : sequence of str or None, optional
        Their classes, if any are known; None for a document without one.
    dates : sequence, optional
        When they were written: whatever `pandas.to_datetime` reads, None where it is not known. The
        page has a time line then.
    links : sequence of str or None, optional
        Their addresses. Those of http, https and mailto, and relative ones, can be followed; all
        others are shown as text.
    columns : dict, optional
        What else is known of them, to color the map by: names, and a sequence for each. If all
        values are numbers, the colors are a scale, and else they are categories; None is unknown.
    subtopics : dict, optional
        Topics that can be opened: numbers of topics, and for each a model of its documents in their
        order, as `DnmfModel.subtopics` makes it.
    title : str, default="Topics"
        The heading of the page.
    facts : dict, optional
        What else is to be said about how it was made, such as the input file: names and values.

    Raises
    ------
    ValueError
        If the model does not know the topics of its documents, or the corpus or what is given of
        the documents are not as many as these, or a date is none.

    Examples
    --------
    >>> import tempfile
    >>> from gensim.test.utils import common_corpus, common_dictionary, common_texts
    >>> from dnmf_topics import DnmfModel
    >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
    >>> report = Report(model, common_corpus, excerpts=[" ".join(text) for text in common_texts])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.save(f"{folder}/report.html")
    >>> report.summary["num_documents"]
    9
    """

    def __init__(
        self,
        model: TrainedModel,
        corpus: AnyCorpus,
        *,
        excerpts: Sequence[str] = (),
        ids: Sequence[str] | None = None,
        labels: Sequence[str | None] | None = None,
        dates: Sequence[Any] | None = None,
        links: Sequence[str | None] | None = None,
        columns: Mapping[str, Sequence[Any]] | None = None,
        subtopics: Mapping[int, Subtopics] | None = None,
        title: str = "Topics",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self._model = copy.copy(model)  # another thread may update it while the page is made
        self._doc_term = read_matrix(corpus, model.num_terms, unknown="drop")
        num_docs = self._doc_term.shape[0]
        if not len(model.cluster_labels):
            raise ValueError(
                "model must know the topics of its documents, but it is not trained, or was saved "
                "without them."
            )
        if len(model.cluster_labels) != num_docs:
            raise ValueError(
                f"corpus must hold the {len(model.cluster_labels)} documents that the model was "
                f"trained on, got {num_docs}."
            )
        if num_docs > MOST_ON_PAGE:
            raise ValueError(
                f"corpus must have at most {MOST_ON_PAGE:,} documents, as the page shows all of "
                f"them, got {num_docs:,}; `get_topic_info` and `get_representative_docs` of the "
                "model tell of more."
            )
        given = {
            "excerpts": excerpts if len(excerpts) else None,
            "ids": ids,
            "labels": labels,
            "dates": dates,
            "links": links,
        }
        given = {name: without_mask(column) for name, column in given.items()}
        columns = {name: without_mask(column) for name, column in (columns or {}).items()}
        subtopics = dict(subtopics or {})
        for name, column in (
            given | {f"columns[{name!r}]": columns[name] for name in columns}
        ).items():
            if column is not None and len(column) != num_docs:
                raise ValueError(
                    f"{name} must have one entry for each of the {num_docs} documents, "
                    f"got {len(column)}."
                )
        if dates is not None:
            read_dates(dates)  # what is no date is said before any work
        self._topics = topics_of_known(self._model)
        _check_subtopics(subtopics, self._topics, model.num_topics)
        self._about: dict[str, Any] = given | {
            "columns": columns,
            "subtopics": subtopics,
            "title": str(title),
            "facts": dict(facts or {}),
        }

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All that the page shows but the pyLDAvis panel, in types that JSON knows."""
        is_empty = np.diff(self._doc_term.indptr) == 0
        return summarize(self._model, self._topics, is_empty, **self._about)

    def html(self) -> str:
        """The page; the same model and texts give the same page.

        Returns
        -------
        str
            HTML that needs no network.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> "<title>Nine papers</title>" in Report(model, common_corpus, title="Nine papers").html()
        True
        """
        try:
            panel = html_of(prepare(self._model, self._doc_term.T))
        except ValueError as error:  # there is nothing that pyLDAvis could draw
            return html_page(self.summary, None, str(error))
        return html_page(self.summary, panel)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; a file that is there already is replaced when the new one is complete.

        Parameters
        ----------
        path : path
            The HTML file.
        """
        check_place(Path(path))
        write_text(Path(path), self.html())


def _check_subtopics(subtopics: Mapping[int, Subtopics], topics: Labels, num_topics: int) -> None:
    """Raise if a topic is none of the model's, or its model is one of other documents."""
    for topic, inside in subtopics.items():
        if topic not in range(num_topics):
            raise ValueError(
                f"subtopics must be given for topics from 0 to {num_topics - 1}, got {topic!r}."
            )
        size = int(np.sum(topics == topic))
        if len(inside.cluster_labels) != size:
            raise ValueError(
                f"subtopics[{topic}] must be a model of the {size} documents of topic {topic}, got "
                f"one of {len(inside.cluster_labels)}."
            )
