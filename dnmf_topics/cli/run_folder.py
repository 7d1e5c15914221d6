"""The folder that `fit` writes: model, corpus, tables, page. It is the old one or the new one."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.checks import shortened
from ..common.protocols import topics_of_known
from ..common.writing import is_unfinished, new_text_file, write_text
from ..model import DnmfModel
from ..text import TextCorpus
from .csv_cells import safe_cell
from .document_table import write_documents
from .inside import Inside, load_inside, save_inside
from .kept_columns import page_columns

if TYPE_CHECKING:
    import pandas as pd

MODEL, CORPUS, RUN = "model.dnmf", "corpus.dnmf", "run.json"
TOPICS, DOCUMENTS, REPORT = "topics.csv", "documents.csv", "report.html"
TOPIC_COLUMNS = ("topic", "size", "share", "name", "words")
OVER_TIME, PER_CLASS = "topics_over_time.csv", "topics_per_class.csv"
INSIDE, SUBTOPICS = "subtopics.dnmf", "subtopics.csv"
# Those of a run that has dates, labels or sub-topics, and those of every run.
SOME_RESULTS = (OVER_TIME, PER_CLASS, INSIDE, SUBTOPICS)
RESULTS = (MODEL, CORPUS, RUN, TOPICS, DOCUMENTS, REPORT, *SOME_RESULTS)
# Of more labels than this there is no table: they are rather names of documents.
MOST_CLASSES = 1000


def check_free(folder: Path, *, replace: bool) -> None:
    """Raise, before any work, if `folder` cannot become a folder of results."""
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {folder.parent}; create it first.")
    if not os.access(folder.parent, os.W_OK):
        raise PermissionError(f"{folder.parent} is not writable; name another folder with --out.")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --out.")
    there = [path for path in folder.iterdir() if not is_unfinished(path)]
    others = [path.name for path in there if path.name not in RESULTS or path.is_symlink()]
    if others:
        raise FileExistsError(
            f"{folder} holds other files too, such as {min(others)}; name another folder with "
            "--out."
        )
    if there and not replace:
        raise FileExistsError(
            f"{folder} holds results already; name another folder, or replace them with `fit "
            "--force`."
        )
    if os.path.ismount(folder):
        raise FileExistsError(
            f"{folder} is a disk of its own, which no new folder can replace; name a folder in it "
            "with --out."
        )
    if Path.cwd().is_relative_to(folder):
        raise FileExistsError(
            f"{folder} is replaced as a whole, but you work in it; go to another folder first, or "
            "name a new one in it with --out."
        )


def write_run(
    folder: Path,
    model: DnmfModel,
    corpus: TextCorpus,
    facts: Mapping[str, Any],
    *,
    title: str,
    options: Mapping[str, Any],
    num_words: int,
    subtopics: Mapping[int, Inside],
    edits: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Fill a folder with all that a run found, but the page."""
    model.save(folder / MODEL)
    corpus.save(folder / CORPUS)
    run: dict[str, Any] = {"title": title, "facts": dict(facts), "options": dict(options)}
    if edits:
        run["edits"] = list(edits)
    write_text(folder / RUN, json.dumps(run, indent=2, ensure_ascii=False) + "\n")
    with new_text_file(folder / TOPICS) as file:
        topics = csv.DictWriter(file, TOPIC_COLUMNS, lineterminator="\n")
        topics.writeheader()
        for topic in topics_of(model, num_words):
            text = {"name": topic["name"], "words": " ".join(topic["words"])}
            topics.writerow(topic | {key: safe_cell(value) for key, value in text.items()})
    with new_text_file(folder / DOCUMENTS) as file:
        write_documents(file, model, corpus, num_words=num_words, subtopics=subtopics)
    _write_changes(folder, model, corpus, options.get("date"), num_words)
    if subtopics:
        save_inside(folder / INSIDE, subtopics, topics_of_known(model))
        _write_subtopics(folder / SUBTOPICS, subtopics, num_words)


def _write_changes(
    folder: Path, model: DnmfModel, corpus: TextCorpus, date: str | None, num_words: int
) -> None:
    """How topics differ over time and between classes, as far as these are known."""
    if date is not None:
        table = model.topics_over_time(corpus.columns[date], corpus.counts, topn=num_words)
        for name in ("start", "end"):
            table[name] = _iso_dates(table[name].to_numpy("datetime64[s]"))
        _write_table(folder / OVER_TIME, table)
    if corpus.labels is not None and len(set(corpus.labels)) <= MOST_CLASSES:
        table = model.topics_per_class(corpus.labels, corpus.counts, topn=num_words)
        _write_table(folder / PER_CLASS, table)


def _iso_dates(times: NDArray[np.datetime64]) -> NDArray[np.str_]:
    """Days, or times if they are not all the beginnings of days."""
    are_days = (times == times.astype("datetime64[D]")).all()
    return np.datetime_as_string(times, unit="D" if are_days else "s")


