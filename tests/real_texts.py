"""Raw texts of the real corpora that tests share."""

from __future__ import annotations

import gzip
import json
from functools import cache
from itertools import islice
from pathlib import Path

from gensim.test.utils import datapath
from sklearn.datasets import fetch_20newsgroups


@cache
def newsgroups_texts(corpora_folder):
    """The 18,846 posts of 20 Newsgroups with headers and quotes."""
    folder = corpora_folder / "20newsgroups"
    return fetch_20newsgroups(subset="all", data_home=folder, download_if_missing=False).data


@cache
def lee_texts():
    """The 300 news items that gensim ships, raw."""
    return Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()


@cache
def arxiv_texts(corpora_folder):
    """Titles with abstracts, 5,000 of them."""
    path = corpora_folder / "arxiv" / "arxiv-100k.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in islice(lines, 5000)]


@cache
def diverse_texts(corpora_folder, name):
    """The texts of a corpus of short documents or web pages."""
    with gzip.open(
        corpora_folder / "diverse" / f"{name}.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        return [json.loads(line)["text"] for line in lines]
