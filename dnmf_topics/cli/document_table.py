"""The table of documents, as `fit` and `infer` write it: what each is about, and what it is."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from ..common.arrays import Labels
from ..common.excerpts import IN_TABLES, cut_excerpt
from ..common.protocols import topics_of_known
from ..model import DnmfModel
from ..text import TextCorpus
from .csv_cells import safe_cell
from .inside import Inside, all_labels

# Names of columns that the table has of its own, of which `topic_0` and so on are the shares.
OWN = r"id|topic|name|weight|confidence|known_words|subtopic|label|topic_\d+|words|text"


def input_name(name: str) -> str:
    """What a column of the input is called in the table, where no two may have one name.

    >>> [input_name(name) for name in ("date", "topic", "input_topic", "topics")]
    ['date', 'input_topic', 'input_input_topic', 'topics']
    """
    return f"input_{name}" if re.fullmatch(f"(?:input_)*(?:{OWN})", name) else name


def words_of_topics(model: DnmfModel, num_words: int) -> list[list[str]]:
    """The heaviest words of each topic."""
    words: list[list[str]] = model.get_topic_info(num_words).sort_values("topic")["words"].tolist()
    return words


def write_documents(
    file: IO[str],
    model: DnmfModel,
    corpus: TextCorpus,
    *,
    num_words: int,
    subtopics: Mapping[int, Inside],
) -> None:
    """A row for each document; one with neither a known word nor a vector has no topic."""
    columns = _columns(model, corpus, num_words, subtopics)
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(safe_cell, columns))
    writer.writerows(map(safe_cell, row) for row in zip(*columns.values(), strict=True))


def _columns(
    model: DnmfModel, corpus: TextCorpus, num_words: int, subtopics: Mapping[int, Inside]
) -> dict[str, Iterable[Any]]:
    """Columns by their names; texts and columns of the input are read as they are written."""
    found = model.get_document_info()
    topics, known = found["topic"].tolist(), found["confidence"] > 0

    def of_known(values: Iterable[Any]) -> Iterator[Any]:
        return (value if is_known else "" for value, is_known in zip(values, known, strict=True))

    def of_topics(values: list[Any]) -> Iterator[Any]:
        return of_known(values[topic] for topic in topics)

    words = [" ".join(words) for words in words_of_topics(model, num_words)]
    columns: dict[str, Iterable[Any]] = {
        "id": corpus.ids,
        "topic": of_known(topics),
        "name": of_topics(model.topic_names),
        "weight": of_known(map("{:.6g}".format, found["weight"])),
        "confidence": of_known(map("{:.6g}".format, found["confidence"])),
        "known_words": corpus.lengths.tolist(),
    }
    if subtopics:
        columns["subtopic"] = of_known(_subtopic_cells(subtopics, topics_of_known(model)))
    if corpus.labels is not None:
        columns["label"] = corpus.labels
    columns |= {input_name(name): column for name, column in corpus.columns.items()}
    columns["words"] = of_topics(words)
    if len(corpus.excerpts):
        columns["text"] = (cut_excerpt(text, IN_TABLES) for text in corpus.excerpts)
    return columns


def _subtopic_cells(subtopics: Mapping[int, Inside], topics: Labels) -> Iterator[Any]:
    return ("" if label < 0 else label for label in all_labels(subtopics, topics).tolist())
