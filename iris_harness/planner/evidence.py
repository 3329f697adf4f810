"""What a day demands of its plan, worked out from the snapshot a second time.

For the verifier only. Nothing here comes from the modules that build plans: where both say the
same, they have come to it separately. Everything is a UTC instant.
"""

from __future__ import annotations

import bisect
import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import DayPreferences, DaySnapshot, Event, Todo

Stretch = tuple[dt.datetime, dt.datetime]
"""[start, end), both UTC."""

_MIDNIGHT = dt.time(0)
_DAY = dt.timedelta(days=1)
_SECOND = dt.timedelta(seconds=1)
_MINUTE = dt.timedelta(minutes=1)
_FOREVER = dt.datetime.max.replace(tzinfo=dt.UTC)
_LAST_PRIORITY = 10  # undefined ranks after 1 to 9


class Demand(NamedTuple):
    """What one todo asks of the day."""

    todo: Todo
    need: dt.timedelta
    """Rounded up to the grid."""
    earliest: dt.datetime
    """It may not start before; on the grid."""
    late_at: dt.datetime | None
    """It is late when it ends after this; None: never."""
    is_due: bool
    """Due by the end of the day, overdue included."""
    overdue: bool
    has_begun: bool
    """Whether it may start by the end of the day."""
    is_planned_earlier: bool
    """Whether an earlier day of the range has it in full."""

    @property
    def workable(self) -> bool:
        """Whether it may be given time on this day."""
        return self.has_begun and not self.is_planned_earlier

    def rank(self) -> tuple[object, ...]:
        """Return its place among all todos of the day, as the ranking rule states it."""
        standing = 2 if not self.has_begun else 0
        return (
            1 if self.is_planned_earlier else standing,
            not self.overdue,
            self.late_at or _FOREVER,
            self.todo.priority or _LAST_PRIORITY,
            self.todo.created_on or dt.date.max,
            self.todo.summary,
            self.todo.source,
        )

    def is_missed_at(self, end: dt.datetime) -> bool:
        """Return whether ending then is late, for a todo that was not late already."""
        return self.late_at is not None and not self.overdue and end > self.late_at


class Evidence(NamedTuple):
    """One day, seen without its plan."""

    start: dt.datetime
    end: dt.datetime
    begin: dt.datetime
    """The first moment that counts: "now" when it lies in the day, else the day's start."""
    is_past: bool
    grid: dt.timedelta
    working: tuple[Stretch, ...]
    """The working hours, whole."""
    usable: tuple[Stretch, ...]
    """Working time that counts and that no busy timed event takes."""
    demands: tuple[Demand, ...]
    """One per todo of the snapshot, by rank."""

    def on_grid(self, stretch: Stretch) -> Stretch:
        """Return the part of a stretch between its first and its last mark of the grid."""
        start, end = (moment - self.start for moment in stretch)
        return (
            self.start - -start // self.grid * self.grid,
            end // self.grid * self.grid + self.start,
        )


def utc(instant: dt.datetime) -> dt.datetime:
    """Return the same instant in UTC; one at the very edge of the calendar as it is."""
    try:
        return instant.astimezone(dt.UTC)
    except OverflowError:
        return instant


