"""A corpus that goes through a folder: portions are counted into files, then rewritten as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from gensim.corpora import Dictionary
from scipy import sparse

from ..common.blocks import stack
from ..common.documents import MatrixCorpus
from ..common.engines import Engine
from ..common.writing import naming, only_writer, put_in_place
from .corpus import TextCorpus
from .corpus_folder import FolderWriter
from .counting import Columns, Vocabulary
from .further_columns import Collector, as_tuples
from .meter import Meter
from .phrases import learn_phrases
from .portions import (
    Item,
    Job,
    Portion,
    count_portion,
    count_tokens,
    read_counts,
    read_texts,
    read_tokens,
    remove_portion,
    text_length,
    tokenize_portion,
)
from .processes import map_in_order
from .raw_texts import Documents, Skipped, end_pass, parts_of
from .selection import Selection
from .steps import chunks_for
from .tokenization import Tokenization

WINDOW = 16  # chunks of texts that an engine gets at a time


@dataclass(frozen=True)
class Workers:
    """Who works on portions: an engine, or processes of this machine."""

    processes: int
    engine: Engine | None

    def map(
        self, function: Callable[..., Portion], items: Iterable[Any], job: Job
    ) -> Iterator[Portion]:
        """What a function makes of each item, in order; few are held, unless they are a list."""
        if self.engine is None:
            return map_in_order(partial(function, job=job), items, self.processes)
        if isinstance(items, list):
            return self.engine.map(function, items, job)
        return self._map_windows(self.engine, function, iter(items), job)

    @staticmethod
    def _map_windows(
        engine: Engine, function: Callable[..., Portion], items: Iterator[Any], job: Job
    ) -> Iterator[Portion]:
        while window := list(islice(items, WINDOW)):
            yield from engine.map(function, window, job)


def build_in_folder(
    source: Documents,
    settings: Tokenization,
    folder: str | os.PathLike[str],
    *,
    selection: Selection,
    excerpt_length: int,
    workers: Workers,
    meter: Meter,
    max_in_memory: int,
) -> TextCorpus:
    """The corpus, in a folder that is complete or absent; a small one in memory."""
    place = Path(os.path.realpath(folder))
    if not place.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {place.parent}; create it first.")
    with only_writer(place) as workshop, naming(place):
        _check_new(place)
        work = workshop / "work"
        work.mkdir()
        job = Job(work, settings, excerpt_length, source.strict)
        job, vocabulary, portions = _count_all(source, job, workers, meter)
        dictionary, columns = selection.select(vocabulary, job.settings)
        del vocabulary
        whole = _Counted(job, portions, dictionary, columns, tuple(source.skipped))
        if dictionary.num_nnz <= max_in_memory:
            return whole.in_memory()
        whole.write(workshop / "new")
        put_in_place(workshop / "new", place)
    # Its own settings need no permission to be loaded.
    return replace(TextCorpus.load(place), tokenization=job.settings)


def _check_new(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; name a new folder.")


def _count_all(
    source: Documents, job: Job, workers: Workers, meter: Meter
) -> tuple[Job, Vocabulary, list[Portion]]:
    """The words of all portions, whose counts and texts are in files then."""
    parts = None if workers.engine is None else parts_of(source)
    items: Iterable[Item]
    if parts is None:
        items = enumerate(chunks_for(job.settings, source, text_length))
    else:
        items = list(enumerate(parts))
    if job.settings.phrases and job.settings.learnt_phrases is None:
        found = workers.map(tokenize_portion, items, job)
        tokenized = list(meter.watch(found, "phrases", _num_docs))
        job = replace(job, settings=_learn_phrases(tokenized, job))
        counted = workers.map(count_tokens, tokenized, job)
    else:
        counted = workers.map(count_portion, items, job)
    vocabulary, portions = Vocabulary(), []
    for portion in meter.watch(counted, "tokenizing", _num_docs):
        portions.append(_take_in(portion, vocabulary, job.folder))
    if parts is not None:
        skipped = chain.from_iterable(portion.skipped for portion in portions)
        end_pass(source, vocabulary.num_docs, list(skipped))
    return job, vocabulary, portions


def _num_docs(portion: Portion) -> int:
    return portion.num_docs


def _learn_phrases(portions: list[Portion], job: Job) -> Tokenization:
    tokens = (
        read_tokens(job.folder, portion.number, part)
        for portion in portions
        for part in portion.parts
    )
    settings = job.settings
    learnt = learn_phrases(
        chain.from_iterable(tokens), settings.phrase_min_count, settings.phrase_threshold
    )
    return replace(settings, learnt_phrases=learnt)


def _take_in(portion: Portion, vocabulary: Vocabulary, folder: Path) -> Portion:
    """Add a portion's words, and write down which ids they have; the words are not held."""
    assert portion.tally is not None  # it was counted
    ids = vocabulary.add(portion.tally)
    vocabulary.prune()
    np.save(_ids_path(folder, portion), ids)
    return replace(portion, tally=None)


def _ids_path(folder: Path, portion: Portion) -> Path:
    return folder / f"ids-{portion.number:06d}.npy"


@dataclass(frozen=True, eq=False)
class _Counted:
    """All portions, and the words that were chosen."""

    job: Job
    portions: list[Portion]
    dictionary: Dictionary
    columns: Columns
    skipped: tuple[Skipped, ...]

    def in_memory(self) -> TextCorpus:
        """The corpus without the folder."""
        matrices: list[sparse.csr_array] = []
        ids: list[str] = []
        labels: list[str | None] = []
        excerpts: list[str] = []
        further = Collector()
        for portion in self.portions:
            matrices.extend(self._counts(portion))
            for names, classes, beginnings, columns in self._texts(portion):
                ids += names
                labels += classes
                excerpts += beginnings
                further.extend(columns, len(names))
        matrix = stack(matrices, self.columns.number).astype(np.int64)
        return TextCorpus(
            self.dictionary,
            MatrixCorpus(matrix, self.dictionary, self.job.settings.as_json()),
            tuple(ids),
            tuple(labels) if any(labels) else None,
            tuple(excerpts),
            self.job.settings,
            self.skipped,
            as_tuples(further.columns),
        )

    def write(self, folder: Path) -> None:
        """The corpus as a folder; files that are not needed any more are removed."""
        with FolderWriter(folder) as writer:
            for portion in self.portions:
                for matrix in self._counts(portion):
                    writer.add_counts(matrix)
                for texts in self._texts(portion):
                    writer.add_texts(*texts)
                remove_portion(self.job.folder, portion)
            writer.finish(self.dictionary, self.job.settings.as_json(), self.skipped)

    def _counts(self, portion: Portion) -> Iterator[sparse.csr_array]:
        ids = np.load(_ids_path(self.job.folder, portion))
        for counts in read_counts(self.job.folder, portion, ids.size):
            yield self.columns.of(counts, ids)

    def _texts(self, portion: Portion) -> Iterator[Any]:
        return (read_texts(self.job.folder, portion.number, part) for part in portion.parts)
