"""What each command does."""

from __future__ import annotations

import copy
import logging
import os
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import __version__
from ..common.engines import Engine
from ..common.progress import Progress
from ..common.spool import MAX_IN_MEMORY, spool_folder
from ..common.writing import check_place, only_writer
from ..core import VARIANTS
from ..model import DnmfModel, NumTopicsChoice, choose_num_topics
from ..text import (
    Document,
    Documents,
    TextCorpus,
    Tokenization,
    build_corpus,
    embed_texts,
    read_documents,
)
from .arguments import ENOUGH_TO_DIVIDE
from .drawing import picture_path, write_picture
from .editing import edit, tree
from .inferring import infer
from .inputs import documents_of, input_title, readable, say_skipped
from .inside import Inside
from .kept_columns import with_dates
from .results import CHOSEN, PAGE, Results, place_results
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
from .vector_file import check_rows, read_vectors, write_vectors

if TYPE_CHECKING:
    from ..comparison import Score

logger = logging.getLogger(__name__)

MANY_COPIES = 0.25  # share of the documents

MEANINGS = {
    "c_v": "coherence, higher is better",
    "c_npmi": "coherence, higher is better",
    "diversity": "share of distinct words, higher is better",
    "sim_count": "words that topics share, lower is better",
    "completion": "log-likelihood per word of hidden halves of documents, higher is better",
    "accuracy": "documents in the best match of topics and labels, higher is better",
    "nmi": "what topics tell of labels, higher is better",
}


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
    vectors = None if args.embeddings is None else read_vectors(args.embeddings)
    title = readable(args.title or input_title(args.input))
    with only_writer(out) as workshop, spool_folder(args.spool) as spool, _engine(args) as engine:
        check_free(out, replace=args.force)  # as another run may just have ended
        corpus = _corpus(args, documents_of(args), screen, spool / "corpus", engine)
        corpus = with_dates(corpus, args.date, skip=args.skip_errors)
        if vectors is not None:
            check_rows(vectors, args.embeddings, corpus)
        found = _fit_into(
            out, workshop, corpus, args, screen, title=title, seed_words=seed_words,
            vectors=vectors,
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
    vectors: Any = None,
) -> dict[str, Any]:
    """Train, and write the results into `out`; until they are complete they lie in `workshop`."""
    num_known = len(corpus) - corpus.num_empty
    if args.num_topics != "auto" and args.num_topics > num_known:
        raise ValueError(
            f"--num-topics must be at most {num_known}, the number of documents with words, got "
            f"{args.num_topics}."
        )
    screen.say_if_plain(
        f"training on {len(corpus)} documents and {len(corpus.dictionary)} words ..."
    )
    start = time.perf_counter()
    model = DnmfModel(
        corpus.counts, args.num_topics, corpus.dictionary, random_state=args.seed,
        show_progress=screen.shows_bars, seed_words=seed_words, embeddings=vectors,
        **_model_options(args),
    )  # fmt: skip
    facts = {
        "input": readable(input_title(args.input)),
        "seed": args.seed,
        "training": f"{time.perf_counter() - start:.1f} s",
        "dnmf_topics": __version__,
    }
    if model.num_topics_choice is not None:
        facts[CHOSEN] = f"chosen: {model.num_topics_choice.sentence()}"
    options = {
        name: readable(value) if isinstance(value, str) else value
        for name, value in vars(args).items()
    }
    subtopics = _look_inside(model, corpus, getattr(args, "subtopics", None), screen, vectors)
    results = Results(model, corpus, title, facts, options, subtopics)
    return place_results(out, workshop, results, screen, with_page=not args.no_report)


def _look_inside(
    model: DnmfModel,
    corpus: TextCorpus,
    number: int | Literal["auto"] | None,
    screen: Screen,
    vectors: Any = None,
) -> dict[int, Inside]:
    """The sub-topics of topics that are large enough, if they are asked for."""
    if number is None:
        return {}
    subtopics: dict[int, Inside] = {}
    sizes = model.get_topic_info().sort_values("topic")["size"].to_numpy()
    least = max(ENOUGH_TO_DIVIDE, 0 if isinstance(number, str) else number)
    large = np.flatnonzero(sizes >= least).tolist()
    quiet = copy.copy(model)
    quiet.show_progress = False
    with screen.progress() as progress, screen.only_warnings():
        for done, topic in enumerate(large, 1):
            try:
                inside = quiet.subtopics(topic, number, corpus.counts, embeddings=vectors)
            except ValueError as error:  # such as documents without words
                logger.warning("topic %i is not divided: %s", topic, error)
            else:
                subtopics[topic] = Inside.of(inside)
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
    corpus = _corpus(args, documents_of(args), screen)
    num_known = len(corpus) - corpus.num_empty
    if args.min_topics > num_known:
        raise ValueError(
            f"--min-topics must be at most {num_known}, the number of documents with words, got "
            f"{args.min_topics}."
        )
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


def embed(args: Namespace, screen: Screen) -> None:
    """Write a vector for each document."""
    target = Path(args.out)
    if target.suffix.lower() != ".npy":
        raise ValueError(f"--out must end in .npy, got {target.name}.")
    check_place(target)
    documents = documents_of(args)
    with screen.progress() as progress:
        vectors = embed_texts(documents, args.model, progress=progress)
    say_skipped(documents)
    write_vectors(target, vectors)
    screen.say(f"written: {target}, {len(vectors)} vectors of {vectors.shape[1]} numbers")


def compare_methods(args: Namespace, screen: Screen) -> None:
    """Train DNMF, LDA and NMF on the same corpus and measure them."""
    read = documents_of(args)
    documents = list(read)
    say_skipped(read)
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
        title = readable(args.title or run["title"])
        with screen.stage(PAGE):
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


def _corpus(
    args: Namespace,
    documents: Iterable[Document],
    screen: Screen,
    spool: Path | None = None,
    engine: Engine | None = None,
) -> TextCorpus:
    """The corpus; one that is too large for memory is in the folder `spool`, if that is named."""
    tokenization = _tokenization(args)
    screen.say_if_plain(f"reading {readable(input_title(args.input))} ...")
    with screen.progress() as progress:
        corpus = build_corpus(
            documents, tokenization,
            no_below=args.no_below, no_above=args.no_above, keep_n=args.keep_n,
            processes=args.processes, progress=progress, folder=spool, engine=engine,
            max_in_memory=0 if spool is None or engine else MAX_IN_MEMORY,
        )  # fmt: skip
    if isinstance(documents, Documents):
        say_skipped(documents)
    if corpus.num_empty:
        logger.warning(
            "documents without a word of the vocabulary, which %s: %i of %i",
            "go by their vectors, if they have any" if getattr(args, "embeddings", None)
            else "keep their places, but have no topic",
            corpus.num_empty, len(corpus),
        )  # fmt: skip
    if (num_copies := corpus.num_copies) > MANY_COPIES * len(corpus):
        logger.warning(
            "documents with the same words as another one: %i of %i; copies can make topics of "
            "their own, so leave them out unless they should count",
            num_copies, len(corpus),
        )  # fmt: skip
    return corpus


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
    "embed": embed,
    "compare": compare_methods,
    "bench": bench,
    "report": report,
}
