"""The arguments of all commands, and their help."""

from __future__ import annotations

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import __version__
from ..common.excerpts import MOST_ON_PAGE
from ..common.spool import MAX_IN_MEMORY
from .usage import Parser, did_you_mean

ENOUGH_TO_DIVIDE = 50  # documents of a topic, to look for topics inside it
DESCRIPTION = "Topics of text documents by deep NMF: from raw text to a page to explore."
EPILOG = """\
INPUT is a folder of text files, a .txt file with a document per line, a .csv, .tsv or .jsonl file,
each also compressed (.gz); a .parquet file; a folder of such tables; or - for a document per line
on standard input.

examples:
  dnmf-topics demo
  dnmf-topics choose news.csv --text body
  dnmf-topics fit news.csv --text body --out news-topics
  dnmf-topics fit news.csv --text body --label section --num-topics 20 --out news-20
  dnmf-topics topics news-topics
  dnmf-topics tree news-topics
  dnmf-topics edit news-topics --merge 1,5 --name 3=Space
  dnmf-topics infer news-topics new.jsonl --out new-topics.csv
  dnmf-topics embed news.csv --text body --out news.npy
  dnmf-topics compare news.csv --text body --num-topics 20
  dnmf-topics report news-topics --out news.html
  dnmf-topics bench --smoke --out smoke

In .csv results, text that a spreadsheet would take for a formula (= + - @ ...) begins with '.
`dnmf-topics COMMAND --help` tells more of each.
Exit codes: 0 done, 1 an error, 2 wrong usage, 130 interrupted.
"""
RESULTS = """\
The folder has
  report.html    a page to explore topics and documents, for any browser
  topics.csv     the topics: size, name and words
  documents.csv  the documents: topic, how sure it is, and the beginning of the text; one without a
                 word that the model knows, and without a vector, has no topic
  model.dnmf     the model, for `infer`, `topics` and Python (DnmfModel.load)
  corpus.dnmf    its documents as counts of words
  run.json       how all this was made
and more tables with --date, --label and --subtopics."""
UNKNOWN = """\
The result is a table with a row for each document. One without a word that the model knows, and
without a vector, has no topic, but known_words of 0. Documents are taken for new ones, one by one:
of those that the model was trained on, a few in a hundred get another topic than in documents.csv,
where they were grouped together."""


@dataclass(frozen=True)
class Command:
    """What a command is for, what it takes, how it is used, and what else there is to know."""

    description: str
    groups: tuple[Callable[[ArgumentParser], None], ...]
    examples: tuple[str, ...]
    note: str = ""


def parse(arguments: Sequence[str] | None) -> Namespace:
    """The arguments; `command` is a name in `COMMANDS`."""
    parser = Parser(
        prog="dnmf-topics",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser
    )
    parser.commands = COMMANDS
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=command.description[0].lower() + command.description[1:-1],
            description="\n\n".join(filter(None, [command.description, command.note])),
            epilog="\n".join(["examples:", *(f"  {example}" for example in command.examples)]),
            formatter_class=RawDescriptionHelpFormatter,
        )
        subparser.groups = (*command.groups, _output)
    return parser.parse_args(arguments)


# Values


LARGEST = 2**32 - 1
MOST_JOBS = 10_000
WEIGHTINGS = ["tfidf", "none"]


