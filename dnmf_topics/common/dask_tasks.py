"""What a worker of a dask cluster does for `DaskEngine`: its part of a call, from files to files.

A call has a folder, which the driver and all workers see. There the driver leaves what all tasks
share and takes their results from, so that a task is told no more than a path and a number.
Files survive a worker that dies; a task that is run again writes the same once more.
"""

from __future__ import annotations

import os
import pickle
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from .blocks import Blocks
from .engines import Outcome, add_in_place, tree_sum
from .parallel import no_convergence_warnings, one_blas_thread

SHARED = "shared"  # names of files in a call's folder
TOTAL = "total"
TOKEN = "token"  # in the engine's folder
RECENT = 2  # calls whose shared values a worker keeps in memory, and matrices

_loading = threading.RLock()  # so that the threads of a worker read a file once


# Files


def store(path: Path, value: Any) -> None:
    """Write a value as a file, which is complete or absent."""
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with unfinished.open("wb") as file:
        pickle.dump(value, file, protocol=5)
    os.replace(unfinished, path)


def fetch(path: Path) -> Any:
    """The value that `store` wrote. Arrays can be written to, if they could be before."""
    with path.open("rb") as file:
        return pickle.load(file)


class _Unpickler(pickle.Unpickler):
    """Reads values in which matrices stand as the names of their own files."""

    def persistent_load(self, path: str) -> Any:
        """The blocks of a matrix."""
        return _matrix(path)


@lru_cache(RECENT)
def _matrix(path: str) -> Any:
    return fetch(Path(path))


def _read(path: Path) -> Any:
    with path.open("rb") as file:
        return _Unpickler(file).load()


_read_once = lru_cache(RECENT)(_read)


def shared_by_all(folder: Path) -> Any:
    """What the tasks of a call share."""
    with _loading:
        try:
            return _read_once(folder / SHARED)
        except FileNotFoundError as error:
            if (folder / SHARED).exists():
                raise
            raise FileNotFoundError(unseen(folder.parent, socket.gethostname())) from error


def unseen(folder: Path, host: str) -> str:
    """The sentence about a folder that a machine does not have."""
    return (
        f"A dask worker on {host} cannot use the folder {folder}; spool to a "
        "folder that the driver and all workers can read and write under the same path."
    )


# Tasks


def call_item(folder: Path, number: int) -> None:
    """Leave what a function gives for one item."""
    function, shared = shared_by_all(folder)
    item = _read(item_path(folder, number))
    with one_blas_thread(), no_convergence_warnings():
        result = function(item, *shared)
    store(result_path(folder, number), result)


def call_blocks(folder: Path, start: int, stop: int, num_split: int) -> Any:
    """The sum over neighboring blocks; leave what is kept of them."""
    documents, function, shared = shared_by_all(folder)
    kept = []

    def summands() -> Iterator[Any]:
        for number in range(start, stop):
            rows = (_rows(folder, split, documents, number) for split in range(num_split))
            outcome: Outcome = function(documents[number], *rows, *shared)
            kept.append(outcome.kept)
            yield outcome.summand

    with one_blas_thread(), no_convergence_warnings():
        total = tree_sum(summands(), add_in_place)
    store(result_path(folder, start), kept)
    return total


def _rows(folder: Path, split: int, documents: Blocks, number: int) -> NDArray[Any]:
    """The rows of an array that belong to a block."""
    array = np.load(split_path(folder, split), mmap_mode="r")
    return np.array(array[documents.limits(number)])  # kernels are compiled for such, not for maps


def add_neighbors(summands: list[Any], folder: Path | None) -> Any:
    """The sum of neighbors; that of all is left in a call's folder."""
    total = tree_sum(summands)  # not in place: they are others' results, and may be needed again
    if folder is None:
        return total
    store(folder / TOTAL, total)
    return None


def item_path(folder: Path, number: int) -> Path:
    """Where the driver leaves an item."""
    return folder / f"item-{number}"


def result_path(folder: Path, number: int) -> Path:
    """Where a task leaves its result."""
    return folder / f"result-{number}"


def split_path(folder: Path, split: int) -> Path:
    """Where an array with a row for each document is."""
    return folder / f"split-{split}.npy"


# Before the first task


class Introduction(NamedTuple):
    """What a worker says of itself."""

    version: str
    """Of dnmf_topics."""
    numpy_version: str
    host: str
    answer: str | None
    """The name of the file that it wrote into the folder; None if it does not see the token."""


def introduce(folder: Path, token: str) -> Introduction:
    """Read the token in a folder and answer with a file, to show that both sides mean the same."""
    answer: str | None = None
    with suppress(OSError):
        if (folder / TOKEN).read_text("utf-8") == token:
            answer = f"seen-{uuid.uuid4().hex}"
            (folder / answer).touch()
    return Introduction(__version__, np.__version__, socket.gethostname(), answer)
