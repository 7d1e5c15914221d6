"""The benchmark corpora as count matrices with classes, from the folder DNMF_CORPORA names."""

from __future__ import annotations

import functools
import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
from nltk.stem import PorterStemmer
from scipy import io, sparse
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer


def folder() -> Path:
    if "DNMF_CORPORA" not in os.environ:
        raise SystemExit("Set DNMF_CORPORA to the folder with the publishers' files.")
    return Path(os.environ["DNMF_CORPORA"])


def count_words(texts, min_df=5):
    """Lower case, [a-z]{3,}, English stop words, min_df <= df <= 50 %."""
    vectorizer = CountVectorizer(
        token_pattern=r"[a-z]{3,}", stop_words="english", min_df=min_df, max_df=0.5
    )
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def newsgroups(subset="all", remove=()):
    return fetch_20newsgroups(
        subset=subset,
        remove=remove,
        data_home=folder() / "20newsgroups",
        download_if_missing=False,
    )


def load_20newsgroups():
    bunch = newsgroups()
    return count_words(bunch.data)[0], bunch.target


def subject_of(text):
    """The subject line of a message, without 'Re:'."""
    found = re.search(r"^Subject:(.*)$", text, re.MULTILINE | re.IGNORECASE)
    return re.sub(r"(?i)\bre\s*:", " ", found.group(1) if found else "")


def load_subjects():
    """20 Newsgroups' subject lines alone."""
    bunch = newsgroups()
    return count_words([subject_of(text) for text in bunch.data])[0], bunch.target


def load_20newsgroups_stemmed():
    """20 Newsgroups with Porter's stems of the same words as otherwise, those of df >= 5."""
    bunch = newsgroups()
    words = CountVectorizer(token_pattern=r"[a-z]{3,}", stop_words="english").build_analyzer()
    stem = functools.cache(PorterStemmer().stem)
    vectorizer = CountVectorizer(
        analyzer=lambda text: [stem(word) for word in words(text)], min_df=5, max_df=0.5
    )
    return vectorizer.fit_transform(bunch.data), bunch.target


def load_matrix(path):
    content = io.loadmat(folder() / path)
    return sparse.csr_matrix(content["fea"]), content["gnd"].ravel()


def load_tdt2():
    return load_matrix("tdt2/TDT2.mat")


def load_reuters():
    """The 30 largest classes."""
    counts, classes = load_matrix("reuters21578/Reuters21578.mat")
    largest = np.argsort(-np.bincount(classes), kind="stable")[:30]
    kept = np.isin(classes, largest)
    return counts[kept], classes[kept]


def read_texts(path):
    """Texts and labels of a .jsonl.gz file."""
    with gzip.open(folder() / path, "rt", encoding="utf8") as lines:
        records = [json.loads(line) for line in lines]
    return [record["text"] for record in records], [record["label"] for record in records]


def sample(texts, labels, num_docs):
    """So many of the documents, chosen at random, in their order."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(texts))[:num_docs])
    return [texts[i] for i in chosen], [labels[i] for i in chosen]


def load_arxiv(num_docs=100_000):
    texts, labels = sample(*read_texts("arxiv/arxiv-100k.jsonl.gz"), num_docs)
    return count_words(texts)[0], np.unique(labels, return_inverse=True)[1]


def class_subset(counts, classes, num_classes, seed):
    """The documents of `num_classes` classes chosen at random."""
    known = np.unique(classes)
    chosen = np.random.default_rng([seed, num_classes]).choice(known, num_classes, replace=False)
    kept = np.isin(classes, chosen)
    return counts[kept], classes[kept]


CORPORA = {
    "20newsgroups": load_20newsgroups,
    "tdt2": load_tdt2,
    "reuters21578": load_reuters,
}
