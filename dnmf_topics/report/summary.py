"""All that the page shows, as one dict that JSON can hold."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ..common.arrays import Dense, Labels
from ..common.excerpts import cut_excerpt
from ..common.protocols import Subtopics, TrainedModel, topic_term_of
from .doc_columns import columns_of, is_unknown, time_of
from .doc_map import bounds_of, positions, topic_centers
from .doc_parts import part_columns, share_limits
from .outline import subtopics_of, tree_of
from .telling_words import telling_words

NUM_WORDS = 100  # of a topic; the page shows ten, and looks for words that two topics share in all
NUM_REPRESENTATIVE = 5
EXCERPT_BUDGET = 8_000_000  # characters of all excerpts together, so that the page stays light
MIN_EXCERPT, MAX_EXCERPT = 240, 1000
MAX_LABELS = 60  # rarer labels share the last column of the table
MAP_STEPS = 10_000  # places are whole numbers up to this, which are shorter to write
MAX_ENTRIES = 8  # of a list among the settings, such as stop words
PACKAGES = ("dnmf_topics", "gensim", "numpy", "scipy", "scikit-learn", "numba", "pyLDAvis")


def summarize(
    model: TrainedModel,
    topics: Labels,
    is_empty: npt.NDArray[np.bool_],
    *,
    excerpts: Sequence[str] | None,
    ids: Sequence[str] | None,
    labels: Sequence[str | None] | None,
    dates: Sequence[Any] | None,
    links: Sequence[str | None] | None,
    columns: Mapping[str, Sequence[Any]],
    subtopics: Mapping[int, Subtopics],
    title: str,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """What a trained model says of its documents; all that is given of these is in their order.

    Those of which nothing is known, whose topic is -1, are left out.
    """
    known = topics >= 0
    rows, topics = np.flatnonzero(known), topics[known]
    if ids is None and not known.all():  # which the page would number anew
        ids = [f"Document {row}" for row in range(known.size)]
    excerpts, ids, labels, dates, links = (
        None if column is None else list(compress(column, known))
        for column in (excerpts, ids, labels, dates, links)
    )
    columns = {name: list(compress(column, known)) for name, column in columns.items()}
    places = positions(_representation(model)[rows], topics)
    topic_term = topic_term_of(model)
    time, doc_times = time_of([None] * len(topics) if dates is None else dates)
    inside, doc_subtopics = subtopics_of(subtopics, topics, model.num_topics, places, _on_map)
    documents = {
        "topic": topics.tolist(),
        **part_columns(model.doc_topics()[rows], is_empty[rows]),
        **_described(places, excerpts, ids, labels, links),
    }
    return {
        "title": title,
        "facts": _shown(facts),
        "doubts": list(model.doubts),
        "num_documents": len(topics),
        "num_unknown": int(known.size - rows.size),
        "num_topics": model.num_topics,
        "num_terms": model.num_terms,
        "topics": _topics(model, topic_term, rows, topics, places),
        "tree": _tree(model, topics, places),
        "subtopics": inside,
        "documents": documents | doc_times | {"subtopic": doc_subtopics},
        "time": time,
        "columns": columns_of(columns),
        "shares": share_limits(),
        "telling_words": None if excerpts is None else _telling_words(model, topics),
        "map_steps": MAP_STEPS,
        "similarity": _similarity(topic_term),
        "labels": None if labels is None else _contingency(topics, model.num_topics, labels),
        "settings": _shown(model.get_settings()),
        "versions": _versions(),
    }


def _tree(model: TrainedModel, topics: Labels, places: Dense) -> dict[str, Any] | None:
    """The tree over the topics; None for one topic, or for a model that dropped its statistics."""
    try:
        tree = model.hierarchy()
    except ValueError:
        return None
    return tree_of(tree, topics, places, _on_map)


def _representation(model: TrainedModel) -> Dense:
    """Documents as the network sees them; without a network, by their topics."""
    embedding = np.asarray(model.doc_embedding, np.float64)
    if len(embedding) == len(model.cluster_labels):
        return embedding
    return np.asarray(np.sqrt(model.doc_topics()))


def _topics(
    model: TrainedModel, topic_term: Dense, rows: Labels, topics: Labels, places: Dense
) -> list[dict[str, Any]]:
    """The topics by their numbers: name, words, best documents, place on the map.

    The documents are these rows of the corpus.
    """
    info = model.get_topic_info(topn=1).set_index("topic")
    centers = topic_centers(places, topics, model.num_topics)
    mean_weights = topic_term.mean(axis=0)
    words = [
        _words(model, topic, topic_term, mean_weights) if info.loc[topic, "words"] else []
        for topic in range(model.num_topics)
    ]
    names = model.topic_names
    return [
        {
            "size": int(info.loc[topic, "size"]),
            "share": round(float(info.loc[topic, "share"]), 5),
            "name": names[topic],
            "words": words[topic],
            "documents": np.searchsorted(
                rows, model.get_representative_docs(topic, NUM_REPRESENTATIVE)
            ).tolist(),
            "place": _on_map(centers[topic]),
            "bounds": _on_map(bounds_of(places[topics == topic], centers[topic])),
        }
        for topic in range(model.num_topics)
    ]


def _words(
    model: TrainedModel, topic: int, topic_term: Dense, mean_weights: Dense
) -> list[list[Any]]:
    """The top words, their weights, and how many times their mean weight in all topics that is."""
    return [
        [
            str(model.id2word[term]),
            float(f"{weight:.4g}"),
            float(f"{weight / mean_weights[term]:.3g}"),
        ]
        for term, weight in model.get_topic_terms(topic, NUM_WORDS)
        if weight > 0
    ]


def _telling_words(model: TrainedModel, topics: Labels) -> dict[str, list[Any]]:
    sizes = np.bincount(topics, minlength=model.num_topics)
    return telling_words(model.get_word_distributions(), sizes, model.id2word)


def _described(
    places: Dense,
    excerpts: Sequence[str] | None,
    ids: Sequence[str] | None,
    labels: Sequence[str | None] | None,
    links: Sequence[str | None] | None,
) -> dict[str, Any]:
    """A column for each property; None where it is not known."""
    x, y = zip(*_on_map(places), strict=True)
    return {
        "x": list(x),
        "y": list(y),
        "id": None if ids is None else [str(id) for id in ids],
        "label": None if labels is None else [_text(label) for label in labels],
        "link": None if links is None else [_text(link) for link in links],
        "text": None if excerpts is None else _excerpts(excerpts),
    }


def _text(value: Any) -> str | None:
    """A value as text; None for what is missing, as numpy and pandas write it too."""
    return None if not isinstance(value, str) and is_unknown(value) else str(value)


def _excerpts(texts: Sequence[str]) -> list[str]:
    """The beginnings of the texts, each in one line; the more texts there are, the shorter."""
    length = max(MIN_EXCERPT, min(MAX_EXCERPT, EXCERPT_BUDGET // len(texts)))
    return [cut_excerpt(text, length) for text in texts]


def _on_map(places: Dense) -> list[Any]:
    """Places in the square from -1 to 1 as whole numbers from 0."""
    steps: list[Any] = np.rint((places + 1) / 2 * MAP_STEPS).astype(int).tolist()
    return steps


def _similarity(topic_term: Dense) -> dict[str, Any]:
    """Cosines of the topics' word weights, and an order in which like topics are neighbors."""
    lengths = np.linalg.norm(topic_term, axis=1, keepdims=True)
    unit = topic_term / np.where(lengths > 0, lengths, 1)
    cosines = np.clip(unit @ unit.T, 0, 1)
    order = np.arange(len(cosines))
    if len(cosines) > 2:
        distances = squareform(1 - cosines, checks=False)
        order = leaves_list(linkage(distances, "average", optimal_ordering=True))
    return {"cosines": cosines.round(3).tolist(), "order": order.tolist()}


