"""What each command does."""

from __future__ import annotations

import copy
import csv
import json
import logging
import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, fields
from itertools import islice, tee
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np

from .. import __version__
from ..common.engines import Engine
from ..common.progress import Progress
from ..common.spool import MAX_IN_MEMORY, spool_folder
from ..common.writing import new_text_file, only_writer
from ..core import VARIANTS
from ..model import DnmfModel, NumTopicsChoice, choose_num_topics
from ..text import Document, Documents, TextCorpus, Tokenization, build_corpus, read_documents
from .csv_cells import safe_cell
from .drawing import picture_path, write_picture
from .editing import edit, tree
from .inside import Inside
from .kept_columns import asked_columns, with_dates
from .results import CHOSEN, Results, place_results
from .run_folder import (
    REPORT,
    check_beside,
    check_free,
    check_run,
    holds_results_of,
    read_model,
    read_run,
    topics_of,
    write_report,
)
from .screen import Screen, table, topic_table, width
from .seed_file import read_seed_words

if TYPE_CHECKING:
    from ..comparison import Score

logger = logging.getLogger(__name__)

BATCH = 1000  # documents that are inferred at a time
ENOUGH_TO_DIVIDE = 50  # documents of a topic, to look for topics inside it
MEANINGS = {
    "c_v": "coherence, higher is better",
    "c_npmi": "coherence, higher is better",
    "diversity": "share of distinct words, higher is better",
    "sim_count": "words that topics share, lower is better",
    "completion": "log-likelihood per word of hidden halves of documents, higher is better",
    "accuracy": "documents in the best match of topics and labels, higher is better",
    "nmi": "what topics tell of labels, higher is better",
}
WRITERS = {".csv": "csv", ".jsonl": "jsonl"}


def fit(args: Namespace, screen: Screen) -> None:
    """Train a model and write all that it found into a new folder."""
    out = Path(os.path.realpath(args.out))
    check_free(out, replace=args.force)
    seed_words = read_seed_words(args.seed_words) if args.seed_words is not None else {}
    if args.num_topics != "auto" and len(seed_words) > args.num_topics:
        raise ValueError(
            f"--num-topics must be at least {len(seed_words)}, the number of topics in "
            f"{args.seed_words}, got {args.num_topics}."
        )
    title = _readable(args.title or _name(args.input))
    with only_writer(out) as workshop, spool_folder(args.spool) as spool, _engine(args) as engine:
        check_free(out, replace=args.force)  # as another run may just have ended
        corpus = _corpus(args, _documents(args), screen, spool / "corpus", engine)
        corpus = with_dates(corpus, args.date, skip=args.skip_errors)
        found = _fit_into(
            out, workshop, corpus, args, screen, title=title, seed_words=seed_words
        )  # fmt: skip
    screen.show(topic_table(found["topics"]), found)
    screen.say(f"written: {found.get('report', found['out'])}")


