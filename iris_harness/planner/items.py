"""What a name means among the things of a day: never a guess.

Names are read as everywhere (`contracts.items`), and articles tell nothing. The ways to and from
an event are meant only where nothing else fits: "lunch" is the lunch, "way to lunch" the way.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from iris_harness.contracts.day import Block, BlockKind, DailyPlan, Event, PlannedTodo
from iris_harness.contracts.explain import DayItem, ItemKind, ItemTime
from iris_harness.contracts.items import find_item

_ARTICLES = frozenset({"the", "a", "an", "my", "our", "that", "this"})


def list_items(plan: DailyPlan) -> tuple[DayItem, ...]:
    """Return everything in a plan that can be asked about: by time, then todos without any."""
    todos = (*plan.todos, *plan.backlog)
    items = (
        *(_todo_item(plan, planned) for planned in todos),
        *(_event_item(event) for event in plan.events),
        *(_block_item(block) for block in plan.blocks if block.kind is not BlockKind.TODO),
    )
    return tuple(sorted(items, key=_order))


def find_items(
    plan: DailyPlan, name: str, at: tuple[dt.datetime, dt.datetime] | None = None
) -> tuple[DayItem, ...]:
    """Return everything that `name` may mean: one item when that is clear, () when nothing fits.

    `at` (start, end; a moment when they are equal) decides between several that fit equally, and
    is enough where `name` is empty. What a name fits is never taken away by it.
    """
    items = list_items(plan)
    if not any(letter.isalnum() for letter in name):
        return _at_time(items, at)
    found = find_item(name, items, _ARTICLES).found
    meant = tuple(one for one in found if one.kind is not ItemKind.TRAVEL) or found
    return (_at_time(meant, at) or meant) if len(meant) > 1 else meant


def _at_time(
    items: Iterable[DayItem], at: tuple[dt.datetime, dt.datetime] | None
) -> tuple[DayItem, ...]:
    if at is None:
        return ()
    start, end = (moment.astimezone(dt.UTC) for moment in at)
    return tuple(
        item
        for item in items
        if any(
            time.start.astimezone(dt.UTC) <= start < time.end.astimezone(dt.UTC)
            or start <= time.start.astimezone(dt.UTC) < end
            for time in item.times
        )
    )


def _todo_item(plan: DailyPlan, planned: PlannedTodo) -> DayItem:
    todo = planned.todo
    blocks = [
        block
        for block in plan.blocks
        if block.kind is BlockKind.TODO and block.source == todo.source
        if block.title == todo.summary
    ]
    return DayItem(
        kind=ItemKind.TODO,
        title=todo.summary,
        source=todo.source,
        times=tuple(ItemTime(start=block.start, end=block.end) for block in blocks),
        detail=blocks[0].reason if blocks else planned.reason,
    )


def _event_item(event: Event) -> DayItem:
    times: tuple[ItemTime, ...] = ()
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        times = (ItemTime(start=event.start, end=event.end),)
    return DayItem(kind=ItemKind.EVENT, title=event.summary, source=event.source, times=times)


def _block_item(block: Block) -> DayItem:
    kind = ItemKind.BREAK if block.kind is BlockKind.BREAK else ItemKind.TRAVEL
    return DayItem(
        kind=kind,
        title=block.title,
        source=block.source,
        times=(ItemTime(start=block.start, end=block.end),),
        detail=block.reason,
    )


def _order(item: DayItem) -> tuple[object, ...]:
    first = (
        item.times[0].start.astimezone(dt.UTC)
        if item.times
        else dt.datetime.max.replace(tzinfo=dt.UTC)
    )
    return (first, item.title, item.kind, str(item.source))
