from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.inputs import days_between, parse_day, parse_now, week_of

TODAY = dt.date(2026, 3, 26)


@given(st.dates())
def test_every_day_is_read_back_from_its_iso_form(day: dt.date) -> None:
    assert parse_day(day.isoformat(), TODAY) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", TODAY),
        ("Tomorrow", dt.date(2026, 3, 27)),
        ("yesterday", dt.date(2026, 3, 25)),
        ("2026-3-1", dt.date(2026, 3, 1)),
        ("friday", dt.date(2026, 3, 27)),
        ("thu", dt.date(2026, 4, 2)),
        ("+3", dt.date(2026, 3, 29)),
        ("-1", dt.date(2026, 3, 25)),
    ],
)
def test_days_are_read(text: str, day: dt.date) -> None:
    assert parse_day(text, TODAY) == day


@pytest.mark.parametrize("text", ["2025-02-30", "2025-13-01", "0000-01-01", "next year", "", "1"])
def test_what_is_no_day_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(UsageError, match=text or "''") as caught:
        parse_day(text, TODAY)
    assert caught.value.hint


def test_the_last_day_of_a_month_is_named() -> None:
    with pytest.raises(UsageError, match="2025-02 ends on day 28"):
        parse_day("2025-02-30", TODAY)


def test_a_clock_time_is_meant_on_the_day_in_the_zone() -> None:
    moment = parse_now("14:10", TODAY, "America/New_York")
    assert moment.isoformat() == "2026-03-26T14:10:00-04:00"


def test_an_instant_without_an_offset_is_meant_in_the_zone() -> None:
    assert parse_now("2026-07-01T08:00", TODAY, "Europe/Berlin").isoformat() == (
        "2026-07-01T08:00:00+02:00"
    )


def test_an_instant_with_an_offset_keeps_it() -> None:
    assert parse_now("2026-07-01T08:00:00Z", TODAY, "Europe/Berlin").utcoffset() == dt.timedelta(0)


@pytest.mark.parametrize("text", ["25:00", "12:60", "noon", "2026-02-30T10:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=text):
        parse_now(text, TODAY, "Europe/Berlin")


def test_a_range_includes_both_ends() -> None:
    assert len(days_between(TODAY, TODAY + dt.timedelta(days=6))) == 7


@pytest.mark.parametrize("days", [-1, 31, 4000])
def test_a_range_that_ends_early_or_never_is_refused(days: int) -> None:
    with pytest.raises(UsageError):
        days_between(TODAY, TODAY + dt.timedelta(days=days))


def test_a_week_begins_on_monday() -> None:
    week = week_of(TODAY)
    assert (week[0], week[-1]) == (dt.date(2026, 3, 23), dt.date(2026, 3, 29))
