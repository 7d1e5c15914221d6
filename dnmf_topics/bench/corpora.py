"""The corpora of a study: where they are, their classes, and the documents of a cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gensim.test.utils import datapath
from numpy.typing import NDArray
from scipy import sparse

from ..text import TextCorpus, build_corpus, read_documents

Classes = NDArray[np.str_]

SIZES = ("documents", "terms", "words", "classes")  # among the facts of a corpus
STRONGLY_IMBALANCED = 2.0  # documents of the largest class for each one of the smallest


@dataclass(frozen=True)
class Source:
    """Where a corpus comes from: a saved `TextCorpus`, or one of `BUILT_IN`.

    `largest_classes` keeps the documents of that many classes only. `paper` names the corpus of
    the paper's tables that this one is.
    """

    file: str | None = None
    built_in: str | None = None
    largest_classes: int | None = None
    paper: str | None = None


@dataclass(frozen=True, eq=False)
class Corpus:
    """Counts (N x V) and, where there are any, the class of every document."""

    counts: sparse.csr_array
    classes: Classes | None

    @property
    def num_classes(self) -> int | None:
        """How many classes there are to choose from."""
        return None if self.classes is None else int(np.unique(self.classes).size)

    @property
    def is_balanced(self) -> bool:
        """Whether the paper would call its classes balanced."""
        if self.classes is None:
            return True
        sizes = np.unique(self.classes, return_counts=True)[1]
        return bool(sizes.max() < STRONGLY_IMBALANCED * sizes.min())

    @property
    def facts(self) -> dict[str, Any]:
        """Its sizes; another corpus under the same name would have others."""
        documents, terms = self.counts.shape
        return {
            "documents": int(documents),
            "terms": int(terms),
            "words": int(self.counts.sum()),
            "classes": self.num_classes,
            "balanced": self.is_balanced,
        }


@dataclass(frozen=True, eq=False)
class Problem:
    """The documents of a cell. Fitting may look at `counts`; `classes` are there to judge by.

    Only what says in its title that it knows the classes looks at `classes` and `is_balanced`.
    """

    counts: sparse.csr_array
    classes: Classes | None
    num_topics: int
    is_balanced: bool


def load(source: Source) -> Corpus:
    """Read a corpus; documents without a class are left out where others have one."""
    if source.built_in is not None:
        corpus = BUILT_IN[source.built_in]()
    else:
        corpus = TextCorpus.load(str(source.file))
    in_memory: Any = corpus.counts  # nothing here is streamed
    counts = sparse.csr_array(in_memory.matrix)
    if corpus.labels is None or not any(label is not None for label in corpus.labels):
        if source.largest_classes is not None:
            raise ValueError(f"largest_classes needs a corpus with labels, {source.file} has none.")
        return Corpus(counts, None)
    known = np.array([label is not None for label in corpus.labels])
    classes = np.array([label for label in corpus.labels if label is not None])
    return _largest(Corpus(counts[known], classes), source.largest_classes)


def _largest(corpus: Corpus, num_classes: int | None) -> Corpus:
    """The documents of the largest classes, of equals the first by name."""
    if num_classes is None:
        return corpus
    assert corpus.classes is not None
    names, sizes = np.unique(corpus.classes, return_counts=True)
    if num_classes > names.size:
        raise ValueError(
            f"largest_classes must be at most {names.size}, the classes that there are, "
            f"got {num_classes}."
        )
    kept = np.isin(corpus.classes, names[np.argsort(-sizes, kind="stable")[:num_classes]])
    return Corpus(corpus.counts[kept], corpus.classes[kept])


def select(corpus: Corpus, num_topics: int, subset: int | None) -> Problem:
    """The documents of `num_topics` classes, drawn at random by the number of the subset.

    With None all documents take part. Terms that no document has are left out.
    """
    counts, classes = corpus.counts, corpus.classes
    if subset is not None:
        assert classes is not None
        names = np.unique(classes)
        draw = np.random.default_rng([subset, num_topics])
        kept = np.isin(classes, draw.choice(names, num_topics, replace=False))
        counts, classes = counts[kept], classes[kept]
    used = np.bincount(counts.indices, minlength=counts.shape[1]) > 0
    return Problem(sparse.csr_array(counts[:, used]), classes, num_topics, corpus.is_balanced)


# Corpora that need no file


def planted() -> TextCorpus:
    """400 documents of four classes, each with 30 terms of its own among 40 that all share."""
    rng = np.random.default_rng(0)
    classes = rng.permutation(np.repeat(np.arange(4), 100))
    # A topic's terms are not equally frequent, and its first one occurs in no other document.
    weights = 1 / np.arange(1, 31)
    own = np.kron(np.eye(4), weights / weights.sum())[classes]
    common = np.full((classes.size, 40), 1 / 40)
    return TextCorpus.of_matrix(
        rng.poisson(np.hstack([30 * own, 10 * common])),
        labels=[f"class {number}" for number in classes],
    )


def lee() -> TextCorpus:
    """The 300 short news items that gensim ships, without classes."""
    lines = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()
    return build_corpus(read_documents(lines), excerpt_length=0)


BUILT_IN: dict[str, Callable[[], TextCorpus]] = {"lee": lee, "planted": planted}
