"""Labeled corpora of many kinds, from the folder DNMF_CORPORA names: `load(name)`.

    DNMF_CORPORA=... python tests/benchmarks/loading.py [NAME ...]

Prints the sizes of these corpora, by default of all. Texts are counted by `build_corpus` with its
default settings; those of a name that ends in -plain by scikit-learn's CountVectorizer. Those on
which results stand beside those of `study/` are as that study has them: 20newsgroups-study by the
rules of `corpora/prepare.py`, reuters21578-30 and tdt2 as their publisher counted them.
reuters21578-30-texts are the texts of the same stories, in another order.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import importlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from nltk.stem import PorterStemmer
from packages import read_packages
from scipy import io, sparse
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer

from dnmf_topics.bench import Corpus, keep_largest
from dnmf_topics.text import Tokenization, build_corpus

BARE = ("headers", "footers", "quotes")
MIN_WORDS = 10  # of a post without headers, footers and quotes
# Lower case, [a-z]{3,}, English stop words, 5 <= df <= 50 %
PLAIN = {"token_pattern": r"[a-z]{3,}", "stop_words": "english", "min_df": 5, "max_df": 0.5}


# The publishers' files


def folder() -> Path:
    if "DNMF_CORPORA" not in os.environ:
        raise SystemExit("Set DNMF_CORPORA to the folder with the publishers' files.")
    return Path(os.environ["DNMF_CORPORA"])


def newsgroups(subset: str = "all", remove: tuple[str, ...] = ()) -> Any:
    return fetch_20newsgroups(
        subset=subset,
        remove=remove,
        data_home=folder() / "20newsgroups",
        download_if_missing=False,
    )


def subject_of(text: str) -> str:
    """The subject line of a message, without 'Re:'."""
    found = re.search(r"^Subject:(.*)$", text, re.MULTILINE | re.IGNORECASE)
    return re.sub(r"(?i)\bre\s*:", " ", found.group(1) if found else "")


def read_texts(path: str) -> tuple[list[str], list[str]]:
    """Texts and labels of a .jsonl.gz file."""
    with gzip.open(folder() / path, "rt", encoding="utf8") as lines:
        records = [json.loads(line) for line in lines]
    return [record["text"] for record in records], [record["label"] for record in records]


def sample(texts: list[str], labels: Sequence[Any], num_docs: int) -> tuple[list[str], list[Any]]:
    """So many of the documents, chosen at random, in their order."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(texts))[:num_docs])
    return [texts[i] for i in chosen], [labels[i] for i in chosen]


# Counts


def of_texts(
    texts: list[str], labels: Sequence[Any], count: Callable[..., Any] = build_corpus
) -> Corpus:
    """Texts and what `count` makes of them; classes are numbered in the order of their labels."""
    corpus = count(texts)
    classes = np.unique(labels, return_inverse=True)[1]
    return Corpus(corpus.counts.matrix, classes, corpus.dictionary, texts)


def of_plain(
    texts: list[str], labels: Sequence[Any], vectorizer: CountVectorizer | None = None
) -> Corpus:
    """The same by scikit-learn."""
    vectorizer = vectorizer or CountVectorizer(**PLAIN)
    counts = sparse.csr_array(vectorizer.fit_transform(texts))
    words = dict(enumerate(vectorizer.get_feature_names_out().tolist()))
    return Corpus(counts, np.unique(labels, return_inverse=True)[1], words, texts)


def of_matrix(path: str) -> Corpus:
    """A publisher's counts, without words."""
    content = io.loadmat(folder() / path)
    return Corpus(sparse.csr_array(content["fea"]), content["gnd"].ravel().astype(np.int64))


# Corpora


def diverse(name: str) -> Corpus:
    return of_texts(*read_texts(f"diverse/{name}.jsonl.gz"))


def packages(code: str, language: str) -> Corpus:
    """Descriptions of Debian's packages, without the stop words of their language."""
    count = functools.partial(build_corpus, tokenization=Tokenization(language=language))
    return of_texts(*read_packages(folder() / "debian", code), count)


def posts(remove: tuple[str, ...] = (), num_docs: int | None = None) -> Corpus:
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


def plain_posts() -> Corpus:
    """20 Newsgroups with all that a message has."""
    bunch = newsgroups()
    return of_plain(bunch.data, bunch.target)


