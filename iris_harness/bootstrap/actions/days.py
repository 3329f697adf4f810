"""Actions on the plan of a day, made ready: pins, skips, and its blocks as events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.world import TodoItem, World, anchored, exact_instant
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.day import BlockKind, DailyPlan, ShownBlock, Todo
from iris_harness.contracts.marks import Mark, MarkChange, MarkKind
from iris_harness.curator.actions import Wording
from iris_harness.errors import ActionError
from iris_harness.planner.frame import at_offset, first_instant

Spans = tuple[tuple[dt.datetime, dt.datetime], ...]


class DayBook:
    """What is known of the days that actions are about."""

    def __init__(self, marks: Sequence[Mark], blocks: Sequence[ShownBlock]) -> None:
        """Take a day's marks, and the blocks of the plan that was shown for it."""
        self.marks = tuple(marks)
        self.blocks = tuple(blocks)

    def mark_of(self, todo: Todo, items: Sequence[TodoItem]) -> Mark | None:
        """Return the mark of an open todo, wherever its line has moved; None: it has none."""
        for mark in self.marks:
            found = anchored(mark.source, mark.title, items)
            if found is not None and found.todo.source == todo.source:
                return mark
        return None

    def spans_of(self, todo: Todo, items: Sequence[TodoItem]) -> Spans:
        """Return where the plan has an open todo, by start; () nowhere."""
        spans = []
        for block in self.blocks:
            if block.kind is not BlockKind.TODO or block.source is None:
                continue
            found = anchored(block.source, block.title, items)
            if found is not None and found.todo.source == todo.source:
                spans.append((block.start, block.end))
        return tuple(sorted(spans))


def prepare_pin(arguments: Arguments, world: World, day: dt.date, book: DayBook) -> Prepared:
    """Return that a todo stays where it is on `day`, or at a time that is given."""
    todo = world.todo_of(arguments)
    zone = ZoneInfo(world.at.timezone)
    spans = book.spans_of(todo, world.todos)
    clock = arguments.clock("start")
    if clock is not None:
        start = exact_instant(day, clock, zone, world.words)
        if start < world.at.now:
            raise ActionError(
                f"{start:%H:%M} on {world.words.day(day)} is over", hint="name a time to come"
            )
        spans = ((start, start + _length(todo, spans, world)),)
    if not spans:
        raise ActionError(
            f"“{todo.summary}” has no time in the plan of {world.words.day(day)}",
            hint="say when, as in --at 15:00",
        )
    midnight = first_instant(day + dt.timedelta(days=1), dt.time(), zone)
    if max(end for _, end in spans) > midnight:
        raise ActionError(
            f"“{todo.summary}” would go on after midnight, and pins are of one day",
            hint="pin it earlier",
        )
    spans = tuple((at_offset(start, zone), at_offset(end, zone)) for start, end in spans)
    wording = world.words.wording(
        "plan.pin", title=todo.summary, times=world.words.times(spans), day=world.words.day(day)
    )
    after = Mark(day=day, kind=MarkKind.PIN, source=todo.source, title=todo.summary, spans=spans)
    return _marking(ActionKind.PIN, wording, book.mark_of(todo, world.todos), after)


def _length(todo: Todo, spans: Spans, world: World) -> dt.timedelta:
    if spans:
        return sum((end - start for start, end in spans), dt.timedelta())
    preferred = world.setting.preferences.default_estimate_minutes
    return dt.timedelta(minutes=todo.estimate_minutes or preferred)


def prepare_skip(arguments: Arguments, world: World, day: dt.date, book: DayBook) -> Prepared:
    """Return that a todo is left out of the plan of `day`."""
    todo = world.todo_of(arguments)
    after = Mark(day=day, kind=MarkKind.SKIP, source=todo.source, title=todo.summary)
    wording = _of_day("plan.skip", todo, world, day)
    return _marking(ActionKind.SKIP, wording, book.mark_of(todo, world.todos), after)


def prepare_unmark(
    kind: ActionKind, arguments: Arguments, world: World, day: dt.date, book: DayBook
) -> Prepared:
    """Return that a pin (or a skip) of a todo is taken away.

    Raises:
        ActionError: it has none.
    """
    todo = world.todo_of(arguments)
    before = book.mark_of(todo, world.todos)
    wanted = MarkKind.PIN if kind is ActionKind.UNPIN else MarkKind.SKIP
    if before is None or before.kind is not wanted:
        said = "pinned" if wanted is MarkKind.PIN else "left out"
        raise ActionError(f"“{todo.summary}” is not {said} on {world.words.day(day)}")
    return _marking(kind, _of_day(kind.value, todo, world, day), before, None)


def _of_day(key: str, todo: Todo, world: World, day: dt.date) -> Wording:
    return world.words.wording(key, title=todo.summary, day=world.words.day(day))


def _marking(
    kind: ActionKind, wording: Wording, before: Mark | None, after: Mark | None
) -> Prepared:
    if before is not None and after is not None:
        moved = before._replace(source=after.source, title=after.title)
        if moved == after:
            return Prepared(kind=kind, wording=wording)
    change = MarkChange(before=before, after=after)
    return Prepared(kind=kind, wording=wording, marks=(change,))


def prepare_blocks(plan: DailyPlan, world: World) -> Prepared:
    """Return the blocks of a plan as events of the calendar that is theirs, ready to be written.

    Raises:
        ActionError: no calendar is set up for them.
    """
    writer = world.targets.blocks
    if writer is None:
        raise ActionError("no calendar is set up for blocks", hint="planning.write_blocks_to: NAME")
    wording = world.words.wording("blocks.write", day=world.words.day(plan.date), place=writer.name)
    return Prepared(
        kind=ActionKind.WRITE_BLOCKS,
        wording=wording,
        target=writer.name,
        changes=writer.write(plan, world.at),
    )
