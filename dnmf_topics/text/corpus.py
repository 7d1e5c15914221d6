"""A corpus as one value: dictionary, counts, TF-IDF, and who is who among the documents."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import TfidfModel
from numpy.typing import NDArray
from scipy import sparse

from .. import storage
from ..common.checks import (
    SparseInput,
    check_compressed,
    check_int,
    check_structure,
    shortened,
)
from ..common.documents import Bow, MatrixCorpus, read_matrix
from .bows import StreamedCorpus, dictionary_of, make_gensim_tfidf
from .raw_texts import Skipped
from .tokenization import Tokenization, check_allow

KIND = "TextCorpus"
LARGEST_SUM = 2.0**53  # up to which floats know every whole number


@dataclass(frozen=True, eq=False)
class TextCorpus:
    """Documents as gensim sees them, with their ids, labels and beginnings in the same order.

    `build_corpus` makes it from text and `of_matrix` from counts. Give `corpus.counts` or
    `corpus.tfidf` to a model together with `corpus.dictionary`.

    Attributes
    ----------
    dictionary : gensim.corpora.Dictionary
        Ids from 0 on without gaps; its frequencies are those of the counts.
    counts : gensim corpus
        Bags of words. `counts.matrix` is the matrix (documents x words) behind it, except where
        the corpus is streamed.
    ids : tuple of str
        A name for each document.
    labels : tuple of str or None, or None
        A class for each document, where the source has classes.
    excerpts : tuple of str
        The beginning of each document, or nothing at all.
    tokenization : Tokenization or None
        The steps from text to words; None where the counts came from elsewhere.
    skipped : tuple of Skipped
        The records of the source that could not be read.

    Examples
    --------
    >>> from dnmf_topics.text import build_corpus
    >>> texts = ["Rivers flood the valley", "The flood of the rivers", "A dry valley"]
    >>> corpus = build_corpus(texts, no_above=1.0)
    >>> corpus.dictionary.token2id
    {'flood': 0, 'rivers': 1, 'valley': 2}
    >>> list(corpus.counts)
    [[(0, 1), (1, 1), (2, 1)], [(0, 1), (1, 1)], [(2, 1)]]
    >>> corpus.tfidf[2]
    [(2, 1.0)]
    >>> corpus.bows(["Floods! Rivers, rivers everywhere."])
    [[(1, 2)]]
    >>> len(corpus), corpus.num_empty  # documents, and those without a word of the dictionary
    (3, 0)
    """

    dictionary: Dictionary
    counts: MatrixCorpus | StreamedCorpus
    ids: tuple[str, ...]
    labels: tuple[str | None, ...] | None = None
    excerpts: tuple[str, ...] = ()
    tokenization: Tokenization | None = None
    skipped: tuple[Skipped, ...] = ()

    def __repr__(self) -> str:
        labeled = "" if self.labels is None else f", {len(set(self.labels))} labels"
        return f"<TextCorpus: {len(self)} documents, {len(self.dictionary)} words{labeled}>"

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def tfidf(self) -> MatrixCorpus | StreamedCorpus:
        """The weights of gensim's `TfidfModel(dictionary=corpus.dictionary)`, as a corpus."""
        if isinstance(self.counts, MatrixCorpus):
            weights = make_gensim_tfidf(self.counts.matrix, self.dictionary)
            return MatrixCorpus(weights, self.dictionary, self.counts.tokenization)
        model, counts = TfidfModel(dictionary=self.dictionary), self.counts
        return StreamedCorpus(
            lambda: (model[bow] for bow in counts),
            len(counts),
            self.dictionary,
            counts.tokenization,
        )

    @cached_property
    def num_empty(self) -> int:
        """How many documents have no word of the dictionary."""
        limits = read_matrix(self.counts, len(self.dictionary), unknown="refuse").indptr
        return int((limits[1:] == limits[:-1]).sum())

    def bows(self, texts: Iterable[str], processes: int = 1) -> list[Bow]:
        """Bags of words of new texts, by the steps and with the dictionary of this corpus.

        Parameters
        ----------
        texts : iterable of str
            The new texts.
        processes : int, default=1
            How many processes cut texts into words.

        Returns
        -------
        list of lists of (int, int)
            Ids and counts of the words that the dictionary has.
        """
        if self.tokenization is None:
            raise ValueError(
                "This corpus was made from counts, so it cannot turn texts into words; build it "
                "from texts with build_corpus."
            )
        return [
            self.dictionary.doc2bow(tokens) for tokens in self.tokenization.tokens(texts, processes)
        ]

    @classmethod
    def of_matrix(
        cls,
        counts: SparseInput,
        words: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        labels: Sequence[str | None] | None = None,
        excerpts: Sequence[str] = (),
        tokenization: Tokenization | None = None,
    ) -> TextCorpus:
        """A corpus from counts that are there already, such as a publisher's matrix.

        Parameters
        ----------
        counts : sparse matrix or array, shape (documents, words)
            Whole numbers, none negative.
        words : sequence of str, optional
            The word of each column; by default its number.
        ids : sequence of str, optional
            The name of each row; by default its number, from 1 on.
        labels, excerpts : sequence of str, optional
            The class and the beginning of each document.
        tokenization : Tokenization, optional
            The steps that made the counts.

        Returns
        -------
        TextCorpus

        Examples
        --------
        >>> corpus = TextCorpus.of_matrix([[2, 0], [1, 1]], ["river", "bank"])
        >>> list(corpus.counts)
        [[(0, 2)], [(0, 1), (1, 1)]]
        >>> corpus.dictionary.dfs
        {0: 2, 1: 1}
        """
        matrix = _check_counts(counts)
        num_docs, num_words = matrix.shape
        words = _strings(words, "words", num_words, [str(i) for i in range(num_words)])
        if len(set(words)) < num_words:
            raise ValueError(
                "words must differ from each other; rename those that are there twice."
            )
        dictionary = dictionary_of(words, matrix)
        steps = None if tokenization is None else tokenization.as_json()
        return cls(
            dictionary,
            MatrixCorpus(matrix, dictionary, steps),
            tuple(_strings(ids, "ids", num_docs, [str(i + 1) for i in range(num_docs)])),
            None if labels is None else tuple(_strings(labels, "labels", num_docs, optional=True)),
            tuple(_strings(excerpts, "excerpts", num_docs)) if len(excerpts) else (),
            tokenization,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the corpus to a file, without pickle; `TextCorpus.load` reads it.

        A streamed corpus is read once more for its counts, and comes back with them in memory.

        Parameters
        ----------
        path : path
            The file. It is compressed if its name ends in ``.gz``.

        Examples
        --------
        >>> import tempfile
        >>> corpus = TextCorpus.of_matrix([[2, 0], [1, 1]], ["river", "bank"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     corpus.save(f"{folder}/banks.dnmf")
        ...     TextCorpus.load(f"{folder}/banks.dnmf")
        <TextCorpus: 2 documents, 2 words>
        """
        counts = self.counts
        if isinstance(counts, MatrixCorpus):
            matrix = counts.matrix
        else:
            matrix = read_matrix(counts, len(self.dictionary), unknown="refuse").astype(np.int64)
        names = sorted({label for label in self.labels or () if label is not None})
        number: dict[str | None, int] = {name: i for i, name in enumerate(names)}
        meta = {"tokenization": self.counts.tokenization, "num_docs": matrix.shape[0]}
        arrays = {"counts": matrix.data, "terms": matrix.indices, "starts": matrix.indptr}
        if self.labels is not None:
            arrays["label_numbers"] = np.array([number.get(label, -1) for label in self.labels])
        strings = {
            "words": [self.dictionary[i] for i in range(len(self.dictionary))],
            "ids": self.ids,
            "labels": names,
            "excerpts": self.excerpts,
            "skipped_places": [record.place for record in self.skipped],
            "skipped_reasons": [record.reason for record in self.skipped],
        }
        storage.save(path, KIND, meta, arrays, strings)

    @classmethod
    def load(cls, path: str | os.PathLike[str], allow: str | Iterable[str] = ()) -> TextCorpus:
        """Read what `save` wrote.

        Parameters
        ----------
        path : path
            The file.
        allow : str or iterable of str, default=()
            The spaCy pipeline or NLTK resource that the file may name for `bows`, which would load
            it; see `Tokenization.from_json`.

        Returns
        -------
        TextCorpus

        Raises
        ------
        FileFormatError
            If the file does not hold a whole corpus.

        Examples
        --------
        >>> import tempfile
        >>> from dnmf_topics.text import build_corpus
        >>> corpus = build_corpus(["Rain, rain", "Rain and wine"], no_above=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     corpus.save(f"{folder}/rain.dnmf")
        ...     again = TextCorpus.load(f"{folder}/rain.dnmf")
        >>> again.bows(["More rain"])  # by the same steps from text to words
        [[(0, 1)]]
        """
        allowed = check_allow(allow)

        def check(meta: Any, shapes: storage.Shapes) -> None:
            with _fitting(path):
                _check_header(meta, shapes)

        stored = storage.load(path, KIND, check=check)
        meta, arrays, strings = stored.meta, stored.arrays, stored.strings
        with _fitting(path):
            shape = meta["num_docs"], len(strings["words"])
            parts = arrays["counts"], arrays["terms"], arrays["starts"]
            check_compressed(parts[2], parts[1], parts[0].size, shape, "counts")
            steps = meta["tokenization"]
            corpus = cls.of_matrix(
                sparse.csr_array(parts, shape=shape),
                strings["words"],
                ids=strings["ids"],
                labels=_labels(arrays.get("label_numbers"), strings["labels"]),
                excerpts=strings["excerpts"],
                tokenization=None if steps is None else Tokenization.from_json(steps, allowed),
            )
            places, reasons = strings["skipped_places"], strings["skipped_reasons"]
            skipped = tuple(Skipped(*pair) for pair in zip(places, reasons, strict=True))
        return replace(corpus, skipped=skipped)


@contextmanager
def _fitting(path: object) -> Iterator[None]:
    """Whatever is wrong inside means that the parts of a file do not fit together."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise storage.FileFormatError(
            f"{path} does not hold a whole corpus ({error}); build it again."
        ) from error


def _check_header(meta: Any, shapes: storage.Shapes) -> None:
    """Raise, before any array is read, if a file has other arrays than its corpus must have."""
    num_docs = check_int(meta["num_docs"], "num_docs", 1)
    lengths = {"starts": num_docs + 1, "terms": math.prod(shapes["counts"][1])}
    lengths |= {"counts": lengths["terms"], "label_numbers": num_docs}
    for name, (_, shape) in shapes.items():
        if name not in lengths:
            raise ValueError(f"no corpus has an array {shortened(name)}")
        if shape != (lengths[name],):
            raise ValueError(f"{name} must have {lengths[name]} entries, got the shape {shape}")


def _labels(numbers: NDArray[Any] | None, names: list[str]) -> list[str | None] | None:
    """The classes of the documents; the number -1 is none."""
    if numbers is None:
        return None
    if numbers.dtype != np.int64 or numbers.ndim != 1:
        raise ValueError("label_numbers must be whole numbers")
    if numbers.size and not -1 <= numbers.min() <= numbers.max() < len(names):
        raise ValueError(f"label_numbers must be from -1 to {len(names) - 1}")
    named = [*names, None]
    return [named[number] for number in numbers.tolist()]


def _check_counts(counts: SparseInput) -> sparse.csr_array:
    """A canonical copy: whole numbers, sorted, no explicit zeros."""
    if sparse.issparse(counts):
        check_structure(counts, "counts")
    try:
        matrix = sparse.csr_array(counts)
        is_finite = bool(np.isfinite(matrix.data).all())
    except (TypeError, ValueError):
        is_finite = False
    if not is_finite:
        raise ValueError("counts must be a matrix of finite numbers, dense or sparse.")
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            "counts must have at least one row (document) and one column (word), "
            f"got shape {matrix.shape}."
        )
    whole = matrix.astype(np.int64)
    whole.sum_duplicates()
    whole.eliminate_zeros()
    if (matrix != whole).nnz or (whole.nnz and whole.data.min() < 0):
        raise ValueError("counts must be whole numbers, at least 0; round or correct them first.")
    if whole.nnz and whole.data.sum(dtype=np.float64) > LARGEST_SUM:
        raise ValueError(f"counts must sum up to at most {LARGEST_SUM:g}; scale them down first.")
    return whole


def _strings(
    values: Sequence[Any] | None,
    name: str,
    size: int,
    default: Sequence[str] = (),
    *,
    optional: bool = False,
) -> list[Any]:
    """One string for each of `size` rows or columns; None is one where it is optional."""
    if values is None:
        return list(default)
    strings = list(values)
    if len(strings) != size:
        raise ValueError(f"{name} must have {size} entries, got {len(strings)}.")
    for value in strings:
        if not (isinstance(value, str) or (optional and value is None)):
            raise TypeError(f"{name} must be strings, got {shortened(value)}.")
    return strings
