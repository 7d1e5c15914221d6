"""From documents to a corpus: read, count chunk by chunk, select words, put together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from ..common.blocks import stack
from ..common.checks import MOST_PROCESSES, check_int
from ..common.documents import MatrixCorpus
from ..common.engines import Engine
from ..common.progress import ProgressCallback, silent
from .corpus import TextCorpus
from .counting import Counted, Vocabulary, count
from .further_columns import Collector, as_tuples
from .meter import Meter
from .phrases import join_phrases, learn_phrases
from .portions import count_texts, excerpt_of
from .processes import map_in_order
from .raw_texts import Documents
from .readers import Source, read_documents
from .selection import Selection
from .spooling import Workers, build_in_folder
from .steps import chunks_for, load_steps, tokens_of
from .tokenization import Tokenization

BATCH = 500  # token lists that are counted together


def build_corpus(
    documents: Documents | Source,
    tokenization: Tokenization | None = None,
    *,
    no_below: int | str = "auto",
    no_above: float = 0.5,
    keep_n: int | None = 100_000,
    excerpt_length: int = 1000,
    processes: int = 1,
    folder: str | os.PathLike[str] | None = None,
    max_in_memory: int = 0,
    engine: Engine | None = None,
    progress: ProgressCallback = silent,
) -> TextCorpus:
    """Dictionary, counts and TF-IDF of documents; each document keeps its row, also an empty one.

    The dictionary is the one of gensim: `Dictionary(tokens)` and then `filter_extremes`, with the
    same ids. It does not depend on `processes`, `folder` or `engine`, unless words are forgotten on
    the way, see `folder`. Documents are read once.

    Parameters
    ----------
    documents : Documents, or what `read_documents` takes
        The texts.
    tokenization : Tokenization, optional
        The steps from text to words; by default ``Tokenization()``.
    no_below : int or "auto", default="auto"
        In how many documents a word must be: by default in 5, and in 2 of fewer than 1,000.
    no_above : float, default=0.5
        In which share of the documents a word may be at most.
    keep_n : int or None, default=100,000
        How many words are kept, those of most documents; None for all.
    excerpt_length : int, default=1,000
        How much of each text is kept to be shown, in characters; 0 for nothing. What the
        tokenization strips (headers, signatures, quotes, LaTeX) is no part of it.
    processes : int, default=1
        How many processes cut texts into words.
    folder : path, optional
        A new folder for the corpus, so that its size is limited by the disk: memory holds the
        words (pairs of them too, while phrases are learnt), and some of the documents at a time.
        The folder is complete or absent, and it stays: `TextCorpus.load` opens it again. Of more
        than 2,000,000 different words the rarest are forgotten on the way, which the log says.
    max_in_memory : int, default=0
        With a folder: a corpus whose documents have no more different words than this, added up,
        is held in memory after all, and no folder is made.
    engine : Engine, optional
        With a folder: who cuts texts into words, instead of `processes`. Where the source is a
        folder, each of its tables is read, cut and counted by one call, wherever that runs, and of
        texts 1,000 at a time; the new folder must be there for all.
    progress : callable, optional
        Called with a `Progress`: the stage, the documents done, and their number if it is known.

    Returns
    -------
    TextCorpus
        Dictionary and counts, with the ids, labels, excerpts and further columns of the documents.

    Raises
    ------
    ReadError
        If the documents cannot be read.
    ValueError
        If no word is left.
    FileExistsError
        If the folder is there and is not empty.

    Examples
    --------
    >>> texts = ["Rivers flood the valley", "The flood of the rivers", "A dry valley"]
    >>> corpus = build_corpus(texts, no_above=1.0)
    >>> print(corpus.dictionary)
    Dictionary<3 unique tokens: ['flood', 'rivers', 'valley']>
    >>> corpus.tfidf[2]
    [(2, 1.0)]

    Counts and texts on disk:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     on_disk = build_corpus(texts, no_above=1.0, folder=f"{place}/rivers")
    ...     list(on_disk.counts) == list(corpus.counts), on_disk.excerpts[2]
    (True, 'A dry valley')
    """
    selection = Selection(no_below, no_above, keep_n)
    check_int(excerpt_length, "excerpt_length", 0)
    check_int(processes, "processes", 1, MOST_PROCESSES)
    check_int(max_in_memory, "max_in_memory", 0)
    if folder is None and (engine is not None or max_in_memory):
        argument = "max_in_memory" if engine is None else "engine"
        raise ValueError(f"{argument} is for corpora that may go to disk; name a folder too.")
    settings = Tokenization() if tokenization is None else tokenization
    source = documents if isinstance(documents, Documents) else read_documents(documents)
    load_steps(settings)  # what is missing is said before anything is read
    meter = Meter(progress, source.total)
    if folder is None:
        return _build_in_memory(
            source, settings, selection=selection, excerpt_length=excerpt_length,
            processes=processes, meter=meter,
        )  # fmt: skip
    return build_in_folder(
        source, settings, folder, selection=selection, excerpt_length=excerpt_length,
        workers=Workers(processes, engine), meter=meter, max_in_memory=max_in_memory,
    )  # fmt: skip


class _Register:
    """Who is who among the documents of a pass over them."""

    def __init__(self, source: Documents, settings: Tokenization, excerpt_length: int) -> None:
        self._source = source
        self._settings = settings
        self._excerpt_length = excerpt_length
        self.ids: list[str] = []
        self.labels: list[str | None] = []
        self.excerpts: list[str] = []
        self.further = Collector()

    def texts(self) -> Iterator[str]:
        """The texts, in the one pass."""
        length = self._excerpt_length
        for document in self._source:
            self.ids.append(document.id)
            self.labels.append(document.label)
            self.further.add(document)
            if length:
                self.excerpts.append(excerpt_of(document.text, self._settings, length))
            yield document.text


def _build_in_memory(
    source: Documents,
    settings: Tokenization,
    *,
    selection: Selection,
    excerpt_length: int,
    processes: int,
    meter: Meter,
) -> TextCorpus:
    register = _Register(source, settings, excerpt_length)
    if settings.phrases and settings.learnt_phrases is None:
        settings, counted = _learn_and_count(register, settings, processes, meter)
    else:
        chunks = chunks_for(settings, register.texts(), len)
        counted = map_in_order(partial(count_texts, settings=settings), chunks, processes)
    vocabulary, parts = Vocabulary(), []
    for chunk in meter.watch(counted, "tokenizing", _num_docs):
        parts.append((chunk.counts, vocabulary.add(chunk.tally())))
    dictionary, columns = selection.select(vocabulary, settings)
    matrix = stack([columns.of(*part) for part in parts], columns.number)
    return TextCorpus(
        dictionary,
        MatrixCorpus(matrix, dictionary, settings.as_json()),
        tuple(register.ids),
        tuple(register.labels) if any(register.labels) else None,
        tuple(register.excerpts),
        settings,
        tuple(source.skipped),
        as_tuples(register.further.columns),
    )


def _num_docs(chunk: Counted) -> int:
    return int(chunk.counts.shape[0])


def _learn_and_count(
    register: _Register, settings: Tokenization, processes: int, meter: Meter
) -> tuple[Tokenization, Iterator[Counted]]:
    """Phrases first. The tokens, which may have cost a lot, are kept to be counted."""
    found = tokens_of(settings, register.texts(), processes)
    tokens = list(meter.watch(found, "phrases", lambda _: 1))
    learnt = learn_phrases(tokens, settings.phrase_min_count, settings.phrase_threshold)
    known = frozenset(learnt)
    joined = (join_phrases(each, known) for each in tokens)
    return replace(settings, learnt_phrases=learnt), _count_tokens(joined)


def _count_tokens(token_lists: Iterator[list[str]]) -> Iterator[Counted]:
    while batch := list(islice(token_lists, BATCH)):
        yield count(batch)
