"""The folder that `fit` writes: model, corpus, tables, page. It appears whole or not at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..common.writing import is_unfinished, new_text_file, write_text
from ..model import DnmfModel
from ..text import TextCorpus
from .csv_cells import safe_cell

MODEL, CORPUS, RUN = "model.dnmf", "corpus.dnmf", "run.json"
TOPICS, DOCUMENTS, REPORT = "topics.csv", "documents.csv", "report.html"
RESULTS = (MODEL, CORPUS, RUN, TOPICS, DOCUMENTS, REPORT)


def check_free(folder: Path, *, replace: bool) -> None:
    """Raise, before any work, if `folder` cannot become a folder of results."""
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {folder.parent}; create it first.")
    where = folder if folder.exists() else folder.parent
    if not os.access(where, os.W_OK):
        raise PermissionError(f"{where} is not writable; name another folder with --out.")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --out.")
    there = [path for path in folder.iterdir() if not is_unfinished(path)]
    others = [path.name for path in there if not _is_result(path.name)]
    if others:
        raise FileExistsError(
            f"{folder} holds other files too, such as {min(others)}; name another folder with "
            "--out."
        )
    if there and not replace:
        raise FileExistsError(
            f"{folder} holds results already; name another folder, or replace them with --force."
        )


def _is_result(name: str) -> bool:
    # Large arrays of a model or a corpus lie beside it.
    return name in RESULTS or name.startswith((f"{MODEL}.", f"{CORPUS}."))


def write_run(
    folder: Path,
    model: DnmfModel,
    corpus: TextCorpus,
    facts: Mapping[str, Any],
    *,
    title: str,
    options: Mapping[str, Any],
    num_words: int,
    with_report: bool,
) -> None:
    """Fill a folder with all that a run found."""
    model.save(folder / MODEL)
    corpus.save(folder / CORPUS)
    run = {"title": title, "facts": dict(facts), "options": dict(options)}
    write_text(folder / RUN, json.dumps(run, indent=2, ensure_ascii=False) + "\n")
    with new_text_file(folder / TOPICS) as file:
        topics = csv.DictWriter(file, ["topic", "size", "share", "words"], lineterminator="\n")
        topics.writeheader()
        for topic in topics_of(model, num_words):
            topics.writerow(topic | {"words": safe_cell(" ".join(topic["words"]))})
    with new_text_file(folder / DOCUMENTS) as file:
        found = model.get_document_info()
        weights = [f"{weight:.6g}" for weight in found["weight"]]
        columns = {"id": corpus.ids, "topic": found["topic"], "weight": weights}
        if corpus.labels is not None:
            columns["label"] = corpus.labels
        documents = csv.writer(file, lineterminator="\n")
        documents.writerow(columns)
        rows = zip(*columns.values(), strict=True)
        documents.writerows(map(safe_cell, row) for row in rows)
    if with_report:
        write_report(folder / REPORT, model, corpus, facts, title=title)


def write_report(
    path: Path, model: DnmfModel, corpus: TextCorpus, facts: Mapping[str, Any], *, title: str
) -> None:
    """The page."""
    from ..report import Report  # slow to load, and most commands do without it

    Report(
        model, corpus.counts,
        excerpts=corpus.excerpts, ids=corpus.ids, labels=corpus.labels, title=title, facts=facts,
    ).save(path)  # fmt: skip


def topics_of(model: DnmfModel, num_words: int = 10) -> list[dict[str, Any]]:
    """Number, size, share and words of the topics, the largest first, in the types of JSON."""
    return [
        {"topic": int(k), "size": int(size), "share": round(float(share), 6), "words": words}
        for k, size, share, words in model.get_topic_info(num_words).itertuples(index=False)
    ]


def read_model(folder: Path) -> DnmfModel:
    """The model in a folder of results, or in a file that `DnmfModel.save` wrote."""
    if folder.is_file():
        return DnmfModel.load(folder)
    if not (folder / MODEL).is_file():
        raise FileNotFoundError(f"{folder} holds no {MODEL}; name a folder that `fit` wrote.")
    return DnmfModel.load(folder / MODEL)


def read_run(folder: Path) -> tuple[DnmfModel, TextCorpus, dict[str, Any]]:
    """Model, corpus, and the title and facts of a run."""
    model = read_model(folder)
    for name in (CORPUS, RUN):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} holds no {name}; name a folder that `fit` wrote.")
    try:
        run = json.loads((folder / RUN).read_text("utf-8"))
        title, facts = str(run["title"]), dict(run["facts"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / RUN} is damaged ({error}); run `fit` again.") from None
    corpus = TextCorpus.load(folder / CORPUS)
    if corpus.dictionary.token2id != getattr(model.id2word, "token2id", None):
        raise ValueError(
            f"{folder}: {MODEL} and {CORPUS} are not of the same run; run `fit` again."
        )
    return model, corpus, {"title": title, "facts": facts}


def holds_results_of(folder: Path, name: str) -> bool:
    """Whether the folder holds results of the input `name`."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return bool(json.loads((folder / RUN).read_text("utf-8"))["facts"]["input"] == name)
    return False
