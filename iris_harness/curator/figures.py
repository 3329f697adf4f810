"""What a day comes to, in numbers: counted once, said by every view."""

from __future__ import annotations

import datetime as dt
import enum
from typing import NamedTuple

from iris_harness.contracts.day import BlockKind, DailyPlan, Workload
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
    """Due todos without a place in the day, except those that may not start yet."""
    unplaced_minutes: int
    """Time that those still need."""
    not_yet: int
    """Due todos that may not start before a later day."""
    unread: tuple[SourceStatus, ...]
    """Sources that could not be read, in the plan's order."""
    calendars: Knowledge
    todo_lists: Knowledge
    is_over: bool
    """Whether the day lies before the plan's "now"."""
    is_day_off: bool
    """Whether the day has no working hours."""
    workload: Workload | None = None
    """The work that is due against the time for it; None in plans of an older program."""

    @property
    def excess(self) -> Workload | None:
        """The work and the time for it, where it is too much and the day is one to work on."""
        if self.workload is None or self.is_over or self.is_day_off:
            return None
        return self.workload if self.workload.is_overcommitted else None


def day_figures(plan: DailyPlan) -> Figures:
    """Count what a plan holds."""
    waiting = _waiting(plan)
    ready = [unplaced for unplaced in plan.unplaced if unplaced.source not in waiting]
    return Figures(
        events=sum(event.takes_place for event in plan.events),
        conflicts=len(plan.conflicts),
        due=len(plan.todos),
        placed=len({block.source for block in plan.blocks if block.kind is BlockKind.TODO}),
        free_minutes=sum(minutes_between(span.start, span.end) for span in plan.free),
        unplaced=len(ready),
        unplaced_minutes=sum(unplaced.missing_minutes for unplaced in ready),
        not_yet=len(plan.unplaced) - len(ready),
        unread=tuple(status for status in plan.sources if not status.was_read),
        calendars=knowledge_of(plan, SourceKind.CALENDAR),
        todo_lists=knowledge_of(plan, SourceKind.TODO),
        is_over=days_from_now(plan) < 0,
        is_day_off=plan.is_day_off,
        workload=plan.workload,
    )


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


def todo_spans(plan: DailyPlan, source: SourceRef) -> tuple[tuple[dt.datetime, dt.datetime], ...]:
    """Return start and end of each block given to the todo at `source`, in order."""
    return tuple(
        (block.start, block.end)
        for block in plan.blocks
        if block.kind is BlockKind.TODO and block.source == source
    )


def _waiting(plan: DailyPlan) -> frozenset[SourceRef]:
    """Return the todos that may not start by the end of the day."""
    end = frame_of(plan).end
    return frozenset(
        one.todo.source
        for one in plan.todos
        if (start := one.todo.start) is not None
        and (start >= end if isinstance(start, dt.datetime) else start > plan.date)
    )
