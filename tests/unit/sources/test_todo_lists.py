"""VTODO lists: states and the fields of a todo. Recurrence and closing are day cases."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.opening import open_todos
from iris_harness.sources.todo_lists import VtodoList

Make = Callable[..., Path]
Window = Callable[..., ReadWindow]


def todo(*lines: str) -> str:
    return "\n".join(["BEGIN:VTODO", "UID:t-1", "SUMMARY:Task", *lines, "END:VTODO"])


def test_a_todo_carries_what_the_file_says(calendar: Make, window: Window) -> None:
    path = calendar(
        todo("DTSTART;VALUE=DATE:20260410", "DUE:20260416T160000Z", "PRIORITY:2",
             "ESTIMATED-DURATION:PT1H30M", "CREATED:20260401T230000Z")
    )  # fmt: skip
    (item,) = VtodoList("home", path).read(window()).items
    assert item.start == dt.date(2026, 4, 10)
    assert item.due is not None
    assert item.due.isoformat() == "2026-04-16T18:00:00+02:00"
    assert (item.priority, item.estimate_minutes, item.list_name) == (2, 90, "home")
    assert item.created_on == dt.date(2026, 4, 2)
    assert (item.source.source, item.source.locator) == ("home", "t-1")


@pytest.mark.parametrize(
    ("line", "minutes"),
    [
        ("ESTIMATED-DURATION:PT45M", 45),
        ("X-TASKS-ESTIMATED-DURATION:P1D", 1440),
        ("X-ESTIMATED-DURATION;VALUE=DURATION:PT2H", 120),
        ("DURATION:PT20M", 20),
        ("ESTIMATED-DURATION:soon", None),
        ("ESTIMATED-DURATION:PT0S", None),
        ("ESTIMATED-DURATION:-PT1H", None),
    ],
)
def test_estimates_are_minutes(
    calendar: Make, window: Window, line: str, minutes: int | None
) -> None:
    (item,) = VtodoList("home", calendar(todo(line))).read(window()).items
    assert item.estimate_minutes == minutes


@pytest.mark.parametrize(
    "value", ["soon", "-PT1H", "PT9999999H", "P900W", "PT1000H", "45", "PT", "1:30"]
)
def test_a_length_that_nobody_works_is_not_used_and_is_named(
    calendar: Make, window: Window, value: str
) -> None:
    reading = VtodoList("home", calendar(todo(f"ESTIMATED-DURATION:{value}"))).read(window())
    assert reading.items[0].estimate_minutes is None
    (said,) = reading.warnings
    assert f"has ESTIMATED-DURATION:{value}, which is no length of work" in said


@pytest.mark.parametrize(("value", "minutes"), [("PT999H", 59_940), ("PT0S", None), ("", None)])
def test_a_long_length_and_none_are_taken_without_a_word(
    calendar: Make, window: Window, value: str, minutes: int | None
) -> None:
    reading = VtodoList("home", calendar(todo(f"ESTIMATED-DURATION:{value}"))).read(window())
    assert (reading.items[0].estimate_minutes, reading.warnings) == (minutes, ())


def test_when_a_todo_can_be_done_is_read_from_our_own_properties(
    calendar: Make, window: Window
) -> None:
    path = calendar(
        todo("X-IRIS-EARLIEST:09:00", "X-IRIS-LATEST:5pm", "X-IRIS-ENERGY:High",
             "X-IRIS-SPLIT:PT45M")
    )  # fmt: skip
    (item,) = VtodoList("home", path).read(window()).items

    assert (item.earliest, item.latest) == (dt.time(9), dt.time(17))
    assert (item.energy, item.chunk_minutes) == ("high", 45)


@pytest.mark.parametrize(
    "line",
    ["X-IRIS-EARLIEST:soon", "X-IRIS-LATEST:25:00", "X-IRIS-ENERGY:1 2", "X-IRIS-SPLIT:-PT5M"],
)
def test_what_cannot_be_read_of_them_is_not_used_and_said(
    calendar: Make, window: Window, line: str
) -> None:
    reading = VtodoList("home", calendar(todo(line))).read(window())

    (item,), (warning,) = reading.items, reading.warnings
    assert (item.earliest, item.latest, item.energy, item.chunk_minutes) == (None, None, "", None)
    assert f"has {line}, which cannot be read; it is not used" in warning


def test_a_todo_that_starts_later_is_given_and_left_to_the_planner(
    calendar: Make, window: Window
) -> None:
    path = calendar(todo("DTSTART;VALUE=DATE:20260601"))
    (item,) = VtodoList("home", path).read(window()).items
    assert item.start == dt.date(2026, 6, 1)


def test_states_of_a_list(calendar: Make, window: Window, tmp_path: Path) -> None:
    done = VtodoList("l", calendar(todo("STATUS:COMPLETED"))).read(window())
    assert (done.status.state, done.items) == (SourceState.OK, ())
    event = "BEGIN:VEVENT\nUID:e\nDTSTART:20260416T100000Z\nEND:VEVENT"
    assert VtodoList("l", calendar(event)).read(window()).status.state is SourceState.EMPTY
    gone = VtodoList("l", tmp_path / "gone.ics").read(window())
    assert gone.status.state is SourceState.FAILED


def test_a_broken_due_date_costs_itself_and_is_named(calendar: Make, window: Window) -> None:
    reading = VtodoList("cal.ics", calendar(todo("DUE:20269999"))).read(window())
    (item,) = reading.items
    assert item.due is None
    (warning,) = reading.warnings
    assert warning.startswith('cal.ics:3: "Task" (t-1) has a DUE that cannot be read')


def test_a_vdir_of_todos_is_a_list(calendar: Make, window: Window, tmp_path: Path) -> None:
    calendar(todo(), name="tasks/one.ics")
    calendar(todo().replace("t-1", "t-2"), name="tasks/two.ics")
    items = open_todos("tasks", tmp_path / "tasks").read(window()).items
    assert [item.uid for item in items] == ["t-1", "t-2"]
