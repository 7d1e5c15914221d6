"""Descriptions of Debian's packages by section, in four languages: texts that nothing was set by.

The files are fetched by apt, and named as `loading.folder()` / "debian" has them:

    apt-get update -o Dir::State::lists=$PWD/lists -o Acquire::GzipIndexes=false \\
        -o Acquire::Languages=en -o Acquire::Languages::=de ...
    cp lists/*_main_binary-amd64_Packages debian/Packages
    cp lists/*_main_i18n_Translation-de debian/Translation-de

Results are of Debian 12 (bookworm). Of packages from one source, whose descriptions repeat each
other, one is taken.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# Those that say what a package is about, or what it is written in; not "libs", "doc" or "utils".
SECTIONS = {
    "cli-mono", "comm", "database", "editors", "education", "electronics", "fonts", "games",
    "gnu-r", "golang", "graphics", "hamradio", "haskell", "java", "javascript", "kernel", "mail",
    "math", "news", "php", "ruby", "rust", "science", "shells", "sound", "tex", "text", "video",
    "web",
}  # fmt: skip
MIN_WORDS = 15
MOST, LEAST = 250, 40  # packages of a section


def paragraphs(path: Path) -> Iterator[dict[str, str]]:
    """Fields of every paragraph; of those on several lines the first one."""
    for paragraph in path.read_text("utf8").split("\n\n"):
        yield dict(re.findall(r"^(\S+): (.*)$", paragraph, re.MULTILINE)) | {"": paragraph}


def read_packages(folder: Path, language: str) -> tuple[list[str], list[str]]:
    """Descriptions in a language, by its code, and the sections of the packages."""
    known = {
        fields["Package"]: (fields["Section"], fields.get("Source", fields["Package"]).split()[0])
        for fields in paragraphs(folder / "Packages")
        if fields.get("Section") in SECTIONS
    }
    found, sources = [], set()
    for fields in paragraphs(folder / f"Translation-{language}"):
        section, source = known.get(fields.get("Package", ""), ("", ""))
        text = fields[""].partition(f"\nDescription-{language}: ")[2].replace("\n .\n", "\n\n")
        if section and source not in sources and len(text.split()) >= MIN_WORDS:
            sources.add(source)
            found.append((text, section))
    random.Random(0).shuffle(found)
    places, chosen = Counter[str](), []
    for text, section in found:
        places[section] += 1
        if places[section] <= MOST:
            chosen.append((text, section))
    kept = [(text, section) for text, section in chosen if places[section] >= LEAST]
    return [text for text, _ in kept], [section for _, section in kept]
