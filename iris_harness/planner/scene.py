"""What a planned day had to deal with, read again from what the plan was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, DaySnapshot, Event, Todo
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner import words
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.daytime import DayTime
from iris_harness.planner.frame import Span
from iris_harness.planner.journeys import Way
from iris_harness.planner.ranking import RankedTodo
from iris_harness.planner.situation import read_situation
from iris_harness.planner.spans import subtract, union
from iris_harness.planner.wishes import Claims, Wish, build_wishes


class Taken(NamedTuple):
    """Time that no todo can have, in seconds of the day."""

    span: Span
    title: str
    """Of what takes it."""
    sources: tuple[SourceRef, ...]
    is_buffer: bool = False
    """Whether it only lies beside what has the title."""


class Scene(NamedTuple):
    """The time of a day and what asks for it."""

    time: DayTime
    ways: tuple[Way, ...]
    claims: Claims
    wishes: tuple[Wish, ...]

    def rank_of(self, todo: Todo) -> RankedTodo:
        """Return a todo of the day with its rank."""
        return next(one for one in self.claims.todos if one.todo == todo)

    def number_of(self, todo: Todo) -> int | None:
        """Return which wish a todo is; None when it asks for no time."""
        numbers = (
            number
            for number, wish in enumerate(self.wishes)
            if wish.ranked is not None and wish.ranked.todo == todo
        )
        return next(numbers, None)

    def taken(self) -> Iterator[Taken]:
        """Yield what no todo can have, in any order."""
        busy = list(_busy(self.claims.events, self.time))
        clear = subtract(self.time.closed, union(span for _, span in busy))
        for event, span in busy:
            yield Taken(span, event.summary, (event.source,))
        for way in self.ways:
            title = words.way_title(way.event.summary, is_back=way.is_back)
            yield Taken(way.span, title, (way.event.source,))
        for fixed in self.claims.shown.fixed:
            sources = (fixed.todo.source,) if fixed.todo else ()
            yield Taken(fixed.span, fixed.shown.title, sources)
        for span in subtract(clear, union(way.span for way in self.ways)):
            beside = (e for e, own in busy if own.start == span.end or own.end == span.start)
            event_beside = next(beside, None)
            if event_beside is not None:
                sources = (event_beside.source,)
                yield Taken(span, event_beside.summary, sources, is_buffer=True)


def _busy(events: Sequence[Event], time: DayTime) -> Iterator[tuple[Event, Span]]:
    for event in events:
        if event.busy and not event.all_day:
            yield event, time.frame.span(*bounds(event))


def read_scene(snapshot: DaySnapshot, preferences: DayPreferences) -> Scene:
    """Return what the planner has to deal with; `snapshot` is in normal form."""
    return arrange(*read_situation(snapshot, preferences))


def arrange(time: DayTime, ways: tuple[Way, ...], claims: Claims) -> Scene:
    """Return a scene with everything that asks for time in it."""
    return Scene(time=time, ways=ways, claims=claims, wishes=build_wishes(time, claims))
