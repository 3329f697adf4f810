"""What the plan that was shown before, and what the user has said about it, mean for a new one.

Seen from "now", each block of the shown plan is one of three things:

- over: it is history. What of a todo's time is over counts as done while some of the todo is left;
  a todo all of whose time is over and which is still open is work again, in full;
- fixed: it has begun, or the user has pinned it. It stays where it is, whatever else is there;
- kept: the new plan has it there again where that costs nothing more important.

Blocks of todos that are no longer open, or that the user skips on this day, are let go.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from iris_harness.contracts.day import (
    BlockKind,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    ShownBlock,
    ShownPlan,
    SkippedTodo,
    Todo,
)
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.frame import DayFrame, Span

_MINUTE = dt.timedelta(minutes=1)


class FixedBlock(NamedTuple):
    """A block that stays where it is."""

    shown: ShownBlock
    todo: Todo | None
    """None for a break."""
    span: Span
    """In seconds of the day."""


class Shown(NamedTuple):
    """The shown plan, sorted out."""

    history: tuple[ShownBlock, ...] = ()
    """Of todos and breaks, by start."""
    ran: Mapping[Todo, tuple[ShownBlock, ...]] = MappingProxyType({})
    """The part of the history that open todos have."""
    fixed: tuple[FixedBlock, ...] = ()
    """By start."""
    kept: Mapping[Todo | str, tuple[Span, ...]] = MappingProxyType({})
    """Where else the shown plan has a todo, or the break of a title; by start, in seconds."""
    skipped: frozenset[Todo] = frozenset()
    gone: tuple[ShownBlock, ...] = ()
    """Pinned blocks to come of todos that are no longer open, by start."""

    def minutes_done(self, todo: Todo, need: int) -> int:
        """Return how much of `need` is over, while some is left."""
        return _minutes(self.ran.get(todo, ())) % need

    def is_again(self, todo: Todo, need: int) -> bool:
        """Return whether a todo had all the time it needs, and is still open."""
        return _minutes(self.ran.get(todo, ())) >= need

    def minutes_fixed(self, todo: Todo) -> int:
        """Return the time of a todo that stays where it is."""
        return _minutes(one.shown for one in self.fixed if one.todo == todo)

    def breaks(self) -> frozenset[str]:
        """Return the titles of breaks that were had, or stay where they are."""
        over = (block.title for block in self.history if block.kind is BlockKind.BREAK)
        return frozenset((*over, *(one.shown.title for one in self.fixed if one.todo is None)))


def _minutes(blocks: Iterable[ShownBlock]) -> int:
    return sum((block.end - block.start) // _MINUTE for block in blocks)


def sort_out(snapshot: DaySnapshot, preferences: DayPreferences, frame: DayFrame) -> Shown:
    """Return what the snapshot's shown plan means at its "now".

    `snapshot` is in normal form.
    """
    if snapshot.shown is None:
        return Shown()
    finder = _Finder(snapshot.todos)
    skipped = frozenset(
        todo for one in snapshot.shown.skipped if (todo := finder.find(one.source, one.title))
    )
    sorting = _Sorting(snapshot.now, frame, {wish.title for wish in preferences.breaks})
    for block in snapshot.shown.blocks:
        if block.kind is not BlockKind.TRAVEL and _is_of_day(block, frame):
            is_todo = block.kind is BlockKind.TODO and block.source is not None
            todo = finder.find(block.source, block.title) if is_todo and block.source else None
            sorting.take(block, todo, is_skipped=todo in skipped)
    return sorting.result(skipped)


def _is_of_day(block: ShownBlock, frame: DayFrame) -> bool:
    return frame.start <= block.start and block.end <= frame.end


class _Finder:
    """Finds the open todo that a source and a title mean."""

    def __init__(self, todos: Sequence[Todo]) -> None:
        self._exact: dict[tuple[SourceRef, str], Todo] = {}
        self._by_uid: dict[SourceRef, list[Todo]] = defaultdict(list)
        self._by_title: dict[tuple[str, str], list[Todo]] = defaultdict(list)
        for todo in todos:
            self._exact.setdefault((todo.source, todo.summary), todo)
            self._by_title[todo.source.source, todo.summary].append(todo)
            if todo.source.locator == todo.uid:  # a UID stays; a line of a file may move
                self._by_uid[todo.source].append(todo)

    def find(self, source: SourceRef, title: str) -> Todo | None:
        """Return it: by both, else by UID, else the only one of the list with the title."""
        exact = self._exact.get((source, title))
        by_uid = self._by_uid.get(source, ())
        by_title = self._by_title.get((source.source, title), ())
        return exact or _only(by_uid) or _only(by_title)


def _only(found: Sequence[Todo]) -> Todo | None:
    return found[0] if len(found) == 1 else None


class _Sorting:
    """Collects blocks as what they are."""

    def __init__(self, now: dt.datetime, frame: DayFrame, breaks: set[str]) -> None:
        self._now = now
        self._frame = frame
        self._breaks = breaks
        self._history: list[ShownBlock] = []
        self._ran: dict[Todo, list[ShownBlock]] = defaultdict(list)
        self._fixed: list[FixedBlock] = []
        self._kept: dict[Todo | str, list[Span]] = defaultdict(list)
        self._gone: list[ShownBlock] = []

    def take(self, block: ShownBlock, todo: Todo | None, *, is_skipped: bool) -> None:
        """Sort one block in."""
        is_open = todo is not None or (
            block.kind is BlockKind.BREAK and block.title in self._breaks
        )
        if block.end <= self._now:
            self._history.append(block)
            if todo is not None:
                self._ran[todo].append(block)
        elif is_skipped:
            pass
        elif not is_open:
            if block.pinned:
                self._gone.append(block)
        elif block.pinned or block.start <= self._now:
            span = self._frame.span(block.start, block.end)
            self._fixed.append(FixedBlock(block, todo, span))
        else:
            self._kept[todo or block.title].append(self._frame.span(block.start, block.end))

    def result(self, skipped: frozenset[Todo]) -> Shown:
        """Return everything that was taken."""
        return Shown(
            history=tuple(self._history),
            ran={todo: tuple(blocks) for todo, blocks in self._ran.items()},
            fixed=tuple(self._fixed),
            kept={item: tuple(spans) for item, spans in self._kept.items()},
            skipped=skipped,
            gone=tuple(self._gone),
        )


def skipped_todos(shown: Shown, todos: Iterable[Todo]) -> tuple[SkippedTodo, ...]:
    """Return those of `todos` that the user skips, in their order."""
    return tuple(
        SkippedTodo(title=todo.summary, source=todo.source)
        for todo in todos
        if todo in shown.skipped
    )


def as_shown(plan: DailyPlan) -> ShownPlan:
    """Return a plan as the plan that was shown before, with its history, pins and skips."""
    blocks = (
        ShownBlock(
            kind=block.kind,
            title=block.title,
            start=block.start,
            end=block.end,
            pinned=block.pinned,
            source=block.source,
        )
        for block in plan.blocks
        if block.kind is not BlockKind.TRAVEL
    )
    return ShownPlan(plan_id=plan.plan_id, blocks=(*plan.history, *blocks), skipped=plan.skipped)
