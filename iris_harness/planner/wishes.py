"""What asks for time on a day: breaks first, then todos, each as a request to the optimiser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import Event, TimeElsewhere, Todo
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.breaks import WantedBreak, find_breaks
from iris_harness.planner.daytime import DayTime, ceiling
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.optimise import Request, worth
from iris_harness.planner.ranking import RankedTodo, Standing
from iris_harness.planner.shown import Shown


class Wish(NamedTuple):
    """A break or a todo that is to be given time."""

    request: Request
    ranked: RankedTodo | None = None
    """None for a break."""
    wanted_break: WantedBreak | None = None

    @property
    def is_due(self) -> bool:
        """Whether it is a todo that is due by the end of the day."""
        return self.ranked is not None and self.ranked.is_due


class Claims(NamedTuple):
    """All that a day has to deal with besides its time."""

    events: Sequence[Event]
    todos: Sequence[RankedTodo]
    """All of them, by rank."""
    shown: Shown
    elsewhere: Mapping[SourceRef, TimeElsewhere]
    """What other days of the range have of todos."""

    def rest_minutes(self, time: DayTime, todo: Todo) -> int:
        """Return the time that a todo still needs besides what stays where it is."""
        grid, need = time.preferences.grid_minutes, self._need(time, todo)
        rest = need - self.shown.minutes_done(todo, need) - self.shown.minutes_fixed(todo)
        return max(0, ceiling(rest, grid) * grid)

    def is_again(self, time: DayTime, todo: Todo) -> bool:
        """Return whether a todo is open though it had all its time."""
        return self.shown.is_again(todo, self._need(time, todo))

    def _need(self, time: DayTime, todo: Todo) -> int:
        """Return how much of a todo is left to this day."""
        had = self.elsewhere.get(todo.source)
        need = time.need_minutes(todo) - (had.minutes + had.later_minutes if had else 0)
        return max(time.preferences.grid_minutes, need)

    def later_minutes(self, todo: Todo) -> int:
        """Return how much of a todo is left to later days."""
        had = self.elsewhere.get(todo.source)
        return had.later_minutes if had else 0


def build_wishes(time: DayTime, claims: Claims) -> tuple[Wish, ...]:
    """Return everything that asks for time, in the order in which it is served."""
    breaks = find_breaks(time, claims.events, claims.shown.breaks())
    return (
        *(Wish(request=_break_request(time, claims, one), wanted_break=one) for one in breaks),
        *(
            Wish(request=_request(time, claims, ranked, rest), ranked=ranked)
            for ranked in _able(time, claims)
            if (rest := claims.rest_minutes(time, ranked.todo))
        ),
    )


def _able(time: DayTime, claims: Claims) -> list[RankedTodo]:
    if time.frame.phase(time.now) is Phase.PAST:
        return []
    able = [one for one in claims.todos if one.standing is Standing.WORKABLE]
    due = [ranked for ranked in able if ranked.is_due]
    if not time.preferences.fill_with_backlog:
        return due
    return due + [ranked for ranked in able if not ranked.is_due]


def _request(time: DayTime, claims: Claims, ranked: RankedTodo, rest: int) -> Request:
    """Return what a todo asks of the day; one that is overdue is as late at any time."""
    grid = time.preferences.grid_minutes
    chunk = time.chunk_minutes(ranked.todo)
    due_at = ranked.due_at if ranked.is_due and not ranked.overdue else None
    return Request(
        need=rest // grid,
        windows=time.limits(ranked.todo).windows,
        due_by=time.frame.second(due_at) // time.grid if due_at else None,
        is_due=ranked.is_due,
        value=worth(ranked.todo.priority),
        chunk=chunk // grid if chunk is not None and rest >= 2 * chunk else None,
        kept=_kept(time, claims, ranked.todo),
    )


def _break_request(time: DayTime, claims: Claims, wanted: WantedBreak) -> Request:
    window = Span(ceiling(wanted.window.start, time.grid), wanted.window.end // time.grid)
    return Request(
        need=max(1, ceiling(wanted.wish.minutes * 60, time.grid)),
        windows=(window,) if window.start < window.end else (),
        kept=_kept(time, claims, wanted.wish.title),
        is_break=True,
    )


def _kept(time: DayTime, claims: Claims, item: Todo | str) -> tuple[Span, ...]:
    """Return where the plan shown before has an item; nowhere, if not wholly on the grid."""
    spans = claims.shown.kept.get(item, ())
    slots = time.on_grid(spans)
    return slots if len(slots) == len(spans) else ()