def _whole(minimum: int, maximum: int = LARGEST, *, word: str = "") -> Callable[[str], int]:
    """A whole number; `word` is what may stand in its place, for the error."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            rule = " or ".join(filter(None, ["a whole number", word]))
            raise ArgumentTypeError(f"must be {rule}, got {text!r}") from None
        if number < minimum and maximum == LARGEST:
            raise ArgumentTypeError(f"must be at least {minimum}, got {number}")
        if not minimum <= number <= maximum:
            raise ArgumentTypeError(f"must be from {minimum} to {maximum}, got {number}")
        return number

    return convert


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise ArgumentTypeError(f"must be a number above 0 and up to 1, got {text!r}")
    return share


def _one_of(names: Iterable[str]) -> Callable[[str], str]:
    known = list(names)

    def convert(text: str) -> str:
        if text not in known:
            hint = did_you_mean(text, known)
            raise ArgumentTypeError(f"must be one of {', '.join(known)}, got {text!r}{hint}")
        return text

    return convert


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _whole_or_auto(minimum: int) -> Callable[[str], int | str]:
    def convert(text: str) -> int | str:
        return text if text == "auto" else _whole(minimum, word="auto")(text)

    return convert


def _group(text: str) -> list[int]:
    try:
        topics = [int(part) for part in text.split(",")]
    except ValueError:
        topics = []
    if len(topics) < 2 or min(topics) < 0 or len(set(topics)) < len(topics):
        raise ArgumentTypeError(f"must be two topics or more, such as 1,5, got {text!r}")
    return topics


def _name(text: str) -> tuple[int, str]:
    topic, equals, name = text.partition("=")
    if not (equals and topic.isdecimal() and len(topic) < 10):
        raise ArgumentTypeError(f"must be a topic and its name, such as 3=Space, got {text!r}")
    return int(topic), name


# Groups of arguments


def _folder(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a folder that `fit` wrote")


def _input(parser: ArgumentParser) -> None:
    parser.add_argument(
        "input", metavar="INPUT",
        help="a folder of text files, .txt (a document per line), .csv, .tsv or .jsonl, each also "
        ".gz; .parquet; a folder of such tables; - for lines on standard input",
    )  # fmt: skip
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--text", metavar="NAME", default="text", help="column or key of the text (default: text)"
    )
    group.add_argument(
        "--label", metavar="NAME",
        help="column or key of a class that is known, to compare topics with; 'folder' for the "
        "names of a folder's subfolders",
    )  # fmt: skip
    group.add_argument(
        "--id",
        metavar="NAME",
        help="column or key of the document's name (default: id, or else its number)",
    )
    group.add_argument(
        "--encoding", metavar="NAME", default="utf-8", help="encoding of the text (default: utf-8)"
    )
    group.add_argument(
        "--skip-errors", action="store_true",
        help="leave out records that cannot be read, and say how many; else they end the run",
    )  # fmt: skip


def _kept(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("columns that are kept with the documents")
    group.add_argument(
        "--date", metavar="NAME",
        help="column or key of the document's date, of any format: how topics change over time",
    )  # fmt: skip
    group.add_argument(
        "--link", metavar="NAME", help="column or key of the document's address, for the page"
    )
    group.add_argument(
        "--column", metavar="NAME", action="append", default=[],
        help="another column or key, to color the page by; may be given several times",
    )  # fmt: skip
    _all_columns(group)


def _all_columns(parser: Any) -> None:
    parser.add_argument(
        "--all-columns", action="store_true",
        help="keep all other columns or keys of the input too, in the table of documents",
    )  # fmt: skip


def _num_topics(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-k", "--num-topics", type=_whole_or_auto(1), default="auto", metavar="K",
        help="number of topics (default: auto, the number that `choose` finds)",
    )  # fmt: skip


def _choose(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--min-topics", type=_whole(1), default=2, metavar="K",
        help="the smallest number to try (default: 2)",
    )  # fmt: skip
    parser.add_argument(
        "--max-topics", type=_whole(1), metavar="K",
        help="the largest number to try (default: 18, and up to 100 as long as the largest one "
        "tried might be the best)",
    )  # fmt: skip
    parser.add_argument(
        "--plot", metavar="FILE", help="draw it too, as .png, .svg or .pdf (needs matplotlib)"
    )


def _words(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--words",
        type=_whole(1),
        default=10,
        metavar="N",
        help="words of a topic in tables (default: 10)",
    )


def _processes(parser: Any) -> None:
    parser.add_argument(
        "--processes", type=_whole(1), default=1, metavar="N",
        help="processes that tokenize (default: 1)",
    )  # fmt: skip


def _fit(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="DIR", required=True,
        help="a new folder for the model, its corpus, the tables and the page",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace earlier results in DIR")
    parser.add_argument("--title", help="title of the page (default: the input's name)")
    parser.add_argument(
        "--seed-words", metavar="FILE",
        help="words that you know some topics by, a line for each topic (space: orbit, nasa), or a "
        'JSON object ({"space": ["orbit", "nasa"]}); these topics come first, in this order',
    )  # fmt: skip
    parser.add_argument(
        "--embeddings", metavar="FILE",
        help="a .npy file with a vector for each document, in order, as `embed` writes it; topics "
        "are found by words and vectors then",
    )  # fmt: skip
    parser.add_argument(
        "--no-report", action="store_true",
        help=f"write no page (of more than {MOST_ON_PAGE} documents there is none anyway)",
    )  # fmt: skip
    parser.add_argument(
        "--subtopics", metavar="N", nargs="?", const="auto", type=_whole_or_auto(2),
        help=f"also find topics inside each topic of at least {ENOUGH_TO_DIVIDE} documents: N of "
        "them, or, without N, as many as there seem to be",
    )  # fmt: skip
    parser.add_argument(
        "--spool", metavar="DIR",
        help="a folder for what does not fit into memory while the run lasts: a corpus whose "
        f"documents have more than {MAX_IN_MEMORY} different words, added up (default: where "
        "temporary files are, TMPDIR)",
    )  # fmt: skip


def _text(parser: ArgumentParser) -> None:
    from ..text import TOKENIZERS

    group = parser.add_argument_group("tokenization")
    group.add_argument(
        "--tokenizer", type=_one_of(TOKENIZERS), choices=list(TOKENIZERS), default="regex",
        help="who cuts texts into words; jieba is for Chinese, fugashi for Japanese, pythainlp for "
        "Thai, which have no spaces (default: regex)",
    )  # fmt: skip
    group.add_argument(
        "--language", metavar="NAME",
        help="of the texts, by name or code (german, de): of stop words, nltk's stemmer, spaCy's "
        "pipeline (default: english, or the tokenizer's)",
    )  # fmt: skip
    group.add_argument("--model", metavar="NAME", help="an installed spaCy pipeline, or its path")
    forms = sorted({form for row in TOKENIZERS.values() for form in row.base_forms})
    group.add_argument(
        "--base-form", type=_one_of(forms), choices=forms, help="reduce words to stems or lemmas"
    )
    group.add_argument(
        "--parts-of-speech", nargs="+", metavar="POS", help="keep only these (spaCy)"
    )
    group.add_argument(
        "--stop-words", default="auto", metavar="LIST",
        help="a language, nltk:LANGUAGE, spacy:CODE, none, or a file with a word per line "
        "(default: auto, those of --language)",
    )  # fmt: skip
    group.add_argument("--min-length", type=_whole(1), default=2, metavar="N", help="(default: 2)")
    group.add_argument("--keep-numbers", action="store_true", help="digits make words too")
    group.add_argument(
        "--keep-case", action="store_true", help="treat upper and lower case as different"
    )
    group.add_argument(
        "--strip-accents", action="store_true", help="leave out accents: café becomes cafe"
    )
    group.add_argument("--strip-headers", action="store_true", help="leave out e-mail headers")
    group.add_argument("--strip-quotes", action="store_true", help="leave out quoted lines")
    group.add_argument(
        "--strip-signatures", action="store_true", help="leave out signatures of e-mails"
    )
    group.add_argument(
        "--strip-latex", action="store_true", help="leave out formulas and commands of LaTeX"
    )
    group.add_argument("--phrases", action="store_true", help="join collocations (new_york)")
    group.add_argument(
        "--no-below", type=_whole_or_auto(1), default="auto", metavar="N",
        help="drop words of fewer documents (default: 2, from 1,000 documents on 5)",
    )  # fmt: skip
    group.add_argument(
        "--no-above", type=_share, default=0.5, metavar="SHARE",
        help="drop words of more than this share of the documents (default: 0.5)",
    )  # fmt: skip
    group.add_argument(
        "--keep-n", type=_whole(1), default=100_000, metavar="N",
        help="keep the most frequent words only (default: 100000)",
    )  # fmt: skip
    _processes(group)


def _model(parser: ArgumentParser) -> None:
    from ..core import VARIANTS

    group = _network(parser)
    group.add_argument(
        "--variant", type=_one_of(VARIANTS), choices=list(VARIANTS), default="bdnmf",
        help="how much a document counts for the words of its topic (default: bdnmf, all the same)",
    )  # fmt: skip
    for variant, row in VARIANTS.items():
        for name, option in row.options.items():
            group.add_argument(
                f"--{name}", type=_number_or_word, metavar="X",
                help=f"of {variant}: {option.meaning} (default: {option.default:g})",
            )  # fmt: skip
    group.add_argument(
        "--mixing-rounds", type=_whole_or_auto(0), default="auto", metavar="N",
        help="rounds that learn topics from parts of documents; 0 if each document is about one "
        "thing (default: auto, as words of left-out documents are predicted best)",
    )  # fmt: skip


def _network(parser: ArgumentParser) -> Any:
    """The group of options of the model, with those by which documents are grouped."""
    group = parser.add_argument_group("model")
    group.add_argument(
        "--weighting", type=_one_of(WEIGHTINGS), choices=WEIGHTINGS, default="tfidf",
        help="of the words; none counts them as they are (default: tfidf)",
    )  # fmt: skip
    group.add_argument(
        "--num-clusterings", type=_whole(1, 2**16 - 1), default=200, metavar="M",
        help="clusterings per layer of the network; fewer take less time (default: 200)",
    )  # fmt: skip
    group.add_argument(
        "--last-layer-size", type=_whole_or_auto(1), default="auto", metavar="N",
        help="width of its last layer, which alone counts then; for topics of equal size try "
        "0.75 K (default: auto, the best of four views)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=_whole(0), default=0, help="the same seed gives the same topics (default: 0)"
    )
    group.add_argument(
        "--jobs",
        type=_whole(-MOST_JOBS, MOST_JOBS),
        default=-1,
        metavar="N",
        help="threads (default: all processors)",
    )
    return group


def _choosing(parser: ArgumentParser) -> None:
    _network(parser)


def _cluster(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("dask, with the same result (pip install dnmf_topics[dask])")
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--cluster", metavar="ADDRESS",
        help="let the workers of a dask cluster do the work, by its scheduler's address, such as "
        "tcp://10.0.0.1:8786; they must see the spool folder under the same path",
    )  # fmt: skip
    either.add_argument(
        "--workers", type=_whole(1, 256), metavar="N",
        help="start N dask workers on this machine, as long as the command runs",
    )  # fmt: skip


def _infer(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="FILE", help="a .csv or .jsonl file (default: standard output)"
    )
    parser.add_argument("--full", action="store_true", help="give the shares of all topics too")
    _all_columns(parser)
    parser.add_argument(
        "--embeddings", metavar="FILE",
        help="a .npy file with a vector for each document, of the embedding model that `fit` had",
    )  # fmt: skip
    parser.add_argument(
        "--allow", metavar="NAME", action="append", default=[],
        help="the spaCy pipeline (name or path) or NLTK resource (wordnet) that the model names "
        "and may load; loading it may run code, so without this it is refused",
    )  # fmt: skip


def _embed(parser: ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", required=True, help="a .npy file")
    parser.add_argument(
        "--model", metavar="NAME", default="all-MiniLM-L6-v2",
        help="a model of sentence-transformers, by its name or its path (default: "
        "all-MiniLM-L6-v2); it must be there, nothing is downloaded",
    )  # fmt: skip


def _tree(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--plot", metavar="FILE", help="draw it too, as .png, .svg or .pdf (needs matplotlib)"
    )


def _edit(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--merge", metavar="K,K", type=_group, action="append", default=[],
        help="make one topic of these; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--reduce", metavar="N", type=_whole(1),
        help="then merge topics as the tree does (see `tree`), until N are left",
    )  # fmt: skip
    parser.add_argument(
        "--name", metavar="K=NAME", type=_name, action="append", default=[],
        help="name a topic, or what it became; K= for the automatic name; all topics have the "
        "numbers that they have now",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="DIR", help="a new folder for the results (default: in the place of DIR)"
    )


def _report(parser: ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="the page (default: DIR/report.html)")
    parser.add_argument("--title", help="title of the page (default: as before)")


def _demo(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-k", "--num-topics", type=_whole_or_auto(1), default=8, metavar="K",
        help="number of topics (default: 8)",
    )  # fmt: skip
    parser.add_argument(
        "--out",
        metavar="DIR",
        default="dnmf-demo",
        help="a folder for the results (default: dnmf-demo)",
    )
    parser.set_defaults(input="lee_background.cor", no_report=False, no_completion=False)


def _compare(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-completion", action="store_true",
        help="do not measure how well half of a document tells the other half, for which every "
        "method is trained a second time, on nine tenths of the documents",
    )  # fmt: skip


def _bench(parser: ArgumentParser) -> None:
    parser.add_argument(
        "config", metavar="CONFIG", nargs="?", help="a TOML file that says what to run"
    )
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="a folder for the results, or with some already"
    )
    parser.add_argument(
        "--smoke", action="store_true", help="run every method on a tiny corpus instead"
    )
    parser.add_argument(
        "--retry", action="store_true", help="run cells again that failed or took too long"
    )
    parser.add_argument(
        "--processes", type=_whole(1), default=1, metavar="N",
        help="cells at a time (default: 1, for true times)",
    )  # fmt: skip


def _output(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--quiet", action="store_true", help="no progress, only results and warnings"
    )
    parser.add_argument("--json", action="store_true", help="results as JSON")
    parser.add_argument(
        "--debug", action="store_true", help="after an error, where in the program it came from"
    )


COMMANDS = {
    "demo": Command(
        "The Lee corpus, which gensim ships: topics, a page, and LDA and NMF beside them.",
        (_demo, _words, _text, _model),
        ("dnmf-topics demo", "dnmf-topics demo --num-topics 12 --out lee"),
    ),
    "fit": Command(
        "Train a model; write it with its corpus, tables and a page into a new folder.",
        (_input, _kept, _num_topics, _fit, _words, _text, _model, _cluster),
        (
            "dnmf-topics fit news.csv --text body --out news-topics",
            "dnmf-topics fit posts/ --label folder --strip-headers -k 20 --out posts-topics",
            "dnmf-topics fit news.csv --text body --num-topics 15 --phrases --out news-topics",
            "dnmf-topics fit news.csv --text body --date day --link url -k 15 --out news-topics",
            "dnmf-topics fit news.csv --text body -k 15 --seed-words seeds.txt --out news-topics",
            "dnmf-topics fit news.csv --text body -k 15 --embeddings news.npy --out news-topics",
            "dnmf-topics fit texte.jsonl --language de -k 10 --out themen",
            "dnmf-topics fit news.csv --text body --tokenizer spacy --model en_core_web_sm \\",
            "    --base-form lemma --parts-of-speech NOUN PROPN -k 15 --out news-nouns",
        ),
        RESULTS,
    ),
    "choose": Command(
        "Show how well each number of topics suits the documents, and which to take.",
        (_input, _choose, _text, _choosing),
        (
            "dnmf-topics choose news.csv --text body",
            "dnmf-topics choose posts/ --max-topics 40 --plot curve.png",
        ),
    ),
    "topics": Command(
        "Show the topics of a model.",
        (_folder, _words),
        ("dnmf-topics topics news-topics --words 20", "dnmf-topics topics news-topics --json"),
    ),
    "tree": Command(
        "Show how the topics of a model hang together.",
        (_folder, _tree),
        ("dnmf-topics tree news-topics", "dnmf-topics tree news-topics --plot tree.svg"),
    ),
    "edit": Command(
        "Merge or name topics, without training; model, tables and page are written anew.",
        (_folder, _edit),
        (
            "dnmf-topics edit news-topics --merge 1,5 --merge 2,7,8 --name 3=Space",
            "dnmf-topics edit news-topics --reduce 8 --out news-8-topics",
        ),
    ),
    "infer": Command(
        "Find the topics of new documents, by the steps that the model's own went through.",
        (_folder, _input, _infer, _processes),
        (
            "dnmf-topics infer news-topics new.csv --text body --out new-topics.csv",
            "echo 'rain and storms in the north' | dnmf-topics infer news-topics - --json",
            "dnmf-topics infer news-nouns new.csv --text body --allow en_core_web_sm",
        ),
        UNKNOWN,
    ),
    "embed": Command(
        "Write a vector for each document, for `fit --embeddings`, by sentence-transformers.",
        (_input, _embed),
        (
            "dnmf-topics embed news.csv --text body --out news.npy",
            "dnmf-topics embed news.csv --text body --model models/my-encoder --out news.npy",
        ),
    ),
    "compare": Command(
        "Train DNMF, LDA and NMF on the same corpus and measure them.",
        (_input, _num_topics, _compare, _words, _text, _model),
        ("dnmf-topics compare news.csv --text body --label section --num-topics 20",),
    ),
    "bench": Command(
        "Run methods on corpora as a TOML file says, and write tables and plots.",
        (_bench,),
        (
            "dnmf-topics bench --smoke --out smoke",
            "dnmf-topics bench tests/benchmarks/study/paper.toml --out results",
        ),
    ),
    "report": Command(
        "Write the page of a folder of results anew.",
        (_folder, _report),
        ("dnmf-topics report news-topics", "dnmf-topics report news-topics --out news.html"),
    ),
}
