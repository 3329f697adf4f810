"""Where recurring-ical-events is right by RFC 5545, Iris lists the same instances."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.calendars import IcsCalendar
from tests.support import examples

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata")
RULES = (
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3;COUNT=40",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;BYDAY=2TU,-1FR",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;BYMONTH=3,11;BYDAY=1SU",
    "FREQ=DAILY;UNTIL=20250401T000000Z",
)


@st.composite
def series(draw: st.DrawFn) -> str:
    """Draw a series with exceptions, as one that an ordinary program writes."""
    zone = draw(st.sampled_from(ZONES))
    # Not at night: where the clocks change the two differ, and the RFC is on this side.
    start = dt.datetime(2024, 12, 1, draw(st.integers(6, 16)), 30)  # noqa: DTZ001 - a wall clock
    start += dt.timedelta(days=draw(st.integers(0, 30)))
    rule = draw(st.sampled_from(RULES))
    skipped = start + dt.timedelta(days=draw(st.integers(0, 60)))
    moved = start + dt.timedelta(days=draw(st.integers(61, 120)))
    target = moved + dt.timedelta(days=draw(st.integers(-9, 9)), hours=2)

    def at(name: str, wall: dt.datetime) -> str:
        return f"{name};TZID={zone}:{wall:%Y%m%dT%H%M%S}"

    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x",
        "BEGIN:VEVENT", "UID:s", at("DTSTART", start), "DURATION:PT45M", f"RRULE:{rule}",
        at("EXDATE", skipped), "SUMMARY:series", "END:VEVENT",
        "BEGIN:VEVENT", "UID:s", at("RECURRENCE-ID", moved), at("DTSTART", target),
        "DURATION:PT2H", "SUMMARY:moved", "END:VEVENT",
        "END:VCALENDAR", "",
    ]  # fmt: skip
    return "\r\n".join(lines)


@given(text=series(), zone=st.sampled_from(ZONES), offset=st.integers(0, 130))
@settings(max_examples=examples(100), deadline=None)
def test_ordinary_series_are_listed_as_by_recurring_ical_events(
    text: str, zone: str, offset: int
) -> None:
    day = dt.date(2024, 12, 1) + dt.timedelta(days=offset)
    start = dt.datetime.combine(day, dt.time(), ZoneInfo(zone))
    end = dt.datetime.combine(day + dt.timedelta(days=7), dt.time(), ZoneInfo(zone))
    calendar = icalendar.Calendar.from_ical(text)
    wanted = sorted(
        (found["DTSTART"].dt.astimezone(dt.UTC), str(found["SUMMARY"]))
        for found in recurring_ical_events.of(calendar).between(start, end)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cal.ics"
        path.write_text(text, newline="")
        window = ReadWindow(start=start, end=end, timezone=zone, now=start)
        items = IcsCalendar("c", (path,)).read(window).items
    assert [(item.start, item.summary) for item in items] == wanted
