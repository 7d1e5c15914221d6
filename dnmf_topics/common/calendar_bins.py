"""Dates in bins of the calendar: which bins suit the dates, and in which one each date lies."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import IntArray
from .checks import check_int, shortened
from .reading_dates import Dates, read_dates

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Bins that can be told apart in a picture and still show a course: 10 to 40, around this number.
WANTED = 20
# What a multiple of a unit costs, as a factor by which the number of bins may be off instead.
UNUSUAL = 1.6
# Documents that a bin must have on average, lest the time line shows chance alone.
DOCS_PER_BIN = 5
# A few wrong dates must not widen all bins, nor make a time line of nothing but empty ones.
CENTRAL = (0.01, 0.99)
MOST_CHOSEN = 160
MOST_BINS = 10_000


@dataclass(frozen=True, eq=False)
class CalendarBins:
    """Bins of the calendar, one after the other without a gap, and the bins of dates.

    Attributes
    ----------
    unit : str
        How long a bin is: "year", "quarter", "month", "week", "5 years" and so on.
    starts, ends : (B) arrays of datetime64[s]
        Bin b has the dates from ``starts[b]`` until before ``ends[b]``, in UTC.
    labels : tuple of str
        The bins in short: "2019", "2019 Q2", "Mar 2019", "4 Mar 2019" (weeks by their Monday).
    index : (N) array of int
        The bin of each date, -1 where it is unknown.

    Examples
    --------
    >>> calendar_bins(["2019-11-30", None, "2020-02-01"], bins="month").labels
    ('Nov 2019', 'Dec 2019', 'Jan 2020', 'Feb 2020')
    """

    unit: str
    starts: NDArray[np.datetime64]
    ends: NDArray[np.datetime64]
    labels: tuple[str, ...]
    index: IntArray


@dataclass(frozen=True)
class _Unit:
    """So many of numpy's units, counted from a multiple of them plus `offset`."""

    base: str
    number: int
    label: Callable[[Any, Any], str]
    offset: int = 0

    def count(self, dates: Dates) -> IntArray:
        """Numbers of the bins that dates lie in, counted from 1970 on."""
        counted = dates.astype(f"datetime64[{self.base}]").astype(np.int64)
        numbers: IntArray = (counted - self.offset) // self.number
        return numbers

    def starts(self, numbers: IntArray) -> Dates:
        """When bins begin."""
        counted = (numbers * self.number + self.offset).astype(f"datetime64[{self.base}]")
        return counted.astype("datetime64[s]")


def _years(start: Any, end: Any) -> str:
    return f"{start.year}" if end.year == start.year + 1 else f"{start.year}-{end.year - 1}"


def _quarter(start: Any, end: Any) -> str:
    return f"{start.year} Q{start.month // 3 + 1}"


def _months(start: Any, end: Any) -> str:
    last = MONTHS[end.month - 2]  # the month before the end
    first = MONTHS[start.month - 1]
    return f"{first} {start.year}" if first == last else f"{first}-{last} {start.year}"


def _day(start: Any, end: Any) -> str:
    return f"{start.day} {MONTHS[start.month - 1]} {start.year}"


def _minute(start: Any, end: Any) -> str:
    return f"{_day(start, end)} {start:%H:%M}"


def _second(start: Any, end: Any) -> str:
    return f"{_day(start, end)} {start:%H:%M:%S}"


# From the finest on. Weeks begin on Monday, and day 0, the first of January 1970, is a Thursday.
UNITS = {
    "second": _Unit("s", 1, _second),
    "10 seconds": _Unit("s", 10, _second),
    "minute": _Unit("m", 1, _minute),
    "5 minutes": _Unit("m", 5, _minute),
    "15 minutes": _Unit("m", 15, _minute),
    "hour": _Unit("h", 1, _minute),
    "3 hours": _Unit("h", 3, _minute),
    "6 hours": _Unit("h", 6, _minute),
    "day": _Unit("D", 1, _day),
    "week": _Unit("D", 7, _day, offset=-3),
    "2 weeks": _Unit("D", 14, _day, offset=-3),
    "month": _Unit("M", 1, _months),
    "quarter": _Unit("M", 3, _quarter),
    "6 months": _Unit("M", 6, _months),
    "year": _Unit("Y", 1, _years),
    # Year 30 is the year 2000.
    **{
        f"{number} years": _Unit("Y", number, _years, offset=30)
        for number in (2, 5, 10, 20, 50, 100)
    },
}


