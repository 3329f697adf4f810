"""What the plan shown before leaves to a new one, worked out a second time, for the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.day import (
    BlockKind,
    DayPreferences,
    DaySnapshot,
    ShownBlock,
    SkippedTodo,
    Todo,
)
from iris_harness.planner.evidence_time import MINUTE, Stretch, utc


class Earlier(NamedTuple):
    """One block of the shown plan, of a todo or a break, in the day."""

    block: ShownBlock
    todo: Todo | None
    """The open todo it is for; None for a break, or where it is open no more."""
    stretch: Stretch
    is_over: bool
    stays: bool
    """Whether it may not be moved: it has begun, or the user wants it there."""

    @property
    def minutes(self) -> int:
        """Its length."""
        return (self.stretch[1] - self.stretch[0]) // MINUTE


class Before(NamedTuple):
    """The shown plan, seen from "now"."""

    history: tuple[ShownBlock, ...]
    blocks: tuple[Earlier, ...]
    """Those that count: over or to come, of open todos that are not skipped, and of breaks."""
    gone: tuple[ShownBlock, ...]
    """Pinned ones to come of what is not there any more."""
    skipped: tuple[Todo, ...]

    def of(self, item: Todo | str) -> list[Earlier]:
        """Return the blocks of a todo, or of the break with a title."""
        if isinstance(item, Todo):
            return [one for one in self.blocks if one.todo == item]
        return [one for one in self.blocks if one.todo is None and one.block.title == item]


def gather_before(snapshot: DaySnapshot, preferences: DayPreferences, day: Stretch) -> Before:
    """Return what the shown plan of a snapshot leaves."""
    shown = snapshot.shown
    if shown is None:
        return Before((), (), (), ())
    skipped = [todo for one in shown.skipped if (todo := _meant(one, snapshot.todos))]
    now = utc(snapshot.now)
    breaks = {wish.title for wish in preferences.breaks}
    history: list[ShownBlock] = []
    counting: list[Earlier] = []
    gone: list[ShownBlock] = []
    for block in shown.blocks:
        stretch = utc(block.start), utc(block.end)
        if block.kind is BlockKind.TRAVEL or stretch[0] < day[0] or stretch[1] > day[1]:
            continue
        is_over = stretch[1] <= now
        history += [block] * is_over
        todo = _meant(block, snapshot.todos) if block.kind is BlockKind.TODO else None
        is_there = todo is not None or (block.kind is BlockKind.BREAK and block.title in breaks)
        if not is_there:
            gone += [block] * (block.pinned and not is_over)
        elif todo not in skipped or is_over:
            stays = not is_over and (block.pinned or stretch[0] <= now)
            counting.append(Earlier(block, todo, stretch, is_over, stays))
    return Before(tuple(history), tuple(counting), tuple(gone), tuple(skipped))


def _meant(item: ShownBlock | SkippedTodo, todos: Sequence[Todo]) -> Todo | None:
    """Return the open todo that a source and a title mean."""
    if item.source is None:
        return None
    same_place = [todo for todo in todos if todo.source == item.source]
    for todo in same_place:
        if todo.summary == item.title:
            return todo
    known = [todo for todo in same_place if todo.uid == todo.source.locator]
    if len(known) == 1:
        return known[0]
    namesakes = [
        todo
        for todo in todos
        if todo.source.source == item.source.source and todo.summary == item.title
    ]
    return namesakes[0] if len(namesakes) == 1 else None


def minutes_over(blocks: Sequence[Earlier]) -> int:
    """Return how much of the time of some blocks is over."""
    return sum(one.minutes for one in blocks if one.is_over)


def minutes_staying(blocks: Sequence[Earlier]) -> int:
    """Return how much of the time of some blocks may not be moved."""
    return sum(one.minutes for one in blocks if one.stays)


def moves_for_free(blocks: Sequence[Earlier]) -> list[Stretch]:
    """Return where some blocks are that a new plan may move."""
    return [one.stretch for one in blocks if not one.is_over and not one.stays]
