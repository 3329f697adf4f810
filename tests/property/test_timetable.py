from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.timetable import (
    Timetable,
    find_due,
    find_missed,
    next_time,
    parse_timetable,
)
from iris_harness.errors import UsageError
from tests.support import examples

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ["Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kolkata", "America/St_Johns",
         "Australia/Lord_Howe", "UTC"]  # fmt: skip
LONG_AGO = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def berlin(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def test_days_and_times_are_read_as_people_write_them() -> None:
    seven = dt.time(7)
    assert parse_timetable("weekdays 07:00") == Timetable(frozenset(range(5)), seven)
    assert parse_timetable("7:00") == Timetable(frozenset(range(7)), seven)
    assert parse_timetable("Mon, Wed fri 07:00") == Timetable(frozenset({0, 2, 4}), seven)
    assert parse_timetable("saturdays 07:00") == Timetable(frozenset({5}), seven)
    assert parse_timetable("fri-mon 07:00") == Timetable(frozenset({4, 5, 6, 0}), seven)


@pytest.mark.parametrize("text", ["", "weekdays", "someday 07:00", "mon 25:00", "mon 7"])
def test_what_is_no_timetable_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_timetable(text)


def test_what_was_slept_through_is_said_on_waking_and_called_late() -> None:
    table = parse_timetable("weekdays 07:00")
    due = find_due(table, BERLIN, berlin("2026-04-16 09:30"), frozenset(), LONG_AGO)
    assert due is not None
    assert (due.day, due.is_late) == (dt.date(2026, 4, 16), True)
    assert find_due(table, BERLIN, berlin("2026-04-16 06:59"), frozenset(), LONG_AGO) is None
    again = find_due(table, BERLIN, berlin("2026-04-16 09:31"), frozenset({due.day}), LONG_AGO)
    assert again is None


def test_days_that_were_slept_through_are_named_and_not_made_up_for() -> None:
    table = parse_timetable("weekdays 07:00")
    said = frozenset({dt.date(2026, 4, 13)})
    since = berlin("2026-04-13 06:00")
    thursday = berlin("2026-04-16 07:01")
    due = find_due(table, BERLIN, thursday, said, since)
    assert due is not None
    assert (due.day, due.is_late) == (dt.date(2026, 4, 16), False)
    missed = (dt.date(2026, 4, 14), dt.date(2026, 4, 15))
    assert find_missed(table, BERLIN, thursday, said, since) == missed
    saturday = berlin("2026-04-18 09:00")
    assert find_due(table, BERLIN, saturday, said, since) is None
    assert find_missed(table, BERLIN, saturday, said, since)[-1] == dt.date(2026, 4, 17)


def test_what_lies_before_it_was_asked_for_was_never_due() -> None:
    table = parse_timetable("daily 07:00")
    now = berlin("2026-04-16 09:00")
    assert find_due(table, BERLIN, now, frozenset(), now) is None
    assert find_missed(table, BERLIN, now, frozenset(), now) == ()


def test_a_time_that_a_clock_change_leaves_out_comes_after_it() -> None:
    table = parse_timetable("daily 02:30")
    assert next_time(table, BERLIN, berlin("2026-03-29 00:00")) == berlin("2026-03-29 03:30")
    twice = next_time(table, BERLIN, berlin("2026-10-25 00:00"))
    assert twice.utcoffset() == dt.timedelta(hours=2)


@settings(max_examples=examples(60), deadline=None)
@given(
    weekdays=st.frozensets(st.integers(0, 6), min_size=1),
    time=st.times().map(lambda time: time.replace(second=0, microsecond=0)),
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    start=st.datetimes(dt.datetime(2024, 1, 1), dt.datetime(2027, 1, 1)),  # noqa: DTZ001 - UTC below
    waits=st.lists(st.integers(1, 40 * 60), min_size=1, max_size=60),
)
def test_whenever_the_clock_is_looked_at_each_day_is_said_once_or_missed_once(
    weekdays: frozenset[int], time: dt.time, zone: ZoneInfo, start: dt.datetime, waits: list[int]
) -> None:
    table = Timetable(weekdays, time)
    since = now = start.replace(tzinfo=dt.UTC)
    said: list[dt.date] = []
    missed: list[dt.date] = []
    for wait in waits:
        now += dt.timedelta(minutes=wait)
        known = frozenset((*said, *missed))
        missed += find_missed(table, zone, now, known, since)
        due = find_due(table, zone, now, frozenset((*said, *missed)), since)
        if due is not None:
            assert due.at <= now
            said.append(due.day)
    days = (since.astimezone(zone).date() + dt.timedelta(days=n) for n in range(120))
    wanted = [
        day
        for day in days
        if day.weekday() in weekdays and since <= table.instant(day, zone) <= now
    ]
    assert sorted((*said, *missed)) == wanted
