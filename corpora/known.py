"""The corpora that are known: where they come from, how they are read, what must be found in them.

A corpus is a row in the table `KNOWN`; the command and the tests iterate it.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gensim.test.utils import datapath
from reuters import BrokenArchiveError, read_archive
from scipy.io import loadmat
from sklearn.datasets import fetch_20newsgroups

from dnmf_topics.text import Document, TextCorpus


class CorpusError(ValueError):
    """A corpus is missing, damaged, or not the one that is known."""


@dataclass(frozen=True)
class Facts:
    """What must be found: documents, documents of each class, terms, and words in all documents."""

    documents: int
    terms: int
    words: int
    classes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """One corpus."""

    what: str
    file: str
    """Below the folder of sources; an absolute path where the corpus is installed."""
    address: str
    """Where its publisher hands it out."""
    facts: Facts
    read: Callable[[Path], list[Document] | TextCorpus]
    """Its raw documents or, where the publisher gives only counts, those."""
    fetch: Callable[[Path], None] | None = None
    """Download it to this place, where a library does that."""


# Readers


def read_20newsgroups(path: Path) -> list[Document]:
    """Messages with their headers, in scikit-learn's order; `path` is its cache."""
    said = io.StringIO()  # scikit-learn prints why it could not read
    try:
        with contextlib.redirect_stdout(said):
            bunch = fetch_20newsgroups(
                subset="all", data_home=path.parent, download_if_missing=False
            )
    except Exception as error:  # an unpickler raises anything
        reason = " ".join(re.sub("_{5,}", " ", said.getvalue()).split()) or str(error)
        raise CorpusError(
            f"{path} cannot be read ({reason}); remove it, and --download makes it again."
        ) from error
    names = bunch.target_names
    return [
        # The file's group and number, on whatever system it was unpacked.
        Document(text, id="/".join(re.split(r"[/\\]", str(file))[-2:]), label=names[target])
        for text, file, target in zip(bunch.data, bunch.filenames, bunch.target, strict=True)
    ]


def fetch_newsgroups(path: Path) -> None:
    """Let scikit-learn download 20 Newsgroups and make its cache, which is `path`."""
    try:
        fetch_20newsgroups(subset="all", data_home=path.parent, download_if_missing=True)
    except OSError as error:
        raise CorpusError(f"scikit-learn could not download 20 Newsgroups ({error}).") from error


def read_reuters(path: Path) -> list[Document]:
    """ModApte, exactly one topic, with a body: title and body, labeled by the topic."""
    try:
        return [
            Document(story.text, id=story.id, label=story.topics[0])
            for story in read_archive(path)
            if story.in_mod_apte and len(story.topics) == 1 and story.body
        ]
    except BrokenArchiveError as error:
        raise CorpusError(f"{error} Get it again.") from error


def read_cai(path: Path) -> TextCorpus:
    """Deng Cai's counts (`fea`) and classes (`gnd`).

    There is no word list: words are the columns' numbers from 0, ids the rows' numbers from 1.
    Labels are his numbers of classes in two digits, so that sorting keeps their order.
    """
    try:
        content = loadmat(path, variable_names=["fea", "gnd"])
        labels = [f"{label:02d}" for label in content["gnd"].ravel().tolist()]
        return TextCorpus.of_matrix(content["fea"], labels=labels)
    except Exception as error:  # scipy raises anything for foreign bytes
        raise CorpusError(
            f"{path} cannot be read as a MATLAB file with the variables fea and gnd "
            f"({type(error).__name__}: {error}); get it again."
        ) from error


