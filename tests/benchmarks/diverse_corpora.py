"""Labelled corpora of many kinds, from the folder DNMF_CORPORA names: `load(name)`.

    DNMF_CORPORA=... python tests/benchmarks/diverse_corpora.py [NAME ...]

Prints the sizes of these corpora, by default of all. Texts are counted by `build_corpus` with its
default settings. Those on which results stand beside those of `study/` are as that study has
them: 20newsgroups-study by the rules of `corpora/prepare.py`, reuters21578-30 and tdt2 as their
publisher counted them. reuters21578-30-texts are the texts of the same stories, in another order.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench_corpora import (
    folder,
    load_matrix,
    load_reuters,
    load_tdt2,
    newsgroups,
    read_texts,
    sample,
    subject_of,
)  # fmt: skip
from numpy.typing import NDArray
from scipy import sparse

from dnmf_topics.text import build_corpus

BARE = ("headers", "footers", "quotes")
MIN_WORDS = 10  # of a post without headers, footers and quotes


@dataclass(frozen=True, eq=False)
class Labelled:
    """Counts (N x V), the class of every document, and where there are any, words and texts."""

    counts: sparse.csr_array
    classes: NDArray[np.int64]
    words: NDArray[np.str_] | None = None
    texts: list[str] | None = None


def of_texts(
    texts: list[str], labels: Sequence[Any], count: Callable[..., Any] = build_corpus
) -> Labelled:
    """Texts and what `count` makes of them; classes are numbered in the order of their labels."""
    corpus = count(texts)
    words = np.array([corpus.dictionary[i] for i in range(len(corpus.dictionary))])
    classes = np.unique(labels, return_inverse=True)[1]
    return Labelled(corpus.counts.matrix, classes, words, texts)


def of_matrix(counts: Any, classes: Any) -> Labelled:
    """Counts without words."""
    return Labelled(sparse.csr_array(counts), np.asarray(classes, np.int64))


def diverse(name: str) -> Labelled:
    return of_texts(*read_texts(f"diverse/{name}.jsonl.gz"))


def posts(remove: tuple[str, ...] = (), num_docs: int | None = None) -> Labelled:
    """20 Newsgroups; without footers and quotes those that still have ten words."""
    bunch = newsgroups(remove=remove)
    min_words = MIN_WORDS if remove == BARE else 0
    kept = [
        (text, label)
        for text, label in zip(bunch.data, bunch.target, strict=True)
        if len(re.findall(r"\w+", text)) >= min_words
    ]
    texts, labels = map(list, zip(*kept, strict=True))
    return of_texts(*(sample(texts, labels, num_docs) if num_docs else (texts, labels)))


def subjects() -> Labelled:
    bunch = newsgroups()
    return of_texts([subject_of(text) for text in bunch.data], bunch.target)


def arxiv(num_docs: int, *, archives: bool = False) -> Labelled:
    """Titles with abstracts by category, or by archive, the part before the first dot."""
    texts, labels = sample(*read_texts("arxiv/arxiv-100k.jsonl.gz"), num_docs)
    return of_texts(texts, [label.split(".")[0] for label in labels] if archives else labels)


# The corpora of tests/benchmarks/study/paper.toml


def preparation(module: str) -> Any:
    """A module of the folder that prepares the study's corpora."""
    place = str(Path(__file__).parents[2] / "corpora")
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(module)


def study_posts() -> Labelled:
    known = preparation("known")
    documents = known.read_20newsgroups(folder() / known.KNOWN["20newsgroups"].file)
    count = functools.partial(build_corpus, tokenization=preparation("prepare").RULES)
    return of_texts([each.text for each in documents], [each.label for each in documents], count)


def reuters_texts() -> Labelled:
    """The stories of the 30 largest classes, which have the numbers of the publisher's matrix.

    He numbers classes by size. Classes of equal size follow the alphabet as far as lengths of
    their documents tell, but the first of three with 18 stories, the 30th of all, is livestock.
    """
    known = preparation("known")
    topics = known.KNOWN["reuters21578"]
    names = [*list(topics.facts.classes)[:29], "livestock"]
    stories = [each for each in topics.read(folder() / topics.file) if each.label in names]
    numbers = [names.index(each.label) + 1 for each in stories]
    return of_texts([each.text for each in stories], numbers)


CORPORA: dict[str, Callable[[], Labelled]] = {
    "agnews": lambda: diverse("agnews"),
    "biomedical": lambda: diverse("biomedical"),
    "stackoverflow": lambda: diverse("stackoverflow"),
    "webkb": lambda: diverse("webkb"),
    "20newsgroups": posts,
    "20newsgroups-bare": lambda: posts(BARE),
    "20newsgroups-bare-1500": lambda: posts(BARE, 1500),
    "20newsgroups-bare-3000": lambda: posts(BARE, 3000),
    "20newsgroups-bare-5000": lambda: posts(BARE, 5000),
    "20newsgroups-no-headers-3000": lambda: posts(("headers",), 3000),
    "subjects": subjects,
    "tdt2": lambda: of_matrix(*load_tdt2()),
    "reuters21578": lambda: of_matrix(*load_matrix("reuters21578/Reuters21578.mat")),
    "arxiv-10000": lambda: arxiv(10_000),
    "arxiv-archives-10000": lambda: arxiv(10_000, archives=True),
    "arxiv-100000": lambda: arxiv(100_000),
    "20newsgroups-study": study_posts,
    "reuters21578-30": lambda: of_matrix(*load_reuters()),
    "reuters21578-30-texts": reuters_texts,
}


@functools.lru_cache(maxsize=1)
def load(name: str) -> Labelled:
    """One of `CORPORA`; the last one is kept."""
    if name not in CORPORA:
        raise ValueError(f"name must be one of {', '.join(CORPORA)}, got {name!r}.")
    return CORPORA[name]()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    for name in parser.parse_args().names or CORPORA:
        corpus = load(name)
        documents, terms = corpus.counts.shape
        sizes = np.unique(corpus.classes, return_counts=True)[1]
        empty = int((np.diff(corpus.counts.indptr) == 0).sum())
        print(
            f"{name:29} {documents:>7,} documents ({empty} empty), {terms:>6,} terms, "
            f"{corpus.counts.sum() / documents:5.0f} words each, {sizes.size:>3} classes of "
            f"{sizes.min()} to {sizes.max()}",
            flush=True,
        )


if __name__ == "__main__":
    main()
