"""The time of one day: what is working time, what is taken, what can still be used, and when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, Event, TimeSpan, Todo
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.frame import DayFrame, Phase, Span, first_instant
from iris_harness.planner.journeys import Way
from iris_harness.planner.spans import after, intersect, subtract, union
from iris_harness.planner.words import DateWords

_MINUTE = 60  # seconds


class Limits(NamedTuple):
    """When a day lets a todo be done, as the todo itself asks; in words and as spans."""

    earliest: dt.datetime | None
    """Not before this moment, where that is still to come."""
    latest: dt.datetime | None
    """Over by this moment."""
    energy: str
    """In the hours of this energy; empty: at any time."""
    windows: tuple[Span, ...] | None
    """In one of these, in slots; None: at any time."""


class DayTime(NamedTuple):
    """The time of one day. Spans are in seconds since its start, gaps in slots of the grid."""

    frame: DayFrame
    now: dt.datetime
    preferences: DayPreferences
    working: tuple[Span, ...]
    """The working hours, whole."""
    closed: tuple[Span, ...]
    """What todos keep clear of: busy timed events, their buffers, and the ways to and from them.
    An all-day event marks the day and takes no hours of it."""
    fixed: tuple[Span, ...] = ()
    """Blocks that stay where they are."""

    @property
    def grid(self) -> int:
        """Seconds of a slot."""
        return self.preferences.grid_minutes * _MINUTE

    @property
    def slots(self) -> int:
        """The slot at which the day is over."""
        return ceiling(self.frame.seconds, self.grid)

    @property
    def begin(self) -> int:
        """The first second that counts: "now" when it lies in the day, else the day's first."""
        is_today = self.frame.phase(self.now) is Phase.TODAY
        return self.frame.second(self.now) if is_today else 0

    @property
    def dates(self) -> DateWords:
        """How dates are said in this day's plan."""
        return DateWords(day=self.frame.date, now=self.now)

    def working_until(self, second: int) -> DayTime:
        """Return the same day with the last of the working hours going on until `second`."""
        last = self.working[-1].end if self.working else 0
        return self._replace(working=union((*self.working, Span(last, second))))

    def open_time(self) -> tuple[Span, ...]:
        """Return the working time that counts and that events leave, with what belongs to them."""
        return subtract(after(self.working, self.begin), self.closed)

    def gaps(self) -> tuple[Span, ...]:
        """Return the slots that lie wholly in open time and clear of what stays where it is."""
        spans = subtract(self.open_time(), self.fixed)
        slots = (Span(ceiling(span.start, self.grid), span.end // self.grid) for span in spans)
        return tuple(gap for gap in slots if gap.start < gap.end)

    def instant(self, slot: int) -> dt.datetime:
        """Return the instant at which a slot begins."""
        return self.frame.instant(slot * self.grid)

    def on_grid(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Return those of `spans` that begin and end with a slot, in slots."""
        return tuple(
            Span(span.start // self.grid, span.end // self.grid)
            for span in spans
            if span.start % self.grid == 0 == span.end % self.grid
        )

    def need_minutes(self, todo: Todo) -> int:
        """Return how long a todo takes, rounded up to the grid; unknown: as preferred."""
        return need_minutes(todo, self.preferences)

    def chunk_minutes(self, todo: Todo) -> int | None:
        """Return the least piece of a todo, rounded up to the grid; None: it is not split."""
        chunk = self.preferences.chunk_minutes
        chunk = chunk if todo.chunk_minutes is None else todo.chunk_minutes
        grid = self.preferences.grid_minutes
        return ceiling(chunk, grid) * grid if chunk is not None and chunk > 0 else None

    def limits(self, todo: Todo) -> Limits:
        """Return when a todo may be done on this day: its start, its times of day, its energy."""
        starts = [todo.start] if isinstance(todo.start, dt.datetime) else []
        starts += [self._first(todo.earliest)] if todo.earliest else []
        earliest = max(
            (one for one in starts if one > self.frame.instant(self.begin)), default=None
        )
        hours, windows = self.hours_of(todo), None
        if hours is not None or earliest is not None:
            start = self.frame.second(earliest) if earliest else 0
            whole = (Span(0, self.frame.seconds),)
            windows = self._slots(
                intersect(whole if hours is None else hours, Span(start, self.frame.seconds))
            )
        return Limits(
            earliest=earliest,
            latest=self._last(todo),
            energy=todo.energy if self._energy_spans(todo.energy) is not None else "",
            windows=windows,
        )

    def hours_of(self, todo: Todo) -> tuple[Span, ...] | None:
        """Return when a todo may be done by its times of day and its energy; None: at any time."""
        spans, last = self._energy_spans(todo.energy), self._last(todo)
        if spans is None and last is None and todo.earliest is None:
            return None
        start = self.frame.second(self._first(todo.earliest)) if todo.earliest else 0
        end = self.frame.second(last) if last else self.frame.seconds
        whole = (Span(0, self.frame.seconds),)
        return intersect(whole if spans is None else spans, Span(start, end))

    def has_no_hours(self, todo: Todo) -> bool:
        """Return whether a todo's own times and energy leave no slot of the day, at any "now"."""
        hours = self.hours_of(todo)
        return hours is not None and not self._slots(hours)

    def _last(self, todo: Todo) -> dt.datetime | None:
        """Return when a todo has to be over; None where that is the end of the day."""
        ends_with_day = todo.latest is None or todo.latest == dt.time(0)
        return None if ends_with_day or todo.latest is None else self._first(todo.latest)

    def _first(self, time: dt.time) -> dt.datetime:
        return first_instant(self.frame.date, time, self.frame.zone)

    def _energy_spans(self, energy: str) -> tuple[Span, ...] | None:
        for one in self.preferences.energy_windows if energy else ():
            if one.energy == energy:
                return union(self.frame.working_spans(one.spans))
        return None

    def _slots(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        slots = (Span(ceiling(span.start, self.grid), span.end // self.grid) for span in spans)
        return tuple(span for span in slots if span.start < span.end)


def need_minutes(todo: Todo, preferences: DayPreferences) -> int:
    """Return how long a todo takes, rounded up to the grid; unknown: as preferred."""
    wanted = todo.estimate_minutes if knows_estimate(todo) else None
    grid = preferences.grid_minutes
    return max(1, ceiling(wanted or preferences.default_estimate_minutes, grid)) * grid


def knows_estimate(todo: Todo) -> bool:
    """Return whether the todo says how long it takes; zero and less say nothing."""
    return todo.estimate_minutes is not None and todo.estimate_minutes > 0


def ends_before_it_starts(span: TimeSpan) -> bool:
    """Return whether a span of the wall clock holds no time."""
    return span.start >= span.end != dt.time(0)


def build_daytime(
    frame: DayFrame,
    now: dt.datetime,
    preferences: DayPreferences,
    events: Sequence[Event],
    ways: Sequence[Way] = (),
) -> DayTime:
    """Return the time of the day that `frame` spans."""
    before = preferences.buffer_before_minutes * _MINUTE
    after_ = preferences.buffer_after_minutes * _MINUTE
    timed = (bounds(event) for event in events if event.busy and not event.all_day)
    kept_clear = (frame.around(start, end, before, after_) for start, end in timed if start < end)
    return DayTime(
        frame=frame,
        now=now,
        preferences=preferences,
        working=union(frame.working_spans(preferences.working_hours[frame.date.weekday()])),
        closed=union((*kept_clear, *(way.span for way in ways))),
    )


def ceiling(value: int, unit: int) -> int:
    """Return how many whole units hold `value`."""
    return -(-value // unit)
