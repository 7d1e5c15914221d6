"""What each command does."""

from __future__ import annotations

import csv
import itertools
import json
import logging
import os
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, Any

from gensim.test.utils import datapath

from .. import __version__
from ..comparison import Score, compare
from ..model import DnmfModel
from ..text import Document, Documents, TextCorpus, Tokenization, build_corpus, read_documents
from .results import (
    REPORT,
    check_free,
    new_file,
    new_folder,
    read_model,
    read_run,
    topics_of,
    write_report,
    write_results,
)
from .screen import Screen, table

logger = logging.getLogger(__name__)

BATCH = 1000  # documents that are inferred at a time
BETTER = "c_v, c_npmi, diversity, accuracy, nmi: higher is better; sim_count, seconds: lower"


def fit(args: Namespace, screen: Screen) -> None:
    """Train a model and write all that it found into a new folder."""
    out = Path(args.out)
    check_free(out, replace=args.force)
    corpus = _corpus(args, _documents(args), screen)
    _fit_into(out, corpus, args, screen, title=args.title or _name(args.input))


def _fit_into(
    out: Path, corpus: TextCorpus, args: Namespace, screen: Screen, *, title: str
) -> None:
    start = time.perf_counter()
    model = DnmfModel(
        corpus.counts, args.num_topics, corpus.dictionary,
        variant=args.variant, num_clusterings=args.num_clusterings, random_state=args.seed,
        n_jobs=args.jobs, show_progress=screen.shows_bars,
    )  # fmt: skip
    facts = {
        "input": _name(args.input),
        "seed": args.seed,
        "training": f"{time.perf_counter() - start:.1f} s",
        "dnmf_topics": __version__,
    }
    with new_folder(out) as folder:
        screen.say_if_plain("writing the results ...")
        write_results(folder, model, corpus, facts, title=title, with_report=not args.no_report)
    topics = topics_of(model, args.words)
    written = {"out": str(out), "documents": len(corpus.ids), "terms": len(corpus.dictionary)}
    if not args.no_report:
        written["report"] = str(out / REPORT)
    screen.show(_topic_table(topics), written | {"topics": topics})
    screen.say(f"written: {written.get('report', out)}")


def topics(args: Namespace, screen: Screen) -> None:
    """Show the topics of a model."""
    found = topics_of(read_model(Path(args.folder)), args.words)
    screen.show(_topic_table(found), found)


def _topic_table(topics: list[dict[str, Any]]) -> str:
    rows = [[t["topic"], t["size"], f"{t['share']:.1%}", " ".join(t["words"])] for t in topics]
    return table(["topic", "documents", "share", "words"], rows, _width())


def _width() -> int | None:
    """Of the terminal; a file or a pipe has all the room."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def infer(args: Namespace, screen: Screen) -> None:
    """Find the topics of new documents by the steps that the model's own went through."""
    model = read_model(Path(args.folder))
    if model.tokenization is None:
        raise ValueError(
            f"{args.folder} does not say how its text was tokenized; train it with `fit`, or on "
            "a corpus of dnmf_topics.text."
        )
    tokenization = Tokenization.from_json(model.tokenization)
    documents = _documents(args)
    target = None if args.out is None else Path(args.out)
    is_csv = not (screen.as_json or (target is not None and ".jsonl" in target.suffixes))
    opened: Any = nullcontext(sys.stdout) if target is None else new_file(target)
    num_documents = num_unknown = 0
    with opened as file, screen.progress() as progress:
        write = _csv_writer(file) if is_csv else _json_writer(file)
        for batch in _batches(documents, BATCH):
            for row in _inferred(model, tokenization, batch, args):
                num_documents += 1
                num_unknown += row["known_words"] == 0
                write(row)
            progress("documents", num_documents, None)
    _say_skipped(documents)
    if num_unknown:
        logger.warning(
            "%i of %i documents have no word that the model knows: the largest topic is a guess",
            num_unknown, num_documents,
        )  # fmt: skip
    if target is not None:
        screen.say(f"written: {target}, {num_documents} documents")


def _batches(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    rest = iter(documents)
    while batch := list(itertools.islice(rest, size)):
        yield batch


def _inferred(
    model: DnmfModel, tokenization: Tokenization, batch: list[Document], args: Namespace
) -> Iterator[dict[str, Any]]:
    texts = tokenization.tokens((document.text for document in batch), processes=args.processes)
    bows = [model.id2word.doc2bow(text) for text in texts]
    found = model.get_document_info(bows, full=args.full)
    for document, bow, row in zip(batch, bows, found.itertuples(index=False), strict=True):
        topic, weight, *shares = row
        record = {"id": document.id, "topic": int(topic), "weight": round(float(weight), 6)}
        record["known_words"] = sum(count for _, count in bow)
        if args.label is not None:
            record["label"] = document.label
        for number, share in enumerate(shares):
            record[f"topic_{number}"] = round(float(share), 6)
        yield record


def _csv_writer(file: IO[str]) -> Any:
    writer = None

    def write(row: dict[str, Any]) -> None:
        nonlocal writer
        if writer is None:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)

    return write


