"""The folder that `fit` writes: model, corpus, tables, page. It appears whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..model import DnmfModel
from ..report import Report
from ..text import TextCorpus

MODEL, CORPUS, RUN = "model.dnmf", "corpus.dnmf", "run.json"
TOPICS, DOCUMENTS, REPORT = "topics.csv", "documents.csv", "report.html"


def check_free(folder: Path, *, replace: bool) -> None:
    """Raise, before any work, if `folder` cannot become a folder of results."""
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {folder.parent}; create it first.")
    if not os.access(folder.parent, os.W_OK):
        raise PermissionError(f"{folder.parent} is not writable; name another folder with --out.")
    if not folder.exists() or _is_empty(folder):
        return
    if not (folder / RUN).is_file():
        raise FileExistsError(f"{folder} holds something else; name another folder with --out.")
    if not replace:
        raise FileExistsError(
            f"{folder} holds results already; name another folder, or replace them with --force."
        )


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which takes the place of `folder` when the block ends well."""
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield unfinished
        unfinished.chmod(0o777 & ~_umask())
        if folder.exists():
            old = unfinished.with_name(f"{unfinished.name}.old")
            os.replace(folder, old)
            os.replace(unfinished, folder)
            shutil.rmtree(old)
        else:
            os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """A text file that takes the place of `path` when the block ends well."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}; create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file.")
    handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            yield file
        os.chmod(unfinished, 0o666 & ~_umask())
        os.replace(unfinished, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)


def write_results(
    folder: Path,
    model: DnmfModel,
    corpus: TextCorpus,
    facts: Mapping[str, Any],
    *,
    title: str,
    with_report: bool,
) -> None:
    """Fill a folder with all that a run found."""
    model.save(folder / MODEL)
    corpus.save(folder / CORPUS)
    run = {"title": title, "facts": dict(facts)}
    (folder / RUN).write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", "utf-8")
    with (folder / TOPICS).open("w", encoding="utf-8", newline="") as file:
        topics = csv.DictWriter(file, ["topic", "size", "share", "words"])
        topics.writeheader()
        for topic in topics_of(model):
            topics.writerow(topic | {"words": " ".join(topic["words"])})
    with (folder / DOCUMENTS).open("w", encoding="utf-8", newline="") as file:
        documents = csv.writer(file)
        documents.writerow(["id", "topic", "weight", "label"])
        found = model.get_document_info()
        labels = corpus.labels or ("",) * len(corpus.ids)
        rows = zip(corpus.ids, found["topic"], found["weight"], labels, strict=True)
        for id, topic, weight, label in rows:
            documents.writerow([id, topic, f"{weight:.6g}", label])
    if with_report:
        write_report(folder / REPORT, model, corpus, facts, title=title)


def write_report(
    path: Path, model: DnmfModel, corpus: TextCorpus, facts: Mapping[str, Any], *, title: str
) -> None:
    """The page."""
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
    return model, TextCorpus.load(folder / CORPUS), {"title": title, "facts": facts}
