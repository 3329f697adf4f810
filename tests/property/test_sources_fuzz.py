"""Whatever bytes a file holds, a reading comes back, the same each time, in order."""

from __future__ import annotations

import datetime as dt
import itertools
import tempfile
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import Event, Todo
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.sources.ical.order import event_order
from iris_harness.sources.opening import open_calendar, open_todos
from tests.support import examples

CASES = Path(__file__).parent.parent / "acceptance" / "day_cases"
SEEDS = [path.read_bytes() for path in sorted(CASES.glob("*/input.ics"))]
JUNK = st.sampled_from([
    b"", b"\0", b"\xff\xfe", b"\r", b" ", b":", b";", b"=", b'"', b"BEGIN:VEVENT\r\n",
    b"END:VEVENT\r\n", b"RRULE:FREQ=SECONDLY\r\n", b"TZID=", b"99999999T999999Z", b"-1", b"Z",
    b"DTSTART:00010101T000000\r\n", b"DTEND:99991231T235959Z\r\n", b"DURATION:P9999999D\r\n",
    b"RDATE:20250101/P1D,x\r\n", b"EXDATE:,,\r\n", b"END:VCALENDAR\r\n",
])  # fmt: skip
ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"])
DAYS = st.sampled_from([
    dt.date(2025, 3, 30), dt.date(2025, 10, 26), dt.date(2026, 3, 29), dt.date(2024, 2, 29),
    dt.date(1604, 2, 29), dt.date(9999, 12, 30), dt.date(1, 1, 2), dt.date(2026, 4, 16),
])  # fmt: skip
FUZZ = settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """Draw a day case with pieces cut out, doubled, or replaced by junk."""
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 40)))
        junk = draw(JUNK)
        data = data[:begin] + junk + data[draw(st.sampled_from((begin, end))) :]
    return data


def window(day: dt.date, zone: str) -> ReadWindow:
    start = dt.datetime.combine(day, dt.time(), ZoneInfo(zone))
    end = dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), ZoneInfo(zone))
    return ReadWindow(start=start, end=end, timezone=zone, now=start)


def read(
    data: bytes, day: dt.date, zone: str, suffix: str = ".ics"
) -> tuple[Reading[Event], Reading[Todo]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"fuzz{suffix}"
        path.write_bytes(data)
        when = window(day, zone)
        return open_calendar("c", path).read(when), open_todos("t", path).read(when)


@given(data=st.one_of(mangled(), st.binary(max_size=400)), day=DAYS, zone=ZONES)
@FUZZ
def test_no_bytes_make_a_reading_raise(data: bytes, day: dt.date, zone: str) -> None:
    events, todos = read(data, day, zone)
    assert "could not be read" not in events.status.detail + todos.status.detail
    assert list(events.items) == sorted(events.items, key=event_order)
    assert (events, todos) == read(data, day, zone)
    for event in events.items:
        assert event.summary
        assert isinstance(event.start, dt.datetime) is not event.all_day
        assert event_order(event)[2] >= event_order(event)[1] or event.all_day


@given(data=st.binary(max_size=300) | st.text(max_size=300).map(str.encode), zone=ZONES)
@FUZZ
def test_no_text_makes_a_todo_txt_raise(data: bytes, zone: str) -> None:
    _, todos = read(data, dt.date(2026, 4, 16), zone, ".txt")
    assert "could not be read" not in todos.status.detail
    assert all(todo.summary for todo in todos.items)
    assert len({todo.uid for todo in todos.items}) == len(todos.items)


@given(zone=ZONES, day=st.dates(dt.date(2024, 1, 1), dt.date(2026, 6, 1)), data=st.data())
@settings(max_examples=examples(50), deadline=None)
def test_a_range_holds_what_its_days_hold(zone: str, day: dt.date, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(SEEDS))
    days = [day + dt.timedelta(days=n) for n in range(4)]
    one_by_one = {event for each in days for event in read(seed, each, zone)[0].items}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.ics"
        path.write_bytes(seed)
        whole = ReadWindow(
            start=window(days[0], zone).start,
            end=window(days[-1], zone).end,
            timezone=zone,
            now=window(days[0], zone).start,
        )
        reading = open_calendar("c", path).read(whole)
    assume(not any("the rest is cut" in text for text in reading.warnings))
    assert set(reading.items) == one_by_one


@given(order=st.permutations(range(6)))
@settings(max_examples=examples(40), deadline=None)
def test_the_order_of_a_file_does_not_matter(order: list[int]) -> None:
    events = [
        f"BEGIN:VEVENT\r\nUID:e{number // 2}\r\nSEQUENCE:{number}\r\n"
        f"DTSTART:20260416T{9 + number:02}0000Z\r\nDURATION:PT2H\r\nSUMMARY:same\r\nEND:VEVENT\r\n"
        for number in range(6)
    ]
    texts = ("".join(events), "".join(events[number] for number in order))
    readings = [
        read(f"BEGIN:VCALENDAR\r\n{text}END:VCALENDAR\r\n".encode(), dt.date(2026, 4, 16), "UTC")[0]
        for text in texts
    ]
    assert readings[0].items == readings[1].items
    assert not any(
        one.uid == other.uid for one, other in itertools.combinations(readings[0].items, 2)
    )
