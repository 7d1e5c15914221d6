"""A million abstracts out of a hundred thousand, as a .jsonl file, for the large benchmarks.

    DNMF_CORPORA=... python tests/benchmarks/abstracts.py NUM_DOCS FILE

A document has a random half of the words of one arXiv abstract, then half of those of another one
of the same category, which is its label. The first documents of a larger file are those of a
smaller one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from loading import read_texts

SOURCE = "arxiv/arxiv-100k.jsonl.gz"


def mixed_abstracts(num_docs: int) -> Iterator[dict[str, str]]:
    texts, labels = read_texts(SOURCE)
    names, numbers = np.unique(labels, return_inverse=True)
    by_label = [np.flatnonzero(numbers == number) for number in range(names.size)]
    rng = np.random.default_rng(0)
    for _ in range(num_docs):
        first = int(rng.integers(len(texts)))
        second = int(rng.choice(by_label[numbers[first]]))
        halves = [_half(texts[number], rng) for number in (first, second)]
        yield {"text": " ".join(halves), "label": labels[first]}


def _half(text: str, rng: np.random.Generator) -> str:
    words = text.split()
    kept = rng.random(len(words)) < 0.5
    return " ".join(word for word, is_kept in zip(words, kept.tolist(), strict=True) if is_kept)


def write_abstracts(path: Path, num_docs: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for document in mixed_abstracts(num_docs):
            file.write(json.dumps(document, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write_abstracts(Path(sys.argv[2]), int(sys.argv[1]))
