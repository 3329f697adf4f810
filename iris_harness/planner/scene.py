"""The time of a planned day, read again from what the plan was made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from iris_harness.contracts.day import PlannedDay, Todo
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner import words
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.daytime import DayTime, build_daytime
from iris_harness.planner.frame import Span, build_frame, load_zone
from iris_harness.planner.journeys import Way, find_ways
from iris_harness.planner.ranking import Apart, RankedTodo, rank_todos
from iris_harness.planner.shown import Shown, sort_out
from iris_harness.planner.spans import subtract, union


class Taken(NamedTuple):
    """Time that no todo can have. In seconds of the day."""

    span: Span
    title: str
    sources: tuple[SourceRef, ...]
    is_buffer: bool = False
    """Whether it only lies beside what has the title."""


class Scene(NamedTuple):
    """What the planner had to deal with."""

    time: DayTime
    ways: tuple[Way, ...]
    shown: Shown
    ranked: tuple[RankedTodo, ...]

    def rank_of(self, todo: Todo) -> RankedTodo:
        """Return a todo of the day with its rank."""
        return next(one for one in self.ranked if one.todo == todo)

    def taken(self, day: PlannedDay) -> Iterator[Taken]:
        """Yield what is not open to todos in the day's working time: any order."""
        frame = self.time.frame
        clear = list(self.time.closed)
        for event in day.plan.events:
            if event.busy and not event.all_day:
                span = frame.span(*bounds(event))
                clear = list(subtract(clear, (span,)))
                yield Taken(span, event.summary, (event.source,))
        for way in self.ways:
            clear = list(subtract(clear, (way.span,)))
            title = words.way_title(way.event.summary, is_back=way.is_back)
            yield Taken(way.span, title, (way.event.source,))
        for fixed in self.shown.fixed:
            source = (fixed.todo.source,) if fixed.todo else ()
            yield Taken(fixed.span, fixed.shown.title, source)
        for span in clear:
            yield self._buffer(day, span)

    def _buffer(self, day: PlannedDay, span: Span) -> Taken:
        """Return time that is kept clear, with the event beside it."""
        for event in day.plan.events:
            if event.busy and not event.all_day:
                start, end = self.time.frame.span(*bounds(event))
                if start == span.end or end == span.start:
                    return Taken(span, event.summary, (event.source,), is_buffer=True)
        return Taken(span, "", (), is_buffer=True)


def read_scene(day: PlannedDay) -> Scene:
    """Return what the planner had to deal with on a day it planned."""
    snapshot, preferences = day.snapshot, day.preferences
    frame = build_frame(snapshot.date, load_zone(snapshot.timezone))
    shown = sort_out(snapshot, preferences, frame)
    ways = find_ways(frame, snapshot.events, preferences)
    time = build_daytime(frame, snapshot.now, preferences, snapshot.events, ways)
    apart = Apart(
        skipped=shown.skipped,
        planned_earlier=frozenset(snapshot.placed_elsewhere),
        planned_later=frozenset(snapshot.planned_later),
    )
    return Scene(
        time=time._replace(fixed=union(one.span for one in shown.fixed)),
        ways=ways,
        shown=shown,
        ranked=rank_todos(snapshot.todos, frame, snapshot.now, apart),
    )
