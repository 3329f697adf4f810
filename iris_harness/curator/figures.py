"""What a day comes to, in numbers: counted once, said by every view."""

from __future__ import annotations

import datetime as dt
import enum
from typing import NamedTuple

from iris_harness.contracts.day import BlockKind, DailyPlan, Event, EventStatus, Unplaced
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus
from iris_harness.curator.frame import frame_of, minutes_between


class Knowledge(enum.StrEnum):
    """How much may be said about all sources of one kind together."""

    NONE = "none"  # there is no such source
    PARTIAL = "partial"  # at least one was not read
    STALE = "stale"  # all were read, at least one is older than its owner allows
    FULL = "full"


class Figures(NamedTuple):
    """A day's numbers."""

    events: int
    """Events that take place for the user: not declined, not cancelled."""
    conflicts: int
    due: int
    """Todos due by the end of the day."""
    placed: int
    """Todos that have at least one block."""
    free_minutes: int
    unplaced: int
    """Due todos that found no room."""
    unplaced_minutes: int
    """Time the unplaced ones still need, as far as they say how long they take."""
    unplaced_unknown: int
    """How many of the unplaced ones do not say so."""
    unread: tuple[SourceStatus, ...]
    """Sources that could not be read, in the plan's order."""
    calendars: Knowledge
    todo_lists: Knowledge
    is_over: bool
    """Whether the day lies before the plan's "now"."""


def day_figures(plan: DailyPlan) -> Figures:
    """Count what a plan holds."""
    missing = [_missing_minutes(plan, unplaced) for unplaced in plan.unplaced]
    return Figures(
        events=sum(takes_place(event) for event in plan.events),
        conflicts=len(plan.conflicts),
        due=len(plan.todos),
        placed=len({block.source for block in plan.blocks if block.kind is BlockKind.TODO}),
        free_minutes=sum(minutes_between(span.start, span.end) for span in plan.free),
        unplaced=len(plan.unplaced),
        unplaced_minutes=sum(minutes for minutes in missing if minutes is not None),
        unplaced_unknown=missing.count(None),
        unread=tuple(status for status in plan.sources if not status.was_read),
        calendars=knowledge_of(plan, SourceKind.CALENDAR),
        todo_lists=knowledge_of(plan, SourceKind.TODO),
        is_over=days_from_now(plan) < 0,
    )


def takes_place(event: Event) -> bool:
    """Return whether an event takes place for the user."""
    return event.status not in {EventStatus.DECLINED, EventStatus.CANCELLED}


def knowledge_of(plan: DailyPlan, kind: SourceKind) -> Knowledge:
    """Return how much may be said about a plan's sources of one kind."""
    states = {status.state for status in plan.sources if status.kind is kind}
    if not states:
        return Knowledge.NONE
    if SourceState.FAILED in states:
        return Knowledge.PARTIAL
    return Knowledge.STALE if SourceState.STALE in states else Knowledge.FULL


def days_from_now(plan: DailyPlan) -> int:
    """Return how many days the plan's date lies ahead of its "now"; negative when past."""
    return (plan.date - frame_of(plan).local(plan.now).date()).days


def placed_minutes(plan: DailyPlan, source: SourceRef) -> int:
    """Return the minutes that blocks give to the todo at `source`."""
    return sum(minutes_between(start, end) for start, end in todo_spans(plan, source))


def todo_spans(plan: DailyPlan, source: SourceRef) -> tuple[tuple[dt.datetime, dt.datetime], ...]:
    """Return start and end of each block given to the todo at `source`, in order."""
    return tuple(
        (block.start, block.end)
        for block in plan.blocks
        if block.kind is BlockKind.TODO and block.source == source
    )


def _missing_minutes(plan: DailyPlan, unplaced: Unplaced) -> int | None:
    """Return the minutes an unplaced todo still needs; None when nobody said how many."""
    for planned in (*plan.todos, *plan.backlog):
        if planned.todo.source == unplaced.source:
            estimate = planned.todo.estimate_minutes
            if estimate is None:
                return None
            return max(0, estimate - placed_minutes(plan, unplaced.source))
    return None
