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
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from gensim.test.utils import datapath
from sklearn.datasets import fetch_20newsgroups

SUBPACKAGES = (
    "fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "special", "stats",
)  # fmt: skip
GROUPS = (
    "comp.graphics", "misc.forsale", "rec.autos", "rec.sport.hockey",
    "sci.crypt", "sci.med", "sci.space", "talk.politics.mideast",
)  # fmt: skip

# Where scipy keeps its functions, and when its versions came out.
MODULES = (
    "cluster.hierarchy", "fft", "integrate", "interpolate", "io", "linalg", "ndimage", "optimize",
    "signal", "sparse", "sparse.csgraph", "sparse.linalg", "spatial", "spatial.distance",
    "special", "stats", "stats.qmc", "stats.contingency",
)  # fmt: skip
RELEASED = {
    "0.8": "2010-07", "0.9": "2011-02", "0.10": "2011-11", "0.11": "2012-09", "0.12": "2013-04",
    "0.13": "2013-10", "0.14": "2014-05", "0.15": "2015-01", "0.16": "2015-07", "0.17": "2016-01",
    "0.18": "2016-07", "0.19": "2017-03", "1.0": "2017-10", "1.1": "2018-05", "1.2": "2018-12",
    "1.3": "2019-05", "1.4": "2019-12", "1.5": "2020-06", "1.6": "2020-12", "1.7": "2021-06",
    "1.8": "2022-02", "1.9": "2022-07", "1.10": "2023-01", "1.11": "2023-06", "1.12": "2024-01",
    "1.13": "2024-04", "1.14": "2024-06", "1.15": "2025-01", "1.16": "2025-06", "1.17": "2026-01",
}  # fmt: skip
# Of a docstring: its beginning, and what is text and not a list of parameters.
KEPT = ("", "Notes")


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


def dated(fewest_words: int = 30, common: int = 10) -> pd.DataFrame:
    """What scipy says about its functions, with the month in which a function came, if it says so.

    A row for each function: text, name, subpackage, added (or None) and the address of its page.
    Lines that ten functions have in common are left out.
    """
    docstrings: dict[str, str] = {}  # by text, as some names stand for the same function
    for place in MODULES:
        module = importlib.import_module(f"scipy.{place}")
        for member in sorted(module.__all__):
            if callable(getattr(module, member)):
                docstring = inspect.getdoc(getattr(module, member)) or ""
                docstrings.setdefault(docstring, f"scipy.{place}.{member}")
    texts = {name: _description(docstring) for docstring, name in docstrings.items()}
    counts = Counter(line.strip() for text in texts.values() for line in set(text.splitlines()))
    rows = []
    for docstring, name in docstrings.items():
        lines = [line for line in texts[name].splitlines() if counts[line.strip()] < common]
        # At the beginning of a line: what is indented belongs to a parameter.
        version = re.search(r"^\.\. versionadded:: *(\d+\.\d+)", docstring, re.MULTILINE)
        if len(" ".join(lines).split()) >= fewest_words:
            rows.append(
                {
                    "text": "\n".join(lines),
                    "name": name,
                    "subpackage": name.split(".")[1],
                    "added": RELEASED.get(version[1]) if version else None,
                    "page": f"https://docs.scipy.org/doc/scipy/reference/generated/{name}.html",
                }
            )
    return pd.DataFrame(rows)


def _description(docstring: str) -> str:
    """What `KEPT` names of a docstring, without signature, version and array libraries."""
    parts = re.split(r"^(\S.*)\n-{3,}$", docstring, flags=re.MULTILINE)
    sections = dict(zip(["", *parts[1::2]], parts[::2], strict=True))
    kept = _prose("\n".join(text for heading, text in sections.items() if heading in KEPT))
    text = re.split(r"\*\*Array API|Array API Standard", kept)[0]
    return re.sub(r"^\w+\(.*\)$|^\.\. version.*$", "", text, flags=re.MULTILINE).strip()


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
