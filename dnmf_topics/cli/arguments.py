"""The arguments of all commands, and their help."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import __version__
from ..common.excerpts import MOST_ON_PAGE
from ..common.spool import MAX_IN_MEMORY

DESCRIPTION = "Topics of text documents by deep NMF: from raw text to a page to explore."
EPILOG = """\
INPUT is a folder of text files, a .txt file with a document per line, a .csv, .tsv or .jsonl file,
each also compressed (.gz); a .parquet file; a folder of such tables; or - for a document per line
on standard input.

examples:
  dnmf-topics demo
  dnmf-topics choose news.csv --text body
  dnmf-topics fit news.csv --text body --label section --num-topics 20 --out news-topics
  dnmf-topics topics news-topics
  dnmf-topics tree news-topics
  dnmf-topics edit news-topics --merge 1,5 --name 3=Space
  dnmf-topics infer news-topics new.jsonl --out new-topics.csv
  dnmf-topics compare news.csv --text body --num-topics 20
  dnmf-topics report news-topics --out news.html
  dnmf-topics bench --smoke --out smoke

In .csv results, text that a spreadsheet would take for a formula (= + - @ ...) begins with '.
`dnmf-topics COMMAND --help` tells more of each.
Exit codes: 0 done, 1 an error, 2 wrong usage, 130 interrupted.
"""


@dataclass(frozen=True)
class Command:
    """What a command is for, what it takes, and how it is used."""

    description: str
    groups: tuple[Callable[[ArgumentParser], None], ...]
    examples: tuple[str, ...]


class _LazyParser(ArgumentParser):
    """Gets its arguments when they are needed: the tables that some of them name load slowly."""

    groups: tuple[Callable[[ArgumentParser], None], ...] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        groups, self.groups = self.groups, ()
        for group in groups:
            group(self)
        return super().parse_known_args(args, namespace)


def parse(arguments: Sequence[str] | None) -> Namespace:
    """The arguments; `command` is a name in `COMMANDS`."""
    parser = ArgumentParser(
        prog="dnmf-topics",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_LazyParser
    )
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=command.description[0].lower() + command.description[1:-1],
            description=command.description,
            epilog="\n".join(["examples:", *(f"  {example}" for example in command.examples)]),
            formatter_class=RawDescriptionHelpFormatter,
        )
        subparser.groups = (*command.groups, _output)
    return parser.parse_args(arguments)


# Values


def _whole(minimum: int, maximum: int = 2**32 - 1) -> Callable[[str], int]:
    def convert(text: str) -> int:
        number = int(text)
        if not minimum <= number <= maximum:
            raise ArgumentTypeError(f"must be from {minimum} to {maximum}, got {number}")
        return number

    convert.__name__ = "whole number"  # what argparse calls it where it is none
    return convert


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 1:
        raise ArgumentTypeError(f"must be above 0 and up to 1, got {text}")
    return share


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


_share.__name__ = "number"


def _whole_or_auto(minimum: int) -> Callable[[str], int | str]:
    def convert(text: str) -> int | str:
        return text if text == "auto" else _whole(minimum)(text)

    convert.__name__ = "whole number"
    return convert


def _group(text: str) -> list[int]:
    topics = [_whole(0)(part) for part in text.split(",")]
    if len(topics) < 2 or len(set(topics)) < len(topics):
        raise ArgumentTypeError(f"must be two topics or more, such as 1,5; got {text}")
    return topics


def _name(text: str) -> tuple[int, str]:
    topic, equals, name = text.partition("=")
    if not equals:
        raise ArgumentTypeError(f"must be a topic and its name, such as 3=Space; got {text}")
    return _whole(0)(topic), name


_group.__name__ = "list of topics"
_name.__name__ = "topic and name"


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
        help="column or key of the true class; 'folder' for the names of a folder's subfolders",
    )  # fmt: skip
    group.add_argument("--id", metavar="NAME", help="column or key of the document's name")
    group.add_argument(
        "--encoding", metavar="NAME", default="utf-8", help="of the text (default: utf-8)"
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


def _num_topics(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-k", "--num-topics", type=_whole_or_auto(1), default="auto", metavar="K",
        help="number of topics (default: auto, as `choose` finds it)",
    )  # fmt: skip


def _choose(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--min-topics", type=_whole(1), default=2, metavar="K",
        help="the smallest number to try (default: 2)",
    )  # fmt: skip
    parser.add_argument(
        "--max-topics", type=_whole(1), metavar="K",
        help="the largest number to try (default: 22, and up to 100 as long as many do well)",
    )  # fmt: skip
    parser.add_argument(
        "--plot", metavar="FILE", help="draw it too, as .png, .svg or .pdf (needs matplotlib)"
    )


def _words(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--words", type=_whole(1), default=10, metavar="N", help="words per topic (default: 10)"
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
    parser.add_argument("--title", help="of the page (default: the input's name)")
    parser.add_argument(
        "--seed-words", metavar="FILE",
        help="words that you know some topics by, a line for each topic (space: orbit, nasa), or a "
        'JSON object ({"space": ["orbit", "nasa"]}); these topics come first, in this order',
    )  # fmt: skip
    parser.add_argument(
        "--no-report", action="store_true",
        help=f"write no page; there is none either of more than {MOST_ON_PAGE} documents",
    )  # fmt: skip
    parser.add_argument(
        "--subtopics", metavar="N", nargs="?", const="auto", type=_whole_or_auto(2),
        help="find topics inside every topic that is large enough, N of them or as many as there "
        "seem to be",
    )  # fmt: skip
    parser.add_argument(
        "--spool", metavar="DIR",
        help="where a large corpus is kept while the run lasts, one whose documents have more than "
        f"{MAX_IN_MEMORY} different words, added up (default: where temporary files are, TMPDIR)",
    )  # fmt: skip


def _text(parser: ArgumentParser) -> None:
    from ..text import TOKENIZERS

    group = parser.add_argument_group("tokenization")
    group.add_argument(
        "--tokenizer", choices=list(TOKENIZERS), default="regex",
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
    group.add_argument("--base-form", choices=forms, help="reduce words to stems or lemmas")
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
        "--variant", choices=list(VARIANTS), default="bdnmf",
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
        "--weighting", choices=["tfidf", "none"], default="tfidf",
        help="of the words; none counts them as they are (default: tfidf)",
    )  # fmt: skip
    group.add_argument(
        "--num-clusterings", type=_whole(1, 2**16 - 1), default=200, metavar="M",
        help="clusterings per layer of the network (default: 200)",
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
        "--jobs", type=int, default=-1, metavar="N", help="threads (default: all processors)"
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
    parser.add_argument("--full", action="store_true", help="the shares of all topics")
    parser.add_argument(
        "--allow", metavar="NAME", action="append", default=[],
        help="the spaCy pipeline (name or path) or NLTK resource (wordnet) that the model names "
        "and may load; loading it may run code, so without this it is refused",
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
    parser.add_argument("--title", help="of the page (default: as before)")


def _demo(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-k", "--num-topics", type=_whole_or_auto(1), default=8, metavar="K",
        help="number of topics (default: 8)",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="DIR", default="dnmf-demo", help="for the results (default: dnmf-demo)"
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
            "dnmf-topics fit posts/ --label folder --strip-headers -k 20 --out posts-topics",
            "dnmf-topics fit news.csv --text body --num-topics 15 --phrases --out news-topics",
            "dnmf-topics fit news.csv --text body --date day --link url -k 15 --out news-topics",
            "dnmf-topics fit news.csv --text body -k 15 --seed-words seeds.txt --out news-topics",
            "dnmf-topics fit texte.jsonl --stop-words spacy:de -k 10 --out themen",
            "dnmf-topics fit news.csv --text body --tokenizer spacy --model en_core_web_sm \\",
            "    --base-form lemma --parts-of-speech NOUN PROPN -k 15 --out news-nouns",
        ),
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
