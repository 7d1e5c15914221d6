"""The stories of the Reuters-21578 distribution, straight from its tar archive.

The 22 files are SGML of one fixed form: no well-formed XML (control characters are written as
entities that XML forbids), no clean UTF-8 (one Latin-1 byte). A `<` inside a text is always
written `&lt;`, so tags are found without a grammar.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MEMBER = re.compile(r"(?:.*/)?reut2-\d{3}\.sgm")
MAX_BYTES = 20_000_000  # of a member; the largest true one has 1.5 million

STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
TOPIC = re.compile(r"<D>(.*?)</D>", re.DOTALL)
ENTITY = re.compile(r"&(?:#(\d{1,7})|(\w+));")
NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class BrokenArchiveError(ValueError):
    """The archive is damaged, or is not the distribution."""


@dataclass(frozen=True)
class Story:
    """A story: its NEWID, its set, its topics, title and body (None where it has no such part)."""

    id: str
    split: str
    """LEWISSPLIT: TRAIN, TEST or NOT-USED."""
    indexed: bool
    """The TOPICS attribute is YES, which says nothing about how many topics are left."""
    topics: tuple[str, ...]
    title: str | None
    body: str | None
    date: str | None = None
    """Day and time as they stand there; the times of some are misprinted."""

    @property
    def in_mod_apte(self) -> bool:
        """Whether it belongs to the ModApte split, as training or as test story."""
        return self.indexed and self.split in ("TRAIN", "TEST")

    @property
    def text(self) -> str:
        """Title and body, with a line between them."""
        return "\n\n".join(part for part in (self.title, self.body) if part)


def read_archive(path: Path) -> Iterator[Story]:
    """All stories in the order of the archive; nothing is unpacked to the disk."""
    try:
        # A stream of blocks: one member is in memory at a time.
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                if not MEMBER.fullmatch(member.name) or not member.isfile():
                    continue
                if member.size > MAX_BYTES:
                    raise BrokenArchiveError(f"{path}: {member.name} claims {member.size:,} bytes.")
                content = archive.extractfile(member)
                assert content is not None  # it is a file
                # Latin-1 decodes every byte.
                yield from parse(content.read().decode("latin-1"), f"{path}: {member.name}")
    except (tarfile.TarError, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise BrokenArchiveError(f"{path} is no whole .tar.gz archive ({error}).") from error


def parse(content: str, place: str = "the text") -> Iterator[Story]:
    """The stories of one file; `place` names it in errors."""
    end = 0
    for number, found in enumerate(STORY.finditer(content), 1):
        # Two opening tags in one match: the first story was never closed.
        if "<REUTERS" in content[end : found.start()] or "<REUTERS" in found[2]:
            raise BrokenArchiveError(f"{place}: story {number} is not closed by </REUTERS>.")
        end = found.end()
        yield _story(dict(ATTRIBUTE.findall(found[1])), found[2], f"{place}: story {number}")
    if "<REUTERS" in content[end:]:
        raise BrokenArchiveError(f"{place}: its last story is not closed by </REUTERS>.")


def _story(attributes: dict[str, str], content: str, place: str) -> Story:
    missing = {"NEWID", "LEWISSPLIT", "TOPICS"} - set(attributes)
    if missing:
        raise BrokenArchiveError(f"{place} lacks the attribute {min(missing)}.")
    return Story(
        id=attributes["NEWID"],
        split=attributes["LEWISSPLIT"],
        indexed=attributes["TOPICS"] == "YES",
        topics=tuple(plain(topic) for topic in TOPIC.findall(_element("TOPICS", content) or "")),
        title=_text("TITLE", content),
        body=_text("BODY", content),
        date=_text("DATE", content),
    )


def _element(name: str, content: str) -> str | None:
    found = re.search(rf"<{name}>(.*?)</{name}>", content, re.DOTALL)
    return found[1] if found else None


def _text(name: str, content: str) -> str | None:
    raw = _element(name, content)
    return None if raw is None else plain(raw)


def plain(text: str) -> str:
    """Markup resolved once, control characters as spaces, no white space around.

    Unknown entities stay as they are: the texts hold a bare & too.
    """
    return CONTROL.sub(" ", ENTITY.sub(_character, text)).strip()


def _character(entity: re.Match[str]) -> str:
    number, name = entity.groups()
    if name:
        return NAMED.get(name, entity[0])
    return chr(int(number)) if int(number) < 0x110000 else entity[0]
