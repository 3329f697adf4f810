"""The bundled day holds what a first look should show, and is the same every time."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from zoneinfo import ZoneInfo

import iris_harness.sources.demo as module
from iris_harness.contracts.day import EventStatus
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.demo import DEMO_DATE, DEMO_NOW, DEMO_TIMEZONE, demo_ports

ZONE = ZoneInfo(DEMO_TIMEZONE)
DAY = ReadWindow(
    start=dt.datetime.combine(DEMO_DATE, dt.time(), ZONE),
    end=dt.datetime.combine(DEMO_DATE + dt.timedelta(days=1), dt.time(), ZONE),
    timezone=DEMO_TIMEZONE,
    now=DEMO_NOW,
)


def test_every_demo_source_is_read_without_a_word() -> None:
    ports = demo_ports()
    calendars = [port.read(DAY) for port in ports.calendars]
    lists = [port.read(DAY) for port in ports.todos]
    books = [port.read(DAY) for port in ports.contacts]
    statuses = [reading.status for reading in calendars] + [reading.status for reading in lists]
    statuses += [reading.status for reading in books]
    assert {status.state for status in statuses} == {SourceState.OK}
    assert not any(reading.warnings for reading in calendars)
    assert not any(reading.warnings for reading in lists)
    assert not any(reading.warnings for reading in books)
    assert calendars == [port.read(DAY) for port in demo_ports().calendars]
    assert lists == [port.read(DAY) for port in demo_ports().todos]


def test_the_demo_day_shows_every_kind_of_event() -> None:
    events = [event for port in demo_ports().calendars for event in port.read(DAY).items]
    timed = [event for event in events if not event.all_day]
    assert any(event.all_day for event in events)
    assert any(event.start.isoformat() == "2026-04-15T22:39:00+02:00" for event in timed)
    assert any(event.status is EventStatus.DECLINED and not event.busy for event in events)
    assert any(event.recurrence_id and event.sequence for event in events)
    times = {event.summary: (event.start.isoformat(), event.end.isoformat()) for event in timed}
    assert times["Design review: sign-up flow"][0] < times["Dentist"][0]
    assert times["Dentist"][0] < times["Design review: sign-up flow"][1]


def test_the_demo_lists_hold_overdue_undefined_and_too_long_todos() -> None:
    todos = [todo for port in demo_ports().todos for todo in port.read(DAY).items]
    due = {todo.summary: todo.due for todo in todos}
    assert due["Pay the electricity bill"] == DEMO_DATE - dt.timedelta(days=2)
    assert due["Water the tomato seedlings"] == DEMO_DATE
    assert any(todo.due == DEMO_DATE and todo.priority is None for todo in todos)
    assert max(todo.estimate_minutes or 0 for todo in todos if todo.due == DEMO_DATE) == 300


def test_no_demo_file_holds_a_real_address() -> None:
    for path in (Path(module.__file__).parent / "demo_data").iterdir():
        for word in path.read_text(encoding="utf-8").split():
            assert "@" not in word[1:] or word.endswith((".example.org", "@example.com")), word
