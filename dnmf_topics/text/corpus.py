"""A corpus as one value: dictionary, counts, TF-IDF, and who is who among the documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from numpy.typing import NDArray
from scipy import sparse

from .. import storage
from ..common.blocks import Blocks, DerivedBlocks, RowBlocks, iterate
from ..common.checks import (
    SparseInput,
    check_compressed,
    check_int,
    check_structure,
    shortened,
)
from ..common.documents import BlockCorpus, Bow, MatrixCorpus
from .bows import dictionary_of, gensim_idf, make_gensim_tfidf
from .corpus_folder import (
    check_lengths,
    fitting,
    label_list,
    length_of,
    open_folder,
    skipped_records,
)
from .further_columns import as_strings, as_tuples, from_strings, names_for_meta
from .raw_texts import Skipped
from .tokenization import Tokenization, check_allow

KIND = "TextCorpus"
ENOUGH_WORDS = 10  # for two documents with the same ones to be copies
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
        Bags of words. `counts.matrix` is the matrix (documents x words) behind it; of a corpus in
        a folder `counts.blocks` reads some of its rows at a time.
    ids : sequence of str
        A name for each document: a tuple, or strings that are read from the folder.
    labels : sequence of str or None, or None
        A class for each document, where the source has classes.
    excerpts : sequence of str
        The beginning of each document, or nothing at all.
    tokenization : Tokenization or None
        The steps from text to words; None where the counts came from elsewhere.
    skipped : tuple of Skipped
        The records of the source that could not be read.
    columns : mapping of str to sequence of str or None
        What else is known of each document, such as its date, by the names of the columns; see
        `read_documents`.

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
    >>> corpus.lengths.tolist(), corpus.num_copies
    ([3, 2, 1], 0)
    """

    dictionary: Dictionary
    counts: MatrixCorpus | BlockCorpus
    ids: Sequence[str]
    labels: Sequence[str | None] | None = None
    excerpts: Sequence[str] = ()
    tokenization: Tokenization | None = None
    skipped: tuple[Skipped, ...] = ()
    columns: Mapping[str, Sequence[str | None]] = field(default_factory=dict)

    def __repr__(self) -> str:
        labeled = "" if self.labels is None else f", {len(set(self.labels))} labels"
        return f"<TextCorpus: {len(self)} documents, {len(self.dictionary)} words{labeled}>"

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def tfidf(self) -> MatrixCorpus | BlockCorpus:
        """The weights of gensim's `TfidfModel(dictionary=corpus.dictionary)`, as a corpus.

        Those of a corpus in a folder are computed whenever they are asked for.
        """
        weigh = partial(make_gensim_tfidf, idf=gensim_idf(self.dictionary))
        steps = self.counts.tokenization
        if isinstance(self.counts, MatrixCorpus):
            return MatrixCorpus(weigh(self.counts.matrix), self.dictionary, steps)
        return BlockCorpus(DerivedBlocks(self.counts.blocks, weigh), self.dictionary, steps)

    @cached_property
    def num_empty(self) -> int:
        """How many documents have no word of the dictionary."""
        return int((self.lengths == 0).sum())

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many words of the dictionary each document has, (N) array."""
        return np.concatenate(
            [block.sum(axis=1, dtype=np.int64) for block in iterate(_blocks_of(self.counts))]
        )

    @property
    def num_copies(self) -> int:
        """How many documents have all their words, as often, in common with one before them.

        Those of fewer than ten different words do not count: such are the same by chance.
        """
        seen, num_copies = set(), 0
        for block in iterate(_blocks_of(self.counts)):
            for start, stop in pairwise(block.indptr.tolist()):
                words = block.indices[start:stop].tobytes(), block.data[start:stop].tobytes()
                key = hash(words)
                num_copies += stop - start >= ENOUGH_WORDS and key in seen
                seen.add(key)
        return num_copies

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
        columns: Mapping[str, Sequence[str | None]] | None = None,
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
        columns : mapping of str to sequence of str or None, optional
            Further columns by their names, with an entry for each document; empty ones are None.
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
            columns=as_tuples(
                {
                    name: _strings(column, f"columns[{name!r}]", num_docs, optional=True)
                    for name, column in (columns or {}).items()
                }
            ),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the corpus to a file, without pickle; `TextCorpus.load` reads it.

        A corpus in a folder is read from there, piece by piece, and comes back in memory.

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
        names = sorted({label for label in self.labels or () if label is not None})
        number: dict[str | None, int] = {name: i for i, name in enumerate(names)}
        meta = {"tokenization": self.counts.tokenization, "num_docs": len(self.counts)}
        meta |= names_for_meta(self.columns)
        arrays = _arrays_of(self.counts)
        if self.labels is not None:
            numbers = (number.get(label, -1) for label in self.labels)
            arrays["label_numbers"] = np.fromiter(numbers, np.int64, len(self.labels))
        strings = {
            "words": [self.dictionary[i] for i in range(len(self.dictionary))],
            "ids": self.ids,
            "labels": names,
            "excerpts": self.excerpts,
            "skipped_places": [record.place for record in self.skipped],
            "skipped_reasons": [record.reason for record in self.skipped],
            **as_strings(self.columns),
        }
        storage.save(path, KIND, meta, arrays, strings)

    @classmethod
    def load(cls, path: str | os.PathLike[str], allow: str | Iterable[str] = ()) -> TextCorpus:
        """Read what `save` wrote, or open a folder that `build_corpus` wrote.

        Parameters
        ----------
        path : path
            The file, or the folder, from which counts and texts are read when they are asked for.
        allow : str or iterable of str, default=()
            The spaCy pipeline or NLTK resource that the file may name for `bows`, which would load
            it; see `Tokenization.from_json`.

        Returns
        -------
        TextCorpus

        Raises
        ------
        FileFormatError
            If it does not hold a whole corpus. A file of a folder whose size is right is looked at
            when it is read.

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
        if os.path.isdir(path):
            return cls(**open_folder(Path(path), allowed))

        def check(meta: Any, shapes: storage.Shapes) -> None:
            with fitting(path):
                _check_header(meta, shapes)

        stored = storage.load(path, KIND, check=check)
        meta, arrays, strings = stored.meta, stored.arrays, stored.strings
        with fitting(path):
            shape = meta["num_docs"], len(strings["words"])
            parts = arrays["counts"], arrays["terms"], arrays["starts"]
            check_compressed(parts[2], parts[1], parts[0].size, shape, "counts")
            steps = meta["tokenization"]
            corpus = cls.of_matrix(
                sparse.csr_array(parts, shape=shape),
                strings["words"],
                ids=strings["ids"],
                labels=label_list(arrays.get("label_numbers"), strings["labels"]),
                excerpts=strings["excerpts"],
                columns=from_strings(meta, strings),
                tokenization=None if steps is None else Tokenization.from_json(steps, allowed),
            )
            return replace(corpus, skipped=skipped_records(strings))


