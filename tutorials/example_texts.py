"""The texts that the tutorials are about; nothing is downloaded.

Two small ones come with the packages that dnmf_topics needs: news items that gensim ships, and the
documentation of scipy's functions, which is labeled by the subpackage that a function is from. In
the place of the second stands a sample of 20 Newsgroups where scikit-learn has it already: in its
own cache, or in the folder that the environment variable DNMF_CORPORA names.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gensim.test.utils import datapath
from sklearn.datasets import fetch_20newsgroups

SUBPACKAGES = (
    "fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "special", "stats",
)  # fmt: skip
GROUPS = (
    "comp.graphics", "misc.forsale", "rec.autos", "rec.sport.hockey",
    "sci.crypt", "sci.med", "sci.space", "talk.politics.mideast",
)  # fmt: skip


class Labeled(NamedTuple):
    """Texts, and what a person would call each of them."""

    name: str
    texts: list[str]
    labels: list[str]


def news() -> list[str]:
    """300 news items of the year 2001 (Lee, Pincombe and Welsh, 2005)."""
    return Path(datapath("lee_background.cor")).read_text(encoding="utf-8").splitlines()


def labeled() -> Labeled:
    """Texts of eight classes: messages if they are on this machine, otherwise documentation."""
    return newsgroups() or _documentation()


def _documentation(most: int = 75, fewest_words: int = 60) -> Labeled:
    """What scipy says about its functions, at most 75 of every subpackage.

    The examples are left out: they import the subpackage, which is the label.
    """
    labels: dict[str, str] = {}  # by text, as some names stand for the same function
    for name in SUBPACKAGES:
        module = importlib.import_module(f"scipy.{name}")
        members = (getattr(module, member) for member in sorted(module.__all__))
        texts = (_prose(inspect.getdoc(member) or "") for member in members if callable(member))
        long_enough = (text for text in texts if len(text.split()) >= fewest_words)
        new = [text for text in dict.fromkeys(long_enough) if text not in labels]
        labels |= dict.fromkeys(new[:most], name)
    return Labeled("documentation of scipy", list(labels), list(labels.values()))


def _prose(docstring: str) -> str:
    lines = docstring.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith((">>>", "...")))


def newsgroups(size: int = 2000) -> Labeled | None:
    """A sample of eight newsgroups, or None if they are not on this machine."""
    corpora = os.environ.get("DNMF_CORPORA")
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # scikit-learn says why it found nothing
            found = fetch_20newsgroups(
                subset="all", categories=GROUPS, download_if_missing=False,
                data_home=Path(corpora) / "20newsgroups" if corpora else None,
            )  # fmt: skip
    except OSError:
        return None
    sample = np.sort(np.random.default_rng(0).choice(len(found.data), size, replace=False))
    return Labeled(
        "20 Newsgroups",
        [found.data[position] for position in sample],
        [found.target_names[found.target[position]] for position in sample],
    )
