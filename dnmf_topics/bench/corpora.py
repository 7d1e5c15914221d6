"""The corpora of a study: where they are, their classes, and the documents of a cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from gensim.test.utils import datapath
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import FloatArray
from ..text import TextCorpus, build_corpus, read_documents

Classes: TypeAlias = NDArray[np.str_] | NDArray[np.int64]
"""A class for each document, by name or by number."""

SIZES = ("documents", "terms", "words", "classes")  # among the facts of a corpus
STRONGLY_IMBALANCED = 2.0  # documents of the largest class for each one of the smallest


@dataclass(frozen=True)
class Source:
    """Where a corpus comes from: a saved `TextCorpus`, or one of `BUILT_IN`.

    Attributes
    ----------
    file : str or None
        The file of a saved `TextCorpus`.
    built_in : str or None
        A key of `BUILT_IN`, in the place of a file.
    largest_classes : int or None
        Only the documents of so many classes are kept.
    paper : str or None
        The corpus of the paper's tables that this one is.
    """

    file: str | None = None
    built_in: str | None = None
    largest_classes: int | None = None
    paper: str | None = None


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, with what is known of them.

    Attributes
    ----------
    counts : scipy.sparse.csr_array, shape (N, V)
        How often each term is in each document.
    classes : array, shape (N,), or None
        The class of every document.
    words : mapping from int to str, or None
        The word of every term.
    texts : sequence of str, or None
        The text of every document.
    """

    counts: sparse.csr_array
    classes: Classes | None
    words: Mapping[int, str] | None = None
    texts: Sequence[str] | None = None

    def rows(self, chosen: NDArray[np.intp]) -> Corpus:
        """The same of some of its documents."""
        classes = None if self.classes is None else self.classes[chosen]
        texts = None if self.texts is None else [self.texts[row] for row in chosen]
        return Corpus(self.counts[chosen], classes, self.words, texts)

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
    """The documents of a cell. Methods may look at what they say; `classes` are there to judge by.

    Attributes
    ----------
    counts : scipy.sparse.csr_array, shape (N, V)
        How often each term is in each document.
    classes : array, shape (N,), or None
        The class of every document. Only a method that says so (`Method.knows_classes`) looks at
        them and at `is_balanced`.
    num_topics : int
        How many topics are to be found.
    is_balanced : bool
        Whether the paper would call the classes of the whole corpus balanced.
    words : mapping from int to str, or None
        The word of every term.
    texts : sequence of str, or None
        The text of every document.
    vectors : array, shape (N, d), or None
        The texts as an embedding model has them, for methods that want these.
    """

    counts: sparse.csr_array
    classes: Classes | None
    num_topics: int
    is_balanced: bool
    words: Mapping[int, str] | None = None
    texts: Sequence[str] | None = None
    vectors: FloatArray | None = None

    def rows(self, chosen: NDArray[np.intp]) -> Problem:
        """The same of some of its documents."""
        return replace(
            self,
            counts=self.counts[chosen],
            classes=None if self.classes is None else self.classes[chosen],
            texts=None if self.texts is None else [self.texts[row] for row in chosen],
            vectors=None if self.vectors is None else self.vectors[chosen],
        )

    def terms(self, chosen: NDArray[np.intp]) -> Problem:
        """The same with some of its terms, which have new numbers then."""
        words = self.words
        return replace(
            self,
            counts=sparse.csr_array(self.counts[:, chosen]),
            words=None if words is None else {
                new: words[old] for new, old in enumerate(chosen.tolist())
            },
        )  # fmt: skip


def load(source: Source) -> Corpus:
    """Read a corpus; documents without a class are left out where others have one."""
    if source.built_in is not None:
        corpus = BUILT_IN[source.built_in]()
    else:
        corpus = TextCorpus.load(str(source.file))
    counts = sparse.csr_array(corpus.counts[:].matrix)  # in memory, also where a folder has them
    if corpus.labels is None or not any(label is not None for label in corpus.labels):
        if source.largest_classes is not None:
            raise ValueError(f"largest_classes needs a corpus with labels, {source.file} has none.")
        return Corpus(counts, None, corpus.dictionary)
    known = np.array([label is not None for label in corpus.labels])
    classes = np.array([label for label in corpus.labels if label is not None])
    labeled = Corpus(counts[known], classes, corpus.dictionary)
    if source.largest_classes is None:
        return labeled
    return keep_largest(labeled, source.largest_classes)


def keep_largest(corpus: Corpus, num_classes: int) -> Corpus:
    """The documents of the largest classes, of equals the first by name."""
    assert corpus.classes is not None
    names, sizes = np.unique(corpus.classes, return_counts=True)
    if num_classes > names.size:
        raise ValueError(
            f"largest_classes must be at most {names.size}, the classes that there are, "
            f"got {num_classes}."
        )
    kept = np.isin(corpus.classes, names[np.argsort(-sizes, kind="stable")[:num_classes]])
    return corpus.rows(np.flatnonzero(kept))


def draw_rows(classes: Classes, num_classes: int, subset: int) -> NDArray[np.intp]:
    """The documents of `num_classes` classes, drawn at random by the number of the subset."""
    draw = np.random.default_rng([subset, num_classes])
    drawn = draw.choice(np.unique(classes), num_classes, replace=False)
    return np.flatnonzero(np.isin(classes, drawn))


def select(corpus: Corpus, num_topics: int, subset: int | None = None) -> Problem:
    """The documents of `num_topics` classes, drawn at random by the number of the subset.

    With None all documents take part. Terms that no document has are left out.
    """
    is_balanced = corpus.is_balanced
    if subset is not None:
        assert corpus.classes is not None
        corpus = corpus.rows(draw_rows(corpus.classes, num_topics, subset))
    problem = Problem(
        corpus.counts, corpus.classes, num_topics, is_balanced, corpus.words, corpus.texts
    )
    return problem.terms(used_terms(problem.counts))


def used_terms(counts: sparse.csr_array) -> NDArray[np.intp]:
    """Those that some document has."""
    return np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]))


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