def _contingency(
    topics: Labels, num_topics: int, labels: Sequence[str | None]
) -> dict[str, Any] | None:
    """How many documents each topic has of each label, the labels in the order of their topics."""
    texts = [_text(label) for label in labels]
    known = np.array([text is not None for text in texts], dtype=bool)
    if not known.any():
        return None
    names, columns = np.unique([text for text in texts if text is not None], return_inverse=True)
    counts = np.zeros((num_topics, len(names)), dtype=np.int64)
    np.add.at(counts, (topics[known], columns), 1)
    frequent = np.argsort(-counts.sum(axis=0), kind="stable")
    majority = int(counts.max(axis=1).sum())
    shown, others = frequent[:MAX_LABELS], frequent[MAX_LABELS:]
    # Each label comes by the topic that has most of it: large counts lie along the diagonal.
    shown = shown[np.argsort(counts[:, shown].argmax(axis=0), kind="stable")]
    table = counts[:, shown]
    if others.size:
        table = np.column_stack([table, counts[:, others].sum(axis=1)])
    return {
        "names": names[shown].tolist(),
        "num_others": int(others.size),
        "counts": table.tolist(),
        "num_labeled": int(known.sum()),
        "num_majority": majority,
        "largest": [str(names[frequent[0]]), int(counts[:, frequent[0]].sum())],
    }


def _shown(values: Mapping[str, Any]) -> list[list[str]]:
    """Names and values as a person reads them."""
    return [[str(name), _shown_value(value)] for name, value in values.items()]


def _shown_value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown_value(entry)}" for name, entry in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        entries = [_shown_value(entry) for entry in value]
        rest = f", … ({len(entries)} in all)" if len(entries) > MAX_ENTRIES else ""
        return ", ".join(entries[:MAX_ENTRIES]) + rest if entries else "none"
    return str(value)


def _versions() -> list[list[str]]:
    versions = [["python", platform.python_version()]]
    for name in PACKAGES:
        try:
            versions.append([name, metadata.version(name)])
        except metadata.PackageNotFoundError:  # run from a checkout that is not installed
            continue
    return versions