def _json_writer(file: IO[str]) -> Any:
    return lambda row: print(json.dumps(row, ensure_ascii=False), file=file)


def compare_methods(args: Namespace, screen: Screen) -> None:
    """Train DNMF, LDA and NMF on the same corpus and measure them."""
    read = _documents(args)
    documents = list(read)
    _say_skipped(read)
    _compare(documents, _corpus(args, documents, screen), args, screen)


def _compare(
    documents: list[Document], corpus: TextCorpus, args: Namespace, screen: Screen
) -> None:
    assert corpus.tokenization is not None  # it was just built
    texts = corpus.tokenization.tokens(
        (document.text for document in documents), processes=args.processes
    )
    with screen.progress() as progress:
        scores = compare(
            corpus.counts, corpus.dictionary, args.num_topics,
            texts=texts, labels=corpus.labels, random_state=args.seed, progress=progress,
        )  # fmt: skip
    screen.show(_score_table(scores), [asdict(score) for score in scores])
    screen.say(BETTER)


def _score_table(scores: list[Score]) -> str:
    named = [field.name for field in fields(Score)]
    shown = [name for name in named if any(getattr(score, name) is not None for score in scores)]
    return table(shown, [[getattr(score, name) for name in shown] for score in scores])


def report(args: Namespace, screen: Screen) -> None:
    """Write the page of a folder of results anew."""
    folder = Path(args.folder)
    model, corpus, run = read_run(folder)
    path = Path(args.out) if args.out else folder / REPORT
    write_report(path, model, corpus, run["facts"], title=args.title or run["title"])
    screen.show(f"written: {path}", {"report": str(path)})


def demo(args: Namespace, screen: Screen) -> None:
    """The Lee corpus, from raw text to a page and a comparison."""
    out = Path(args.out)
    check_free(out, replace=True)
    lines = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()
    documents = list(read_documents(lines))
    screen.say(f"{len(documents)} news items of the Lee background corpus, which gensim ships:\n")
    corpus = _corpus(args, documents, screen)
    _fit_into(out, corpus, args, screen, title="Lee background corpus")
    screen.say("\nthe same corpus, DNMF beside gensim's LdaModel and Nmf:\n")
    _compare(documents, corpus, args, screen)
    screen.say(f"\nopen {out / REPORT} in a browser to explore the topics")


# Input


def _name(source: str) -> str:
    return "standard input" if source == "-" else os.path.basename(os.path.abspath(source))


def _documents(args: Namespace) -> Documents:
    source: Any = args.input
    if source == "-":
        source = (line.rstrip("\n") for line in sys.stdin)
    return read_documents(
        source,
        text=args.text, label=args.label, id=args.id,
        encoding=args.encoding, errors="skip" if args.skip_errors else "strict",
    )  # fmt: skip


def _corpus(args: Namespace, documents: Iterable[Document], screen: Screen) -> TextCorpus:
    tokenization = _tokenization(args)
    with screen.progress() as progress:
        corpus = build_corpus(
            documents, tokenization,
            no_below=args.no_below, no_above=args.no_above, keep_n=args.keep_n,
            processes=args.processes, progress=progress,
        )  # fmt: skip
    if isinstance(documents, Documents):
        _say_skipped(documents)
    num_empty = sum(not document for document in corpus.counts)
    if num_empty:
        logger.warning(
            "%i of %i documents have no word of the vocabulary; they keep their places",
            num_empty, len(corpus.ids),
        )  # fmt: skip
    return corpus


def _say_skipped(documents: Documents) -> None:
    if documents.skipped:
        first = documents.skipped[0]
        logger.warning(
            "%i records were left out, the first: %s: %s",
            len(documents.skipped), first.place, first.reason,
        )  # fmt: skip


def _tokenization(args: Namespace) -> Tokenization:
    return Tokenization(
        tokenizer=args.tokenizer,
        language=args.language,
        model=args.model,
        base_form=args.base_form,
        parts_of_speech=args.parts_of_speech,
        stop_words=_stop_words(args.stop_words),
        min_length=args.min_length,
        keep_numbers=args.keep_numbers,
        lowercase=not args.keep_case,
        strip_accents=args.strip_accents,
        strip_headers=args.strip_headers,
        strip_quotes=args.strip_quotes,
        phrases=args.phrases,
    )


def _stop_words(named: str) -> Any:
    if named == "none":
        return None
    if os.path.isfile(named):
        return Path(named).read_text("utf-8-sig").split()
    return named


COMMANDS = {
    "demo": demo,
    "fit": fit,
    "topics": topics,
    "infer": infer,
    "compare": compare_methods,
    "report": report,
}