def calendar_bins(dates: Any, bins: int | str = "auto") -> CalendarBins:
    """Bins of the calendar for dates.

    Parameters
    ----------
    dates : sequence
        Whatever `pandas.to_datetime` reads, one by one: strings of any format, also mixed, and of
        mail headers; dates and times of Python, numpy and pandas. A number, or a string of digits,
        is a year (1987), a day (19871019) or a Unix time (of 9 digits or more, in seconds, milli-,
        micro- or nanoseconds by its length). Times of other zones become UTC, those without a zone
        are taken for it. In 4/3/2019 the month comes first, as pandas has it, unless it cannot.
        None, NaN, NaT and blank strings are unknown.
    bins : "auto", int or str, default="auto"
        About how many bins, or how long one is: "second", "minute", "hour", "day", "week" (from
        Monday on), "month", "quarter", "year", or one of the multiples such as "5 years". "auto"
        takes the unit that gives around 20 bins, 10 to 40 in most cases; fewer for so few dates
        that bins would be nearly empty, and none finer than the dates, such as days for years.

    Returns
    -------
    CalendarBins
        From the first date's bin to the last one's, empty ones between them included; without bins
        if no date is known.

    Raises
    ------
    DateError
        If a value is no date; a ValueError that says which one.
    ValueError
        If `bins` is neither of these, or makes more than 10,000 bins.

    Examples
    --------
    >>> bins = calendar_bins(["1987-02-26", "Mon, 19 Oct 1987 09:30:00 EST", None], bins="quarter")
    >>> bins.labels
    ('1987 Q1', '1987 Q2', '1987 Q3', '1987 Q4')
    >>> bins.index.tolist()
    [0, 3, -1]
    """
    _check_bins(bins)
    read = read_dates(dates)
    is_known = ~np.isnat(read)
    known = read[is_known]
    index = np.full(read.size, -1, np.int64)
    if not known.size:
        nothing = np.zeros(0, "datetime64[s]")
        return CalendarBins(str(bins) if bins in UNITS else "year", nothing, nothing, (), index)
    name = bins if isinstance(bins, str) and bins != "auto" else _choose(known, bins)
    unit = UNITS[name]
    numbers = unit.count(known)
    first, last = int(numbers.min()), int(numbers.max())
    if last - first >= MOST_BINS:
        raise ValueError(
            f"bins must make at most {MOST_BINS:,} bins, but from {known.min()} to {known.max()} "
            f"{name!r} makes {last - first + 1:,}; take a longer unit or 'auto'."
        )
    index[is_known] = numbers - first
    limits = unit.starts(np.arange(first, last + 2))
    times = limits.tolist()
    labels = tuple(unit.label(*pair) for pair in pairwise(times))
    return CalendarBins(name, limits[:-1], limits[1:], labels, index)


def _check_bins(bins: Any) -> None:
    if isinstance(bins, str):
        if bins != "auto" and bins not in UNITS:
            raise ValueError(
                f"bins must be 'auto', a number or one of {', '.join(UNITS)}, got "
                f"{shortened(bins)}."
            )
    else:
        check_int(bins, "bins", 1, MOST_BINS)


def _choose(known: Dates, bins: int | str) -> str:
    """The unit whose number of bins is nearest to what is wanted, in the logarithm."""
    central = np.quantile(known.astype(np.int64), CENTRAL).astype("datetime64[s]")
    span = np.array([known.min(), known.max()])
    if bins == "auto":
        wanted: float = min(WANTED, max(1, known.size // DOCS_PER_BIN))
    else:
        wanted, central = bins, span  # type: ignore[assignment]
    units = list(UNITS)
    costs = {}
    for name in units[units.index(_resolution(known)) :]:
        unit = UNITS[name]
        num_central, num_all = (int(np.diff(unit.count(each))[0]) + 1 for each in (central, span))
        cost = abs(math.log(num_central / wanted))
        if bins == "auto":
            cost += math.log(UNUSUAL) * (" " in name)
        if num_all <= max(MOST_CHOSEN, 2 * wanted):
            # Where units are as good as one another, as for a single date, it is the one near days.
            costs[name] = (cost, abs(units.index(name) - units.index("day")))
    return min(costs, key=costs.__getitem__)


def _resolution(known: Dates) -> str:
    """The finest unit that dates tell: all dates of years alone are the first of January."""
    for name in ("year", "month", "day", "hour", "minute"):
        if (known == known.astype(f"datetime64[{UNITS[name].base}]")).all():
            return name
    return "second"
