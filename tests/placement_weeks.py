"""Weeks to share todos out over, drawn from a seed."""

from __future__ import annotations

import random
from typing import NamedTuple

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Placement, Request, place_optimally, worth
from iris_harness.planner.optimise.week import DayRoom, DayShare, RangeTodo, share_out
from tests.placement_days import SLOTS, Day, draw_day

DAYS = 5
_LENGTHS = (1, 2, 3, 3, 4, 6, 6, 6, 9, 12, 12, 18, 24)
_PRIORITIES = (None, None, None, 1, 2, 3, 5, 5, 9)


class Week(NamedTuple):
    """The days of a week, and todos by rank."""

    days: tuple[DayRoom, ...]
    todos: tuple[RangeTodo, ...]


class _Draft(NamedTuple):
    need: int
    chunk: int | None
    value: int
    due_on: int | None
    due_by: int | None
    was_due: bool
    first: int
    windows: tuple[Span, ...] | None


def draw_week(seed: int, todos: int = 60) -> Week:
    """Return a week of meetings and todos: some overdue, some due on its days, some not."""
    chance = random.Random(f"week {seed}")  # noqa: S311 - a test's own dice
    lunch = Request(need=6, windows=(Span(36, 54),), is_break=True)
    days = tuple(
        DayRoom(draw_day(chance.randrange(10_000), todos=0).gaps, (lunch,) if seed % 2 else ())
        for _ in range(DAYS)
    )
    drafts = sorted((_draft(chance) for _ in range(todos)), key=_rank)
    return Week(days, tuple(map(_todo, drafts)))


def _draft(chance: random.Random) -> _Draft:
    kind = chance.random()
    due_on = chance.randrange(DAYS) if kind < 0.45 else None
    return _Draft(
        need=chance.choice(_LENGTHS),
        chunk=6 if chance.random() < 0.2 else None,
        value=worth(chance.choice(_PRIORITIES)),
        due_on=due_on,
        due_by=chance.randrange(12, SLOTS) if due_on is not None and kind < 0.15 else None,
        was_due=kind > 0.9,
        first=chance.randrange(DAYS) if due_on is None and chance.random() < 0.1 else 0,
        windows=(Span(0, 36),) if chance.random() < 0.1 else None,
    )


def _rank(draft: _Draft) -> tuple[object, ...]:
    due_on = DAYS if draft.due_on is None else draft.due_on
    return (not draft.was_due, due_on, draft.due_by or SLOTS, -draft.value)


def _todo(draft: _Draft) -> RangeTodo:
    asks = tuple(
        Request(
            need=draft.need,
            windows=draft.windows,
            due_by=draft.due_by if day == draft.due_on else None,
            is_due=draft.was_due or (draft.due_on is not None and draft.due_on <= day),
            value=draft.value,
            chunk=draft.chunk,
        )
        if day >= draft.first
        else None
        for day in range(DAYS)
    )
    return RangeTodo(asks, draft.due_on)


def as_one_day(week: Week) -> Day:
    """Return the week as one long day, which the peer can read."""
    stride = SLOTS + 4
    gaps = tuple(
        Span(gap.start + day * stride, gap.end + day * stride)
        for day, room in enumerate(week.days)
        for gap in room.gaps
    )
    breaks = [
        one._replace(windows=_shifted(one.windows or (), day * stride))
        for day, room in enumerate(week.days)
        for one in room.breaks
    ]
    todos = []
    for todo in week.todos:
        open_days = [day for day, ask in enumerate(todo.asks) if ask is not None]
        ask = todo.asks[open_days[0]]
        assert ask is not None
        due_by = None
        if todo.due_on is not None:
            due = todo.asks[todo.due_on]
            assert due is not None
            due_by = todo.due_on * stride + (due.due_by or SLOTS)
        windows = tuple(
            window
            for day in open_days
            for window in _shifted(ask.windows or (Span(0, SLOTS),), day * stride)
        )
        is_due = due_by is not None or any(one.is_due for one in todo.asks if one)
        todos.append(ask._replace(windows=windows, due_by=due_by, is_due=is_due))
    return Day((*breaks, *todos), gaps)


def _shifted(spans: tuple[Span, ...], by: int) -> tuple[Span, ...]:
    return tuple(Span(span.start + by, span.end + by) for span in spans)


class PlacedWeek(NamedTuple):
    """A week with all its days placed."""

    shares: tuple[DayShare, ...]
    days: tuple[Placement, ...]

    def in_one_day(self, week: Week) -> Placement:
        """Return the placement of the week as one long day."""
        stride = SLOTS + 4
        breaks: list[tuple[Span, ...]] = []
        todos: list[list[Span]] = [[] for _ in week.todos]
        for day, (room, share, placed) in enumerate(
            zip(week.days, self.shares, self.days, strict=True)
        ):
            moved = [_shifted(pieces, day * stride) for pieces in placed.pieces]
            breaks += moved[: len(room.breaks)]
            for number, pieces in zip(share.numbers, moved[len(room.breaks) :], strict=True):
                todos[number] += pieces
        placed_at = [*breaks, *map(tuple, todos)]
        lengths = [sum(piece.end - piece.start for piece in pieces) for pieces in placed_at]
        requests = as_one_day(week).requests
        return Placement(
            tuple(placed_at),
            self.days[0].proof,
            tuple(one.need - length for one, length in zip(requests, lengths, strict=True)),
        )


def place_week(week: Week) -> PlacedWeek:
    """Return the week as Iris plans it: shared out, then each day by itself."""
    shares = share_out(week.days, week.todos)
    placed = tuple(
        place_optimally(share.requests, room.gaps)
        for room, share in zip(week.days, shares, strict=True)
    )
    return PlacedWeek(shares, placed)
