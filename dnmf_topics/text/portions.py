"""What is done with a portion of the documents, anywhere: read, cut into words, count, write.

Each function is one of a module, and writes the same whenever it is called again with the same
portion, into files that have its number. Words have ids of the portion's own there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy import sparse

from .. import storage
from ..common.arrays import IntArray
from ..common.blocks import FolderBlocks, part_path, whole_file, write_part
from ..common.excerpts import cut_excerpt
from .cleaning import strip_parts
from .counting import Counted, Tally, Vocabulary, count
from .further_columns import Collector, as_strings, from_strings, names_for_meta
from .lazy_strings import LabelList, LabelNumbers
from .phrases import join_phrases
from .raw_texts import Document, Part, Skipped, keep_or_raise
from .steps import chunks_for, load_steps
from .tokenization import Tokenization

TEXTS, TOKENS, COUNTS = "texts", "tokens", "counts"

Item = tuple[int, "list[Document] | Part"]
"""A portion before it is read: its number, and its documents or what reads them."""


@dataclass(frozen=True)
class Job:
    """What is to be done with every portion, and where it is written."""

    folder: Path
    settings: Tokenization
    excerpt_length: int
    strict: bool


@dataclass(frozen=True, eq=False)
class Portion:
    """What became of a portion: how many documents each of its files has, and its words."""

    number: int
    sizes: list[int]
    skipped: list[Skipped]
    tally: Tally | None = None

    @property
    def num_docs(self) -> int:
        """In all its files."""
        return sum(self.sizes)

    @property
    def parts(self) -> range:
        """The numbers of its files."""
        return range(len(self.sizes))


def count_portion(item: Item, job: Job) -> Portion:
    """Write the texts and the counts of a portion."""
    number, source = item
    vocabulary, portion = Vocabulary(), Portion(number, [], [])
    for part, documents in enumerate(_chunks(source, job, portion.skipped)):
        _write_texts(job, number, part, documents)
        texts = [document.text for document in documents]
        _write_counts(job, number, part, count_texts(texts, job.settings), vocabulary)
        portion.sizes.append(len(documents))
    return replace(portion, tally=vocabulary.tally())


def tokenize_portion(item: Item, job: Job) -> Portion:
    """Write the texts and the tokens of a portion, to be counted when phrases are known."""
    number, source = item
    portion, steps = Portion(number, [], []), load_steps(job.settings)
    for part, documents in enumerate(_chunks(source, job, portion.skipped)):
        _write_texts(job, number, part, documents)
        tokens = steps.tokens(document.text for document in documents)
        _write_tokens(_path(job.folder, TOKENS, number, part), tokens)
        portion.sizes.append(len(documents))
    return portion


def count_tokens(portion: Portion, job: Job) -> Portion:
    """Write the counts of a portion that was tokenized, with its phrases joined."""
    vocabulary, phrases = Vocabulary(), frozenset(job.settings.learnt_phrases or ())
    for part in portion.parts:
        tokens = read_tokens(job.folder, portion.number, part)
        joined = (join_phrases(each, phrases) for each in tokens)
        _write_counts(job, portion.number, part, count(joined), vocabulary)
    return replace(portion, tally=vocabulary.tally())


def count_texts(texts: list[str], settings: Tokenization) -> Counted:
    """The counts of texts."""
    steps = load_steps(settings)
    if steps.phrases:
        return count(steps.tokens(texts))
    return count(steps.words(texts), steps.finish)


def excerpt_of(text: str, settings: Tokenization, length: int) -> str:
    """What is shown of a text."""
    return cut_excerpt(strip_parts(text, settings), length)


def _chunks(
    source: list[Document] | Part, job: Job, skipped: list[Skipped]
) -> Iterator[list[Document]]:
    """The documents of a portion, as many at a time as are worked on together."""
    records = source() if callable(source) else source
    documents = keep_or_raise(records, skipped, strict=job.strict)
    return chunks_for(job.settings, documents, text_length)


def text_length(document: Document) -> int:
    """In characters."""
    return len(document.text)


# Files


def _path(folder: Path, kind: str, number: int, part: int) -> Path:
    return folder / f"{kind}-{number:06d}-{part:06d}"


def _counts_name(number: int) -> str:
    return f"{COUNTS}-{number:06d}"


def _write_counts(
    job: Job, number: int, part: int, counted: Counted, vocabulary: Vocabulary
) -> None:
    vocabulary.prune()  # before, so that the words of a single part are all there
    ids = vocabulary.add(counted.tally())
    counts = counted.counts
    matrix = sparse.csr_array(
        (counts.data, ids[counts.indices], counts.indptr),
        shape=(counts.shape[0], vocabulary.num_ids),
    )
    write_part(job.folder, _counts_name(number), part, matrix)


def read_counts(folder: Path, portion: Portion, num_ids: int) -> Iterator[sparse.csr_array]:
    """The counts of a portion, file by file."""
    blocks = FolderBlocks(folder, _counts_name(portion.number), portion.sizes, num_ids, np.int32)
    for start, stop in pairwise(blocks.part_limits.tolist()):
        yield blocks.rows(start, stop)


def _write_texts(job: Job, number: int, part: int, documents: list[Document]) -> None:
    labels = LabelNumbers()
    labels.extend(document.label for document in documents)
    length = job.excerpt_length
    excerpts = [excerpt_of(each.text, job.settings, length) for each in documents] if length else []
    further = Collector()
    for document in documents:
        further.add(document)
    strings = {
        "ids": [document.id for document in documents], "excerpts": excerpts, "names": labels.names,
        **as_strings(further.columns),
    }  # fmt: skip
    with whole_file(_path(job.folder, TEXTS, number, part)) as file:
        meta = names_for_meta(further.columns)
        storage.save(file, TEXTS, meta, {"labels": labels.numbers}, strings)


def read_texts(
    folder: Path, number: int, part: int
) -> tuple[list[str], LabelList, list[str], dict[str, list[str]]]:
    """Ids, labels, excerpts and further columns of a portion's documents."""
    stored = storage.load(_path(folder, TEXTS, number, part), TEXTS)
    strings = stored.strings
    labels = LabelList(stored.arrays["labels"], strings["names"])
    return strings["ids"], labels, strings["excerpts"], from_strings(stored.meta, strings)


def _write_tokens(path: Path, token_lists: Iterable[list[str]]) -> None:
    numbers: dict[str, int] = {}
    found = [
        np.array([numbers.setdefault(token, len(numbers)) for token in tokens], np.int32)
        for tokens in token_lists
    ]
    ends: IntArray = np.cumsum([len(row) for row in found], dtype=np.int64)
    with whole_file(path) as file:
        arrays: storage.Arrays = {"numbers": np.concatenate(found), "ends": ends}
        storage.save(file, TOKENS, {}, arrays, {"tokens": list(numbers)})


def read_tokens(folder: Path, number: int, part: int) -> Iterator[list[str]]:
    """The tokens of each document of a portion."""
    stored = storage.load(_path(folder, TOKENS, number, part), TOKENS)
    tokens = np.array(stored.strings["tokens"], dtype=object)
    numbers: IntArray = stored.arrays["numbers"]
    for row in np.split(numbers, stored.arrays["ends"][:-1]):
        yield tokens[row].tolist()


def remove_portion(folder: Path, portion: Portion) -> None:
    """Remove the files of a portion."""
    for part in portion.parts:
        part_path(folder, _counts_name(portion.number), part).unlink()
        for kind in (TEXTS, TOKENS):
            _path(folder, kind, portion.number, part).unlink(missing_ok=True)