def _check_header(meta: Any, shapes: storage.Shapes) -> None:
    """Raise, before any array is read, if a file has other arrays than its corpus must have."""
    num_docs = check_int(meta["num_docs"], "num_docs", 1)
    num_entries = length_of(shapes, "counts")
    lengths = {"counts": num_entries, "terms": num_entries, "starts": num_docs + 1}
    check_lengths(shapes, lengths | {"label_numbers": num_docs})


def _blocks_of(counts: MatrixCorpus | BlockCorpus) -> Blocks:
    return RowBlocks(counts.matrix) if isinstance(counts, MatrixCorpus) else counts.blocks


def _row_sizes(counts: MatrixCorpus | BlockCorpus) -> NDArray[np.int64]:
    """How many different words each document has."""
    return np.concatenate([np.diff(block.indptr) for block in iterate(_blocks_of(counts))])


def _arrays_of(counts: MatrixCorpus | BlockCorpus) -> dict[str, NDArray[Any] | storage.Pieces]:
    """The counts as a file has them; those that are not in memory go there block by block."""
    if isinstance(counts, MatrixCorpus):
        matrix = counts.matrix
        return {"counts": matrix.data, "terms": matrix.indices, "starts": matrix.indptr}
    blocks = counts.blocks
    starts = np.concatenate([[0], np.cumsum(_row_sizes(counts), dtype=np.int64)])
    shape = (int(starts[-1]),)
    # As scipy has it in memory.
    index = np.int32 if shape[0] < 2**31 else np.int64
    return {
        "counts": storage.Pieces(np.int64, shape, lambda: (each.data for each in iterate(blocks))),
        "terms": storage.Pieces(index, shape, lambda: (each.indices for each in iterate(blocks))),
        "starts": starts.astype(index),
    }


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
