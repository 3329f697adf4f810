"""A day in minutes since it began: what is drawn, before anything is drawn."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.figures import days_from_now
from iris_harness.curator.frame import DayFrame, frame_of, minutes_between
from iris_harness.curator.language import Language
from iris_harness.curator.page.lanes import Lane, arrange
from iris_harness.curator.timeline import DayLines, Entry
from iris_harness.curator.view import Line, LineKind

HOUR = 60
_QUARTER = 15
_POINT = 15
"""Minutes for which something without a length is drawn."""


class Item(NamedTuple):
    """Something with a box. Its span is not empty and lies in the day."""

    start: int
    end: int
    entry: Entry
    lane: Lane

    @property
    def line(self) -> Line:
        """What is written of it."""
        return self.entry.line


class Room(NamedTuple):
    """Free time."""

    start: int
    end: int
    line: Line


class Hours(NamedTuple):
    """The hours of one day."""

    frame: DayFrame
    total: int
    """Minutes of the day: 1440, or what a change of the clocks makes of it."""
    items: tuple[Item, ...]
    """By start."""
    free: tuple[Room, ...]
    """Free time that is still to come, by start."""
    working: tuple[tuple[int, int], ...]
    now: int | None
    """None where "now" is on another day."""

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where each item is."""
        return tuple((item.start, item.end) for item in self.items)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.items and not self.working

    @property
    def has_rest(self) -> bool:
        """Whether some of what is worth drawing is off work."""
        first, last = self.bounds()
        return sum(end - start for start, end in self.working) < last - first

    def bounds(self) -> tuple[int, int]:
        """Return the first and the last minute worth drawing, both full hours."""
        edges = [edge for span in (*self.spans, *self.working) for edge in span]
        if self.now is not None:
            edges.append(self.now)
        first, last = min(edges, default=0), max(edges, default=HOUR)
        first -= first % HOUR
        return first, min(self.total, max(last + -last % HOUR, first + HOUR))

    def clock(self, minute: int, language: Language) -> str:
        """Return the time of day that a minute is, as it is written."""
        if minute >= self.total:
            return language.say("time.end_of_day")
        return language.time(self.frame.local(self.frame.start + dt.timedelta(minutes=minute)))

    def full_hours(self, first: int, last: int) -> Iterator[int]:
        """Yield the minutes at which the clock shows a full hour."""
        for minute in range(first, last + 1, _QUARTER):
            moment = self.frame.local(self.frame.start + dt.timedelta(minutes=minute))
            if not moment.minute:
                yield minute


def read_hours(plan: DailyPlan, language: Language) -> Hours:
    """Return the hours of a plan. No block gives its reason here: the lists do."""
    frame = frame_of(plan)
    clock = _Clock(frame, minutes_between(frame.start, frame.end))
    entries = DayLines(plan, language, (*plan.todos, *plan.backlog)).entries()
    away = days_from_now(plan)
    return Hours(
        frame=frame,
        total=clock.total,
        items=_items(clock, [entry for entry in entries if has_box(entry.line)]),
        free=tuple(_free(clock, entries)) if away >= 0 else (),
        working=tuple(
            (clock.minute(span.start), clock.minute(span.end)) for span in plan.working_hours
        ),
        now=clock.minute(plan.now) if away == 0 else None,
    )


def has_box(line: Line) -> bool:
    """Return whether a line of the timeline is something that takes place."""
    return line.kind not in {LineKind.FREE, LineKind.NOW}


class _Clock(NamedTuple):
    frame: DayFrame
    total: int

    def minute(self, instant: dt.datetime) -> int:
        return min(max(minutes_between(self.frame.start, instant), 0), self.total)

    def span(self, entry: Entry) -> tuple[int, int]:
        start, end = self.minute(entry.start), self.minute(entry.end)
        if start >= end:
            start = min(start, self.total - _POINT)
            end = start + _POINT
        return start, end


def _items(clock: _Clock, entries: Sequence[Entry]) -> tuple[Item, ...]:
    spans = [clock.span(entry) for entry in entries]
    lanes = arrange(spans)
    return tuple(
        Item(*span, entry, lane) for span, entry, lane in zip(spans, entries, lanes, strict=True)
    )


def _free(clock: _Clock, entries: Iterable[Entry]) -> Iterator[Room]:
    for entry in entries:
        if entry.line.kind is LineKind.FREE and not entry.line.past:
            yield Room(clock.minute(entry.start), clock.minute(entry.end), entry.line)
