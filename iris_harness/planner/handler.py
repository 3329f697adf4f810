"""The planner as a handler: which days are asked for, read them, plan them."""

from __future__ import annotations

import datetime as dt

from iris_harness.contracts.day import DailyPlan, DayPreferences, PlannedDay
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.routing import IMPOSSIBLE_LENGTH, IMPOSSIBLE_TIME, LEFT_OUT_TIME
from iris_harness.contracts.scopes import ScopeKind
from iris_harness.contracts.sources import SourceRef
from iris_harness.contracts.tasks import AgentTask, Handler
from iris_harness.contracts.zones import UserZones
from iris_harness.errors import TaskError
from iris_harness.planner import words
from iris_harness.planner.frame import at_offset, load_zone
from iris_harness.planner.remembered import build_remembered_range
from iris_harness.planner.snapshot import read_days

MAX_DAYS = 31
"""The longest range one task may plan: a month."""


def build_planner_handler(ports: AgentPorts, preferences: DayPreferences) -> Handler:
    """Return a handler that plans every day its task's scope touches.

    Without a scope that is the day of `asked_at` in the task's zone. A scope that is only a
    part of a day plans the whole day; the reply shows that part. The result holds one fact of
    kind `DAY` per day, by date, and no text: the curator renders it.

    The handler raises `TaskError` for a range of more than `MAX_DAYS` days and for a day that
    does not exist, and `UsageError`
    for an unknown zone.
    """

    def handle(task: AgentTask) -> HandlerResult:
        refuse_impossible(task)
        days = _days(task)
        zones = ports.zones or UserZones(home=task.timezone)
        snapshots = read_days(ports.sources, days, zones, task.asked_at)
        memories = ports.recall(days) if ports.recall else {}
        planned = build_remembered_range(snapshots, preferences, memories)
        return HandlerResult(
            facts=tuple(_fact(day) for day in planned),
            warnings=tuple(sorted({line for day in planned for line in day.plan.warnings})),
        )

    return handle


def refuse_impossible(task: AgentTask) -> None:
    """Answer nothing for a time or a length that cannot be, rather than for another one.

    Raises:
        TaskError: the task names such a time or length.
    """
    said = task.slots.get(IMPOSSIBLE_TIME)
    if said:
        raise TaskError(f"there is no “{said}” in the calendar", hint="name another time")
    length = task.slots.get(IMPOSSIBLE_LENGTH)
    if length:
        raise TaskError(f"“{length}” is no length of time", hint="say how long, as in: 30 minutes")


def refuse_to_write(task: AgentTask) -> None:
    """Write nothing down for a time or a length that cannot be, nor for one no clock shows.

    Raises:
        TaskError: the task names such a time or length.
    """
    refuse_impossible(task)
    left_out = task.slots.get(LEFT_OUT_TIME)
    if left_out:
        at = dt.datetime.fromisoformat(left_out)
        raise TaskError(
            f"there is no {words.clock_text(at)} on {words.day_name(at.date())}: the clocks go "
            "forward over it",
            hint="name another time",
        )


def day_of(task: AgentTask) -> dt.date:
    """Return the one day that a sentence about a plan is about.

    It is the day that is named; else the one that the conversation was shown last, else today. A
    time of day alone names no day, even where it is over today.

    Raises:
        TaskError: several days are named.
    """
    scope = task.scope
    if scope is None or scope.kind is ScopeKind.TIME:
        return task.shown_on or at_offset(task.asked_at, load_zone(task.timezone)).date()
    days = scope.days() if scope.end - scope.start <= dt.timedelta(days=MAX_DAYS) else ()
    if len(days) != 1:
        raise TaskError("that is about one day at a time", hint="name the day")
    return days[0]


def _days(task: AgentTask) -> tuple[dt.date, ...]:
    if task.scope is None:
        return (at_offset(task.asked_at, load_zone(task.timezone)).date(),)
    scope = task.scope
    short = scope.end - scope.start <= dt.timedelta(days=MAX_DAYS + 1)
    days = scope.days() if short else ()  # a span of centuries is not spelt out to be counted
    if not days or len(days) > MAX_DAYS:
        raise TaskError(
            f"{scope.text or 'that'} is too long to be planned day by day",
            hint=f"ask for at most {MAX_DAYS} days",
        )
    return days


def _fact(day: PlannedDay) -> Fact:
    read = dict.fromkeys(status.name for status in day.plan.sources if status.was_read)
    return Fact(
        kind=FactKind.DAY,
        text=_sentence(day.plan),
        value=day,
        sources=tuple(SourceRef(source=name) for name in read),
    )


def _sentence(plan: DailyPlan) -> str:
    counts = ", ".join(
        f"{len(items)} {noun if len(items) == 1 else noun + 's'}"
        for noun, items in (
            ("event", [event for event in plan.events if event.takes_place]),
            ("due todo", plan.todos),
            ("block", plan.blocks),
        )
    )
    unread = [status.name for status in plan.sources if not status.was_read]
    tail = f"; not read: {', '.join(unread)}" if unread else ""
    return f"{words.day_name(plan.date)}: {counts}{tail}."
