"""From texts to vectors, by a sentence encoder or by any function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.checks import shortened
from ..common.progress import Progress, ProgressCallback, silent
from ..common.vectors import check_vectors
from .libraries import MissingError, library
from .raw_texts import Document

ENCODER = "all-MiniLM-L6-v2"
BATCH = 512  # texts that are embedded at a time

Embed = Callable[[list[str]], Any]
"""From texts to their vectors, a row for each."""


def embed_texts(
    texts: Iterable[str | Document],
    model: str | Embed = ENCODER,
    *,
    progress: ProgressCallback = silent,
) -> NDArray[np.float32]:
    """Vectors of texts, for `DnmfModel(..., embeddings=...)`.

    Parameters
    ----------
    texts : iterable of str or of Document
        The texts, such as those of `read_documents`; they are read once.
    model : str or callable, default="all-MiniLM-L6-v2"
        The name or the path of a model of sentence-transformers, or a function from a list of texts
        to an array with a row for each, such as the method `encode` of a model. Nothing is
        downloaded: a model that is not there is an error that says what gets it.
    progress : callable, optional
        Called with a `Progress` after every 512 texts.

    Returns
    -------
    (N x d) array of float32
        A row for each text, in order.

    Raises
    ------
    MissingError
        If sentence-transformers or its model is not there.
    TypeError
        If the texts are no strings, or the model gives something else than arrays of numbers.
    ValueError
        If there is no text, or the model does not give a row of finite numbers for each.

    Examples
    --------
    >>> def count_letters(texts):
    ...     return [[text.count(letter) for letter in "aeiou"] for text in texts]
    >>> embed_texts(["rain and storm", "wine"], count_letters).tolist()
    [[2.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0, 0.0]]
    """
    # A table would be read by the names of its columns.
    is_table = isinstance(texts, Mapping) or hasattr(texts, "columns")
    if is_table or isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise TypeError(f"texts must be a list of strings, got {shortened(texts)}.")
    # An encoder can be called too, but not with texts.
    if not isinstance(model, str) and (hasattr(model, "encode") or not callable(model)):
        raise TypeError(
            "model must be a name or a function from texts to vectors, such as the method `encode` "
            f"of an encoder, got {shortened(model)}."
        )
    embed = _encoder(model) if isinstance(model, str) else model
    plain = map(_plain, count(), texts)
    parts: list[NDArray[np.float32]] = []
    done = 0
    while batch := list(islice(plain, BATCH)):
        given = f"what model gives for texts {done} to {done + len(batch) - 1}"
        part = check_vectors(embed(batch), given, np.float32)
        if len(part) != len(batch):
            raise ValueError(
                f"model must give a row for each of {len(batch)} texts, got {len(part)} rows."
            )
        if parts and part.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"model must give vectors of one length, got {parts[0].shape[1]} numbers and then "
                f"{part.shape[1]}."
            )
        parts.append(part)
        done += len(batch)
        progress(Progress("vectors", done, len(texts) if isinstance(texts, Sequence) else None))
    if not parts:
        raise ValueError("texts must have at least one text, got none.")
    return np.concatenate(parts)


def _plain(number: int, text: Any) -> str:
    if isinstance(text, Document):
        return text.text
    if not isinstance(text, str):
        raise TypeError(f"texts must be strings, got {shortened(text)} at position {number}.")
    return text


def _encoder(name: str) -> Embed:
    """The function of a model of sentence-transformers."""
    transformers = library("sentence_transformers")
    try:
        encoder = transformers.SentenceTransformer(name, local_files_only=True)
    except (OSError, ValueError) as error:
        raise MissingError(
            f'The model {name!r} is not there; `python -c "from sentence_transformers import '
            f"SentenceTransformer; SentenceTransformer('{name}')\"` gets it, or give the path of "
            "its folder."
        ) from error

    def embed(texts: list[str]) -> Any:
        return encoder.encode(texts, show_progress_bar=False)

    return embed
