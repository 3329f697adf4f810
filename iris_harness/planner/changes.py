"""The smallest changes that would give a todo all its time, each tried by placing the day again.

Six kinds are tried, a few of each: a shorter todo, one in parts, one that may be done at any time,
another todo left out, an event moved to another day, a longer working day. Of each kind the first
that helps is kept. A change that cannot be proved to help is not named, and once several trials
proved nothing no more are made.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Sequence

from iris_harness.contracts.day import BlockKind, Event, PlannedDay, Todo
from iris_harness.contracts.explain import Change, ChangeKind
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Request
from iris_harness.planner.scene import Scene, arrange, read_scene
from iris_harness.planner.whatif import is_served

MOST_OF_A_KIND = 5
"""Changes of one kind that are tried, at most."""

_MOST_UNPROVED = 3
_MINUTE = dt.timedelta(minutes=1)
_PARTS = (60, 30, 15)
"""Least pieces that are tried, in minutes."""

_KINDS = list(ChangeKind)


def find_changes(day: PlannedDay, scene: Scene, todo: Todo) -> tuple[Change, ...]:
    """Return changes that give `todo` all its time, the smallest first: at most one of a kind.

    Smallest is what gives up the least time; of equals, the order of `ChangeKind`. `scene` is that
    of the day, and `todo` asks for time in it.
    """
    search = _Search(day, scene, todo)
    found = [change for change in search.run() if change is not None]
    return tuple(sorted(found, key=lambda one: (one.cost_minutes, _KINDS.index(one.kind))))


class _Search:
    def __init__(self, day: PlannedDay, scene: Scene, todo: Todo) -> None:
        number = scene.number_of(todo)
        if number is None:
            raise ValueError(f"{todo.summary!r} asks for no time")
        self._day = day
        self._scene = scene
        self._todo = todo
        self._number = number
        self._grid = day.preferences.grid_minutes
        self._requests = [wish.request for wish in scene.wishes]
        self._request = self._requests[number]
        self._gaps = scene.time.gaps()
        self._unproved = 0

    def run(self) -> Iterator[Change | None]:
        """Yield the first change of each kind that helps."""
        yield self._shorten()
        yield self._split()
        yield self._any_time()
        yield self._drop()
        yield self._move()
        yield self._extend()

    def _helps(self, requests: Sequence[Request], gaps: Sequence[Span], number: int) -> bool:
        if self._unproved >= _MOST_UNPROVED:
            return False
        served = is_served(requests, gaps, number)
        self._unproved += served is None
        return bool(served)

    def _helps_as(self, changed: Request) -> bool:
        """Return whether it gets all its time when it asks for something else."""
        requests = list(self._requests)
        requests[self._number] = changed
        return self._helps(requests, self._gaps, self._number)

    def _helps_in(self, scene: Scene) -> bool:
        number = scene.number_of(self._todo)
        requests = [wish.request for wish in scene.wishes]
        return number is not None and self._helps(requests, scene.time.gaps(), number)

    def _shorten(self) -> Change | None:
        """Make it as long as some time that the plan leaves, the longest first."""
        for slots in self._lengths()[:MOST_OF_A_KIND]:
            if self._helps_as(self._request._replace(need=slots)):
                less = (self._request.need - slots) * self._grid
                whole = self._scene.time.need_minutes(self._todo)
                return Change(kind=ChangeKind.SHORTEN, cost_minutes=less, minutes=whole - less)
        return None

    def _lengths(self) -> list[int]:
        """Return lengths it might have, in slots: all less than it needs, the longest first."""
        slot = dt.timedelta(minutes=self._grid)
        free = [(one.end - one.start) // slot for one in self._day.plan.free]
        gaps = [gap.end - gap.start for gap in self._gaps]
        left = [
            length - taken
            for length, taken in zip(gaps, map(self._due_slots, self._gaps), strict=True)
        ]
        given = sum(
            (block.end - block.start) // slot
            for block in self._day.plan.blocks
            if (block.source, block.title) == (self._todo.source, self._todo.summary)
        )
        lengths = {*free, *gaps, *left, given}
        return sorted((one for one in lengths if 0 < one < self._request.need), reverse=True)

    def _due_slots(self, gap: Span) -> int:
        """Return the slots of a gap that due todos and breaks have."""
        time = self._scene.time
        due = {(one.todo.source, one.todo.summary) for one in self._day.plan.todos}
        start, end = time.instant(gap.start), time.instant(gap.end)
        return sum(
            (block.end - block.start) // dt.timedelta(minutes=self._grid)
            for block in self._day.plan.blocks
            if start <= block.start and block.end <= end
            if block.kind is BlockKind.BREAK or (block.source, block.title) in due
        )

    def _split(self) -> Change | None:
        """Let it be done in parts, where it may not be, or in smaller ones."""
        for minutes in _PARTS:
            slots = -(-minutes // self._grid)
            is_smaller = self._request.chunk is None or slots < self._request.chunk
            may_help = is_smaller and 2 * slots <= self._request.need
            if may_help and self._helps_as(self._request._replace(chunk=slots)):
                return Change(kind=ChangeKind.SPLIT, cost_minutes=0, minutes=slots * self._grid)
        return None

    def _any_time(self) -> Change | None:
        """Let it be done at any time of the day."""
        if self._request.windows is None:
            return None
        helps = self._helps_as(self._request._replace(windows=None))
        return Change(kind=ChangeKind.ANY_TIME, cost_minutes=0) if helps else None

    def _drop(self) -> Change | None:
        """Leave another todo out: what matters least first, and nothing due for what is not."""
        for number in self._droppable()[:MOST_OF_A_KIND]:
            requests = [one for at, one in enumerate(self._requests) if at != number]
            own = self._number - (number < self._number)
            if self._helps(requests, self._gaps, own):
                ranked = self._scene.wishes[number].ranked
                if ranked is not None:
                    return Change(
                        kind=ChangeKind.DROP,
                        cost_minutes=self._requests[number].need * self._grid,
                        other=ranked.todo.summary,
                        sources=(ranked.todo.source,),
                    )
        return None

    def _droppable(self) -> list[int]:
        """Return which placed todos have enough time to make room, what matters least first."""
        placed = {
            (block.source, block.title)
            for block in self._day.plan.blocks
            if block.kind is BlockKind.TODO
        }
        missing = self._request.need - max(self._lengths(), default=0)
        numbers = [
            number
            for number, wish in enumerate(self._scene.wishes)
            if wish.ranked is not None
            and number != self._number
            and (wish.ranked.todo.source, wish.ranked.todo.summary) in placed
            and wish.request.need >= missing
            and (self._request.is_due or not wish.is_due)
        ]
        return sorted(
            numbers,
            key=lambda n: (self._requests[n].is_due, self._requests[n].value, -n),
        )

    def _move(self) -> Change | None:
        """Move an event to another day: the shortest first."""
        for event in self._movable()[:MOST_OF_A_KIND]:
            events = tuple(one for one in self._day.snapshot.events if one != event)
            snapshot = dataclasses.replace(self._day.snapshot, events=events)
            if self._helps_in(read_scene(snapshot, self._day.preferences)):
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
        return [event for _, _, event in sorted(timed, key=lambda one: one[:2])]

    def _extend(self) -> Change | None:
        """Work on in the evening: no longer than it takes, as far as that is known."""
        time, grid = self._scene.time, self._scene.time.grid
        close = time.working[-1].end
        day_end = time.frame.seconds
        free = [span for span in time.working_until(day_end).gaps() if span.end * grid > close]
        missing = self._request.need
        ends = {close + missing * grid, day_end}
        for span in free:
            start = max(span.start, -(-close // grid))
            ends.update(
                end * grid for end in (span.start + missing, start + missing) if end <= span.end
            )
        for end in sorted(one for one in ends if close < one <= day_end)[:MOST_OF_A_KIND]:
            if self._helps_in(
                arrange(time.working_until(end), self._scene.ways, self._scene.claims)
            ):
                until = time.frame.instant(end)
                cost = (end - close) // 60
                return Change(kind=ChangeKind.EXTEND, cost_minutes=cost, until=until)
        return None
