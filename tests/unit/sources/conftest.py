"""Windows and small calendars for the tests of sources."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from iris_harness.contracts.ports import ReadWindow

MakeWindow = Callable[..., ReadWindow]
MakeCalendar = Callable[..., Path]


@pytest.fixture
def window() -> MakeWindow:
    """Make the window of `days` days from an ISO date, at 08:00 of the first."""

    def make(date: str = "2026-04-16", zone: str = "Europe/Berlin", days: int = 1) -> ReadWindow:
        first, tz = dt.date.fromisoformat(date), ZoneInfo(zone)
        return ReadWindow(
            start=dt.datetime.combine(first, dt.time(), tz),
            end=dt.datetime.combine(first + dt.timedelta(days=days), dt.time(), tz),
            timezone=zone,
            now=dt.datetime.combine(first, dt.time(8), tz),
        )

    return make


@pytest.fixture
def calendar(tmp_path: Path) -> MakeCalendar:
    """Write an .ics file with the given components."""

    def make(*components: str, name: str = "cal.ics") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", *components, "END:VCALENDAR", ""]
        path.write_bytes("\n".join(lines).replace("\n", "\r\n").encode())
        return path

    return make


@pytest.fixture
def event() -> Callable[..., str]:
    """Write a VEVENT."""

    def make(uid: str, start: str, *lines: str) -> str:
        head = ["BEGIN:VEVENT", f"UID:{uid}", f"DTSTART{start}", f"SUMMARY:{uid}"]
        return "\n".join([*head, *lines, "END:VEVENT"])

    return make
