"""The bundled day that a newcomer sees first: fixed data, a fixed date, a fixed "now"."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from pathlib import Path

from iris_harness.contracts.day import BreakWish, DayPreferences, TimeSpan
from iris_harness.contracts.ports import SourcePorts
from iris_harness.sources.calendars import IcsCalendar
from iris_harness.sources.contacts import VcardBook
from iris_harness.sources.todo_lists import VtodoList
from iris_harness.sources.todotxt import TodoTxtList

DEMO_DATE = dt.date(2026, 4, 16)
"""A Thursday."""
DEMO_TIMEZONE = "Europe/Berlin"
DEMO_NOW = dt.datetime(2026, 4, 16, 8, tzinfo=zoneinfo.ZoneInfo(DEMO_TIMEZONE))
DEMO_ME = ("mara@example.org", "mara.lindner@example.com")
"""The addresses of the person whose day it is."""

DEMO_PREFERENCES = DayPreferences(
    breaks=(
        BreakWish(title="Lunch", window=TimeSpan(start=dt.time(12), end=dt.time(14)), minutes=45),
    )
)
"""Office hours, and lunch: on the day itself that is a meeting."""

_FOLDER = Path(__file__).parent / "demo_data"


def demo_ports() -> SourcePorts:
    """Return two calendars, two todo lists and an address book, all files of this package."""
    return SourcePorts(
        calendars=(
            IcsCalendar("personal", (_FOLDER / "personal.ics",), DEMO_ME),
            IcsCalendar("work", (_FOLDER / "work.ics",), DEMO_ME),
        ),
        todos=(
            TodoTxtList("todo.txt", _FOLDER / "todo.txt"),
            VtodoList("household", _FOLDER / "household.ics"),
        ),
        contacts=(VcardBook("friends", _FOLDER / "friends.vcf"),),
    )
