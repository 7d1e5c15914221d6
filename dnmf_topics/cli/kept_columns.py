"""Columns of the input that a run keeps: which one has the dates, which the links, which others."""

from __future__ import annotations

import logging
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..common.calendar_bins import calendar_bins
from ..common.checks import shortened
from ..common.reading_dates import DateError
from ..text import TextCorpus

logger = logging.getLogger(__name__)


def asked_columns(args: Namespace) -> list[str]:
    """The names that options name; not all commands have such options."""
    given = vars(args)
    names = [given.get("date"), given.get("link"), *given.get("column", [])]
    return [name for name in names if name is not None]


def page_columns(corpus: TextCorpus, options: Mapping[str, Any]) -> dict[str, Sequence[str | None]]:
    """Those that the page can be colored by: the ones that were named for it."""
    named = options.get("column")
    wanted = named if isinstance(named, list) else []
    others = [options.get(what) for what in ("date", "link")]
    return {
        name: column
        for name, column in corpus.columns.items()
        if name in wanted and name not in others
    }


def with_dates(corpus: TextCorpus, column: str | None, *, skip: bool) -> TextCorpus:
    """The corpus, whose column has dates; raises, before any training, for something else.

    With `skip` what is no date becomes a missing one, and the log says how many.
    """
    if column is None:
        return corpus
    dates = corpus.columns[column]
    try:
        found = calendar_bins(dates)
    except DateError as error:
        wrong, num_docs = error.positions, len(corpus)
        first = f"the document {shortened(corpus.ids[wrong[0]])} has {shortened(error.value)}"
        if not skip:
            raise ValueError(
                f"--date {column}: {first}, which is no date ({len(wrong)} of {num_docs} are "
                "none); correct it, leave it empty, or give --skip-errors to do without these."
            ) from None
        logger.warning(
            "--date %s: %i of %i are no dates and are left out, the first: %s",
            column, len(wrong), num_docs, first,
        )  # fmt: skip
        kept = [*dates]
        for position in wrong:
            kept[position] = None
        corpus = replace(corpus, columns={**corpus.columns, column: tuple(kept)})
        found = calendar_bins(kept)
    if not found.starts.size:
        raise ValueError(f"--date {column}: no document has a date; name another column.")
    return corpus
