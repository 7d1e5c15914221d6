"""Dates of every form, and bins of the calendar that suit them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dnmf_topics.common.calendar_bins import MOST_CHOSEN, UNITS, calendar_bins
from dnmf_topics.common.reading_dates import DateError, read_dates

ZONE = dt.timezone(dt.timedelta(hours=2))
READ = {
    "1987": "1987-01-01", 1987: "1987-01-01", 1988.0: "1988-01-01", "1987.0": "1987-01-01",
    19871019: "1987-10-19", "20190304": "2019-03-04", "2019-03": "2019-03-01",
    1551657600: "2019-03-04", "1551657600.5": "2019-03-04", 1551657600123: "2019-03-04",
    "2019-03-04": "2019-03-04", " 2019-03-04 ": "2019-03-04", "March 2019": "2019-03-01",
    "4 March 2019": "2019-03-04", "4/3/2019": "2019-04-03", "13/2/2003": "2003-02-13",
    "2019-03-04T01:00:00+02:00": "2019-03-03T23:00:00", "1500-01-02": "1500-01-02",
    "26-FEB-1987 15:01:01.79": "1987-02-26T15:01:01",
    "Mon, 26 Oct 1987 15:01:01 -0500 (EST)": "1987-10-26T20:01:01",
    "Mon, 26 Oct 1987 15:01:01 EST": "1987-10-26T20:01:01",
    "6 Apr 93 17:13:08 GMT": "1993-04-06T17:13:08",
    "Mon May  3 10:00:00 EDT 1993": "1993-05-03T14:00:00",
    "12 Apr 93 10:00:00 MET DST": "1993-04-12T10:00:00",
    dt.date(2019, 3, 4): "2019-03-04", dt.datetime(2019, 3, 4, 1, tzinfo=ZONE): "2019-03-03T23:00",
    pd.Timestamp("2019-03-04", tz="Asia/Tokyo"): "2019-03-03T15:00",
    np.datetime64("2019-03-04"): "2019-03-04", np.int64(2001): "2001-01-01",
}  # fmt: skip


@pytest.mark.parametrize(("value", "read"), READ.items(), ids=map(str, READ))
def test_what_is_read(value: Any, read: str) -> None:
    assert read_dates([value])[0] == np.datetime64(read, "s")


def test_mixed_values_are_read_one_by_one() -> None:
    assert (read_dates(list(READ)) == np.array(list(READ.values()), "datetime64[s]")).all()


def test_what_is_unknown() -> None:
    nothing = [None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT"), "", "  ", "NaN", "NaT"]
    assert np.isnat(read_dates(nothing)).all()
    bins = calendar_bins(nothing)
    assert bins.labels == ()
    assert bins.starts.size == 0
    assert (bins.index == -1).all()


@pytest.mark.parametrize(
    "value",
    ["yesterday", "now", "today", "Apr", "Apr 12", "8:30", "12", 12, -5, 0, True, float("inf"),
     1e30, "2019-13-45", "Sun, 31 Feb 2019 10:00:00 +0000", "201903", "20191399", "99999999", [1],
     b"2019", "9999-12-31", "0000", dt.time(3)],
)  # fmt: skip
def test_what_is_no_date_is_named_with_its_position(value: Any) -> None:
    dates = ["2019-03-04", None, "2019-03-04", value, "worse"]
    with pytest.raises(DateError, match="at position 3") as caught:
        calendar_bins(dates)
    assert (caught.value.value, caught.value.position) == (value, 3)


@pytest.mark.parametrize("dates", ["2019-03-04", 2019, None, dt.date(2019, 3, 4)])
def test_dates_must_be_a_sequence(dates: Any) -> None:
    with pytest.raises(TypeError, match="sequence of dates"):
        calendar_bins(dates)


def test_columns_of_pandas() -> None:
    times = pd.Series(pd.date_range("2019-01-01", periods=50, freq="D"))
    times[3] = pd.NaT
    plain = calendar_bins([None if pd.isna(time) else str(time) for time in times])
    for dates in (times, times.to_numpy(), times.dt.tz_localize("UTC"), list(times)):
        bins = calendar_bins(dates)
        assert bins.unit == plain.unit
        assert (bins.index == plain.index).all()
    assert calendar_bins(times.dt.tz_localize("Asia/Tokyo"), bins="day").labels[0] == "31 Dec 2018"


LABELS = {
    "year": ("2019", "2020"), "quarter": ("2019 Q1", "2019 Q2"), "month": ("Mar 2019", "Apr 2019"),
    "6 months": ("Jan-Jun 2019", "Jul-Dec 2019"), "5 years": ("2015-2019", "2020-2024"),
    "10 years": ("2010-2019", "2020-2029"), "week": ("4 Mar 2019", "11 Mar 2019"),
    "2 weeks": ("4 Mar 2019", "18 Mar 2019"), "day": ("6 Mar 2019", "7 Mar 2019"),
    "hour": ("6 Mar 2019 09:00", "6 Mar 2019 10:00"),
    "15 minutes": ("6 Mar 2019 09:30", "6 Mar 2019 09:45"),
    "second": ("6 Mar 2019 09:41:07", "6 Mar 2019 09:41:08"),
}  # fmt: skip


@pytest.mark.parametrize("unit", LABELS)
def test_labels(unit: str) -> None:
    """Of a date's bin and of the next one, into which its end falls."""
    date = "2019-03-06T09:41:07"
    bins = calendar_bins([date], bins=unit)
    assert bins.starts[0] <= np.datetime64(date) < bins.ends[0]
    assert calendar_bins([date, bins.ends[0]], bins=unit).labels == LABELS[unit]


