"""Turn corpora, as their publishers hand them out, into the files that the benchmarks read.

Each corpus is read, compared with what is known of it (documents, classes and their sizes, terms,
words), and only then written: NAME.dnmf, a saved `dnmf_topics.text.TextCorpus`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from known import KNOWN, CorpusError, Facts, Known
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from dnmf_topics.common.writing import new_file
from dnmf_topics.text import Document, TextCorpus, Tokenization, build_corpus

EXAMPLES = """\
examples:
  python corpora/prepare.py --list
  python corpora/prepare.py lee --out prepared
  python corpora/prepare.py 20newsgroups --download --source downloads --out prepared
  python corpora/prepare.py reuters21578 tdt2-cai --source downloads --out prepared --text

In Python: dnmf_topics.text.TextCorpus.load("prepared/lee.dnmf")
corpora/README.md says where each file comes from and on which terms.
"""

RULES = Tokenization(stop_words=sorted(ENGLISH_STOP_WORDS), min_length=3)


def count_words(documents: Sequence[Document]) -> TextCorpus:
    """Words by `RULES` that are in at least 5 documents and in at most half of them."""
    return build_corpus(documents, RULES, no_below=5, no_above=0.5)


# Checks


def different_documents(facts: Facts, labels: Sequence[str | None]) -> Iterator[str]:
    """What is not as known among the documents' labels (None: without a class)."""
    sizes = Counter(label for label in labels if label is not None)
    yield from _different("documents", facts.documents, len(labels))
    yield from _different("classes", len(facts.classes), len(sizes))
    for name in sorted(facts.classes.keys() | sizes.keys()):
        yield from _different(f"documents of class {name}", facts.classes.get(name, 0), sizes[name])


def different_counts(facts: Facts, corpus: TextCorpus) -> Iterator[str]:
    """What is not as known about the counts."""
    yield from _different("terms", facts.terms, len(corpus.dictionary))
    yield from _different("words in all", facts.words, corpus.dictionary.num_pos)


def _different(what: str, expected: int, found: int) -> Iterator[str]:
    if expected != found:
        yield f"expected {expected:,} {what}, found {found:,}"


def check(name: str, path: Path, found: Iterator[str]) -> None:
    """Refuse a corpus of which the first difference is given; the rest follow from it."""
    difference = next(found, None)
    if difference:
        raise CorpusError(
            f"{difference} in {path}; nothing was written. Compare the file's checksum "
            f"with corpora/README.md or get it again from {KNOWN[name].address}"
        )


# One corpus


def locate(name: str, source: Path | None, *, download: bool) -> Path:
    """The publisher's file, fetched if that is wanted and a library does it."""
    known = KNOWN[name]
    path = Path(known.file)
    if not path.is_absolute():
        if source is None:
            raise CorpusError(
                f"--source must name the folder that has {path} "
                "(or set DNMF_CORPORA); none was given."
            )
        path = source / path
    if download and known.fetch and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        known.fetch(path)
    if not path.is_file():
        raise CorpusError(f"there is no file {path}; {_remedy(known)}.")
    return path


def _remedy(known: Known) -> str:
    if known.fetch:
        return f"add --download, and scikit-learn makes it from what {known.address} describes"
    return f"get it from {known.address} and put it there"


def prepare(name: str, path: Path, out: Path, *, with_text: bool) -> str:
    """Read, check and write one corpus; the sentence says what was written."""
    start = time.perf_counter()
    known = KNOWN[name]
    content = known.read(path)
    if isinstance(content, TextCorpus):
        check(name, path, different_documents(known.facts, content.labels or ()))
        corpus, texts = content, None
    else:
        check(name, path, different_documents(known.facts, [each.label for each in content]))
        corpus, texts = count_words(content), content
    check(name, path, different_counts(known.facts, corpus))

    out.mkdir(parents=True, exist_ok=True)
    written = [out / f"{name}.dnmf"]
    if with_text and texts is not None:
        written.append(out / f"{name}.jsonl.gz")
        write_texts(written[-1], texts)
    corpus.save(written[0])
    facts = known.facts
    return (
        f"{name}: {size(facts)}, {facts.terms:,} terms, {facts.words:,} words, as known; "
        f"wrote {' and '.join(map(str, written))} in {time.perf_counter() - start:.1f} s"
        + (", no text: the publisher gives only counts" if with_text and texts is None else "")
    )


def size(facts: Facts) -> str:
    """Documents and classes in words."""
    return f"{facts.documents:,} documents, {len(facts.classes) or 'no'} classes"


def write_texts(path: Path, documents: Sequence[Document]) -> None:
    """One JSON object on each line, compressed; whole or not at all."""
    # No name and no time inside: equal documents give equal bytes.
    with new_file(path) as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for each in documents:
            record = {"id": each.id, "text": each.text, "label": each.label}
            packed.write((json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8"))


# The command


def show_known() -> None:
    """Print the table of corpora."""
    for name, known in KNOWN.items():
        print(f"{name:17} {size(known.facts)}")
        for line in (known.what, known.file, known.address):
            print(f"{'':17} {line}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options, checked."""
    parser = argparse.ArgumentParser(
        prog="prepare.py",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(KNOWN)} (default: all)"
    )
    named = os.environ.get("DNMF_CORPORA")
    parser.add_argument(
        "--source",
        type=Path,
        metavar="FOLDER",
        default=Path(named) if named else None,
        help="where the publishers' files are, as --list shows (default: DNMF_CORPORA)",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write NAME.dnmf")
    parser.add_argument(
        "--text", action="store_true", help="write the raw texts too, as NAME.jsonl.gz"
    )
    parser.add_argument(
        "--download",
        action="store_true",
        help="let scikit-learn fetch 20newsgroups if it is not there; nothing else uses the net",
    )
    parser.add_argument("--list", action="store_true", help="show what is known, and stop")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in KNOWN]
    if unknown:
        parser.error(f"NAME must be one of {', '.join(KNOWN)}, got {unknown[0]!r}")
    if not options.list and options.out is None:
        parser.error("--out must name the folder to write to")
    if options.out is not None and options.out.exists() and not options.out.is_dir():
        parser.error(f"--out must name a folder, {options.out} is a file")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 if a corpus could not be prepared."""
    options = parse(arguments)
    if options.list:
        show_known()
        return 0
    failed = False
    for name in dict.fromkeys(options.names or KNOWN):
        try:
            path = locate(name, options.source, download=options.download)
            print(prepare(name, path, options.out, with_text=options.text), flush=True)
        except (CorpusError, OSError) as error:
            # The others are prepared all the same.
            print(f"prepare.py: {name}: {error}", file=sys.stderr, flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
