"""Small calendars and lists, each with the right answer and why; read through the ports.

A case is a folder: the files, and `case.json` with `why`, `query` and `expected`. Keys of
`expected` as in the day cases of the corpus; only what is a case's point is compared.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from iris_harness.contracts.day import Event, EventStatus, Todo
from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.ical.order import event_order
from iris_harness.sources.opening import adhoc_ports

LIMIT_SECONDS = 20
CASES = Path(__file__).parent / "day_cases"
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    events: Sequence[Event]
    todos: Sequence[Row]
    warnings: str

    @property
    def rows(self) -> list[Row]:
        return [
            {
                "summary": event.summary,
                "start": event.start.isoformat(),
                "end": event.end.isoformat(),
                "all_day": event.all_day,
                "busy": event.busy,
            }
            for event in self.events
        ]

    @property
    def conflicts(self) -> list[list[str]]:
        timed = [event for event in self.events if event.busy and not event.all_day]
        return [
            [one.summary, other.summary]
            for one, other in itertools.combinations(timed, 2)
            if max(_instant(one.start), _instant(other.start))
            < min(_instant(one.end), _instant(other.end))
        ]


def _instant(value: dt.date | dt.datetime) -> dt.datetime:
    assert isinstance(value, dt.datetime)
    return value


def read_case(folder: Path, query: Mapping[str, Any]) -> Answer:
    zone, day = ZoneInfo(query["timezone"]), dt.date.fromisoformat(query["date"])
    start = dt.datetime.combine(day, dt.time(), zone)
    window = ReadWindow(
        start=start,
        end=dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), zone),
        timezone=query["timezone"],
        now=dt.datetime.fromisoformat(query["now"]) if "now" in query else start,
    )
    files = [folder / name for name in query.get("inputs", ["input.ics"])]
    ports = adhoc_ports(files, files, me=query.get("me", ()))
    calendars = [port.read(window) for port in ports.calendars]
    lists = [port.read(window) for port in ports.todos]
    once = {(event.uid, event.recurrence_id): event for found in calendars for event in found.items}
    warnings = [text for found in calendars for text in found.warnings]
    warnings += [text for found in lists for text in found.warnings]
    return Answer(
        events=sorted(once.values(), key=event_order),
        todos=[row for found in lists for todo in found.items if (row := _due(todo, window, day))],
        warnings="\n".join(warnings),
    )


def _due(todo: Todo, window: ReadWindow, day: dt.date) -> Row | None:
    """Return what is due by the end of the day as the plan lists it."""
    if todo.due is None:
        return None
    timed = isinstance(todo.due, dt.datetime)
    if (_instant(todo.due).date() if timed else todo.due) > day:
        return None
    overdue = _instant(todo.due) < window.now if timed else todo.due < day
    return {
        "summary": todo.summary,
        "due": todo.due.isoformat(),
        "priority": todo.priority,
        "overdue": overdue,
    }


def _agrees(wanted: Row, found: Row) -> bool:
    return all(found[key] == value for key, value in wanted.items() if key in found)


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_the_day_is_read_as_it_is_meant(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    expected = case["expected"]
    began = time.process_time()  # whatever else the machine is doing
    answer = read_case(folder, case["query"])
    assert time.process_time() - began <= expected.get("max_seconds", LIMIT_SECONDS)
    rows = answer.rows

    if "events" in expected:
        assert [row["summary"] for row in rows] == [row["summary"] for row in expected["events"]]
        for wanted, found in zip(expected["events"], rows, strict=True):
            assert _agrees(wanted, found), f"{found} for {wanted}"
    for wanted in [*expected.get("events_include", ()), *expected.get("events_or_warning", ())]:
        assert any(_agrees(wanted, found) for found in rows), wanted
    for summary in expected.get("events_absent", ()):
        assert summary not in {row["summary"] for row in rows}
    assert answer.conflicts == expected.get("conflicts", answer.conflicts)
    if "tasks" in expected:
        by_summary = {row["summary"]: row for row in answer.todos}
        assert len(answer.todos) == len(expected["tasks"])
        for wanted in expected["tasks"]:
            assert _agrees(wanted, by_summary[wanted["summary"]])
    for wanted in expected.get("tasks_include", ()):
        assert any(_agrees(wanted, found) for found in answer.todos)
    for summary in expected.get("tasks_due_that_day_absent", ()):
        assert not any(
            row["summary"] == summary and row["due"].startswith(case["query"]["date"])
            for row in answer.todos
        )
    for words in expected.get("warnings_mention", ()):
        assert words in answer.warnings
    assert {event.status for event in answer.events} <= set(EventStatus) - {EventStatus.CANCELLED}


def test_every_case_says_why() -> None:
    for folder in CASES.iterdir():
        assert json.loads((folder / "case.json").read_text(encoding="utf-8"))["why"]