def days(number: int, every: int = 1, start: str = "2015-01-01") -> list[np.datetime64]:
    return list(np.datetime64(start) + every * np.arange(number))


@pytest.mark.parametrize(
    ("dates", "unit"),
    [
        (days(30) * 10, "day"),
        (days(30), "week"),
        (["1987-02-26", *days(230, start="1987-02-27"), "1987-10-20"], "week"),
        (days(700), "month"),
        (days(1800), "quarter"),
        (days(7000), "year"),
        (days(700, every=105), "10 years"),
        ([*days(400), "2000-01-01"], "quarter"),  # one wrong date in 400
        ([f"{year}" for year in range(1990, 1996) for _ in range(50)], "year"),
        ([f"2019-0{month}" for month in range(1, 5) for _ in range(50)], "month"),
        (["2019-03-04", "2019-06-01", "2019-11-05"], "year"),  # of three documents no course
        (["2019-03-04"] * 200, "day"),
        ([f"2019-03-04T{hour:02}:10:00" for hour in range(24)] * 10, "hour"),
    ],
)
def test_bins_of_most_documents_are_few_and_full(dates: list[Any], unit: str) -> None:
    assert calendar_bins(dates).unit == unit


def test_about_so_many_bins() -> None:
    dates = days(3650)
    assert calendar_bins(dates, bins=10).unit == "year"
    assert calendar_bins(dates, bins=120).unit == "month"
    assert calendar_bins(dates, bins=500).unit == "week"
    assert len(calendar_bins(dates, bins=1).labels) == 1


CHOSEN = ["auto", 1, 7, 100]
LONG = [unit for unit in UNITS if "year" in unit]
ANY_TIME = st.datetimes(dt.datetime(100, 1, 1), dt.datetime(8999, 12, 31))
ONE_HOUR = st.datetimes(dt.datetime(2016, 2, 29, 23, 30), dt.datetime(2016, 3, 1, 0, 30))


@given(
    st.tuples(st.lists(st.none() | ANY_TIME, min_size=1), st.sampled_from([*CHOSEN, *LONG]))
    | st.tuples(st.lists(st.none() | ONE_HOUR, min_size=1), st.sampled_from([*CHOSEN, *UNITS]))
)
@example(([dt.datetime(8999, 12, 31), dt.datetime(100, 1, 1)], "auto"))
@example(([dt.datetime(8999, 12, 31), dt.datetime(100, 1, 1)], 1))
@example(([dt.datetime(100, 1, 1)], "100 years"))
def test_bins_are_a_line_without_gaps(drawn: tuple[list[Any], int | str]) -> None:
    dates, bins = drawn
    found = calendar_bins(dates, bins=bins)
    assert found.index.shape == (len(dates),)
    assert len(found.labels) == found.starts.size == found.ends.size
    assert len(set(found.labels)) == len(found.labels)
    assert (found.starts[1:] == found.ends[:-1]).all()
    assert (found.starts < found.ends).all()
    if bins not in UNITS:
        assert found.starts.size <= MOST_CHOSEN
    known = [number for number in found.index.tolist() if number >= 0]
    assert not known or (min(known), max(known)) == (0, found.starts.size - 1)
    for date, number in zip(dates, found.index.tolist(), strict=True):
        if date is None:
            assert number == -1
        else:
            assert found.starts[number] <= np.datetime64(date) < found.ends[number]


@pytest.mark.parametrize(
    ("bins", "message"),
    [("fortnight", "'auto', a number or one of second, .* got 'fortnight'"),
     (0, "from 1 to 10000"), (1.5, "whole number"), (True, "whole number"), (None, "whole number"),
     ("second", "at most 10,000 bins")],
)  # fmt: skip
def test_wrong_bins(bins: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        calendar_bins(["2019-01-01", "2019-06-01"], bins=bins)