def gather_evidence(snapshot: DaySnapshot, preferences: DayPreferences) -> Evidence:
    """Return what the snapshot and the preferences say of the day."""
    zone = ZoneInfo(snapshot.timezone)
    start = _reached(zone, snapshot.date, _MIDNIGHT)
    end = _reached(zone, snapshot.date + _DAY, _MIDNIGHT)
    now = utc(snapshot.now)
    begin = now if start <= now < end else start
    working = merged(
        (
            _reached(zone, snapshot.date, span.start),
            end if span.end == _MIDNIGHT else _reached(zone, snapshot.date, span.end),
        )
        for span in preferences.working_hours[snapshot.date.weekday()]
    )
    busy = merged(taken_by(event) for event in snapshot.events if event.busy and not event.all_day)
    counting = ((max(one, begin), other) for one, other in working)
    as_of = max(now, start)
    bounds = _Bounds(zone, snapshot.date, start, end)
    elsewhere = frozenset(snapshot.placed_elsewhere)
    grid = preferences.grid_minutes * _MINUTE
    demands = (
        Demand(
            todo=todo,
            need=_need(todo, preferences),
            earliest=start - -(_earliest(todo, start) - start) // grid * grid,
            late_at=bounds.late_at(todo.due),
            is_due=todo.due is not None and not bounds.is_after(todo.due),
            overdue=bounds.is_late(todo.due, as_of),
            has_begun=todo.start is None or not bounds.is_after(todo.start),
            is_planned_earlier=todo.source in elsewhere,
        )
        for todo in snapshot.todos
    )
    return Evidence(
        start=start,
        end=end,
        begin=begin,
        is_past=now >= end,
        grid=grid,
        working=tuple(working),
        usable=tuple(without(merged(counting), busy)),
        demands=tuple(sorted(demands, key=Demand.rank)),
    )


class _Bounds(NamedTuple):
    """A day, to compare dates and instants with."""

    zone: ZoneInfo
    date: dt.date
    start: dt.datetime
    end: dt.datetime

    def is_after(self, time: dt.date | dt.datetime) -> bool:
        return utc(time) >= self.end if isinstance(time, dt.datetime) else time > self.date

    def late_at(self, due: dt.date | dt.datetime | None) -> dt.datetime | None:
        if isinstance(due, dt.datetime):
            return utc(due)
        if due is None or due == dt.date.max:
            return None
        return self.end if due == self.date else _reached(self.zone, due + _DAY, _MIDNIGHT)

    def is_late(self, due: dt.date | dt.datetime | None, as_of: dt.datetime) -> bool:
        late_at = self.late_at(due)
        if late_at is None:
            return False
        return as_of > late_at if isinstance(due, dt.datetime) else as_of >= late_at


def _earliest(todo: Todo, start: dt.datetime) -> dt.datetime:
    return max(start, utc(todo.start)) if isinstance(todo.start, dt.datetime) else start


def _need(todo: Todo, preferences: DayPreferences) -> dt.timedelta:
    known = todo.estimate_minutes if (todo.estimate_minutes or 0) > 0 else None
    minutes = max(1, known or preferences.default_estimate_minutes)
    steps = (minutes + preferences.grid_minutes - 1) // preferences.grid_minutes
    return steps * preferences.grid_minutes * _MINUTE


def _reached(zone: ZoneInfo, day: dt.date, time: dt.time) -> dt.datetime:
    """Return when the clock of `zone` first shows `time` of `day`, or jumps over it."""
    wall = dt.datetime.combine(day, time)
    before, after = (utc(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if before <= after:  # once, or twice: the first of the two
        return before
    seconds = range((before - after) // _SECOND)
    jump = bisect.bisect_left(seconds, wall, key=lambda second: _wall(after, second, zone))
    return after + jump * _SECOND


def _wall(instant: dt.datetime, seconds: int, zone: ZoneInfo) -> dt.datetime:
    return (instant + seconds * _SECOND).astimezone(zone).replace(tzinfo=None, fold=0)


def taken_by(event: Event) -> Stretch:
    """Return the time that a timed event takes, rounded outwards to whole seconds."""
    if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
        raise TypeError(f"{event.summary!r} has no times of day")
    start, end = utc(event.start), utc(event.end)
    whole = end.replace(microsecond=0)
    return start.replace(microsecond=0), whole if whole == end else whole + _SECOND


def merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return what any of the stretches covers, by start; those that touch become one."""
    result: list[Stretch] = []
    for start, end in sorted(stretches):
        if start >= end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def without(stretches: Sequence[Stretch], taken: Sequence[Stretch]) -> list[Stretch]:
    """Return what `taken` leaves of `stretches`; both by start and without overlap."""
    result: list[Stretch] = []
    for start, end in stretches:
        edge = start
        for first, last in taken:
            if last <= edge or first >= end:
                continue
            if edge < first:
                result.append((edge, first))
            edge = last
        if edge < end:
            result.append((edge, end))
    return result
