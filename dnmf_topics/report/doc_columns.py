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
CENTRAL = (0.02, 0.98)  # a few values far out must not take all the colors


def time_of(dates: Sequence[Any]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Bins of the calendar, and for every document its bin and its date; None without any date."""
    bins = calendar_bins(dates)
    if not bins.labels:
        return None, {"time": None, "date": None}
    is_known = bins.index >= 0
    is_short = (bins.ends - bins.starts).max() < np.timedelta64(1, "D")
    written = np.datetime_as_string(read_dates(dates), unit="m" if is_short else "D")
    time = {
        "unit": bins.unit,
        "starts": np.datetime_as_string(bins.starts).tolist(),
        "labels": list(bins.labels),
    }
    return time, {
        "time": [int(at) if known else None for at, known in zip(bins.index, is_known, strict=True)],
        "date": [
            str(date).replace("T", " ") if known else None
            for date, known in zip(written, is_known, strict=True)
        ],
    }


def column_of(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """A column as numbers if all known values are numbers, and else as categories.

    Categories come with the most frequent first, and a code is the place of the document's among
    them. Numbers are the codes themselves; the limits, beyond which colors do not change, leave
    out a few values at either end. A value that is not known has the code None.
    """
    known = [None if _is_unknown(value) else value for value in values]
    numbers = [None if value is None else _number(value) for value in known]
    if all((number is None) == (value is None) for number, value in zip(numbers, known, strict=True)):
        given = [number for number in numbers if number is not None]
        if given:
            limits = np.quantile(given, CENTRAL)
            if limits[0] == limits[1]:
                limits = np.array([min(given), max(given)])
            return {
                "name": name,
                "kind": "number",
                "values": [_short(limit) for limit in limits],
                "codes": [None if number is None else _short(number) for number in numbers],
            }
    texts = [None if value is None else " ".join(str(value).split()) for value in known]
    texts = [text[:MAX_LENGTH] if text else None for text in texts]
    frequent = [text for text, _ in Counter(text for text in texts if text).most_common()]
    places = {text: place for place, text in enumerate(frequent)}
    return {
        "name": name,
        "kind": "category",
        "values": frequent,
        "codes": [None if text is None else places[text] for text in texts],
    }


def columns_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All columns of which at least one value is known."""
    described = (column_of(str(name), values) for name, values in columns.items())
    return [column for column in described if any(code is not None for code in column["codes"])]


def _is_unknown(value: Any) -> bool:
    # of all values only NaN and NaT differ from themselves
    return value is None or value == "" or bool(value != value)


def _number(value: Any) -> float | None:
    """A number, or a string that is one; True is none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, Real)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _short(value: float) -> float:
    return float(f"{value:.6g}")
