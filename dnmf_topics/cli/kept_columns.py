"""Columns of the input that a run keeps: which one has the dates, which the links, which others."""

from __future__ import annotations

from argparse import Namespace

from ..common.calendar_bins import calendar_bins
from ..common.checks import shortened
from ..common.reading_dates import DateError
from ..text import TextCorpus


def asked_columns(args: Namespace) -> list[str]:
    """The names that the options of `fit` name; other commands have no such options."""
    given = vars(args)
    names = [given.get("date"), given.get("link"), *given.get("column", [])]
    return [name for name in names if name is not None]


def check_dates(corpus: TextCorpus, column: str | None) -> None:
    """Raise, before any training, if a column has something else than dates."""
    if column is None:
        return
    try:
        found = calendar_bins(corpus.columns[column])
    except DateError as error:
        raise ValueError(
            f"--date {column}: the document {shortened(corpus.ids[error.position])} has "
            f"{shortened(error.value)}, which is no date; correct it, or leave it empty."
        ) from None
    if not found.starts.size:
        raise ValueError(f"--date {column}: no document has a date; name another column.")