def _fit_into(
    out: Path,
    workshop: Path,
    corpus: TextCorpus,
    args: Namespace,
    screen: Screen,
    *,
    title: str,
    seed_words: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Train, and write the results into `out`; until they are complete they lie in `workshop`."""
    num_known = len(corpus) - corpus.num_empty
    if args.num_topics != "auto" and args.num_topics > num_known:
        raise ValueError(
            f"--num-topics must be at most {num_known}, the number of documents with words, got "
            f"{args.num_topics}."
        )
    start = time.perf_counter()
    model = DnmfModel(
        corpus.counts, args.num_topics, corpus.dictionary, random_state=args.seed,
        show_progress=screen.shows_bars, seed_words=seed_words, **_model_options(args),
    )  # fmt: skip
    facts = {
        "input": _readable(_name(args.input)),
        "seed": args.seed,
        "training": f"{time.perf_counter() - start:.1f} s",
        "dnmf_topics": __version__,
    }
    if model.num_topics_choice is not None:
        facts[CHOSEN] = f"chosen: {model.num_topics_choice.sentence()}"
    options = {
        name: _readable(value) if isinstance(value, str) else value
        for name, value in vars(args).items()
    }
    subtopics = _look_inside(model, corpus, getattr(args, "subtopics", None), screen)
    results = Results(model, corpus, title, facts, options, subtopics)
    return place_results(out, workshop, results, screen, with_page=not args.no_report)


def _look_inside(
    model: DnmfModel, corpus: TextCorpus, number: int | Literal["auto"] | None, screen: Screen
) -> dict[int, Inside]:
    """The sub-topics of topics that are large enough, if they are asked for."""
    if number is None:
        return {}
    subtopics: dict[int, Inside] = {}
    sizes = np.bincount(model.cluster_labels, minlength=model.num_topics)
    least = max(ENOUGH_TO_DIVIDE, 0 if isinstance(number, str) else number)
    large = np.flatnonzero(sizes >= least).tolist()
    quiet = copy.copy(model)
    quiet.show_progress = False
    with screen.progress() as progress, screen.only_warnings():
        for done, topic in enumerate(large, 1):
            subtopics[topic] = Inside.of(quiet.subtopics(topic, number, corpus.counts))
            progress(Progress("sub-topics", done, len(large)))
    if len(large) < model.num_topics:
        logger.info(
            "topics with fewer than %i documents, which are not divided: %i of %i",
            least, model.num_topics - len(large), model.num_topics,
        )  # fmt: skip
    return subtopics


def _model_options(args: Namespace) -> dict[str, Any]:
    names = {name for row in VARIANTS.values() for name in row.options}
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return {
        "variant": args.variant, "n_jobs": args.jobs, "num_clusterings": args.num_clusterings,
        "last_layer_size": args.last_layer_size, "weighting": args.weighting,
        "mixing_rounds": args.mixing_rounds,
        "distributed": _is_distributed(args), "spool": getattr(args, "spool", None), **given,
    }  # fmt: skip


def _is_distributed(args: Namespace) -> bool:
    """Whether a dask cluster does the work; some commands never ask one."""
    return getattr(args, "cluster", None) is not None or getattr(args, "workers", None) is not None


@contextmanager
def _engine(args: Namespace) -> Iterator[Engine | None]:
    """The cluster that does the work, as the current one; None for processes and threads."""
    if not _is_distributed(args):
        yield None
        return
    from ..common.dask_cluster import connection, engine_for, local_cluster

    is_local = args.cluster is None
    cluster = local_cluster(args.workers, args.spool) if is_local else connection(args.cluster)
    with cluster, engine_for(True, n_jobs=args.jobs, folder=args.spool) as engine:
        yield engine


def choose(args: Namespace, screen: Screen) -> None:
    """Show how well each number of topics suits the documents."""
    if args.max_topics is not None and args.max_topics < args.min_topics:
        raise ValueError(
            f"--max-topics must be at least --min-topics, {args.min_topics}, got {args.max_topics}."
        )
    picture = picture_path(args.plot)
    corpus = _corpus(args, _documents(args), screen)
    choice = _choose(
        corpus, args, screen, min_topics=args.min_topics, max_topics=args.max_topics
    )  # fmt: skip
    if picture is not None:
        write_picture(picture, choice)
    found = {
        "num_topics": choice.number, "low": choice.low, "high": choice.high,
        "alternatives": choice.alternatives, "documents": choice.num_docs,
        "curve": choice.to_frame().to_dict("records"),
    }  # fmt: skip
    screen.show(str(choice), found)
    if picture is not None:
        screen.say(f"written: {picture}")


def _choose(corpus: TextCorpus, args: Namespace, screen: Screen, **limits: Any) -> NumTopicsChoice:
    """The number of topics that `fit` with these options would take."""
    return choose_num_topics(
        corpus.counts, corpus.dictionary,
        random_state=args.seed, weighting=args.weighting, num_clusterings=args.num_clusterings,
        last_layer_size=args.last_layer_size, n_jobs=args.jobs, show_progress=screen.shows_bars,
        **limits,
    )  # fmt: skip


def topics(args: Namespace, screen: Screen) -> None:
    """Show the topics of a model."""
    found = topics_of(read_model(Path(args.folder)), args.words)
    screen.show(topic_table(found), found)


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
    documents = _documents(args)
    rows = _infer_topics(model, tokenization, documents, args)
    output: AbstractContextManager[IO[str]] = (
        nullcontext(sys.stdout) if target is None else new_text_file(target)
    )
    num_unknown = number = 0
    with output as file, screen.progress() as progress:
        write = _csv_writer(file, _columns(model, args)) if form == "csv" else _json_writer(file)
        for number, row in enumerate(rows, 1):
            num_unknown += row["known_words"] == 0
            write(row)
            progress(Progress("documents", number, None))
    _say_skipped(documents)
    if num_unknown:
        logger.warning(
            "documents without a word that the model knows, whose topic is a guess: %i of %i",
            num_unknown, number,
        )  # fmt: skip
    if target is not None:
        screen.say(f"written: {target}, {number} documents")


def _infer_topics(
    model: DnmfModel, tokenization: Tokenization, documents: Iterable[Document], args: Namespace
) -> Iterator[dict[str, Any]]:
    names = model.topic_names
    documents, again = tee(documents)
    texts = (document.text for document in again)
    tokens = tokenization.tokens(texts, processes=args.processes)
    bows = map(model.id2word.doc2bow, tokens)
    while batch := list(islice(bows, BATCH)):
        found = model.get_document_info(batch, full=args.full)
        for bow, row in zip(batch, found.itertuples(index=False), strict=True):
            document = next(documents)
            topic, weight, confidence, *shares = row
            record = {"id": document.id, "topic": int(topic), "name": names[int(topic)]}
            record["weight"] = round(float(weight), 6)
            record["confidence"] = round(float(confidence), 6)
            record["known_words"] = sum(count for _, count in bow)
            if args.label is not None:
                record["label"] = document.label
            for number, share in enumerate(shares):
                record[f"topic_{number}"] = round(float(share), 6)
            yield record


def _columns(model: DnmfModel, args: Namespace) -> list[str]:
    """Of the records that `_infer_topics` makes."""
    named = ["id", "topic", "name", "weight", "confidence", "known_words"]
    if args.label is not None:
        named.append("label")
    return named + ([f"topic_{k}" for k in range(model.num_topics)] if args.full else [])


def _csv_writer(file: IO[str], columns: list[str]) -> Callable[[dict[str, Any]], None]:
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    return lambda row: writer.writerow({name: safe_cell(value) for name, value in row.items()})


def _json_writer(file: IO[str]) -> Callable[[dict[str, Any]], None]:
    return lambda row: print(json.dumps(row, ensure_ascii=False), file=file)


def compare_methods(args: Namespace, screen: Screen) -> None:
    """Train DNMF, LDA and NMF on the same corpus and measure them."""
    read = _documents(args)
    documents = list(read)
    _say_skipped(read)
    scores = _compare(documents, _corpus(args, documents, screen), args, screen)
    text = "\n\n".join([_score_text(scores), *(_topic_text(score, args) for score in scores)])
    screen.show(text, [asdict(score) for score in scores])


def _compare(
    documents: list[Document], corpus: TextCorpus, args: Namespace, screen: Screen
) -> list[Score]:
    from ..comparison import compare

    num_topics = args.num_topics
    if num_topics == "auto":
        num_topics = _choose(corpus, args, screen).number
    assert corpus.tokenization is not None  # it was just built
    texts = corpus.tokenization.tokens(
        (document.text for document in documents), processes=args.processes
    )
    with screen.progress() as progress:
        return compare(
            corpus.counts, corpus.dictionary, num_topics,
            texts=texts, labels=corpus.labels, topn=max(20, args.words),
            completion=not args.no_completion, random_state=args.seed,
            model_options=_model_options(args), progress=progress,
        )  # fmt: skip


def _score_text(scores: list[Score]) -> str:
    """The measures that have a value, and what they mean."""
    named = [field.name for field in fields(scores[0]) if field.name != "topics"]
    shown = [name for name in named if any(getattr(score, name) is not None for score in scores)]
    lines = [table(shown, [[getattr(score, name) for name in shown] for score in scores]), ""]
    lines += [f"{name}: {MEANINGS[name]}" for name in shown if name in MEANINGS]
    return "\n".join(lines)


def _topic_text(score: Score, args: Namespace) -> str:
    rows = [[k, " ".join(words[: args.words])] for k, words in enumerate(score.topics)]
    return f"topics of {score.method}\n{table(['topic', 'words'], rows, width())}"


def report(args: Namespace, screen: Screen) -> None:
    """Write the page of a folder of results anew."""
    folder = Path(args.folder)
    path = Path(args.out) if args.out else folder / REPORT
    check_run(folder)
    check_beside(path, folder, allowed=REPORT)
    # A page beside its model: no other run may replace the model meanwhile.
    with nullcontext() if args.out else only_writer(Path(os.path.realpath(folder))):
        model, corpus, run = read_run(folder)
        title = _readable(args.title or run["title"])
        write_report(
            path, model, corpus, run["facts"],
            title=title, options=run["options"], subtopics=run["subtopics"],
        )  # fmt: skip
    screen.show(f"written: {path}", {"report": str(path)})


def bench(args: Namespace, screen: Screen) -> None:
    """Run a study, as far as it has no results yet, and write its tables and plots."""
    from ..bench import run, write_results

    if (args.config is None) != args.smoke:
        raise ValueError("Name a CONFIG, or give --smoke in its place.")
    out = Path(args.out)
    with screen.progress() as progress:
        outcome = run(
            None if args.smoke else Path(args.config), out,
            smoke=args.smoke, retry=args.retry, processes=args.processes, progress=progress,
        )  # fmt: skip
    written = [str(path) for path in write_results(out)]
    counts = asdict(outcome)
    text = table(list(counts), [list(counts.values())])
    screen.show(f"{text}\n\nwritten: {out / 'README.md'}", counts | {"written": written})


def demo(args: Namespace, screen: Screen) -> None:
    """The Lee corpus, from raw text to a page and a comparison."""
    from gensim.test.utils import datapath

    out = Path(os.path.realpath(args.out))
    check_free(out, replace=holds_results_of(out, args.input))
    lines = Path(datapath(args.input)).read_text("utf-8").splitlines()
    documents = list(read_documents(lines))
    with only_writer(out) as workshop:
        check_free(out, replace=holds_results_of(out, args.input))  # as another run may have ended
        corpus = _corpus(args, documents, screen)
        found = _fit_into(out, workshop, corpus, args, screen, title="Lee background corpus")
    scores = _compare(documents, corpus, args, screen)
    others = "\n\n".join(_topic_text(score, args) for score in scores if score.method != "DNMF")
    text = f"""\
{len(documents)} news items of the Lee background corpus, which gensim ships

{topic_table(found["topics"])}

DNMF beside gensim's LdaModel (10 passes) and Nmf (5 passes, TF-IDF) on the same corpus

{_score_text(scores)}

{others}

to explore the topics, open in a browser: {found.get("report", found["out"])}"""
    screen.show(text, found | {"scores": [asdict(score) for score in scores]})


# Input


def _name(source: str) -> str:
    return "standard input" if source == "-" else os.path.basename(os.path.abspath(source))


def _readable(name: str) -> str:
    """A name as text: that of a file can have bytes that are none."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _documents(args: Namespace) -> Documents:
    source: str | BinaryIO = args.input
    if source == "-":
        if sys.stdin is None:
            raise ValueError("There is no standard input; name a file or a folder.")
        source = sys.stdin.buffer
    return read_documents(
        source,
        text=args.text, label=args.label, id=args.id, columns=asked_columns(args),
        encoding=args.encoding, errors="skip" if args.skip_errors else "strict",
    )  # fmt: skip


def _corpus(
    args: Namespace,
    documents: Iterable[Document],
    screen: Screen,
    spool: Path | None = None,
    engine: Engine | None = None,
) -> TextCorpus:
    """The corpus; one that is too large for memory is in the folder `spool`, if that is named."""
    tokenization = _tokenization(args)
    with screen.progress() as progress:
        corpus = build_corpus(
            documents, tokenization,
            no_below=args.no_below, no_above=args.no_above, keep_n=args.keep_n,
            processes=args.processes, progress=progress, folder=spool, engine=engine,
            max_in_memory=0 if spool is None or engine else MAX_IN_MEMORY,
        )  # fmt: skip
    if isinstance(documents, Documents):
        _say_skipped(documents)
    if corpus.num_empty:
        logger.warning(
            "documents without a word of the vocabulary, which keep their places: %i of %i",
            corpus.num_empty, len(corpus),
        )  # fmt: skip
    return corpus


def _say_skipped(documents: Documents) -> None:
    if documents.skipped:
        first = documents.skipped[0]
        logger.warning(
            "records that were left out: %i, the first: %s: %s",
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
        strip_signatures=args.strip_signatures,
        strip_latex=args.strip_latex,
        phrases=args.phrases,
    )


def _stop_words(named: str) -> str | list[str] | None:
    if named == "none":
        return None
    if os.path.isfile(named):
        try:
            return Path(named).read_text("utf-8-sig").split()
        except UnicodeError:
            raise ValueError(f"--stop-words: {named} must be text in UTF-8.") from None
    return named


COMMANDS = {
    "demo": demo,
    "fit": fit,
    "choose": choose,
    "topics": topics,
    "tree": tree,
    "edit": edit,
    "infer": infer,
    "compare": compare_methods,
    "bench": bench,
    "report": report,
}