def stemmed_posts() -> Corpus:
    """20 Newsgroups with Porter's stems of the same words as otherwise."""
    split = CountVectorizer(
        token_pattern=PLAIN["token_pattern"], stop_words="english"
    ).build_analyzer()
    stem = functools.cache(PorterStemmer().stem)
    limits = {"min_df": PLAIN["min_df"], "max_df": PLAIN["max_df"]}
    vectorizer = CountVectorizer(
        analyzer=lambda text: [stem(word) for word in split(text)], **limits
    )
    bunch = newsgroups()
    return of_plain(bunch.data, bunch.target, vectorizer)


def subjects(count: Callable[..., Corpus] = of_texts) -> Corpus:
    """20 Newsgroups' subject lines alone."""
    bunch = newsgroups()
    return count([subject_of(text) for text in bunch.data], bunch.target)


def arxiv(
    num_docs: int, *, archives: bool = False, count: Callable[..., Corpus] = of_texts
) -> Corpus:
    """Titles with abstracts by category, or by archive, the part before the first dot."""
    texts, labels = sample(*read_texts("arxiv/arxiv-100k.jsonl.gz"), num_docs)
    return count(texts, [label.split(".")[0] for label in labels] if archives else labels)


def arxiv_titles(num_docs: int, num_classes: int = 10) -> Corpus:
    """Titles alone, of the largest category of each of the largest archives."""
    texts, labels = read_texts("arxiv/arxiv-100k.jsonl.gz")
    archives = [label.split(".")[0] for label in labels]
    largest = [name for name, _ in Counter(archives).most_common(num_classes)]
    pairs = Counter(zip(archives, labels, strict=True))
    kept = {
        max((pair for pair in pairs if pair[0] == name), key=pairs.__getitem__)[1]
        for name in largest
    }
    rows = [row for row, label in enumerate(labels) if label in kept]
    titles = [texts[row].split("\n")[0] for row in rows]
    return of_texts(*sample(titles, [labels[row] for row in rows], num_docs))


# The corpora of tests/benchmarks/study/paper.toml


def preparation(module: str) -> Any:
    """A module of the folder that prepares the study's corpora."""
    place = str(Path(__file__).parents[2] / "corpora")
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(module)


def study_posts() -> Corpus:
    known = preparation("known")
    documents = known.read_20newsgroups(folder() / known.KNOWN["20newsgroups"].file)
    count = functools.partial(build_corpus, tokenization=preparation("prepare").RULES)
    return of_texts([each.text for each in documents], [each.label for each in documents], count)


def reuters_texts() -> Corpus:
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


CORPORA: dict[str, Callable[[], Corpus]] = {
    "agnews": lambda: diverse("agnews"),
    "biomedical": lambda: diverse("biomedical"),
    "stackoverflow": lambda: diverse("stackoverflow"),
    "webkb": lambda: diverse("webkb"),
    "20newsgroups": posts,
    "20newsgroups-plain": plain_posts,
    "20newsgroups-stemmed": stemmed_posts,
    "20newsgroups-bare": lambda: posts(BARE),
    "20newsgroups-bare-1500": lambda: posts(BARE, 1500),
    "20newsgroups-bare-3000": lambda: posts(BARE, 3000),
    "20newsgroups-bare-5000": lambda: posts(BARE, 5000),
    "20newsgroups-bare-6000": lambda: posts(BARE, 6000),
    "20newsgroups-no-headers-3000": lambda: posts(("headers",), 3000),
    "subjects": subjects,
    "subjects-plain": lambda: subjects(of_plain),
    "tdt2": lambda: of_matrix("tdt2/TDT2.mat"),
    "reuters21578": lambda: of_matrix("reuters21578/Reuters21578.mat"),
    "arxiv-10000": lambda: arxiv(10_000),
    "arxiv-archives-10000": lambda: arxiv(10_000, archives=True),
    "arxiv-titles-6000": lambda: arxiv_titles(6_000),
    "arxiv-100000": lambda: arxiv(100_000),
    "debian-en": lambda: packages("en", "english"),
    "debian-de": lambda: packages("de", "german"),
    "debian-fr": lambda: packages("fr", "french"),
    "debian-it": lambda: packages("it", "italian"),
    "20newsgroups-study": study_posts,
    "reuters21578-30": lambda: keep_largest(of_matrix("reuters21578/Reuters21578.mat"), 30),
    "reuters21578-30-texts": reuters_texts,
}
# The paper's corpora, by the names of its tables.
PAPERS = {
    "20newsgroups": "20newsgroups-plain",
    "tdt2": "tdt2",
    "reuters21578": "reuters21578-30",
}


@functools.lru_cache(maxsize=1)
def load(name: str) -> Corpus:
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
