"""From documents to a corpus: read, count chunk by chunk, select words, put together."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, zip_longest
from typing import TypeVar

from gensim.corpora import Dictionary
from scipy import sparse

from ..common.arrays import IntArray
from ..common.checks import MOST_PROCESSES, check_int, check_real
from ..common.documents import Bow, MatrixCorpus
from ..common.excerpts import cut_excerpt
from ..common.progress import Progress, ProgressCallback, silent
from .bows import StreamedCorpus, make_dictionary
from .cleaning import strip_headers, strip_quotes
from .corpus import TextCorpus
from .counting import Counted, Vocabulary, count, gather
from .phrases import join_phrases, learn_phrases
from .processes import map_in_order
from .raw_texts import Documents, ReadError
from .readers import Source, read_documents
from .spaceless import spaceless_hint
from .steps import chunks_for, load_steps, tokens_of
from .tokenization import Tokenization

logger = logging.getLogger(__name__)

Item = TypeVar("Item")

MANY_DOCUMENTS = 1000  # from here on "auto" wants a word in 5 documents, before in 2
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
    streamed: bool = False,
    progress: ProgressCallback = silent,
) -> TextCorpus:
    """Dictionary, counts and TF-IDF of documents; each document keeps its row, also an empty one.

    The dictionary is the one of gensim: `Dictionary(tokens)` and then `filter_extremes`, with the
    same ids. It does not depend on `processes` or `streamed`.

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
        How much of each text is kept to be shown, in characters; 0 for nothing. Headers and quotes
        that the tokenization strips are no part of it.
    processes : int, default=1
        How many processes cut texts into words.
    streamed : bool, default=False
        Hold words, ids, labels and excerpts, but neither texts nor counts: the source is read once
        here (twice to learn phrases) and again in each iteration over the counts. Of more than
        2,000,000 different words the rarest are forgotten on the way, which the log says.
    progress : callable, optional
        Called with a `Progress`: the stage, the documents done, and their number if it is known.

    Returns
    -------
    TextCorpus
        Dictionary and counts, with the ids, labels and excerpts of the documents.

    Raises
    ------
    ReadError
        If the documents cannot be read.
    ValueError
        If no word is left, or `streamed` documents can be read only once.

    Examples
    --------
    >>> texts = ["Rivers flood the valley", "The flood of the rivers", "A dry valley"]
    >>> corpus = build_corpus(texts, no_above=1.0)
    >>> print(corpus.dictionary)
    Dictionary<3 unique tokens: ['flood', 'rivers', 'valley']>
    >>> corpus.tfidf[2]
    [(2, 1.0)]
    """
    _check(no_below, no_above, keep_n, excerpt_length)
    check_int(processes, "processes", 1, MOST_PROCESSES)
    settings = Tokenization() if tokenization is None else tokenization
    source = documents if isinstance(documents, Documents) else read_documents(documents)
    if streamed and source.once:
        raise ValueError(
            "A streamed corpus reads its documents several times, which an iterator cannot; give "
            "a file, a list, or streamed=False."
        )
    load_steps(settings)  # what is missing is said before anything is read
    register = _Register(source, settings, excerpt_length)
    counter = _Counter(progress, source.total)
    if settings.phrases and settings.learnt_phrases is None:
        settings, counted = _learn_and_count(register, settings, processes, streamed, counter)
    else:
        counted = _count(register.texts(), settings, processes)
    vocabulary, parts = _take_in(counter.watch(counted, "words"), keep=not streamed)
    hint = spaceless_hint(vocabulary.ids)
    dictionary, chosen = _select(vocabulary, no_below, no_above, keep_n, hint)
    if hint:
        logger.warning(hint)
    counts: MatrixCorpus | StreamedCorpus
    if streamed:
        bows = partial(_read_bows, source, register.ids, settings, dictionary, processes)
        counts = StreamedCorpus(bows, len(register.ids), dictionary, settings.as_json())
    else:
        counts = MatrixCorpus(gather(parts, chosen), dictionary, settings.as_json())
    return TextCorpus(
        dictionary,
        counts,
        tuple(register.ids),
        tuple(register.labels) if any(register.labels) else None,
        tuple(register.excerpts),
        settings,
        tuple(source.skipped),
    )


class _Register:
    """Who is who among the documents of the last pass over them."""

    def __init__(self, source: Documents, settings: Tokenization, excerpt_length: int) -> None:
        self._source = source
        self._settings = settings
        self._excerpt_length = excerpt_length
        self.ids: list[str] = []
        self.labels: list[str | None] = []
        self.excerpts: list[str] = []

    def texts(self) -> Iterator[str]:
        """The texts, in a new pass."""
        self.ids, self.labels, self.excerpts = [], [], []
        for document in self._source:
            self.ids.append(document.id)
            self.labels.append(document.label)
            if self._excerpt_length:
                self.excerpts.append(cut_excerpt(self._shown(document.text), self._excerpt_length))
            yield document.text

    def _shown(self, text: str) -> str:
        if self._settings.strip_headers:
            text = strip_headers(text)
        return strip_quotes(text) if self._settings.strip_quotes else text


@dataclass(frozen=True)
class _Counter:
    """Tells the caller how many documents are done."""

    progress: ProgressCallback
    total: int | None

    def watch(self, items: Iterable[Item], stage: str) -> Iterator[Item]:
        """The items, while their documents are counted."""
        done = 0
        for item in items:
            yield item
            done += item.counts.shape[0] if isinstance(item, Counted) else 1
            self.progress(Progress(stage, done, self.total))


def _count(texts: Iterable[str], settings: Tokenization, processes: int) -> Iterator[Counted]:
    """The counts of chunks of texts, in order."""
    return map_in_order(partial(_count_chunk, settings), chunks_for(settings, texts), processes)


def _count_chunk(settings: Tokenization, texts: list[str]) -> Counted:
    steps = load_steps(settings)
    if steps.phrases:
        return count(steps.tokens(texts))
    return count(steps.words(texts), steps.finish)


def _count_tokens(token_lists: Iterator[list[str]]) -> Iterator[Counted]:
    while batch := list(islice(token_lists, BATCH)):
        yield count(batch)


def _learn_and_count(
    register: _Register,
    settings: Tokenization,
    processes: int,
    streamed: bool,
    counter: _Counter,
) -> tuple[Tokenization, Iterator[Counted]]:
    """Phrases first. In memory the tokens are kept for counting, which may have cost a lot."""
    found = tokens_of(settings, register.texts(), processes)
    tokens: Iterable[list[str]] = counter.watch(found, "phrases")
    if not streamed:
        tokens = list(tokens)
    learnt = learn_phrases(tokens, settings.phrase_min_count, settings.phrase_threshold)
    settings = replace(settings, learnt_phrases=learnt)
    if streamed:
        return settings, _count(register.texts(), settings, processes)
    known = frozenset(learnt)
    return settings, _count_tokens(join_phrases(each, known) for each in tokens)


def _take_in(
    counted: Iterable[Counted], *, keep: bool
) -> tuple[Vocabulary, list[tuple[sparse.csr_array, IntArray]]]:
    """The vocabulary of all chunks, and their counts if they are to be kept."""
    vocabulary = Vocabulary()
    parts = []
    for chunk in counted:
        ids = vocabulary.add(chunk)
        if keep:
            parts.append((chunk.counts, ids))
        else:
            vocabulary.prune()
    return vocabulary, parts


def _select(
    vocabulary: Vocabulary,
    no_below: int | str,
    no_above: float,
    keep_n: int | None,
    hint: str | None,
) -> tuple[Dictionary, IntArray]:
    if no_below == "auto":
        no_below = 2 if vocabulary.num_docs < MANY_DOCUMENTS else 5
    if not vocabulary.ids:
        raise ValueError(
            f"The {vocabulary.num_docs:,} documents have no words; they are empty, or the "
            "tokenization leaves nothing of them (shortest word, stop words, numbers)."
        )
    least = int(no_below)
    chosen = vocabulary.select(least, no_above, keep_n)
    if not chosen.size:
        raise ValueError(
            f"None of the {len(vocabulary.ids):,} words is in at least {least} and at most "
            f"{no_above:.0%} of the {vocabulary.num_docs:,} documents; "
            f"{hint or 'change these limits, or check the tokenization'}."
        )
    tokens = list(vocabulary.ids)
    words = [tokens[i] for i in chosen.tolist()]
    doc_frequency, frequency = vocabulary.doc_frequency[chosen], vocabulary.frequency[chosen]
    return make_dictionary(words, doc_frequency, frequency, vocabulary.num_docs), chosen


def _read_bows(
    source: Documents,
    ids: list[str],
    settings: Tokenization,
    dictionary: Dictionary,
    processes: int,
) -> Iterator[Bow]:
    return map(dictionary.doc2bow, tokens_of(settings, _same_texts(source, ids), processes))


def _same_texts(source: Documents, ids: list[str]) -> Iterator[str]:
    """The texts again, if they are still those of the documents with these ids."""
    for document, id in zip_longest(source, ids):
        if document is None or document.id != id:
            raise ReadError(
                f"{source.name} has changed since the corpus was built from it; build it again."
            )
        yield document.text


def _check(no_below: int | str, no_above: float, keep_n: int | None, excerpt_length: int) -> None:
    if no_below != "auto":
        check_int(no_below, "no_below", 1)
    if keep_n is not None:
        check_int(keep_n, "keep_n", 1)
    check_int(excerpt_length, "excerpt_length", 0)
    if not 0 < check_real(no_above, "no_above", 0) <= 1:
        raise ValueError(f"no_above must be a share above 0 and up to 1, got {no_above}.")
