"""From texts to vectors, by a sentence encoder or by any function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.progress import Progress, ProgressCallback, silent
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
        to an array with a row for each. Nothing is downloaded: a model that is not there is an
        error that says what gets it.
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

    Examples
    --------
    >>> def count_letters(texts):
    ...     return [[text.count(letter) for letter in "aeiou"] for text in texts]
    >>> embed_texts(["rain and storm", "wine"], count_letters).tolist()
    [[2.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0, 0.0]]
    """
    embed = _encoder(model) if isinstance(model, str) else model
    plain = (text.text if isinstance(text, Document) else text for text in texts)
    parts, done = [], 0
    while batch := list(islice(plain, BATCH)):
        part = np.asarray(embed(batch), np.float32)
        if part.ndim != 2 or len(part) != len(batch):
            raise ValueError(
                f"model must give a row for each of {len(batch)} texts, got an array of shape "
                f"{part.shape}."
            )
        parts.append(part)
        done += len(batch)
        progress(Progress("vectors", done, len(texts) if isinstance(texts, Sequence) else None))
    if not parts:
        raise ValueError("texts must have at least one text, got none.")
    return np.concatenate(parts)


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
