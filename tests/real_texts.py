"""Raw texts of the real corpora that tests share."""

from __future__ import annotations

from functools import cache
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
