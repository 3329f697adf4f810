"""What a name means among the things of a day: never a guess.

The first of these that fits anything decides: the whole title; all words of the name in the title,
in any order; all of them as beginnings of its words. Upper and lower case, accents and punctuation
make no difference, and neither do articles. The ways to and from an event are meant only where
nothing else fits: "lunch" is the lunch, "way to lunch" the way.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import TypeAlias

from iris_harness.contracts.day import Block, BlockKind, DailyPlan, Event, PlannedTodo
from iris_harness.contracts.explain import DayItem, ItemKind, ItemTime
from iris_harness.contracts.people import name_foldings, normal_name

_Words: TypeAlias = "frozenset[tuple[str, ...]]"
"""Words of a text, once for each way to write them."""

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
    wanted = _foldings(name)
    if not wanted:
        return _at_time(items, at)
    for fits in (_is_title, _has_words, _has_beginnings):
        found = tuple(item for item in items if fits(_foldings(item.title), wanted))
        if found:
            meant = tuple(one for one in found if one.kind is not ItemKind.TRAVEL) or found
            return (_at_time(meant, at) or meant) if len(meant) > 1 else meant
    return ()


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


def _foldings(text: str) -> _Words:
    normal = normal_name(text)
    return frozenset(_words(folded) for folded in (normal, *name_foldings(normal))) - {()}


def _words(text: str) -> tuple[str, ...]:
    split = "".join(letter if letter.isalnum() else " " for letter in text).split()
    telling = tuple(word for word in split if word not in _ARTICLES)
    return telling or tuple(split)


def _is_title(title: _Words, wanted: _Words) -> bool:
    return not title.isdisjoint(wanted)


def _has_words(title: _Words, wanted: _Words) -> bool:
    return any(set(words) <= set(own) for words in wanted for own in title)


def _has_beginnings(title: _Words, wanted: _Words) -> bool:
    return any(
        all(any(word.startswith(start) for word in own) for start in words)
        for words in wanted
        for own in title
    )
