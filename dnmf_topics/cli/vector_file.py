"""The file of `--embeddings`: an array in numpy's format, a row for each document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.lib import format as npy

from ..common.vectors import check_vectors
from ..common.writing import new_file
from ..text import TextCorpus

Record = TypeVar("Record")


def read_vectors(named: str) -> Any:
    """The array of a file, mapped into memory and checked; nothing in the file can run code."""
    try:
        with Path(named).open("rb") as file:
            npy.read_magic(file)
        array = np.load(named, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # a header may be anything
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"--embeddings: {named} must be a whole .npy file with an array of numbers, as "
            f"numpy.save and `dnmf-topics embed` write it ({reason})."
        ) from None
    try:
        return check_vectors(array)
    except (TypeError, ValueError) as error:
        raise ValueError(f"--embeddings: {named}: {error}") from None


def check_rows(vectors: Any, named: str, corpus: TextCorpus) -> None:
    """Raise unless there is a row for each document of the corpus."""
    if len(vectors) != len(corpus):
        left_out = f" ({len(corpus.skipped)} were left out)" if corpus.skipped else ""
        raise ValueError(
            f"--embeddings: {named} must have a row for each of the {len(corpus)} documents"
            f"{left_out}, got {len(vectors)} rows."
        )


def with_rows(records: Iterable[Record], vectors: Any, named: str) -> Iterator[Record]:
    """The records; an error unless there are as many as rows."""
    records = iter(records)
    number = 0
    for record in islice(records, len(vectors)):
        number += 1
        yield record
    if number < len(vectors) or next(records, None) is not None:
        more = "" if number < len(vectors) else "more than "
        raise ValueError(
            f"--embeddings: {named} must have a row for each document, got {len(vectors)} rows for "
            f"{more}{number} documents."
        )


def write_vectors(path: Path, vectors: Any) -> None:
    """Write such a file."""
    with new_file(path) as file:
        np.save(file, vectors, allow_pickle=False)
