"""Which todo or event a change in words means, and by how much it is moved."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from iris_harness.contracts.actions import Action
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.explain import ItemKind
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.intended import upcoming
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskState
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import TaskError
from iris_harness.planner import build_change_proposer, build_mark_proposer
from iris_harness.planner.shifts import read_shift
from tests.unit.agents.world import BERLIN, NOW, Calendar, TodoList, event, todo

REPORT = replace(todo("Write report", dt.date(2026, 5, 14)), estimate_minutes=120)
CALL = replace(todo("Call landlord"), due=dt.datetime(2026, 5, 14, 17, 0, tzinfo=BERLIN))
STANDUPS = tuple(
    replace(event("Stand-up", f"2026-05-{day}T09:15", f"2026-05-{day}T09:30"), recurrence_id=day)
    for day in ("14", "15")
)
DENTIST = event("Dentist", "2026-05-19T08:30", "2026-05-19T09:15")
CHORES = event("Report dinner", "2026-05-20T19:00", "2026-05-20T21:00")
TRIP = event("Trip", "2026-05-23", "2026-05-25")
PORTS = SourcePorts(
    calendars=(Calendar("home", (*STANDUPS, DENTIST, TRIP)),),
    todos=(TodoList("todo", (REPORT, CALL, todo("Buy milk"))),),
)


def task(
    utterance: str, slots: Mapping[str, str], scope: Scope | None = None, *, tried: bool = False
) -> AgentTask:
    return AgentTask(
        id="1", agent="todo", intent="todo.change", utterance=utterance, slots=slots, scope=scope,
        asked_at=NOW, timezone="Europe/Berlin", is_tried=tried,
    )  # fmt: skip


def friday() -> Scope:
    start = dt.datetime(2026, 5, 15, tzinfo=BERLIN)
    return Scope(start=start, end=start + dt.timedelta(days=1), kind=ScopeKind.DATE, text="friday")


def action(given: AgentTask, ports: SourcePorts = PORTS) -> Action:
    (found,) = build_change_proposer(ports, ItemKind.EVENT)(given).actions
    return found


@pytest.mark.parametrize(
    ("title", "change", "kind"),
    [
        ("report", "move", "todo.move"),
        ("the dentist", "move", "event.move"),
        ("milk", "remove", "todo.delete"),
        ("dentist", "cancel", "event.delete"),
        ("milk", "done", "todo.done"),
        ("something else", "move", "event.move"),  # the runner says what is near
        ("dentist task", "move", "todo.move"),  # what the user calls it decides
    ],
)
def test_the_item_that_is_there_decides_what_is_changed(title: str, change: str, kind: str) -> None:
    given = task(f"{change} {title} to friday", {"title": title, "change": change}, friday())
    assert action(given).kind == kind


def test_a_todo_and_an_event_that_fit_alike_are_a_choice() -> None:
    ports = replace(PORTS, calendars=(Calendar("home", (CHORES,)),))
    given = task("move report to friday", {"title": "report", "change": "move"}, friday())
    asked = build_change_proposer(ports, ItemKind.TODO)(given)
    assert asked.choice is not None
    assert [fact.text for fact in asked.facts] == [
        "Which “report”: the todo “Write report” or the event “Report dinner”?"
    ]
    event_option = asked.choice.options[1]
    settled = replace(given, slots={**given.slots, **event_option.slots})
    assert action(settled, ports).kind == "event.move"


def test_what_is_only_tried_is_declined_where_nothing_is_called_so() -> None:
    propose = build_change_proposer(PORTS, ItemKind.TODO)
    slots = {"title": "account", "change": "delete"}
    assert propose(task("delete my account", slots, tried=True)).declined
    later = {"title": "account by a day", "change": "move"}
    assert propose(task("move my account by a day", later, tried=True)).declined


def test_it_is_what_the_request_before_was_about() -> None:
    fact = Fact(kind=FactKind.TODO, text="x", value={"summary": "buy milk"})
    before = AgentResult(
        task_id="0", agent="todo", state=TaskState.OK, result=HandlerResult(facts=(fact,))
    )
    given = task("move it to friday", {"title": "it", "change": "move"}, friday())
    linked = replace(given, depends_on=("0",), inputs={"0": before})
    assert action(linked).arguments == {"item": "buy milk", "due": "2026-05-15"}
    later = task("postpone it by a day", {"title": "it by a day", "change": "move"})
    asked = replace(fact, value={"summary": "report"})
    about = replace(before, result=HandlerResult(facts=(asked,)))
    moved = action(replace(later, depends_on=("0",), inputs={"0": about}))
    assert moved.arguments == {"item": "report", "due": "2026-05-15"}
    for unlinked in (given, later):
        with pytest.raises(TaskError, match="I do not know what “it” is"):
            action(unlinked)


@pytest.mark.parametrize(
    ("utterance", "title", "arguments"),
    [
        ("postpone the dentist by an hour", "dentist by an hour", {"item": "dentist", "start": "2026-05-19T09:30:00+02:00", "on": "2026-05-19"}),  # noqa: E501 - one row
        ("bring the dentist forward by half an hour", "dentist forward by half an hour", {"item": "dentist", "start": "2026-05-19T08:00:00+02:00", "on": "2026-05-19"}),  # noqa: E501 - one row
        ("move the stand-up 15 minutes later", "stand-up", {"item": "stand-up", "start": "2026-05-14T09:30:00+02:00", "on": "2026-05-14"}),  # noqa: E501 - one row
        ("push the trip back a week", "trip back a week", {"item": "trip", "start": "2026-05-30", "on": "2026-05-23"}),  # noqa: E501 - one row
        ("delay the report by two days", "report by two days", {"item": "report", "due": "2026-05-16"}),  # noqa: E501 - one row
        ("delay the landlord by 90 minutes", "landlord by 90 minutes", {"item": "landlord", "due": "2026-05-14T18:30:00+02:00"}),  # noqa: E501 - one row
    ],
)  # fmt: skip
def test_a_length_moves_from_where_it_is(
    utterance: str, title: str, arguments: dict[str, str]
) -> None:
    assert action(task(utterance, {"title": title, "change": "move"})).arguments == arguments


def test_what_has_no_time_cannot_be_moved_by_a_length() -> None:
    propose = build_change_proposer(PORTS, ItemKind.TODO)
    undated = task("delay milk by a day", {"title": "milk by a day", "change": "move"})
    assert [fact.text for fact in propose(undated).facts] == [
        "“Buy milk” has no due date; name the day on which it is to be due."
    ]
    hours = task("delay the trip by an hour", {"title": "trip by an hour", "change": "move"})
    with pytest.raises(TaskError, match="is a whole day"):
        propose(hours)
    unknown = task("delay lunch by an hour", {"title": "lunch by an hour", "change": "move"})
    with pytest.raises(TaskError, match="nothing is called “lunch”"):
        propose(unknown)


def test_a_day_later_is_the_same_hour_when_the_clocks_change() -> None:
    zone = ZoneInfo("Europe/Berlin")
    at = dt.datetime(2026, 3, 28, 9, 0, tzinfo=zone)
    day = read_shift(task("delay it by a day", {"title": "it by a day"}))
    hours = read_shift(task("delay it by 23 hours", {"title": "it by 23 hours"}))
    assert day is not None
    assert hours is not None
    assert day.from_time(at, zone) == hours.from_time(at, zone)


def test_an_hour_that_is_over_is_tomorrows_for_what_is_added() -> None:
    now = dt.datetime(2026, 5, 13, 17, 20, tzinfo=BERLIN)
    start = dt.datetime(2026, 5, 13, 17, 0, tzinfo=BERLIN)
    said = Scope(start=start, end=start + dt.timedelta(minutes=1), kind=ScopeKind.TIME, text="at 5")
    assert upcoming(said, now).start == start + dt.timedelta(days=1)
    assert upcoming(said, start - dt.timedelta(minutes=1)) == said
    today = replace(said, kind=ScopeKind.DATETIME)
    assert upcoming(today, now) == today


# Pins and skips


def marked(
    change: str, title: str, scope: Scope | None = None, *, tried: bool = False
) -> HandlerResult:
    ports = AgentPorts(sources=PORTS, preferences=DayPreferences())
    given = task(f"{change} {title}", {"title": title, "change": change}, scope, tried=tried)
    return build_mark_proposer(ports, DayPreferences())(given)


def test_a_todo_is_pinned_where_it_is_at_an_hour_or_first() -> None:
    three = dt.datetime(2026, 5, 15, 15, 0, tzinfo=BERLIN)
    at_three = replace(friday(), start=three, end=three, kind=ScopeKind.DATETIME)
    asked = [
        marked("pin", "report"),
        marked("pin", "report", at_three),
        marked("first", "report", friday()),
    ]
    assert [dict(one.actions[0].arguments) for one in asked] == [
        {"item": "report", "day": "2026-05-13"},
        {"item": "report", "day": "2026-05-15", "start": "15:00"},
        {"item": "report", "day": "2026-05-15", "start": "09:30"},  # two hours, after the stand-up
    ]


def test_events_are_not_pinned_and_unknown_words_are_only_tried() -> None:
    assert [fact.text for fact in marked("skip", "dentist").facts] == [
        "“dentist” is an event, and events stay where they are; only todos are planned."
    ]
    assert marked("skip", "this song", tried=True).declined
    assert marked("skip", "milk", tried=True).actions[0].kind == "plan.skip"
    week = replace(friday(), end=friday().end + dt.timedelta(days=2))
    with pytest.raises(TaskError, match="one day"):
        marked("skip", "milk", week)
