"""The time of one day: what is working time, what events take, what can still be used."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, Event, Todo
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.frame import DayFrame, Phase, Span
from iris_harness.planner.optimise import Request, worth
from iris_harness.planner.ranking import RankedTodo
from iris_harness.planner.spans import after, subtract, union
from iris_harness.planner.words import DateWords

_MINUTE = 60  # seconds


class DayTime(NamedTuple):
    """The time of one day. Spans are in seconds since its start, gaps in slots of the grid."""

    frame: DayFrame
    now: dt.datetime
    preferences: DayPreferences
    working: tuple[Span, ...]
    """The working hours, whole."""
    busy: tuple[Span, ...]
    """What busy timed events take. An all-day event marks the day and takes no hours of it."""

    @property
    def grid(self) -> int:
        """Seconds of a slot."""
        return self.preferences.grid_minutes * _MINUTE

    @property
    def slots(self) -> int:
        """The slot at which the day is over."""
        return _ceiling(self.frame.seconds, self.grid)

    @property
    def begin(self) -> int:
        """The first second that counts: "now" when it lies in the day, else the day's first."""
        is_today = self.frame.phase(self.now) is Phase.TODAY
        return self.frame.second(self.now) if is_today else 0

    @property
    def dates(self) -> DateWords:
        """How dates are said in this day's plan."""
        return DateWords(day=self.frame.date, now=self.now)

    @property
    def overtime(self) -> tuple[Span, ...]:
        """The working hours with the last of them going on to the end of the day."""
        last = self.working[-1].end if self.working else 0
        return union((*self.working, Span(last, self.frame.seconds)))

    def open_time(self, hours: Sequence[Span]) -> tuple[Span, ...]:
        """Return what of `hours` counts and is not taken by an event."""
        return subtract(after(hours, self.begin), self.busy)

    def gaps(self, hours: Sequence[Span]) -> tuple[Span, ...]:
        """Return the slots that lie wholly in the open time of `hours`."""
        spans = self.open_time(hours)
        slots = (Span(_ceiling(span.start, self.grid), span.end // self.grid) for span in spans)
        return tuple(gap for gap in slots if gap.start < gap.end)

    def instant(self, slot: int) -> dt.datetime:
        """Return the instant at which a slot begins."""
        return self.frame.instant(slot * self.grid)

    def need_minutes(self, todo: Todo) -> int:
        """Return how long a todo takes, rounded up to the grid; unknown: as preferred."""
        wanted = todo.estimate_minutes if knows_estimate(todo) else None
        grid = self.preferences.grid_minutes
        return max(1, _ceiling(wanted or self.preferences.default_estimate_minutes, grid)) * grid

    def earliest(self, todo: Todo) -> dt.datetime | None:
        """Return the time still to come before which `todo` may not start; None: at once."""
        if not isinstance(todo.start, dt.datetime):
            return None
        return todo.start if todo.start > self.frame.instant(self.begin) else None

    def request(self, ranked: RankedTodo) -> Request:
        """Return what a todo asks of the day; one that is overdue is as late at any time."""
        earliest = self.earliest(ranked.todo)
        due_at = ranked.due_at if ranked.is_due and not ranked.overdue else None
        return Request(
            need=self.need_minutes(ranked.todo) // self.preferences.grid_minutes,
            windows=(Span(_ceiling(self.frame.second(earliest), self.grid), self.slots),)
            if earliest
            else None,
            due_by=self.frame.second(due_at) // self.grid if due_at else None,
            is_due=ranked.is_due,
            value=worth(ranked.todo.priority),
        )


def knows_estimate(todo: Todo) -> bool:
    """Return whether the todo says how long it takes; zero and less say nothing."""
    return todo.estimate_minutes is not None and todo.estimate_minutes > 0


def build_daytime(
    frame: DayFrame, now: dt.datetime, preferences: DayPreferences, events: Sequence[Event]
) -> DayTime:
    """Return the time of the day that `frame` spans."""
    taken = (bounds(event) for event in events if event.busy and not event.all_day)
    return DayTime(
        frame=frame,
        now=now,
        preferences=preferences,
        working=union(frame.working_spans(preferences.working_hours[frame.date.weekday()])),
        busy=union(itertools.starmap(frame.span, taken)),
    )


def _ceiling(value: int, unit: int) -> int:
    return -(-value // unit)