def read_lee(path: Path) -> list[Document]:
    """A document on each line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Document(line, id=str(number)) for number, line in enumerate(lines, 1)]


# The table


def classes(names_and_sizes: str) -> dict[str, int]:
    """Names and sizes that take turns."""
    entries = names_and_sizes.split()
    return dict(zip(entries[::2], map(int, entries[1::2]), strict=True))


def numbered(sizes: str) -> dict[str, int]:
    """Sizes of the classes 01, 02, ..."""
    return {f"{number:02d}": int(size) for number, size in enumerate(sizes.split(), 1)}


KNOWN = {
    "20newsgroups": Known(
        what="messages of 20 news groups, with headers ('bydate', train and test)",
        file="20newsgroups/20news-bydate_py3.pkz",
        address="http://qwone.com/~jason/20Newsgroups/",
        read=read_20newsgroups,
        fetch=fetch_newsgroups,
        facts=Facts(
            documents=18_846,
            terms=30_519,
            words=2_505_892,
            classes=classes(
                "alt.atheism 799 comp.graphics 973 comp.os.ms-windows.misc 985 "
                "comp.sys.ibm.pc.hardware 982 comp.sys.mac.hardware 963 comp.windows.x 988 "
                "misc.forsale 975 rec.autos 990 rec.motorcycles 996 rec.sport.baseball 994 "
                "rec.sport.hockey 999 sci.crypt 991 sci.electronics 984 sci.med 990 sci.space 987 "
                "soc.religion.christian 997 talk.politics.guns 910 talk.politics.mideast 940 "
                "talk.politics.misc 775 talk.religion.misc 628"
            ),
        ),
    ),
    "reuters21578": Known(
        what="Reuters news of 1987 (ModApte, exactly one topic, with a body)",
        file="reuters21578/reuters21578.tar.gz",
        address="https://www.daviddlewis.com/resources/testcollections/reuters21578/",
        read=read_reuters,
        facts=Facts(
            documents=8_293,
            terms=6_896,
            words=515_078,
            classes=classes(
                "earn 3713 acq 2055 crude 321 trade 298 money-fx 245 interest 197 ship 142 "
                "sugar 114 coffee 110 gold 90 money-supply 87 gnp 63 cpi 60 cocoa 53 alum 45 "
                "grain 45 copper 44 jobs 42 reserves 38 rubber 38 iron-steel 37 ipi 36 nat-gas 33 "
                "veg-oil 30 tin 27 cotton 24 bop 23 wpi 20 pet-chem 19 gas 18 livestock 18 "
                "orange 18 retail 16 strategic-metal 15 housing 14 zinc 12 carcass 11 fuel 11 "
                "lumber 11 heat 10 lei 10 oilseed 9 lead 8 meal-feed 7 yen 6 income 5 potato 5 "
                "tea 5 instal-debt 4 nickel 4 silver 4 dlr 3 jet 3 platinum 3 cpu 2 groundnut 2 "
                "inventories 2 coconut 1 hog 1 l-cattle 1 naphtha 1 propane 1 rand 1 rice 1 wool 1"
            ),
        ),
    ),
    "reuters21578-cai": Known(
        what="the same stories as Deng Cai counted them, in another order, without words",
        file="reuters21578/Reuters21578.mat",
        address="http://www.cad.zju.edu.cn/home/dengcai/Data/TextData.html",
        read=read_cai,
        facts=Facts(
            documents=8_293,
            terms=18_933,
            words=560_940,
            classes=numbered(
                "3713 2055 321 298 245 197 142 114 110 90 87 63 60 53 45 45 44 42 38 38 37 36 33 "
                "30 27 24 23 20 19 18 18 18 16 15 14 12 11 11 11 10 10 9 8 7 6 5 5 5 4 4 4 3 3 3 "
                "2 2 2 1 1 1 1 1 1 1 1"
            ),
        ),
    ),
    "tdt2-cai": Known(
        what="news of 1998 (TDT2, the 30 largest classes) as Deng Cai counted them, without words",
        file="tdt2/TDT2.mat",
        address="http://www.cad.zju.edu.cn/home/dengcai/Data/TextData.html",
        read=read_cai,
        facts=Facts(
            documents=9_394,
            terms=36_771,
            words=1_725_683,
            classes=numbered(
                "1844 1828 1222 811 441 407 272 238 226 167 160 145 141 140 131 123 123 120 104 "
                "98 76 74 72 71 66 65 63 58 56 52"
            ),
        ),
    ),
    "lee": Known(
        what="Australian news of 2000 and 2001, a part of gensim",
        file=datapath("lee_background.cor"),
        address="https://pypi.org/project/gensim/",
        read=read_lee,
        facts=Facts(documents=300, terms=1_271, words=20_054),
    ),
}
