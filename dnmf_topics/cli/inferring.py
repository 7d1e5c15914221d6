"""The command that finds the topics of new documents."""

from __future__ import annotations

import csv
import json
import logging
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import IO, Any

from ..common.excerpts import IN_TABLES
from ..common.progress import Progress
from ..common.writing import new_text_file
from ..model import DnmfModel
from ..text import Document, Tokenization, excerpt_of
from .csv_cells import safe_cell
from .document_table import input_name, words_of_topics
from .inputs import documents_of, say_skipped
from .results import NUM_WORDS
from .run_folder import check_beside, read_model
from .screen import Screen
from .vector_file import read_vectors, with_rows

logger = logging.getLogger(__name__)

BATCH = 1000  # documents at a time
LAST = ("words", "text")  # of the columns, as they are long
WRITERS = {".csv": "csv", ".jsonl": "jsonl"}


def infer(args: Namespace, screen: Screen) -> None:
    """Find the topics of new documents by the steps that the model's own went through."""
    model = read_model(Path(args.folder))
    if model.tokenization is None:
        raise ValueError(
            f"{args.folder} does not say how its text was tokenized; train it with `fit`, or on "
            "a corpus of dnmf_topics.text."
        )
    if not hasattr(model.id2word, "doc2bow"):
        raise ValueError(
            "The model must have a gensim Dictionary as its id2word, to know the words of texts; "
            f"it has {type(model.id2word).__name__}."
        )
    target = None if args.out is None else Path(args.out)
    form = "jsonl" if screen.as_json else "csv"
    if target is not None:
        if target.suffix.lower() not in WRITERS:
            raise ValueError(f"--out must end in {' or '.join(WRITERS)}, got {target.name}.")
        if args.input != "-" and target.exists() and os.path.samefile(target, args.input):
            raise ValueError(f"--out must not be the input, {target}.")
        check_beside(target, Path(args.folder))
        form = WRITERS[target.suffix.lower()]
    tokenization = Tokenization.from_json(model.tokenization, args.allow)
    tokenization.tokens([])  # what is missing or not allowed is said before anything is written
    vectors = None if args.embeddings is None else _vectors_for(model, args.embeddings)
    documents = documents_of(args)
    output: AbstractContextManager[IO[str]] = (
        nullcontext(sys.stdout) if target is None else new_text_file(target)
    )
    num_unknown = number = 0
    with output as file, screen.progress() as progress:
        write = _CsvRows(file) if form == "csv" else partial(_write_json, file)
        for rows in _infer_topics(model, tokenization, documents, args, vectors):
            write(rows)
            num_unknown += sum(row["topic"] is None for row in rows)
            number += len(rows)
            progress(Progress("documents", number, None))
    say_skipped(documents)
    if num_unknown:
        logger.warning(
            "documents without a word that the model knows, which have no topic: %i of %i",
            num_unknown, number,
        )  # fmt: skip
    if target is not None:
        screen.say(f"written: {target}, {number} documents")


def _vectors_for(model: DnmfModel, named: str) -> Any:
    """The vectors of a file, such as the model was trained with."""
    vectors, dimensions = read_vectors(named), model.get_settings().get("embeddings")
    if dimensions is None:
        raise ValueError(
            f"--embeddings: the model was trained without any; leave {named} out, or train it with "
            "`fit --embeddings`."
        )
    if vectors.shape[1] != dimensions:
        raise ValueError(
            f"--embeddings: {named} must have {dimensions} columns, as what the model was trained "
            f"with, got {vectors.shape[1]}; take the same embedding model."
        )
    return vectors


def _infer_topics(
    model: DnmfModel,
    tokenization: Tokenization,
    documents: Iterable[Document],
    args: Namespace,
    vectors: Any,
) -> Iterator[list[dict[str, Any]]]:
    """Some documents at a time, as rows of the table; None stands for what is not known."""
    names, words, done = model.topic_names, words_of_topics(model, NUM_WORDS), 0
    if vectors is not None:
        documents = with_rows(documents, vectors, args.embeddings)
    documents, again = tee(documents)
    texts = (document.text for document in again)
    tokens = tokenization.tokens(texts, processes=args.processes)
    bows = map(model.id2word.doc2bow, tokens)
    while batch := list(islice(bows, BATCH)):
        of_batch = None if vectors is None else vectors[done : done + len(batch)]
        found = model.get_document_info(batch, full=args.full, embeddings=of_batch)
        rows = []
        for bow, row in zip(batch, found.itertuples(index=False), strict=True):
            document = next(documents)
            is_known = row.confidence > 0
            topic = int(row[0]) if is_known else None
            weight, confidence, *shares = (
                round(float(n), 6) if is_known else None for n in row[1:]
            )
            record: dict[str, Any] = {
                "id": document.id,
                "topic": topic,
                "name": None if topic is None else names[topic],
                "weight": weight,
                "confidence": confidence,
                "known_words": sum(count for _, count in bow),
            }
            if args.label is not None:
                record["label"] = document.label
            record |= {input_name(name): value for name, value in document.columns.items()}
            record |= {f"topic_{number}": share for number, share in enumerate(shares)}
            record["words"] = None if topic is None else words[topic]
            record["text"] = excerpt_of(document.text, tokenization, IN_TABLES)
            rows.append(record)
        done += len(batch)
        yield rows


class _CsvRows:
    """Rows of a .csv file; the first of them tell which columns it has."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._writer: csv.DictWriter[str] | None = None
        self._num_written = 0
        self._unknown: set[str] = set()

    def __call__(self, rows: list[dict[str, Any]]) -> None:
        names = dict.fromkeys(name for row in rows for name in row)
        if self._writer is None:
            names = dict.fromkeys([*(name for name in names if name not in LAST), *LAST])
            self._writer = csv.DictWriter(
                self._file, list(names), lineterminator="\n", extrasaction="ignore"
            )
            self._writer.writerow({name: safe_cell(name) for name in names})
        self._warn(names)
        self._writer.writerows(
            {
                name: safe_cell(" ".join(v) if name == "words" and v else v)
                for name, v in row.items()
            }
            for row in rows
        )
        self._num_written += len(rows)

    def _warn(self, names: Iterable[str]) -> None:
        assert self._writer is not None
        new = set(names) - set(self._writer.fieldnames) - self._unknown
        if new:
            self._unknown |= new
            logger.warning(
                "columns that no document had before number %i, and that are left out: %s",
                self._num_written + 1, ", ".join(sorted(new)),
            )  # fmt: skip


def _write_json(file: IO[str], rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(json.dumps(row, ensure_ascii=False), file=file)
