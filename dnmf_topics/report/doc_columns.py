"""What else is known of the documents: when they were written, where they are, any column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..common.calendar_bins import calendar_bins
from ..common.reading_dates import read_dates

MAX_LENGTH = 100  # characters of a category's name
UNKNOWN = {"", "nan", "NaN", "NaT", "<NA>"}  # as numpy and pandas write what is missing
CENTRAL = (0.02, 0.98)  # a few values far out must not take all the colors


def time_of(dates: Sequence[Any]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Bins of the calendar, and for every document its bin and its date; None without any date."""
    bins = calendar_bins(dates)
    if not bins.labels:
        return None, {"time": None, "date": None}
    is_short = (bins.ends - bins.starts).max() < np.timedelta64(1, "D")
    written = np.datetime_as_string(read_dates(dates), unit="m" if is_short else "D").tolist()
    time = {
        "unit": bins.unit,
        "starts": np.datetime_as_string(bins.starts).tolist(),
        "labels": list(bins.labels),
    }
    return time, {
        "time": [None if at < 0 else at for at in bins.index.tolist()],
        "date": [None if date == "NaT" else date.replace("T", " ") for date in written],
    }


def column_of(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """A column as numbers if all known values are numbers, and else as categories.

    Categories come with the most frequent first, and a code is the place of the document's among
    them. Numbers are the codes themselves; the limits, beyond which colors do not change, leave
    out a few values at either end. A value that is not known has the code None.
    """
    known = [None if is_unknown(value) else value for value in values]
    numbers = [None if value is None else _number(value) for value in known]
    given = [number for number in numbers if number is not None]
    if given and len(given) == sum(value is not None for value in known):
        return {"name": name, "kind": "number", "values": _limits(given), "codes": numbers}
    texts = ["" if value is None else " ".join(str(value).split())[:MAX_LENGTH] for value in known]
    frequent = [text for text, _ in Counter(filter(None, texts)).most_common()]
    places = {text: place for place, text in enumerate(frequent)}
    codes = [places[text] if text else None for text in texts]
    return {"name": name, "kind": "category", "values": frequent, "codes": codes}


def columns_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All columns of which at least one value is known."""
    described = (column_of(str(name), values) for name, values in columns.items())
    return [column for column in described if any(code is not None for code in column["codes"])]


def is_unknown(value: Any) -> bool:
    """Whether a value stands for none, as it comes from Python, numpy or pandas."""
    return value is None or str(value).strip() in UNKNOWN


def _number(value: Any) -> float | None:
    """A number, or a string that is one; True is none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, Real)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return float(f"{number:.12g}") if math.isfinite(number) else None


def _limits(numbers: list[float]) -> list[float]:
    low, high = np.quantile(numbers, CENTRAL)
    if low == high:
        low, high = min(numbers), max(numbers)
    return [float(f"{limit:.6g}") for limit in (low, high)]
