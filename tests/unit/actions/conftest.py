"""A home with a todo.txt, a list of VTODOs and a calendar, and a runner for them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.setting import DaySetting, configured_setting
from iris_harness.clock import FixedClock
from iris_harness.config.schema import Config
from iris_harness.config.settings import settings_of
from iris_harness.contracts.actions import Action
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.reports import ActionReport

NOW = dt.datetime(2026, 3, 26, 7, 0, tzinfo=dt.UTC)
TODO_TXT = "(A) Call mum due:2026-03-26\nBuy milk\nBuy bread @shop\nWrite report est:2h\n"
VTODO = """\
BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//test//EN\r
BEGIN:VTODO\r
UID:eggs\r
DTSTAMP:20260101T000000Z\r
SUMMARY:Eggs\r
X-COLOUR:red\r
END:VTODO\r
END:VCALENDAR\r
"""
CALENDAR = """\
BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//test//EN\r
BEGIN:VEVENT\r
UID:standup\r
DTSTAMP:20260101T000000Z\r
DTSTART:20260326T090000Z\r
DTEND:20260326T091500Z\r
RRULE:FREQ=DAILY\r
SUMMARY:Stand-up\r
END:VEVENT\r
BEGIN:VEVENT\r
UID:dentist\r
DTSTAMP:20260101T000000Z\r
DTSTART:20260327T140000Z\r
DTEND:20260327T144500Z\r
SUMMARY:Dentist\r
LOCATION:High Street\r
END:VEVENT\r
END:VCALENDAR\r
"""


class Home:
    """A user's files, and what is done to them."""

    def __init__(self, folder: Path) -> None:
        self.locate(folder)
        self.todo.write_text(TODO_TXT, newline="")
        self.shopping.write_text(VTODO, newline="")
        self.work.write_text(CALENDAR, newline="")

    def locate(self, folder: Path) -> None:
        """Know the files of a home that is there already."""
        self.folder = folder
        self.todo = folder / "todo.txt"
        self.shopping = folder / "shopping.ics"
        self.work = folder / "work.ics"

    @property
    def database(self) -> Path:
        return self.folder / "data" / "iris.db"

    def setting(self, now: dt.datetime = NOW) -> DaySetting:
        config = Config.model_validate(
            {
                "timezone": "Europe/Berlin",
                "todos": [str(self.todo), str(self.shopping)],
                "calendars": [str(self.work)],
                "storage": {"data_dir": str(self.folder / "data")},
            }
        )
        return configured_setting(settings_of(config), clock=FixedClock(now))

    def runner(self) -> ActionRunner:
        return ActionRunner(self.setting())

    def do(self, kind: str, **arguments: Json) -> ActionReport:
        runner = self.runner()
        return runner.perform(runner.prepare(Action(kind=kind, arguments=arguments), NOW))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
