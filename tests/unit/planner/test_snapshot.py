from __future__ import annotations

import datetime as dt

from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import Reading, ReadWindow, SourcePorts
from iris_harness.contracts.sources import SourceKind, SourceState, SourceStatus
from iris_harness.planner import read_snapshots
from iris_harness.testing import make_todo
from tests.unit.planner.samples import (
    DAY,
    VIENNA,
    ListCalendar,
    ListTodos,
    at,
    event,
    status,
    todo,
)

MARCH = DAY.replace
THREE_DAYS = [MARCH(day=number) for number in (14, 12, 13)]


def test_each_source_is_read_once_for_all_days_together() -> None:
    calendar = ListCalendar("home")

    days = read_snapshots(SourcePorts(calendars=(calendar,)), THREE_DAYS, VIENNA, at("07:00"))

    (window,) = calendar.windows
    assert window.start.isoformat() == "2025-03-12T00:00:00+01:00"
    assert window.end.isoformat() == "2025-03-15T00:00:00+01:00"
    assert (window.timezone, window.now) == (VIENNA, at("07:00"))
    assert [day.date for day in days] == sorted(THREE_DAYS)


def test_an_event_belongs_to_every_day_that_it_overlaps() -> None:
    events = [
        event("overnight", at("22:00"), at("02:00", MARCH(day=13))),
        event("until midnight", at("22:00"), at("00:00", MARCH(day=13))),
        event("an instant at midnight", *[at("00:00", MARCH(day=13))] * 2),
        event("two days", DAY, MARCH(day=14)),
        event("a date of no length", MARCH(day=14), MARCH(day=14)),
    ]
    ports = SourcePorts(calendars=(ListCalendar("home", events),))

    days = read_snapshots(ports, THREE_DAYS, VIENNA, at("07:00"))

    assert [[item.summary for item in day.events] for day in days] == [
        ["two days", "until midnight", "overnight"],
        ["two days", "overnight", "an instant at midnight"],
        ["a date of no length"],
    ]


def test_a_moved_event_shows_only_where_its_newest_version_puts_it() -> None:
    old = event("Call", "09:00", "10:00", uid="a", sequence=0)
    moved = event(
        "Call",
        at("09:00", MARCH(day=13)),
        at("10:00", MARCH(day=13)),
        uid="a",
        sequence=1,
        calendar="b",
    )
    ports = SourcePorts(calendars=(ListCalendar("a", [old]), ListCalendar("b", [moved])))

    days = read_snapshots(ports, THREE_DAYS, VIENNA, at("07:00"))

    assert [len(day.events) for day in days] == [0, 1, 0]


def test_every_day_carries_the_state_of_every_source_also_of_the_unavailable() -> None:
    ports = SourcePorts(
        calendars=(
            ListCalendar("work", state=SourceState.FAILED, warnings=["work: no answer"]),
            ListCalendar("home", warnings=["home: line 3"]),
        ),
        todos=(ListTodos("list", [todo("a")]),),
        unavailable=(status("mail", SourceKind.EMAIL, SourceState.FAILED, "not available"),),
    )

    days = read_snapshots(ports, THREE_DAYS, VIENNA, at("07:00"))

    for day in days:
        assert [(item.name, item.state.value) for item in day.sources] == [
            ("work", "failed"),
            ("home", "ok"),
            ("list", "ok"),
            ("mail", "failed"),
        ]
        assert day.warnings == ("work: no answer", "home: line 3")
        assert [item.summary for item in day.todos] == ["a"]


def test_now_is_kept_in_the_users_zone() -> None:
    now = dt.datetime(2025, 3, 12, 6, tzinfo=dt.UTC)

    (day,) = read_snapshots(SourcePorts(), [DAY], VIENNA, now)

    assert day.now.isoformat() == "2025-03-12T07:00:00+01:00"


class WeeklyTodo:
    """A list with one todo that recurs every day: the instance current at the window's end."""

    name = "household"

    def read(self, window: ReadWindow) -> Reading[Todo]:
        due = (window.end - dt.timedelta(seconds=1)).date()
        todo = make_todo("Water the ferns", due=due)
        status = SourceStatus(name=self.name, kind=SourceKind.TODO, state=SourceState.OK)
        return Reading(status=status, items=(todo,))


def test_each_day_of_a_range_has_the_instance_of_a_todo_that_is_current_on_it() -> None:
    days = [dt.date(2026, 4, 16) + dt.timedelta(days=n) for n in range(3)]
    now = dt.datetime(2026, 4, 16, 6, tzinfo=dt.UTC)
    snapshots = read_snapshots(SourcePorts(todos=(WeeklyTodo(),)), days, "Europe/Berlin", now)
    assert [[todo.due for todo in snapshot.todos] for snapshot in snapshots] == [
        [day] for day in days
    ]
