"""What is called free is free, all of it is told, and nothing beyond the hours that count."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.questions.free import Gap, OpenDay, open_day
from iris_harness.planner.questions.look import Look, days_from, taking_the_day, taking_time
from tests.support import examples
from tests.unit.agents.world import event

ZONE = ZoneInfo("Europe/Berlin")
DAYS = [dt.date(2026, 3, 29), dt.date(2026, 5, 14), dt.date(2026, 10, 25)]  # two clock changes


@st.composite
def _events(draw: st.DrawFn, day: dt.date) -> tuple[Event, ...]:
    found = []
    for index in range(draw(st.integers(0, 8))):
        minutes = draw(st.integers(-300, 1700))
        start = dt.datetime.combine(day, dt.time()) + dt.timedelta(minutes=minutes)
        end = start + dt.timedelta(minutes=draw(st.integers(0, 400)))
        found.append(event(f"e{index}", start.isoformat()[:16], end.isoformat()[:16]))
    if draw(st.booleans()):
        found.append(event("holiday", day.isoformat(), (day + dt.timedelta(days=1)).isoformat()))
    return tuple(found)


def _look(day: dt.date, events: tuple[Event, ...], now_minutes: int) -> Look:
    window = days_from(dt.datetime.combine(day, dt.time(), ZONE), 1)
    return Look(
        now=dt.datetime.combine(day, dt.time(), ZONE) + dt.timedelta(minutes=now_minutes),
        zone=ZONE,
        preferences=DayPreferences(),
        window=window,
        is_named=True,
        events=tuple(one for one in events if window.holds(one)),
        statuses=(),
    )


def _is_within(gap: Gap, spans: tuple[Gap, ...]) -> bool:
    return any(span.start <= gap.start and gap.end <= span.end for span in spans)


@settings(max_examples=examples(60))
@given(st.data())
def test_gaps_are_free_within_the_hours_and_as_long_as_they_can_be(data: st.DataObject) -> None:
    day = data.draw(st.sampled_from(DAYS))
    events = data.draw(_events(day))
    least = data.draw(st.sampled_from([1, 15, 60]))
    look = _look(day, events, data.draw(st.integers(0, 1400)))
    one = open_day(look, day, least)
    spans = map(bounds, taking_time(look.events))
    taken = [(start, end) for start, end in spans if start < end]  # a moment takes no time
    assert not taking_the_day(look.events)
    assert list(one.gaps) == sorted(one.gaps)
    for gap in one.gaps:
        assert gap.minutes >= least
        assert gap.start >= look.now
        assert _is_within(gap, one.hours)
        assert not any(start < gap.end and gap.start < end for start, end in taken)
    _assert_nothing_is_missed(one, taken, least)


def _assert_nothing_is_missed(
    one: OpenDay, taken: list[tuple[dt.datetime, dt.datetime]], least: int
) -> None:
    """Look at the hours minute by minute: free minutes lie in a gap, or in less than it takes."""
    step = dt.timedelta(minutes=1)
    for span in one.hours:
        run = 0
        moment = span.start
        while moment + step <= span.end:
            is_free = not any(start < moment + step and moment < end for start, end in taken)
            run = run + 1 if is_free else 0
            if run > least:  # the first and the last minute of a gap may be cut
                assert any(gap.start < moment + step and moment < gap.end for gap in one.gaps)
            moment += step
