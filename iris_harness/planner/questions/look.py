"""What a question about days looks at: a window of time, and the events in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.sources import SourceStatus
from iris_harness.errors import TaskError
from iris_harness.planner.frame import first_instant

LONGEST_DAYS = 366
_INSTANT = dt.timedelta(microseconds=1)
_DAY = dt.timedelta(days=1)
_PART_OF_DAY = dt.timedelta(hours=18)
"""A shorter window is named with its hours; days have 23 hours at least."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The time asked about: some days, and the part of them that counts."""

    days: tuple[dt.date, ...]
    start: dt.datetime
    end: dt.datetime
    """Exclusive."""
    is_part: bool = False
    """Whether it is a part of a day that was named, and no whole one."""

    def holds(self, event: Event) -> bool:
        """Return whether the event takes place in it, if only in part."""
        if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
            return event.start < self.end and max(event.start, event.end - _INSTANT) >= self.start
        last = max(event.start, event.end - _DAY)
        return event.start <= self.days[-1] and last >= self.days[0]


def window_of(scope: Scope) -> Window:
    """Return the window that a scope is.

    Raises:
        TaskError: it is longer than `LONGEST_DAYS`.
    """
    if scope.end - scope.start > dt.timedelta(days=LONGEST_DAYS):
        raise TaskError(
            f"{scope.text or 'that'} is too long to be listed", hint="ask for a year at most"
        )
    is_part = scope.end - scope.start <= _PART_OF_DAY
    return Window(days=scope.days(), start=scope.start, end=scope.end, is_part=is_part)


def days_from(start: dt.datetime, count: int) -> Window:
    """Return the window from `start` (with its zone) to the end of the last of `count` days."""
    every = tuple(start.date() + dt.timedelta(days=n) for n in range(count))
    end = dt.datetime.combine(every[-1] + _DAY, dt.time(), start.tzinfo)
    return Window(days=every, start=start, end=end)


def days_before(now: dt.datetime, count: int) -> Window:
    """Return the window of `count` days that ends at `now`, today the last."""
    every = tuple(now.date() - dt.timedelta(days=n) for n in reversed(range(count)))
    start = dt.datetime.combine(every[0], dt.time(), now.tzinfo)
    return Window(days=every, start=start, end=now)


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What was read for one question."""

    now: dt.datetime
    """The turn's "now", in the user's zone."""
    zone: ZoneInfo
    preferences: DayPreferences
    window: Window
    is_named: bool
    """Whether the user named the time; else it is what such a question looks through."""
    events: tuple[Event, ...]
    """Those of the window, each once, in the plan's order."""
    statuses: tuple[SourceStatus, ...]
    """Of what was to be read."""

    @property
    def read(self) -> tuple[str, ...]:
        """The names of the sources that were read."""
        return tuple(status.name for status in self.statuses if status.was_read)

    @property
    def is_complete(self) -> bool:
        """Whether nothing failed that should have been read."""
        return all(status.was_read for status in self.statuses)

    def midnight(self, day: dt.date) -> dt.datetime:
        """Return the first instant of a day."""
        return first_instant(day, dt.time(), self.zone)

    def events_of(self, day: dt.date) -> tuple[Event, ...]:
        """Return the events of the window that a day has a part of."""
        whole = Window(days=(day,), start=self.midnight(day), end=self.midnight(day + _DAY))
        return tuple(event for event in self.events if whole.holds(event))


def taking_time(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the timed events that take the user's time."""
    return tuple(one for one in events if one.busy and one.takes_place and not one.all_day)


def taking_the_day(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the all-day events that take the user's time: a vacation, and no birthday."""
    return tuple(one for one in events if one.busy and one.takes_place and one.all_day)
