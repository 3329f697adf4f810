"""Counting out a rule near the days asked for gives what counting from its start gives."""

from __future__ import annotations

import datetime as dt

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from iris_harness.sources.ical.counting import expand
from iris_harness.sources.ical.rules import parse_rule
from tests.support import examples

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
STARTS = st.datetimes(dt.datetime(2005, 1, 1), dt.datetime(2012, 1, 1)).map(  # noqa: DTZ001 - wall clocks
    lambda wall: wall.replace(microsecond=0)
)


def numbers(lowest: int, highest: int) -> st.SearchStrategy[str]:
    lists = st.lists(st.integers(lowest, highest).filter(bool), min_size=1, max_size=3, unique=True)
    return lists.map(lambda found: ",".join(map(str, found)))


@st.composite
def rules(draw: st.DrawFn) -> str:
    """Draw a rule that dateutil and RFC 5545 understand alike."""
    frequency = draw(st.sampled_from(("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY")))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 5))}"]
    weekdays = draw(st.lists(st.sampled_from(DAYS), max_size=3, unique=True))
    if frequency in {"YEARLY", "MONTHLY"} and weekdays and draw(st.booleans()):
        weekdays = [f"{draw(st.sampled_from((-1, 1, 2)))}{day}" for day in weekdays]
    if weekdays:
        parts.append(f"BYDAY={','.join(weekdays)}")
    if draw(st.booleans()):
        parts.append(f"BYMONTH={draw(numbers(1, 12))}")
    if frequency != "WEEKLY" and draw(st.booleans()):
        parts.append(f"BYMONTHDAY={draw(numbers(-31, 31))}")
    if draw(st.booleans()):
        parts.append(f"BYHOUR={draw(numbers(1, 23))}")
    if frequency in {"YEARLY", "MONTHLY"} and len(parts) > 2 and draw(st.booleans()):
        parts.append(f"BYSETPOS={draw(numbers(-3, 3))}")
    parts.append(f"WKST={draw(st.sampled_from(DAYS))}")
    end = draw(st.sampled_from(("", "COUNT=7", "COUNT=150", "UNTIL=20190630T120000")))
    return ";".join([*parts, end] if end else parts)


def outcome(
    text: str, start: dt.datetime, first: dt.datetime, last: dt.datetime
) -> tuple[list[dt.datetime], str]:
    """Return what a rule gives, or why it gives nothing."""
    try:
        return expand(parse_rule(text, start, dt.UTC), start, first, last), ""
    except ValueError as error:
        return [], str(error)


@given(rule=rules(), start=STARTS, offset=st.integers(0, 5000), length=st.integers(1, 60))
@settings(max_examples=examples(100), deadline=None)
def test_a_rule_gives_the_same_whether_counted_from_near_or_from_its_start(
    rule: str, start: dt.datetime, offset: int, length: int
) -> None:
    first = start.replace(hour=0, minute=0, second=0) + dt.timedelta(days=offset)
    last = first + dt.timedelta(days=length)
    found, reason = outcome(rule, start, first, last)
    assume(not reason)  # it never matches: dateutil alone would not come back
    try:
        from_its_start = rrulestr(rule, dtstart=start).between(first, last, inc=True)
    except ValueError:  # dateutil sees that it never matches, whatever the window
        from_its_start = []
    assert found == from_its_start


@given(text=st.text(alphabet="FREQ=DAILYWKOUNTIBSP;,-+0123456789MONTHTUSA", max_size=60))
@settings(max_examples=examples(100), deadline=None)
def test_any_text_is_a_rule_or_a_reason(text: str) -> None:
    start = dt.datetime(2020, 2, 29, 9)  # noqa: DTZ001 - a wall clock
    found, reason = outcome(text, start, start, start + dt.timedelta(days=3))
    assert reason or found == sorted(set(found))


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=SECONDLY;BYMONTH=4;BYMONTHDAY=31",
        "FREQ=YEARLY;BYMONTH=1;BYYEARDAY=40",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6",
        "FREQ=DAILY;BYSETPOS=2",
        "FREQ=HOURLY;INTERVAL=0",
        "FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3;BYMINUTE=17",
        "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTH=3",
        "FREQ=SECONDLY;COUNT=100000000",
        "FREQ=SECONDLY;INTERVAL=7",
    ],
)
@pytest.mark.timeout(10)
def test_a_rule_that_leads_nowhere_comes_back(rule: str) -> None:
    start = dt.datetime(1970, 1, 1, 9)  # noqa: DTZ001 - a Thursday, a wall clock
    day = dt.datetime(2026, 4, 16)  # noqa: DTZ001 - a wall clock
    found, reason = outcome(rule, start, day, day + dt.timedelta(days=1))
    assert reason or not found
