"""Which day of a range is to serve which todo, and how much of it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, DaySnapshot, PlannedDay, Todo
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.daytime import DayTime, ceiling
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.optimise import Request
from iris_harness.planner.optimise.week import DayRoom, RangeTodo, share_out
from iris_harness.planner.ranking import RankedTodo, Standing
from iris_harness.planner.situation import Situation, read_situation
from iris_harness.planner.spans import intersect, subtract, union
from iris_harness.planner.wishes import Claims, Wish, build_wishes

Minutes = Counter[SourceRef]
"""Minutes of each todo; a todo is told by its source."""

MOST_SHARED = 500
"""Of more than this (todos times days) no sharing is made: each day takes what it can."""

_NEVER = dt.datetime.max.replace(tzinfo=dt.UTC)
_LAST_PRIORITY = 10  # undefined, after 1 to 9


def pinned_minutes(snapshot: DaySnapshot, preferences: DayPreferences) -> Minutes:
    """Return the minutes of todos that stay where they are on a day; it is in normal form."""
    pinned: Minutes = Counter()
    if snapshot.shown is None:
        return pinned
    situation = read_situation(snapshot, preferences)
    for todo in {one.todo for one in situation.claims.shown.fixed if one.todo}:
        pinned[todo.source] += situation.claims.shown.minutes_fixed(todo)
    return pinned


class Shares(NamedTuple):
    """Which todos took part, and what came of it."""

    asking: frozenset[SourceRef]
    days: tuple[Minutes, ...]
    """For each day the minutes of each todo that it is to serve."""


def share_days(snapshots: Sequence[DaySnapshot], preferences: DayPreferences) -> Shares | None:
    """Return what each of several days, which are by date, is to serve.

    None where there are too many todos for that. Todos are told by their source: of several with
    one source only the first takes part.
    """
    days = [_Day(read_situation(snapshot, preferences)) for snapshot in snapshots]
    ranked = _by_rank(days)
    if len(ranked) * len(days) > MOST_SHARED:
        return None
    todos = [
        RangeTodo(asks=tuple(day.ask(source) for day in days), due_on=_due_on(days, source))
        for source in ranked
    ]
    shares = share_out([day.room for day in days], todos)
    grid = preferences.grid_minutes
    served = (
        Counter(
            {
                ranked[number]: request.need * grid
                for number, request in zip(
                    share.numbers, share.requests[len(day.room.breaks) :], strict=True
                )
            }
        )
        for day, share in zip(days, shares, strict=True)
    )
    return Shares(asking=frozenset(ranked), days=tuple(served))


class _Day:
    """What one day has, and what is asked of it."""

    def __init__(self, situation: Situation) -> None:
        wishes = build_wishes(situation.time, situation.claims)
        self.room = DayRoom(
            gaps=situation.time.gaps(),
            breaks=tuple(wish.request for wish in wishes if wish.wanted_break),
        )
        self.wishes: dict[SourceRef, Wish] = {}
        for wish in wishes:
            if wish.ranked is not None:
                self.wishes.setdefault(wish.ranked.todo.source, wish)

    def ask(self, source: SourceRef) -> Request | None:
        """Return what a todo asks of the day; None when it cannot be done then."""
        wish = self.wishes.get(source)
        return wish.request if wish else None

    def ranked(self, source: SourceRef) -> RankedTodo | None:
        """Return a todo with its rank on this day."""
        wish = self.wishes.get(source)
        return wish.ranked if wish else None


def _by_rank(days: Iterable[_Day]) -> list[SourceRef]:
    """Return the todos of all days: those that become due first, each as it ranks when due."""
    first: dict[SourceRef, RankedTodo] = {}
    due: dict[SourceRef, RankedTodo] = {}
    for day in days:
        for source, wish in day.wishes.items():
            if wish.ranked is not None:
                first.setdefault(source, wish.ranked)
                if wish.ranked.is_due:
                    due.setdefault(source, wish.ranked)
    return sorted(first, key=lambda source: _rank(due.get(source) or first[source], source in due))


def _rank(ranked: RankedTodo, is_due: bool) -> tuple[object, ...]:  # noqa: FBT001 - a sort key
    return (
        not is_due,
        not ranked.overdue,
        ranked.due_at or _NEVER,
        ranked.todo.priority or _LAST_PRIORITY,
        ranked.todo.created_on or dt.date.max,
        ranked.todo.summary,
        ranked.todo.source,
    )


def _due_on(days: Sequence[_Day], source: SourceRef) -> int | None:
    """Return the day by whose end a todo is due; None when never, or when it is late already."""
    for number, day in enumerate(days):
        ranked = day.ranked(source)
        if ranked is not None and ranked.is_due:
            return None if ranked.overdue else number
    return None


def find_room(day: PlannedDay) -> frozenset[SourceRef]:
    """Return the todos that the range has no time for although the day has free time for them.

    The sharing is not exact, so that happens, rarely.
    """
    if not day.snapshot.left_out:
        return frozenset()
    time, _, claims = read_situation(day.snapshot, day.preferences)
    if time.frame.phase(time.now) is Phase.PAST:
        return frozenset()
    spans = (time.frame.span(block.start, block.end) for block in day.plan.blocks)
    taken = union(Span(one.start // time.grid, ceiling(one.end, time.grid)) for one in spans)
    free = subtract(time.gaps(), taken)
    return frozenset(
        ranked.todo.source
        for ranked in claims.todos
        if ranked.standing is Standing.LEFT_OUT
        and (ranked.is_due or day.preferences.fill_with_backlog)
        and _has_room(time, claims, ranked.todo, free)
    )


def _has_room(time: DayTime, claims: Claims, todo: Todo, free: Sequence[Span]) -> bool:
    rest, chunk = claims.rest_minutes(time, todo), time.chunk_minutes(todo)
    least = chunk if chunk is not None and rest >= 2 * chunk else rest
    windows = time.limits(todo).windows
    places = free if windows is None else [p for one in windows for p in intersect(free, one)]
    slots = least // time.preferences.grid_minutes
    return 0 < slots <= max((place.end - place.start for place in places), default=0)
