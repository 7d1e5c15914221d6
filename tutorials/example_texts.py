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
# Of a docstring: what every function has, or what is no text.
LEFT_OUT = ("References", "Examples", "See Also", "Methods", "Attributes")


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


def dated(fewest_words: int = 40) -> pd.DataFrame:
    """What scipy says about its functions, with the month in which a function came, if it says so.

    A row for each function: text, name, subpackage, added (or None) and the address of its page.
    """
    rows: dict[str, dict[str, str | None]] = {}  # by text, as some names stand for one function
    for place in MODULES:
        module = importlib.import_module(f"scipy.{place}")
        for member in sorted(module.__all__):
            docstring = inspect.getdoc(getattr(module, member)) or ""
            text, name = _description(docstring), f"scipy.{place}.{member}"
            is_function = callable(getattr(module, member))
            if not is_function or len(text.split()) < fewest_words or text in rows:
                continue
            version = re.search(r"versionadded:: *(\d+\.\d+)", docstring)
            rows[text] = {
                "text": text,
                "name": name,
                "subpackage": place.split(".")[0],
                "added": RELEASED.get(version[1]) if version else None,
                "page": f"https://docs.scipy.org/doc/scipy/reference/generated/{name}.html",
            }
    return pd.DataFrame(list(rows.values()))


def _description(docstring: str) -> str:
    """The docstring without `LEFT_OUT`, and without the table of array libraries at its end."""
    parts = re.split(r"^(\S.*)\n-{3,}$", docstring, flags=re.MULTILINE)
    sections = dict(zip(["", *parts[1::2]], parts[::2], strict=True))
    kept = (text for heading, text in sections.items() if heading not in LEFT_OUT)
    return re.split(r"\*\*Array API|Array API Standard", _prose("\n".join(kept)))[0].strip()


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
