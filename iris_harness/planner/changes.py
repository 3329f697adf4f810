"""The smallest changes that would give a todo all its time, each tried by planning the day again.

Six kinds are tried, a few of each: a shorter todo, one in parts, one that may be done at any time,
another todo left out, an event moved to another day, a longer working day. Of each kind the first
that helps is kept. A change that cannot be proved to help is not named.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator

from iris_harness.contracts.day import BlockKind, Event, PlannedDay, Todo
from iris_harness.contracts.explain import Change, ChangeKind
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.daytime import need_minutes
from iris_harness.planner.optimise import worth
from iris_harness.planner.scene import Scene, read_scene
from iris_harness.planner.whatif import (
    blocks_of,
    is_proved,
    planned_minutes,
    with_todo,
    without_event,
    without_todo,
    working_until,
)

MOST_OF_A_KIND = 5
"""Changes of one kind that are tried, at most."""

_MINUTE = dt.timedelta(minutes=1)
_PARTS = (60, 30, 15)
"""Least pieces that are tried, in minutes."""

_KINDS = list(ChangeKind)


def find_changes(day: PlannedDay, todo: Todo) -> tuple[Change, ...]:
    """Return changes that give `todo` all its time, the smallest first: at most one of a kind.

    Smallest is what gives up the least time; of equals, the order of `ChangeKind`.
    """
    search = _Search(day, todo)
    tried = (
        search.shorten(),
        search.split(),
        search.any_time(),
        search.drop(),
        search.move(),
        search.extend(),
    )
    found = [change for change in tried if change is not None]
    return tuple(sorted(found, key=lambda one: (one.cost_minutes, _KINDS.index(one.kind))))


class _Search:
    def __init__(self, day: PlannedDay, todo: Todo) -> None:
        self._day = day
        self._todo = todo
        self._scene: Scene = read_scene(day)
        self._need = need_minutes(todo, day.preferences)

    def _helps(self, trial: PlannedDay, todo: Todo | None = None) -> bool:
        """Return whether a plan is proved, and gives the todo all its time."""
        wanted = todo or self._todo
        lacks = {(one.source, one.summary) for one in trial.plan.unplaced}
        has_time = planned_minutes(trial.plan, wanted) > 0
        return (
            has_time
            and (wanted.source, wanted.summary) not in lacks
            and self._has_all(trial, wanted)
            and is_proved(trial.plan)
        )

    def _has_all(self, trial: PlannedDay, todo: Todo) -> bool:
        """Return whether blocks, and the time it has had or has elsewhere, add up."""
        elsewhere = sum(
            one.minutes for one in trial.snapshot.partly_elsewhere if one.source == todo.source
        )
        need = need_minutes(todo, trial.preferences)
        done = self._scene.shown.minutes_done(todo, need)
        return planned_minutes(trial.plan, todo) + elsewhere + done >= need

    def shorten(self) -> Change | None:
        """Make it as long as some time that the plan leaves, the longest first."""
        for minutes in self._shorter_lengths():
            changed = dataclasses.replace(self._todo, estimate_minutes=minutes)
            if self._helps(with_todo(self._day, self._todo, changed), changed):
                return Change(
                    kind=ChangeKind.SHORTEN, cost_minutes=self._need - minutes, minutes=minutes
                )
        return None

    def _shorter_lengths(self) -> list[int]:
        time = self._scene.time
        grid = self._day.preferences.grid_minutes
        free = ((one.end - one.start) // _MINUTE for one in self._day.plan.free)
        gaps = ((gap.end - gap.start) * grid for gap in time.gaps())
        given = planned_minutes(self._day.plan, self._todo)
        due = (length - taken for length, taken in self._due_time())
        lengths = {length // grid * grid for length in (*free, *gaps, *due, given)}
        return sorted((one for one in lengths if 0 < one < self._need), reverse=True)[
            :MOST_OF_A_KIND
        ]

    def _due_time(self) -> Iterator[tuple[int, int]]:
        """Yield the minutes of each gap, and those of it that due todos and breaks have."""
        time = self._scene.time
        due = {(one.todo.source, one.todo.summary) for one in self._day.plan.todos}
        for gap in time.gaps():
            start, end = time.instant(gap.start), time.instant(gap.end)
            taken = sum(
                (block.end - block.start) // _MINUTE
                for block in self._day.plan.blocks
                if start <= block.start and block.end <= end
                if block.kind is BlockKind.BREAK or (block.source, block.title) in due
            )
            yield (end - start) // _MINUTE, taken

    def split(self) -> Change | None:
        """Let it be done in parts, where it may not be, or in smaller ones."""
        now = self._scene.time.chunk_minutes(self._todo)
        for minutes in _PARTS:
            if (now is not None and now <= minutes) or 2 * minutes > self._need:
                continue
            changed = dataclasses.replace(self._todo, chunk_minutes=minutes)
            if self._helps(with_todo(self._day, self._todo, changed), changed):
                return Change(kind=ChangeKind.SPLIT, cost_minutes=0, minutes=minutes)
        return None

    def any_time(self) -> Change | None:
        """Let it be done at any time of the day."""
        if self._scene.time.limits(self._todo).windows is None:
            return None
        start = self._todo.start
        changed = dataclasses.replace(
            self._todo,
            earliest=None,
            latest=None,
            energy="",
            start=start.date() if isinstance(start, dt.datetime) else start,
        )
        helps = self._helps(with_todo(self._day, self._todo, changed), changed)
        return Change(kind=ChangeKind.ANY_TIME, cost_minutes=0) if helps else None

    def drop(self) -> Change | None:
        """Leave another todo out: what matters least first, and nothing due for what is not."""
        for other in self._droppable():
            if self._helps(without_todo(self._day, other)):
                return Change(
                    kind=ChangeKind.DROP,
                    cost_minutes=planned_minutes(self._day.plan, other),
                    other=other.summary,
                    sources=(other.source,),
                )
        return None

    def _droppable(self) -> list[Todo]:
        """Return the first few todos that have enough time to make room."""
        plan = self._day.plan
        is_due = any(one.todo == self._todo for one in plan.todos)
        listed = (*plan.backlog[::-1], *(plan.todos[::-1] if is_due else ()))
        missing = self._need - max(self._shorter_lengths(), default=0)
        placed = [one.todo for one in listed if one.todo != self._todo]
        enough = [todo for todo in placed if planned_minutes(plan, todo) >= missing]
        return sorted(enough, key=lambda todo: worth(todo.priority))[:MOST_OF_A_KIND]

    def move(self) -> Change | None:
        """Move an event to another day: the shortest first."""
        for event in self._movable():
            if self._helps(without_event(self._day, event)):
                start, end = bounds(event)
                return Change(
                    kind=ChangeKind.MOVE,
                    cost_minutes=-((start - end) // _MINUTE),
                    other=event.summary,
                    sources=(event.source,),
                )
        return None

    def _movable(self) -> list[Event]:
        time = self._scene.time
        begin = time.frame.instant(time.begin)
        working = [(hours.start, hours.end) for hours in self._day.plan.working_hours]
        timed = [
            (end - start, number, event)
            for number, event in enumerate(self._day.plan.events)
            if event.busy and not event.all_day
            for start, end in [bounds(event)]
            if end > begin and any(start < last and first < end for first, last in working)
        ]
        return [event for _, _, event in sorted(timed, key=lambda one: one[:2])][:MOST_OF_A_KIND]

    def extend(self) -> Change | None:
        """Work on in the evening: no longer than it takes, as far as that is known."""
        if not self._day.plan.working_hours:
            return None
        close = self._day.plan.working_hours[-1].end
        midnight = self._scene.time.frame.end
        for until in self._evenings(close, midnight):
            if self._helps(self._working_until(until, midnight)):
                cost = (until - close) // _MINUTE
                return Change(kind=ChangeKind.EXTEND, cost_minutes=cost, until=until)
        return None

    def _evenings(self, close: dt.datetime, midnight: dt.datetime) -> list[dt.datetime]:
        """Return ends of work that may do: as long as it needs, as it has in a day without end."""
        if close >= midnight:
            return []
        longest = self._working_until(midnight, midnight)
        own = [block.end for block in blocks_of(longest.plan, self._todo)]
        missing = self._need - planned_minutes(self._day.plan, self._todo)
        ends = {close + missing * _MINUTE, *own[-1:], midnight}
        return sorted(end for end in ends if close < end <= midnight)

    def _working_until(self, end: dt.datetime, midnight: dt.datetime) -> PlannedDay:
        return working_until(self._day, dt.time(0) if end == midnight else end.time())
