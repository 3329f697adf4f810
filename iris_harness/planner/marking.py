"""The user's say in a plan, in words: what is pinned, what is skipped, what comes first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.explain import ItemKind
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.intended import time_of_day
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import ScopeKind
from iris_harness.contracts.tasks import AgentTask, Handler
from iris_harness.errors import TaskError
from iris_harness.planner import words
from iris_harness.planner.frame import load_zone
from iris_harness.planner.handler import day_of, refuse_to_write
from iris_harness.planner.proposals import Named, find_named, meant_title, proposed
from iris_harness.planner.questions.free import open_day
from iris_harness.planner.questions.look import Look, days_from
from iris_harness.planner.snapshot import read_events, read_snapshots

_KINDS = {
    "pin": ActionKind.PIN,
    "first": ActionKind.PIN,
    "unpin": ActionKind.UNPIN,
    "skip": ActionKind.SKIP,
    "unskip": ActionKind.UNSKIP,
}
_POINTS = frozenset({ScopeKind.TIME, ScopeKind.DATETIME})


def build_mark_proposer(ports: AgentPorts, preferences: DayPreferences) -> Handler:
    """Return what proposes that a todo is pinned or skipped on one day.

    The day is `day_of` the task; an hour that is named is where it
    is pinned, and "first" is the first gap between events that is long enough for it.

    It raises `TaskError` for several days, where it is not said what is meant, and where no gap
    is long enough.
    """

    def propose(task: AgentTask) -> HandlerResult:
        refuse_to_write(task)
        change, title = _asked(task)
        found = find_named(ports.sources, task, title)
        todos = tuple(one for one in found if one.kind is ItemKind.TODO)
        if task.is_tried and not todos:
            return HandlerResult(declined=True)
        if found and not todos:
            return _of_events(title, found)
        is_first = change == "first" and todos
        start = _first(ports, preferences, task, todos) if is_first else None
        return proposed(ItemKind.TODO, title, _action(task, change, title, start))

    return propose


def _of_events(title: str, events: Sequence[Named]) -> HandlerResult:
    text = f"“{title}” is an event, and events stay where they are; only todos are planned."
    sources = tuple(dict.fromkeys(one.source for one in events))
    return HandlerResult(facts=(Fact(kind=FactKind.STATEMENT, text=text, sources=sources),))


def _asked(task: AgentTask) -> tuple[str, str]:
    """Return what is to become of which todo.

    Raises:
        TaskError: it is not said.
    """
    change = task.slots.get("change", "").lower()
    title = meant_title(task) if task.slots.get("title") else ""
    if not change or not title:
        raise TaskError(
            "I did not understand which todo is meant", hint="say, as in: pin the report at 15:00"
        )
    return change, title


def _action(task: AgentTask, change: str, title: str, start: dt.datetime | None = None) -> Action:
    arguments: dict[str, Json] = {"item": title, "day": day_of(task).isoformat()}
    if start is not None:
        arguments["start"] = f"{start:%H:%M}"
    elif change == "pin" and task.scope and task.scope.kind in _POINTS:
        arguments["start"] = time_of_day(task.scope)
    return Action(kind=_KINDS[change], arguments=arguments)


def _first(
    ports: AgentPorts, preferences: DayPreferences, task: AgentTask, todos: Sequence[Named]
) -> dt.datetime:
    """Return the start of the first gap between events that is long enough for a todo.

    Raises:
        TaskError: there is none.
    """
    zone = load_zone(task.timezone)
    now = task.asked_at.astimezone(zone)
    day = day_of(task)
    start = now if day == now.date() else dt.datetime.combine(day, dt.time(), zone)
    window = days_from(start, 1)
    read = read_events(ports.sources.calendars, (day,), task.timezone, task.asked_at)
    look = Look(
        now=now,
        zone=zone,
        preferences=preferences,
        window=window,
        is_named=True,
        events=tuple(filter(window.holds, read.events)),
        statuses=read.statuses,
    )
    minutes = _minutes(ports, preferences, task, todos)
    for gap in open_day(look, day, minutes).gaps:
        first = _on_grid(gap.start, preferences.grid_minutes)
        if first + dt.timedelta(minutes=minutes) <= gap.end:
            return first
    raise TaskError(
        f"no {minutes} minutes are free for \u201c{todos[0].title}\u201d on {words.day_name(day)}",
        hint="name another day, or an hour",
    )


def _minutes(
    ports: AgentPorts, preferences: DayPreferences, task: AgentTask, meant: Sequence[Named]
) -> int:
    lists = SourcePorts(todos=ports.sources.todos)
    todos = read_snapshots(lists, (day_of(task),), task.timezone, task.asked_at)[0].todos
    sources = {one.source for one in meant}
    known = [todo.estimate_minutes for todo in todos if todo.source in sources]
    return next(filter(None, known), preferences.default_estimate_minutes)


def _on_grid(start: dt.datetime, grid_minutes: int) -> dt.datetime:
    past = (start.minute % grid_minutes) * 60 + start.second
    return start if not past else start + dt.timedelta(seconds=grid_minutes * 60 - past)
