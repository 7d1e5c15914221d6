"""A corpus in a folder: counts and texts, read when they are asked for, and what says of them."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from numpy.typing import NDArray
from scipy import sparse

from .. import storage
from ..common.blocks import BLOCK_SIZE, FolderBlocks, part_path, stack, write_part
from ..common.checks import check_int, shortened
from ..common.documents import BlockCorpus
from .bows import make_dictionary
from .further_columns import Collector, names_for_meta, names_in
from .lazy_strings import ColumnFile, LabelList, LabelNumbers, StringFile, StringWriter
from .raw_texts import Skipped
from .tokenization import Tokenization

KIND = "TextCorpus in a folder"
MANIFEST, IDS, EXCERPTS, COUNTS = "corpus.dnmf", "ids.utf8", "excerpts.utf8", "counts"
COLUMN, COLUMN_ENDS = "column_{}.utf8", "column_{}_ends"
PART_SIZE = BLOCK_SIZE  # documents in a file of counts
LARGEST_COUNT = 2.0**53  # up to which floats know every whole number


class CountBlocks(FolderBlocks):
    """The counts of a corpus in a folder; whatever is wrong with a file is one sentence."""

    def rows(self, start: int, stop: int) -> sparse.csr_array:
        """Documents that follow each other, read from their files and checked."""
        with fitting(self.folder):
            matrix = super().rows(start, stop)
            counts = matrix.data
            fine = (counts >= 1) & (counts <= LARGEST_COUNT) & (counts == np.floor(counts))
            if not (fine.all() and matrix.has_canonical_format):
                raise ValueError("its counts must be whole numbers, one for each word")
            return matrix


class FolderWriter:
    """Writes a corpus into a folder; it is complete when the block has ended well."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._part_sizes: list[int] = []
        self._waiting: list[sparse.csr_array] = []
        self._labels = LabelNumbers()
        self._further = Collector(lambda number: self._writer(COLUMN.format(number)))
        self._files = ExitStack()

    def __enter__(self) -> FolderWriter:
        self._ids, self._excerpts = self._writer(IDS), self._writer(EXCERPTS)
        return self

    def _writer(self, name: str) -> StringWriter:
        return StringWriter(self._files.enter_context((self._folder / name).open("wb")))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()

    def add_texts(
        self,
        ids: Sequence[str],
        labels: Iterable[str | None],
        excerpts: Iterable[str],
        columns: Mapping[str, Iterable[str]],
    ) -> None:
        """Append who the next documents are."""
        self._further.extend(columns, len(ids))
        self._ids.extend(ids)
        self._labels.extend(labels)
        self._excerpts.extend(excerpts)

    def add_counts(self, matrix: sparse.csr_array) -> None:
        """Append the counts of the next documents."""
        self._waiting.append(matrix)
        while sum(each.shape[0] for each in self._waiting) >= PART_SIZE:
            whole = stack(self._waiting, matrix.shape[1])
            self._write_part(whole[:PART_SIZE])
            self._waiting = [whole[PART_SIZE:]]

    def _write_part(self, matrix: sparse.csr_array) -> None:
        write_part(self._folder, COUNTS, len(self._part_sizes), matrix)
        self._part_sizes.append(int(matrix.shape[0]))

    def finish(
        self, dictionary: Dictionary, tokenization: Mapping[str, Any], skipped: Sequence[Skipped]
    ) -> None:
        """Write what says of all files what they must be, and see them on the disk."""
        self._files.close()
        rest = stack(self._waiting, len(dictionary))
        if rest.shape[0]:
            self._write_part(rest)
        numbers = range(len(self._part_sizes))
        paths = [part_path(self._folder, COUNTS, number) for number in numbers]
        words = range(len(dictionary))
        arrays: dict[str, NDArray[Any]] = {
            "part_sizes": np.array(self._part_sizes, np.int64),
            "part_bytes": np.array([path.stat().st_size for path in paths], np.int64),
            "doc_frequency": np.array([dictionary.dfs[word] for word in words], np.int64),
            "frequency": np.array([dictionary.cfs[word] for word in words], np.int64),
            "id_ends": self._ids.ends,
            "excerpt_ends": self._excerpts.ends,
        }
        further = self._further.columns
        for number, column in enumerate(further.values()):
            arrays[COLUMN_ENDS.format(number)] = column.ends
        if self._labels.names:
            arrays["label_numbers"] = self._labels.numbers
        strings = {
            "words": [dictionary[word] for word in words],
            "labels": self._labels.names,
            "skipped_places": [record.place for record in skipped],
            "skipped_reasons": [record.reason for record in skipped],
        }
        files = [IDS, EXCERPTS, *(COLUMN.format(number) for number in range(len(further)))]
        for path in (*paths, *(self._folder / name for name in files)):
            _sync(path)
        meta = {"tokenization": tokenization, "num_docs": sum(self._part_sizes)}
        meta |= names_for_meta(further)
        storage.save(self._folder / MANIFEST, KIND, meta, arrays, strings)


