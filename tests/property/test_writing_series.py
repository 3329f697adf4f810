"""A series of todos that is done time after time takes place on the days its rule names."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.changes import TurnTime
from tests.support import examples
from tests.writing_support import ZONE, TodoSource, calendar

_STEPS = 6
_BERLIN = ZoneInfo(ZONE)
DAYS = st.dates(dt.date(2024, 1, 1), dt.date(2026, 12, 31))


@st.composite
def rules(draw: st.DrawFn) -> str:
    """Draw a rule that people use."""
    parts = draw(
        st.sampled_from([
            "FREQ=DAILY", "FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=WEEKLY;BYDAY=SU",
            "FREQ=MONTHLY", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYDAY=2TU",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=YEARLY",
            "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
        ])
    )  # fmt: skip
    if draw(st.booleans()):
        parts += f";INTERVAL={draw(st.integers(1, 3))}"
    if draw(st.booleans()):
        parts += f";COUNT={draw(st.integers(1, 8))}"
    return parts


@given(day=DAYS, rule=rules(), timed=st.booleans(), length=st.integers(0, 2))
@settings(max_examples=examples(40), deadline=None)
def test_a_series_is_done_time_after_time(
    day: dt.date, rule: str, timed: bool, length: int
) -> None:
    length = 0 if timed else length  # a length in hours is another one after a clock change
    from_there = dt.datetime.combine(day, dt.time(9, 30) if timed else dt.time())
    first = rrulestr(f"RRULE:{rule}", dtstart=from_there).after(from_there, inc=True)
    if first is None:
        return  # 31 days of which no month has the last
    expected = list(rrulestr(f"RRULE:{rule}", dtstart=first).xafter(first, _STEPS + 1, inc=True))
    ends_with = len(expected) if len(expected) <= _STEPS else None
    with tempfile.TemporaryDirectory() as folder:
        source = TodoSource(Path(folder) / "list.ics")
        source.path.write_bytes(_series(first, rule, timed=timed, length=length))
        for wall in expected[:_STEPS]:
            due_on = wall.date() + dt.timedelta(days=length)
            todo = source.todo("Water", wall.date().isoformat())
            assert todo.start == _shown(wall, timed=timed)
            assert todo.due == _shown(wall + dt.timedelta(days=length), timed=timed)
            at = TurnTime(
                now=dt.datetime.combine(due_on, dt.time(12), _BERLIN).astimezone(dt.UTC),
                timezone=ZONE,
            )
            source.apply(*source.writer.done(todo, at))
        done = source.data.count(b"STATUS:COMPLETED")
        assert done == len(expected[:_STEPS])
        if ends_with is not None:
            assert source.todos("2030-01-01") == ()


def _shown(wall: dt.datetime, *, timed: bool) -> dt.date | dt.datetime:
    return wall.replace(tzinfo=_BERLIN).astimezone(dt.UTC) if timed else wall.date()


def _series(first: dt.datetime, rule: str, *, timed: bool, length: int) -> bytes:
    def line(name: str, wall: dt.datetime) -> str:
        if timed:
            return f"{name};TZID={ZONE}:{wall:%Y%m%dT%H%M%S}"
        return f"{name};VALUE=DATE:{wall:%Y%m%d}"

    return calendar(
        "\n".join([
            "BEGIN:VTODO", "UID:water", "SUMMARY:Water", line("DTSTART", first),
            line("DUE", first + dt.timedelta(days=length)), f"RRULE:{rule}", "END:VTODO",
        ])
    )  # fmt: skip
