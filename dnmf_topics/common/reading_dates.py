"""Dates from whatever users have: strings of any format, numbers, the types of other packages."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Sequence
from datetime import date, datetime, timedelta, timezone
from email.utils import parsedate_tz
from functools import partial
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .checks import shortened, without_mask

Dates: TypeAlias = NDArray[np.datetime64]
"""Of datetime64[s], in UTC; NaT where a date is unknown."""

UNKNOWN = np.datetime64("NaT", "s")
UNKNOWN_WORDS = frozenset({"", "nan", "nat", "none", "null"})
FIRST_YEAR, LAST_YEAR = 100, 8999
DIGITS = re.compile(r"\d+(\.\d*)?", re.ASCII)
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# What pandas would complete by today's date, or by the year 1.
INCOMPLETE = re.compile(r"\D*|\d{1,2}:.*", re.ASCII | re.DOTALL)
# Unix times by the number of their digits: those of 1973 to 2286 have 9 or 10 in seconds.
UNIX_TIMES = {9: 1, 10: 1, 12: 10**3, 13: 10**3, 15: 10**6, 16: 10**6, 18: 10**9, 19: 10**9}


class DateError(ValueError):
    """A value that is no date.

    Attributes
    ----------
    value : object
        The value.
    position : int
        Where it stands, from 0 on.
    positions : list of int
        Where all such values stand.

    Examples
    --------
    >>> from dnmf_topics.common.calendar_bins import calendar_bins
    >>> calendar_bins(["2019-03-04", "yesterday"])
    Traceback (most recent call last):
    ...
    dnmf_topics.common.reading_dates.DateError: dates must be dates of the years 100 to 8999, \
such as '2019-03-04', or None where there is none, got 'yesterday' at position 1.
    """

    def __init__(self, value: Any, positions: list[int]) -> None:
        position = positions[0]
        super().__init__(
            f"dates must be dates of the years {FIRST_YEAR} to {LAST_YEAR}, such as '2019-03-04', "
            f"or None where there is none, got {shortened(value)} at position {position}."
        )
        self.value = value
        self.position = position
        self.positions = positions


def read_dates(dates: Any) -> Dates:
    """Dates as numbers; `calendar_bins` says what can be read. Equal values are read once."""
    if isinstance(dates, (str, bytes)) or not hasattr(dates, "__iter__"):
        raise TypeError(f"dates must be a sequence of dates, got {shortened(dates)}.")
    dates = without_mask(dates)
    if getattr(getattr(dates, "dtype", None), "kind", "") == "M":  # numpy's and pandas' own
        return _within_years(_by_pandas(dates))
    numbers: dict[Any, int] = {}
    index = []
    for position, value in enumerate(dates):
        if not isinstance(value, Hashable):
            raise DateError(value, [position])
        index.append(numbers.setdefault(value, len(numbers)))
    values = list(numbers)
    kinds = np.array([_kind(value) for value in values], "U7")
    read = np.full(len(values), UNKNOWN)
    for kind, reader in READERS.items():
        where = np.flatnonzero(kinds == kind)
        if where.size:
            read[where] = _within_years(reader([values[each] for each in where]))
    is_wrong = np.isnat(read) & (kinds != "unknown")
    found = np.array(index, np.int64)
    if is_wrong.any():
        wrong = np.flatnonzero(is_wrong[found]).tolist()
        raise DateError(values[found[wrong[0]]], wrong)
    return read[found]


def _within_years(dates: Dates) -> Dates:
    """The dates, those of other years unknown: 0 and 9999 stand for no date, most of the time."""
    first, last = (np.datetime64(f"{year:04}", "s") for year in (FIRST_YEAR, LAST_YEAR + 1))
    return np.where((first <= dates) & (dates < last), dates, UNKNOWN)


def _kind(value: Any) -> str:
    """A key of `READERS`, "unknown" where there is no date, "wrong" where it can be none."""
    import pandas as pd

    if isinstance(value, str):
        text = value.strip()
        if text.lower() in UNKNOWN_WORDS:
            return "unknown"
        return "number" if DIGITS.fullmatch(text) else "text"
    if isinstance(value, bool | np.bool_):
        return "wrong"
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return "unknown"
    if isinstance(value, Real):
        return "number"
    return "date" if isinstance(value, (date, np.datetime64)) else "wrong"


def _read_numbers(values: Sequence[Any]) -> Dates:
    return np.array([_read_number(str(value).strip()) for value in values], "datetime64[s]")


def _read_number(text: str) -> np.datetime64:
    """A year, a day or a Unix time, by its number of digits."""
    digits, _, fraction = text.partition(".")
    if not digits.isdecimal():
        return UNKNOWN
    if len(digits) in UNIX_TIMES:
        return np.datetime64(int(digits) // UNIX_TIMES[len(digits)], "s")
    # 1987.0 is a year of a column of floats, where some are unknown.
    if len(digits) not in (4, 8) or fraction.strip("0"):
        return UNKNOWN
    return _day(f"{digits[:4]}-{digits[4:6] or '01'}-{digits[6:] or '01'}")


def _read_texts(values: Sequence[str]) -> Dates:
    """Strings of any format: the two that can be read fast before all others."""
    read = np.full(len(values), UNKNOWN)
    rest = np.flatnonzero([INCOMPLETE.fullmatch(value.strip()) is None for value in values])
    for reader in (_read_iso, _read_early, _read_mails, _read_mixed):
        if rest.size:
            read[rest] = reader([values[each] for each in rest.tolist()])
            rest = rest[np.isnat(read[rest])]
    return read


def _read_early(values: Sequence[str]) -> Dates:
    """Days before 1677, which pandas 2 cannot count in nanoseconds."""
    return np.array([_day(value) for value in values], "datetime64[s]")


def _day(text: str) -> np.datetime64:
    try:
        return np.datetime64(text.strip(), "s") if DAY.fullmatch(text.strip()) else UNKNOWN
    except ValueError:  # the 31st of February
        return UNKNOWN


def _read_mails(values: Sequence[str]) -> Dates:
    """Dates as in the headers of mails (RFC 2822); zones that it does not know are UTC."""
    return np.array([_read_mail(value) for value in values], "datetime64[s]")


def _read_mail(text: str) -> datetime | None:
    parsed = parsedate_tz(text)
    if parsed is None:
        return None
    try:
        return datetime(*parsed[:6]) - timedelta(seconds=parsed[9] or 0)
    except (ValueError, OverflowError):
        return None


def _read_objects(values: Sequence[Any]) -> Dates:
    """Dates and times of Python, numpy and pandas."""
    return np.array([_in_utc(value) for value in values], "datetime64[s]")


def _in_utc(value: Any) -> Any:
    """The time without its zone, where it has one."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    try:
        return value.astimezone(timezone.utc).replace(tzinfo=None)
    except OverflowError:  # the first and the last day that Python knows
        return None


def _by_pandas(values: Any, format: str | None = None) -> Dates:
    import pandas as pd

    with warnings.catch_warnings():
        # That a format is guessed, or a month comes second where it cannot be the first.
        warnings.simplefilter("ignore")
        read = pd.to_datetime(pd.Index(values), utc=True, errors="coerce", format=format)
    seconds: Dates = read.tz_localize(None).to_numpy().astype("datetime64[s]")
    return seconds


_read_iso = partial(_by_pandas, format="ISO8601")
_read_mixed = partial(_by_pandas, format="mixed")
READERS = {"number": _read_numbers, "text": _read_texts, "date": _read_objects}
