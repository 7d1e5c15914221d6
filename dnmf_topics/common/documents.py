"""gensim's corpora as sparse matrices (documents x terms) and back, checked on the way."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from gensim.utils import is_corpus
from numpy.typing import NDArray
from scipy import sparse

from .arrays import Dense
from .blocks import Blocks, FolderBlocks, RowBlocks, iterate, write_part
from .checks import LARGEST, SMALLEST, check_structure, shortened
from .protocols import Corpus, Document

AnyCorpus: TypeAlias = Corpus | sparse.sparray | sparse.spmatrix
"""Documents, also such as can be read only once; or a sparse matrix with a row for each term and a
column for each document, as gensim's Nmf takes it."""

Unknown = Literal["refuse", "drop"]
"""What becomes of a term id that the vocabulary lacks."""

LARGEST_VOCABULARY = 2**31 - 1
"""Where the ids alone say how many terms there are; one wild id would ask for all the memory."""

ENTRIES_PER_PART = 2_000_000  # of a corpus that is read bit by bit
COUNTS = "counts"  # the name of files that hold it

Bow: TypeAlias = list[tuple[int, Any]]
"""A document as gensim makes it: pairs of a term's id and its count (int) or weight (float)."""


@dataclass(frozen=True, eq=False)
class TermLists:
    """Documents of known terms, as light as one document needs: scipy's matrices are slow to make.

    Document i has the terms ids[indptr[i] : indptr[i + 1]], each once, with their values.
    """

    indptr: NDArray[np.signedinteger[Any]]
    ids: NDArray[np.signedinteger[Any]]
    values: Dense
    num_terms: int
    has_unknown: bool = False

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[tuple[NDArray[np.signedinteger[Any]], Dense]]:
        for start, stop in pairwise(self.indptr.tolist()):
            yield self.ids[start:stop], self.values[start:stop]

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The same as a matrix (n x V)."""
        return _matrix(self.ids, self.values, self.indptr, self.num_terms)


class MatrixCorpus:
    """The rows of a sparse matrix (documents x terms) as a gensim corpus."""

    def __init__(
        self,
        matrix: sparse.csr_array,
        id2word: Any = None,
        tokenization: dict[str, Any] | None = None,
    ) -> None:
        is_csr = sparse.issparse(matrix) and matrix.format == "csr"
        if is_csr:
            check_structure(matrix, "matrix")
        if not (is_csr and matrix.dtype.kind in "buif"):
            raise TypeError(
                "matrix must be a scipy csr matrix of numbers (documents x terms), got "
                f"{type(matrix).__name__}."
            )
        self.matrix = matrix
        self.id2word = id2word
        self.tokenization = tokenization

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __iter__(self) -> Iterator[Bow]:
        ids, values = self.matrix.indices, self.matrix.data
        for start, stop in pairwise(self.matrix.indptr.tolist()):
            yield list(zip(ids[start:stop].tolist(), values[start:stop].tolist(), strict=True))

    def __getitem__(self, rows: Any) -> Any:
        """A bag of words for a whole number; a corpus for a slice, or an array of rows."""
        if isinstance(rows, (int, np.integer)):
            # As range does: numbers from the end, and an IndexError that ends old-style loops.
            row = range(len(self))[rows]
            return next(iter(self[row : row + 1]))
        return MatrixCorpus(self.matrix[rows], self.id2word, self.tokenization)


class BlockCorpus:
    """Documents in blocks (documents x terms), such as those in a folder, as a gensim corpus.

    An iteration reads block by block. `tokenization` says how their text was tokenized.
    """

    def __init__(
        self, blocks: Blocks, id2word: Any = None, tokenization: dict[str, Any] | None = None
    ) -> None:
        self.blocks = blocks
        self.id2word = id2word
        self.tokenization = tokenization

    def __len__(self) -> int:
        return self.blocks.shape[0]

    def __iter__(self) -> Iterator[Bow]:
        for block in iterate(self.blocks):
            yield from MatrixCorpus(block)

    def __getitem__(self, rows: Any) -> Any:
        """A bag of words for a whole number; a corpus in memory for a slice."""
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1:
                matrix = self.blocks.rows(start, max(start, stop))
                return MatrixCorpus(matrix, self.id2word, self.tokenization)
            numbers = np.arange(start, stop, step)
            order = np.argsort(numbers, kind="stable")
            matrix = self.blocks.take(numbers[order])[np.argsort(order, kind="stable")]
            return MatrixCorpus(matrix, self.id2word, self.tokenization)
        row = range(len(self))[rows]
        return next(iter(MatrixCorpus(self.blocks.rows(row, row + 1))))


def as_corpus(documents: AnyCorpus | Document) -> tuple[bool, AnyCorpus]:
    """Whether this is a corpus or one document, and the corpus with nothing read off it."""
    if isinstance(documents, list) and documents and _is_pair(documents[0]):
        return False, documents  # the common case; gensim's check takes long for one document
    if sparse.issparse(documents) or isinstance(documents, (MatrixCorpus, BlockCorpus)):
        return True, documents
    found, corpus = is_corpus(documents)
    return bool(found), corpus


def read_matrix(
    corpus: AnyCorpus, num_terms: int | None = None, *, unknown: Unknown, name: str = "corpus"
) -> sparse.csr_array:
    """A corpus as a matrix (N x V); V is one more than the largest id if it is not given."""
    return read_term_lists(corpus, num_terms, unknown=unknown, name=name).matrix


def read_term_lists(
    corpus: AnyCorpus, num_terms: int | None = None, *, unknown: Unknown, name: str = "corpus"
) -> TermLists:
    """The same, as light as it can be. `name` is what errors call the corpus."""
    if sparse.issparse(corpus):
        return term_lists_of(_checked_matrix(corpus, num_terms, name))
    if isinstance(corpus, BlockCorpus):
        corpus = corpus[:]
    if isinstance(corpus, MatrixCorpus):
        ids, indptr = corpus.matrix.indices, corpus.matrix.indptr
        is_repeated = not corpus.matrix.has_canonical_format
        if is_repeated:  # which is mended below, in place
            ids = ids.copy()
        given = corpus.matrix.data.astype(np.float64, copy=is_repeated)
        values, has_zeros = _checked_weights(given, indptr, name)
        read = _Read(ids, values, indptr, 0, is_repeated, has_zeros)
    elif unknown == "drop" and num_terms and (one := _one_document(corpus, num_terms)):
        return one
    else:
        (read,) = _read(corpus, name, sys.maxsize)
    return _sound(read, num_terms, unknown, name)


def read_blocks(
    corpus: AnyCorpus,
    num_terms: int | None,
    *,
    spool: Callable[[], Path],
    max_in_memory: int,
    name: str = "corpus",
) -> Blocks:
    """A corpus as blocks (N x V), read once; ids that the vocabulary lacks are refused.

    With more than `max_in_memory` entries it goes to files in the folder that `spool` makes, but
    for a matrix, which is in memory already, and a `BlockCorpus`.
    """
    if isinstance(corpus, BlockCorpus):
        return _with_vocabulary(corpus.blocks, num_terms, name)
    if sparse.issparse(corpus) or isinstance(corpus, MatrixCorpus):
        return RowBlocks(read_matrix(corpus, num_terms, unknown="refuse", name=name))
    folder: Path | None = None
    in_memory: list[TermLists] = []
    sizes: list[int] = []
    num_entries = most_terms = 0
    for read in _read(corpus, name, ENTRIES_PER_PART):
        part = _sound(read, num_terms, "refuse", name)
        num_entries += part.ids.size
        most_terms = max(most_terms, part.num_terms)
        in_memory.append(part)
        if folder is None and num_entries > max_in_memory:
            folder = spool()
        if folder is not None:
            for each in in_memory:
                write_part(folder, COUNTS, len(sizes), each.matrix)
                sizes.append(len(each))
            in_memory = []
    if folder is not None:
        return FolderBlocks(folder, COUNTS, sizes, most_terms, np.float64)
    return RowBlocks(_joined(in_memory, most_terms))


def _with_vocabulary(blocks: Blocks, num_terms: int | None, name: str) -> Blocks:
    if num_terms in (None, blocks.shape[1]):
        return blocks
    raise ValueError(
        f"{name} must use the model's vocabulary of {num_terms} terms, it has {blocks.shape[1]}. "
        f"Build id2word and {name} from the same texts."
    )


def _joined(parts: list[TermLists], num_terms: int) -> sparse.csr_array:
    """One matrix of parts that follow each other."""
    ends = np.cumsum([0, *(part.ids.size for part in parts)])
    limits = [part.indptr[1:] + end for part, end in zip(parts, ends[:-1], strict=True)]
    return _matrix(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([[0], *limits]),
        num_terms,
    )


class _Read(NamedTuple):
    """Documents as they were read: the first of them has the number `first`."""

    ids: Any
    values: Dense
    indptr: Any
    first: int
    is_repeated: bool
    has_zeros: bool


def _sound(read: _Read, num_terms: int | None, unknown: Unknown, name: str) -> TermLists:
    """Documents whose terms are known, each once and above 0."""
    ids, values, indptr, first, is_repeated, has_zeros = read
    if num_terms is None:
        num_terms = _vocabulary_size(ids, indptr, name, first)
    # Seen as unsigned, negative ids are beyond all others.
    has_unknown = ids.size > 0 and not np.maximum.reduce(ids.view(f"u{ids.itemsize}")) < num_terms
    if has_unknown and unknown == "refuse":
        wrong = int(np.flatnonzero((ids < 0) | (ids >= num_terms))[0])
        raise ValueError(
            f"{name} must use the model's vocabulary, whose ids go from 0 to {num_terms - 1}; "
            f"document {first + _document_at(wrong, indptr)} has the id {ids[wrong]}. Build "
            f"id2word and {name} from the same texts."
        )
    if has_unknown or has_zeros:
        known = (ids >= 0) & (ids < num_terms) & (values > 0)
        indptr = np.concatenate([[0], np.cumsum(known)])[indptr]
        ids, values = ids[known], values[known]
    if is_repeated:
        summed = _matrix(ids, values, indptr, num_terms)
        ids, values, indptr = summed.indices, summed.data, summed.indptr
    return TermLists(indptr, ids, values, num_terms, bool(has_unknown))


def _vocabulary_size(ids: Any, indptr: Any, name: str, first: int) -> int:
    """One more than the largest id."""
    if ids.size == 0:
        return 0
    largest = int(ids.max())
    if largest >= LARGEST_VOCABULARY:
        raise ValueError(
            f"{name} must have term ids that number the words from 0 on, without id2word below "
            f"{LARGEST_VOCABULARY}; document {first + _document_at(int(ids.argmax()), indptr)} has "
            f"the id {largest}. Number the words with a gensim Dictionary."
        )
    return largest + 1


def term_lists_of(matrix: sparse.csr_array) -> TermLists:
    """Documents of a matrix (n x V) without duplicates."""
    return TermLists(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], int)


def _one_document(corpus: Any, num_terms: int) -> TermLists | None:
    """A list of one sound list of pairs, read the short way; None for all else."""
    if not (isinstance(corpus, list) and len(corpus) == 1):
        return None
    document = corpus[0]
    if not (isinstance(document, list) and document and _is_pair(document[0])):
        return None
    try:
        terms, values = zip(*document, strict=True)
        ids, weights = np.array(terms), np.array(values)
    except (TypeError, ValueError, OverflowError):
        return None
    if (
        ids.dtype != np.int64
        or weights.dtype.kind not in "if"
        or len(set(terms)) < len(terms)
        or not np.maximum.reduce(ids.view(np.uint64)) < num_terms
        or not np.minimum.reduce(weights) >= SMALLEST
        or not np.maximum.reduce(weights) <= LARGEST
    ):
        return None
    return TermLists(np.array([0, ids.size]), ids, weights.astype(np.float64), num_terms)


def _read(documents: Iterable[Document], name: str, most_entries: int) -> Iterator[_Read]:
    """All documents, in parts of little more than `most_entries` entries; at least one part."""
    if not hasattr(documents, "__iter__"):
        raise TypeError(f"{name} must be an iterable of documents, got {documents!r}.")
    ids, weights, indptr = array("q"), array("d"), array("q", [0])
    first, is_repeated = 0, False

    def part() -> _Read:
        limits = np.array(indptr)
        values, has_zeros = _checked_weights(np.array(weights), limits, name, first)
        return _Read(np.array(ids), values, limits, first, is_repeated, has_zeros)

    for number, document in enumerate(documents):
        if len(ids) >= most_entries:
            yield part()
            ids, weights, indptr = array("q"), array("d"), array("q", [0])
            first, is_repeated = number, False
        try:
            is_repeated |= _append(document, ids, weights)
        except (TypeError, ValueError, OverflowError, np.ma.MaskError):
            raise TypeError(
                f"{name} must hold documents as lists of (term id, weight) pairs, "
                f"document {number} is {shortened(document)}; id2word.doc2bow makes them of words."
            ) from None
        indptr.append(len(ids))
    yield part()


def _append(document: Any, ids: array[int], weights: array[float]) -> bool:
    """Add a document; whether it has an id twice."""
    if not hasattr(document, "__len__"):
        document = list(document)
    if not len(document):
        return False
    # Without strict a third number of some pairs would be lost.
    terms, values = zip(*document, strict=True)
    if isinstance(document, np.ndarray):  # whose ids share the type of the weights
        terms = tuple(map(_whole, terms))
    ids.extend(terms)
    weights.extend(values)
    return len(set(terms)) < len(terms)


def _whole(number: float) -> int:
    if number != int(number):
        raise ValueError
    return int(number)


def _checked_weights(weights: Dense, indptr: Any, name: str, first: int = 0) -> tuple[Dense, bool]:
    """The weights, and whether some are 0, as those below SMALLEST are then."""
    if weights.size == 0 or (
        np.minimum.reduce(weights) >= SMALLEST and np.maximum.reduce(weights) <= LARGEST
    ):
        return weights, False
    fine = (weights >= 0) & (weights <= LARGEST)
    if not fine.all():
        wrong = int(np.flatnonzero(~fine)[0])
        raise ValueError(
            f"{name} must have finite weights from 0 to {LARGEST:g}, document "
            f"{first + _document_at(wrong, indptr)} has {weights[wrong]}."
        )
    return np.where(weights >= SMALLEST, weights, 0.0), True


def _document_at(entry: int, indptr: Any) -> int:
    """The document that an entry belongs to."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def _matrix(ids: Any, weights: Any, indptr: Any, num_terms: int) -> sparse.csr_array:
    matrix = sparse.csr_array((weights, ids, indptr), shape=(len(indptr) - 1, num_terms))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _checked_matrix(matrix: Any, num_terms: int | None, name: str) -> sparse.csr_array:
    if matrix.ndim != 2 or (num_terms is not None and matrix.shape[0] != num_terms):
        rows = "each term" if num_terms is None else f"each of the {num_terms} terms"
        raise ValueError(
            f"{name}, as a sparse matrix, must have a row for {rows} and a column for each "
            f"document, got shape {tuple(matrix.shape)}."
        )
    if num_terms is None and matrix.shape[0] > LARGEST_VOCABULARY:
        raise ValueError(
            f"{name}, as a sparse matrix, must have at most {LARGEST_VOCABULARY} rows (terms), got "
            f"{matrix.shape[0]}."
        )
    check_structure(matrix, name)
    if matrix.dtype.kind not in "buif":
        raise TypeError(f"{name} must hold numbers, got a sparse matrix of dtype {matrix.dtype}.")
    documents = sparse.csr_array(matrix.T, dtype=np.float64, copy=True)
    documents.sum_duplicates()
    documents.data, _ = _checked_weights(documents.data, documents.indptr, name)
    documents.eliminate_zeros()
    return documents
