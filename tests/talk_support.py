"""A small calendar, a list and an address book, and somebody who talks to Iris about them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from iris_harness import Iris
from iris_harness.bootstrap.assistant import Turn
from iris_harness.bootstrap.setting import configured_setting
from iris_harness.config.schema import Config
from iris_harness.config.settings import settings_of
from iris_harness.testing import FixedClock

NOW = dt.datetime.fromisoformat("2026-05-13T08:40+02:00")


def _event(uid: str, summary: str, start: str, end: str, *more: str) -> str:
    zone = "" if "VALUE" in start else ";TZID=Europe/Berlin:"
    lines = (
        "BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", f"DTSTART{zone}{start}",
        f"DTEND{zone}{end}", f"SUMMARY:{summary}", *more, "END:VEVENT",
    )  # fmt: skip
    return "\r\n".join(lines)


def _calendar(*events: str) -> bytes:
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN"
    return "\r\n".join((head, *events, "END:VCALENDAR", "")).encode()


WORK = _calendar(
    _event(
        "standup", "Stand-up", "20260504T091500", "20260504T093000",
        "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "LOCATION:Room 2",
    ),
    _event("review", "Quarterly review", "20260514T140000", "20260514T153000"),
    _event("budget", "Budget meeting", "20260514T150000", "20260514T160000"),
    _event("lunch", "Lunch with Ada", "20260515T120000", "20260515T130000", "LOCATION:Osteria"),
    _event("one", "1:1 with John", "20260513T150000", "20260513T153000"),
)  # fmt: skip
HOME = _calendar(
    _event("dentist", "Dentist", "20260519T083000", "20260519T091500", "LOCATION:High Street"),
    _event("away", "Trip to Crete", ";VALUE=DATE:20260523", ";VALUE=DATE:20260525"),
    _event("day", "Ascension Day", ";VALUE=DATE:20260514", ";VALUE=DATE:20260515", "TRANSP:TRANSPARENT"),  # noqa: E501 - one event
    _event("music", "Concert", "20260516T200000", "20260516T223000"),
)  # fmt: skip
TODO_TXT = """\
(A) Write the report due:2026-05-13 est:2h
(B) Call the landlord due:2026-05-11
Buy milk @shop
Prepare slides for the review due:2026-05-15 est:1h
Book flights
"""
PEOPLE = "".join(
    f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{given}{family}\r\nFN:{given} {family}\r\n"
    f"N:{family};{given};;;\r\n{f'BDAY:{day}' if day else 'NOTE:-'}\r\nEND:VCARD\r\n"
    for given, family, day in (
        ("Ada", "Byron", "1990-05-20"),
        ("Ada", "Lovelace", "1985-12-10"),
        ("John", "Smith", "1979-06-02"),
        ("Grace", "Hopper", "--0517"),
    )
)

Say: TypeAlias = Callable[[str], Turn]
"""Says something in one conversation."""


def settle_in(home: Path, now: dt.datetime = NOW) -> Iris:
    """Write the calendar, the list and the address book into a folder, and return their Iris."""
    (home / "work.ics").write_bytes(WORK)
    (home / "home.ics").write_bytes(HOME)
    (home / "todo.txt").write_text(TODO_TXT)
    (home / "people.vcf").write_bytes(PEOPLE.encode())
    config = Config.model_validate(
        {
            "timezone": "Europe/Berlin",
            "todos": [str(home / "todo.txt")],
            "calendars": [str(home / "work.ics"), str(home / "home.ics")],
            "contacts": [str(home / "people.vcf")],
            "storage": {"data_dir": str(home / "data")},
        }
    )
    return Iris(configured_setting(settings_of(config)), clock=FixedClock(now))