def _sync(path: Path) -> None:
    """See a file on the disk."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Reading


def open_folder(folder: Path, allowed: frozenset[str]) -> dict[str, Any]:
    """The fields of the `TextCorpus` in a folder; its files are looked at, but not yet read."""
    folder = Path(os.path.abspath(folder))  # as they are read later, maybe from another one
    if not (folder / MANIFEST).is_file():
        raise storage.FileFormatError(
            f"{folder} holds no {MANIFEST}; name a folder that build_corpus wrote, or a file."
        )

    def check(meta: Any, shapes: storage.Shapes) -> None:
        with fitting(folder):
            _check_header(meta, shapes)

    stored = storage.load(folder / MANIFEST, KIND, check=check)
    with fitting(folder):
        return _fields(folder, stored, allowed)


def _fields(folder: Path, stored: storage.Stored, allowed: frozenset[str]) -> dict[str, Any]:
    meta, arrays, strings = stored.meta, stored.arrays, stored.strings
    num_docs, words, steps = meta["num_docs"], strings["words"], meta["tokenization"]
    if len(words) != arrays["frequency"].size or len(set(words)) < len(words):
        raise ValueError("words must differ from each other, and each must have its frequencies")
    for name in ("doc_frequency", "frequency"):
        check_range(arrays[name], name, 0, LARGEST_COUNT)
    dictionary = make_dictionary(words, arrays["doc_frequency"], arrays["frequency"], num_docs)
    excerpts = StringFile(*_check_strings(folder / EXCERPTS, arrays["excerpt_ends"]))
    return {
        "dictionary": dictionary,
        "counts": BlockCorpus(
            _open_counts(folder, arrays, num_docs, len(words)), dictionary, steps
        ),
        "ids": StringFile(*_check_strings(folder / IDS, arrays["id_ends"])),
        "labels": label_list(arrays.get("label_numbers"), strings["labels"]),
        "excerpts": excerpts if len(excerpts) else (),
        "tokenization": None if steps is None else Tokenization.from_json(steps, allowed),
        "skipped": skipped_records(strings),
        "columns": {
            name: ColumnFile(
                *_check_strings(folder / COLUMN.format(i), arrays[COLUMN_ENDS.format(i)])
            )
            for i, name in enumerate(names_in(meta))
        },
    }


def _open_counts(
    folder: Path, arrays: Mapping[str, NDArray[Any]], num_docs: int, num_words: int
) -> CountBlocks:
    sizes, lengths = arrays["part_sizes"], arrays["part_bytes"]
    check_range(sizes, "part_sizes", 1, num_docs)
    if sizes.sum() != num_docs:
        raise ValueError(f"part_sizes must add up to {num_docs} documents, got {sizes.sum()}")
    for number, length in enumerate(lengths.tolist()):
        _check_size(part_path(folder, COUNTS, number), length)
    return CountBlocks(folder, COUNTS, sizes.tolist(), num_words, np.float64)


def _check_strings(path: Path, ends: NDArray[Any]) -> tuple[Path, NDArray[Any]]:
    check_range(ends, path.name, 0, 2**62)
    if (np.diff(ends) < 0).any():
        raise ValueError(f"the ends of {path.name} must not fall")
    _check_size(path, int(ends[-1]) if ends.size else 0)
    return path, ends


def _check_size(path: Path, length: int) -> None:
    try:
        status = path.stat()
    except OSError as error:
        raise ValueError(f"{path.name}: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode) or status.st_size != length:
        raise ValueError(f"{path.name} must be a file of {length} bytes")


def _check_header(meta: Any, shapes: storage.Shapes) -> None:
    """Raise, before any array is read, if a file has other arrays than its corpus must have."""
    num_docs = check_int(meta["num_docs"], "num_docs", 1)
    num_words, num_parts = length_of(shapes, "frequency"), length_of(shapes, "part_sizes")
    num_excerpts = num_docs if length_of(shapes, "excerpt_ends") else 0
    lengths = {
        "part_sizes": num_parts, "part_bytes": num_parts, "doc_frequency": num_words,
        "frequency": num_words, "id_ends": num_docs, "excerpt_ends": num_excerpts,
        "label_numbers": num_docs,
    }  # fmt: skip
    further = {COLUMN_ENDS.format(number): num_docs for number in range(len(names_in(meta)))}
    check_lengths(shapes, lengths | further)


def length_of(shapes: storage.Shapes, name: str) -> int:
    """How many entries an array has."""
    return math.prod(shapes[name][1])


def check_lengths(shapes: storage.Shapes, lengths: Mapping[str, int]) -> None:
    """Raise if there is another array than these, or one that is no list of its length."""
    for name, (_, shape) in shapes.items():
        if name not in lengths:
            raise ValueError(f"no corpus has an array {shortened(name)}")
        if shape != (lengths[name],):
            raise ValueError(f"{name} must have {lengths[name]} entries, got the shape {shape}")


def check_range(array: NDArray[Any], name: str, lowest: float, highest: float) -> None:
    """Raise if this is no list of whole numbers, as they are saved, in these limits."""
    if array.dtype != np.int64 or array.ndim != 1:
        raise ValueError(f"{name} must be whole numbers")
    if array.size and not lowest <= array.min() <= array.max() <= highest:
        raise ValueError(f"{name} must be from {lowest} to {highest}")


def label_list(numbers: NDArray[Any] | None, names: list[str]) -> LabelList | None:
    """The classes of the documents; the number -1 is none."""
    if numbers is None:
        return None
    check_range(numbers, "label_numbers", -1, len(names) - 1)
    return LabelList(numbers, names)


def skipped_records(strings: Mapping[str, Sequence[str]]) -> tuple[Skipped, ...]:
    """The records that were left out."""
    places, reasons = strings["skipped_places"], strings["skipped_reasons"]
    return tuple(Skipped(*pair) for pair in zip(places, reasons, strict=True))


@contextmanager
def fitting(path: object) -> Iterator[None]:
    """Whatever is wrong inside means that the parts of a corpus do not fit together."""
    try:
        yield
    except storage.FileFormatError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise storage.FileFormatError(
            f"{path} does not hold a whole corpus ({error}); build it again."
        ) from error