def _write_table(path: Path, table: pd.DataFrame) -> None:
    table["share"] = table["share"].map("{:.6g}".format, na_action="ignore")
    table["words"] = table["words"].map(" ".join)
    with new_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(map(safe_cell, row) for row in table.fillna("").itertuples(index=False))


def _write_subtopics(path: Path, subtopics: Mapping[int, Inside], num_words: int) -> None:
    with new_text_file(path) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["topic", "subtopic", *TOPIC_COLUMNS[1:]])
        for topic, inside in subtopics.items():
            for row in inside.rows(num_words):
                text = row["name"], " ".join(row["words"])
                numbers = topic, row["topic"], row["size"], f"{row['share']:.6g}"
                table.writerow([*numbers, *map(safe_cell, text)])


def write_report(
    path: Path,
    model: DnmfModel,
    corpus: TextCorpus,
    facts: Mapping[str, Any],
    *,
    title: str,
    options: Mapping[str, Any],
    subtopics: Mapping[int, Inside],
) -> None:
    """The page."""
    from ..report import Report  # slow to load, and most commands do without it

    date, link = (options.get(name) or "" for name in ("date", "link"))
    Report(
        model, corpus.counts,
        excerpts=corpus.excerpts, ids=corpus.ids, labels=corpus.labels,
        dates=corpus.columns.get(date), links=corpus.columns.get(link),
        columns=page_columns(corpus, options),
        subtopics=subtopics, title=title, facts=facts,
    ).save(path)  # fmt: skip


def topics_of(model: DnmfModel, num_words: int = 10) -> list[dict[str, Any]]:
    """Number, size, share, name and words of the topics, the largest first, as JSON knows them."""
    table = model.get_topic_info(num_words)
    table["share"] = table["share"].round(6)
    columns = [table[name].tolist() for name in TOPIC_COLUMNS]
    return [dict(zip(TOPIC_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]


def check_beside(path: Path, folder: Path, allowed: str | None = None) -> None:
    """Raise if a file would take the place of a result in `folder`, but of the one allowed."""
    is_inside = os.path.realpath(path.parent) == os.path.realpath(folder)
    if is_inside and path.name in RESULTS and path.name != allowed:
        raise FileExistsError(f"{path} is a result of `fit`; name another file with --out.")


def take_over(old: Path, folder: Path) -> None:
    """Move what others put into a folder of results, since it was looked at, into the new one."""
    if old.is_dir():
        for path in old.iterdir():
            if path.name not in RESULTS and not is_unfinished(path):
                os.rename(path, folder / path.name)


def read_model(folder: Path) -> DnmfModel:
    """The model in a folder of results, or in a file that `DnmfModel.save` wrote."""
    if folder.is_file():
        return DnmfModel.load(folder)
    _require(folder, MODEL)
    return DnmfModel.load(folder / MODEL)


def check_run(folder: Path) -> None:
    """Raise if this is not a folder of results."""
    for name in (MODEL, CORPUS, RUN):
        _require(folder, name)


def _require(folder: Path, name: str) -> None:
    if not (folder / name).is_file():
        raise FileNotFoundError(f"{folder} holds no {name}; name a folder that `fit` wrote.")


def read_run(folder: Path) -> tuple[DnmfModel, TextCorpus, dict[str, Any]]:
    """Model, corpus, and title, facts, options, edits and sub-topics of a run, all of one run."""
    while True:
        before = _identity(folder)
        try:
            found = _read_run(folder)
        except (OSError, ValueError):
            if _identity(folder) == before:
                raise
            continue
        if _identity(folder) == before:
            return found
        # Another run has replaced it in between.


def _identity(folder: Path) -> tuple[int, ...]:
    """What a folder that takes its place does not have; numbers of removed ones are used again."""
    status = folder.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _read_run(folder: Path) -> tuple[DnmfModel, TextCorpus, dict[str, Any]]:
    check_run(folder)
    model = read_model(folder)
    try:
        run: dict[str, Any] = json.loads((folder / RUN).read_text("utf-8"))
        run = {
            "title": str(run["title"]),
            **{key: dict(run[key]) for key in ("facts", "options")},
            "edits": [dict(edit) for edit in run.get("edits", [])],
        }
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{folder / RUN} is damaged ({error}); run `fit` again.") from None
    corpus = TextCorpus.load(folder / CORPUS)
    if corpus.dictionary.token2id != getattr(model.id2word, "token2id", None):
        raise ValueError(
            f"{folder}: {MODEL} and {CORPUS} are not of the same run; run `fit` again."
        )
    for what in ("date", "link"):
        column = run["options"].get(what)
        if column is not None and column not in list(corpus.columns):
            raise ValueError(
                f"{folder / RUN} is damaged (there are no {what}s {shortened(column)}); run `fit` "
                "again."
            )
    inside = folder / INSIDE
    subtopics = load_inside(inside, topics_of_known(model)) if inside.is_file() else {}
    return model, corpus, run | {"subtopics": subtopics}


def holds_results_of(folder: Path, name: str) -> bool:
    """Whether the folder holds results of the input `name`."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        return bool(json.loads((folder / RUN).read_text("utf-8"))["facts"]["input"] == name)
    return False
