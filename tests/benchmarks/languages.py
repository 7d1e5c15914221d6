"""How many stop words of other languages texts have left, in their own language and in others.

    DNMF_CORPORA=... python tests/benchmarks/languages.py

The constants of `dnmf_topics.text.foreign_words` lie between the first and the second table: texts
whose stop words are right must stay below them, texts with English ones be above. The first has the
largest shares of the English corpora, of each of their classes, and of samples of their documents,
and those of other languages with their own stop words; the second those of the other languages with
English stop words. Texts of other languages are Django's messages (`pip install django`).
"""

from __future__ import annotations

import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from loading import BARE, newsgroups, read_texts, subject_of

from dnmf_topics.text import Tokenization
from dnmf_topics.text.counting import Vocabulary
from dnmf_topics.text.foreign_words import foreign_hint, foreign_shares
from dnmf_topics.text.languages import LANGUAGES, find_language
from dnmf_topics.text.portions import count_texts
from dnmf_topics.text.stop_words import listed_languages

MOST_DOCS = 6000
SAMPLES = {20: 100, 100: 40, 500: 10}  # documents: samples


def look(texts: Iterable[str], language: str = "en") -> tuple[float, str, bool]:
    """The largest share, whose it is, and whether there is a notice."""
    settings = Tokenization(language=language)
    vocabulary = Vocabulary()
    vocabulary.add(count_texts(list(texts), settings).tally())
    shares = foreign_shares(vocabulary, settings)
    code = max(shares, key=shares.__getitem__, default="")
    return shares.get(code, 0.0), code, foreign_hint(vocabulary, settings) is not None


def shown(found: tuple[float, str, bool]) -> str:
    share, code, noticed = found
    return f"{share:.3f} {code:3}{'!' if noticed else ' '}"


def english() -> dict[str, tuple[list[str], list[str]]]:
    names = ("stackoverflow", "biomedical", "agnews", "webkb")
    corpora = {name: read_texts(f"diverse/{name}.jsonl.gz") for name in names}
    corpora["arxiv"] = read_texts("arxiv/arxiv-100k.jsonl.gz")
    for name, remove in [("20newsgroups", ()), ("20newsgroups-bare", BARE)]:
        bunch = newsgroups(remove=remove)
        corpora[name] = bunch.data, bunch.target.tolist()
    texts, labels = corpora["20newsgroups"]
    corpora["subjects"] = [subject_of(text) for text in texts], labels
    return {name: (texts[:MOST_DOCS], y[:MOST_DOCS]) for name, (texts, y) in corpora.items()}


def messages() -> dict[str, list[str]]:
    """Django's messages of at least four words, by language."""
    found = defaultdict(list)
    spec = importlib.util.find_spec("django")
    if spec is None or spec.origin is None:
        raise SystemExit("Install Django, whose messages are the texts of other languages.")
    for path in sorted(Path(spec.origin).parent.rglob("LC_MESSAGES/django.po")):
        language = find_language(path.parent.parent.name.partition("_")[0])
        if language is not None and language.code != "en":
            content = path.read_text("utf8").replace('"\n"', "")
            for message in re.findall(r'^msgstr(?:\[\d\])? "(.*)"$', content, re.MULTILINE):
                if len(message.split()) >= 4:
                    found[language.code].append(re.sub(r"%\(\w+\)\w|%\w|\\n", " ", message))
    return {code: texts for code, texts in found.items() if len(texts) >= 40}


def main() -> None:
    rng = np.random.default_rng(0)
    print("The right stop words: largest share of another language (! with a notice)")
    print(f"{'':18} {'all':10} {'a class':10} " + " ".join(f"{size} docs   " for size in SAMPLES))
    for name, (texts, labels) in english().items():
        groups = defaultdict(list)
        for text, label in zip(texts, labels, strict=True):
            groups[label].append(text)
        cells = [look(texts), max(map(look, groups.values()))]
        for size, times in SAMPLES.items():
            drawn = (rng.choice(len(texts), size, replace=False) for _ in range(times))
            cells.append(max(look(texts[i] for i in chosen) for chosen in drawn))
        print(f"{name:18} {' '.join(map(shown, cells))}", flush=True)
    others = messages()
    listed = [code for code in others if LANGUAGES[code].group in listed_languages()]
    for code in listed:
        print(f"{LANGUAGES[code].title:18} {shown(look(others[code], code))}")
    print("\nEnglish stop words: largest share")
    num_noticed = 0
    for code in listed:
        found = look(others[code])
        num_noticed += found[2]
        print(f"{LANGUAGES[code].title:18} {shown(found)}")
    print(f"\nnoticed: {num_noticed} of {len(listed)}")


if __name__ == "__main__":
    main()
