"""What is read: documents, and the records that could not become any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field


class ReadError(ValueError):
    """The input cannot be read; the message names the file, the line and what is wrong.

    Examples
    --------
    >>> from dnmf_topics.text import read_documents
    >>> list(read_documents(["Rivers flood the valley.", 7]))
    Traceback (most recent call last):
    ...
    dnmf_topics.text.raw_texts.ReadError: The documents, item 2: the text must be a string, got 7.
    """


@dataclass(frozen=True)
class Document:
    """A text with its name and, where it has them, its class and whatever else is known of it.

    Attributes
    ----------
    text : str
        The raw text.
    id : str
        Its name; names may occur twice.
    label : str or None
        Its class.
    columns : mapping of str to str or None
        Further columns by their names, such as its date; None where it has none.

    Examples
    --------
    >>> from dnmf_topics.text import build_corpus
    >>> rain = Document("Rain and storms", id="a", label="weather")
    >>> wine = Document("Bread and wine", id="b", label="food")
    >>> build_corpus([rain, wine], no_below=1).labels
    ('weather', 'food')
    """

    text: str
    id: str
    label: str | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Skipped:
    """A record that was left out: where it stands, and why.

    Attributes
    ----------
    place : str
        The file and the line, or the number of the item.
    reason : str
        What is wrong, as part of a sentence.

    Examples
    --------
    >>> from dnmf_topics.text import build_corpus, read_documents
    >>> documents = read_documents(["Rivers flood the valley.", 7], errors="skip")
    >>> build_corpus(documents, no_below=1, no_above=1.0).skipped
    (Skipped(place='The documents, item 2', reason='the text must be a string, got 7'),)
    """

    place: str
    reason: str


Record = Document | Skipped
Part = Callable[[], Iterator[Record]]


def keep_or_raise(
    records: Iterable[Record], skipped: list[Skipped], *, strict: bool
) -> Iterator[Document]:
    """The documents among records; the others are an error, or are added to `skipped`."""
    for record in records:
        if isinstance(record, Document):
            yield record
        elif strict:
            raise ReadError(f"{record.place}: {record.reason}.")
        else:
            skipped.append(record)


class Documents:
    """Documents, read anew in each iteration as far as the source allows; see `read_documents`.

    Attributes
    ----------
    name : str
        What the source is called.
    total : int or None
        The number of records, where the source knows it.
    once : bool
        Whether the source is an iterator, which is used up by the first iteration.
    strict : bool
        Whether a record that cannot be read is an error, and not left out.
    skipped : list of Skipped
        What the last whole iteration left out.

    Examples
    --------
    >>> from dnmf_topics.text import read_documents
    >>> documents = read_documents(["Rivers flood the valley.", 7, "A dry valley."], errors="skip")
    >>> [document.id for document in documents]
    ['1', '3']
    >>> documents.total, len(documents.skipped)
    (3, 1)
    """

    def __init__(
        self,
        read: Callable[[], Iterator[Document | Skipped]],
        name: str,
        *,
        strict: bool = True,
        total: int | None = None,
        once: bool = False,
        parts: Callable[[], list[Part]] | None = None,
    ) -> None:
        self.name = name
        self.total = total
        self.once = once
        self.skipped: list[Skipped] = []
        self._read = read
        self.strict = strict
        self._parts = parts
        self._used_up = False

    def __repr__(self) -> str:
        return f"<Documents: {self.name}>"

    def __iter__(self) -> Iterator[Document]:
        if self._used_up:
            raise ReadError(
                f"{self.name} come from an iterator, which can be read only once; give a list or "
                "a file."
            )
        self._used_up = self.once
        return self._iterate()

    def _iterate(self) -> Iterator[Document]:
        skipped: list[Skipped] = []
        num_docs = 0
        for document in keep_or_raise(self._read(), skipped, strict=self.strict):
            num_docs += 1
            yield document
        end_pass(self, num_docs, skipped)


def parts_of(documents: Documents) -> list[Part] | None:
    """Functions that read the documents part by part, anywhere, if they are a folder of files."""
    return None if documents._parts is None else documents._parts()


def end_pass(documents: Documents, num_docs: int, skipped: list[Skipped]) -> None:
    """Remember what a whole pass over documents left out; raise if it found none."""
    if not num_docs and skipped:
        raise ReadError(
            f"{documents.name}: all {len(skipped)} records were left out, the first "
            f"({skipped[0].place}) as {skipped[0].reason}."
        )
    if not num_docs:
        raise ReadError(f"{documents.name}: there are no documents in it.")
    documents.skipped = skipped
