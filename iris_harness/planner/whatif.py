"""The same day with one thing changed, planned again: what would be won and lost.

Nothing here knows how a plan is made. A change is made to what was read or to the preferences, the
whole day is planned again, and two plans are compared by the levels of the planner's objective.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterable
from typing import NamedTuple

from iris_harness.contracts.day import (
    Block,
    BlockKind,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Event,
    Notice,
    NoticeKind,
    PlannedDay,
    PlannedTodo,
    ProofLevel,
    ShownBlock,
    ShownPlan,
    TimeSpan,
    Todo,
)
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.optimise import worth

_MINUTE = dt.timedelta(minutes=1)
_PROVED = frozenset({None, ProofLevel.ORDER, ProofLevel.MOVEMENT})


class Loss(NamedTuple):
    """What one plan loses against another, on the first level on which it loses anything."""

    level: ProofLevel
    title: str
    """Of what loses."""

    @property
    def weight(self) -> int:
        """Greater for what matters less."""
        return _LEVELS.index(self.level)


_LEVELS = (
    ProofLevel.BREAKS,
    ProofLevel.DEADLINES,
    ProofLevel.VALUE,
    ProofLevel.MOVEMENT,
    ProofLevel.ORDER,
)


def is_proved(plan: DailyPlan) -> bool:
    """Return whether nothing can be in doubt about deadlines and value."""
    return plan.proof.level in _PROVED


def planned_minutes(plan: DailyPlan, todo: Todo) -> int:
    """Return the time that the blocks of a todo have."""
    return sum((block.end - block.start) // _MINUTE for block in blocks_of(plan, todo))


def blocks_of(plan: DailyPlan, todo: Todo) -> tuple[Block, ...]:
    """Return the blocks of a todo, by start."""
    return tuple(
        block
        for block in plan.blocks
        if block.kind is BlockKind.TODO
        and block.source == todo.source
        and block.title == todo.summary
    )


def find_loss(before: PlannedDay, after: PlannedDay, about: Todo) -> Loss | None:
    """Return what the plan `after` loses against `before`, `about` itself left out of the order.

    None where it loses nothing, as far as the levels tell.
    """
    return next(
        (
            Loss(level, title)
            for level, find in zip(_LEVELS, _FINDERS, strict=True)
            if (title := find(before, after, about)) is not None
        ),
        None,
    )


def _lost_break(before: PlannedDay, after: PlannedDay, _about: Todo) -> str | None:
    lost = [notice.item for notice in _missed_breaks(after.plan)]
    had = [notice.item for notice in _missed_breaks(before.plan)]
    if len(lost) <= len(had):
        return None
    return next((title for title in lost if title not in had), lost[0])


def _missed_breaks(plan: DailyPlan) -> list[Notice]:
    return [notice for notice in plan.notices if notice.kind is NoticeKind.BREAK]


def _missed_deadline(before: PlannedDay, after: PlannedDay, _about: Todo) -> str | None:
    had, lost = _missed(before.plan), _missed(after.plan)
    if len(lost) <= len(had):
        return None
    return next((todo.summary for todo in lost if todo not in had), None)


def _missed(plan: DailyPlan) -> list[Todo]:
    """Return the due todos that are late or do not have all their time, by rank."""
    unplaced = {(one.source, one.summary) for one in plan.unplaced}
    return [
        planned.todo
        for planned in plan.todos
        if (planned.todo.source, planned.todo.summary) in unplaced or _is_late(plan, planned)
    ]


def _is_late(plan: DailyPlan, planned: PlannedTodo) -> bool:
    due = planned.todo.due
    if planned.overdue or not isinstance(due, dt.datetime):
        return False
    return any(block.end > due for block in blocks_of(plan, planned.todo))


def _lost_value(before: PlannedDay, after: PlannedDay, _about: Todo) -> str | None:
    todos = [one.todo for one in (*before.plan.todos, *before.plan.backlog)]
    had = {todo: planned_minutes(before.plan, todo) for todo in todos}
    has = {todo: planned_minutes(after.plan, todo) for todo in todos}
    lost = [todo for todo in todos if has[todo] < had[todo]]
    won = [todo for todo in todos if has[todo] > had[todo]]
    if _worth_of(lost) <= _worth_of(won):
        return None
    return next((todo.summary for todo in lost), None)


def _worth_of(todos: Iterable[Todo]) -> int:
    return sum(worth(todo.priority) for todo in todos)


def _moved(before: PlannedDay, after: PlannedDay, about: Todo) -> str | None:
    if before.snapshot.shown is None or not before.snapshot.shown.plan_id:
        return None
    had, lost = _not_kept(before), _not_kept(after)
    if about in _kept_todos(before) and about not in had:
        lost = [about, *lost]
    return lost[0].summary if len(lost) > len(had) else None


def _not_kept(day: PlannedDay) -> list[Todo]:
    """Return the todos that are not where the plan shown before had them, by rank."""
    return [todo for todo, times in _kept_todos(day).items() if _times(day.plan, todo) != times]


def _kept_todos(day: PlannedDay) -> dict[Todo, list[tuple[dt.datetime, dt.datetime]]]:
    shown = day.snapshot.shown
    kept: dict[Todo, list[tuple[dt.datetime, dt.datetime]]] = {}
    for todo in (one.todo for one in (*day.plan.todos, *day.plan.backlog)):
        times = [
            (block.start, block.end)
            for block in (shown.blocks if shown else ())
            if block.source == todo.source and block.start > day.plan.now and not block.pinned
        ]
        if times:
            kept[todo] = sorted(times)
    return kept


def _times(plan: DailyPlan, todo: Todo) -> list[tuple[dt.datetime, dt.datetime]]:
    return [(block.start, block.end) for block in blocks_of(plan, todo)]


def _later(before: PlannedDay, after: PlannedDay, about: Todo) -> str | None:
    """Return the first todo by rank that is elsewhere, if it is later there and ranks higher."""
    for planned in (*before.plan.todos, *before.plan.backlog):
        had, has = _times(before.plan, planned.todo), _times(after.plan, planned.todo)
        if planned.todo == about:
            return None
        if had != has:
            return planned.todo.summary if not has or (had and has > had) else None
    return None


_Finder = Callable[[PlannedDay, PlannedDay, Todo], "str | None"]
_FINDERS: tuple[_Finder, ...] = (_lost_break, _missed_deadline, _lost_value, _moved, _later)


def forced(day: PlannedDay, todo: Todo, start: dt.datetime, end: dt.datetime) -> PlannedDay:
    """Return the day with a todo at a time, as if the user had pinned it there."""
    shown = day.snapshot.shown or ShownPlan()
    pin = ShownBlock(
        kind=BlockKind.TODO,
        title=todo.summary,
        start=start,
        end=end,
        pinned=True,
        source=todo.source,
    )
    others = (
        block
        for block in shown.blocks
        if block.end <= day.plan.now or (block.source, block.title) != (todo.source, todo.summary)
    )
    return _again(day, shown=dataclasses.replace(shown, blocks=(*others, pin)))


def without_todo(day: PlannedDay, todo: Todo) -> PlannedDay:
    """Return the day without a todo."""
    return _again(day, todos=tuple(one for one in day.snapshot.todos if one != todo))


def with_todo(day: PlannedDay, todo: Todo, changed: Todo) -> PlannedDay:
    """Return the day with a todo changed."""
    todos = tuple(changed if one == todo else one for one in day.snapshot.todos)
    return _again(day, todos=todos)


def without_event(day: PlannedDay, event: Event) -> PlannedDay:
    """Return the day as it is when an event takes place on another."""
    return _again(day, events=tuple(one for one in day.snapshot.events if one != event))


def working_until(day: PlannedDay, end: dt.time) -> PlannedDay:
    """Return the day with the last of its working hours going on until `end`, not before them."""
    weekday = day.plan.date.weekday()
    week = list(day.preferences.working_hours)
    *spans, last = week[weekday]
    week[weekday] = (*spans, TimeSpan(start=last.start, end=end))
    preferences = dataclasses.replace(day.preferences, working_hours=tuple(week))
    return _planned(day.snapshot, preferences)


def _again(day: PlannedDay, **changes: object) -> PlannedDay:
    return _planned(dataclasses.replace(day.snapshot, **changes), day.preferences)  # type: ignore[arg-type] # the names and types of a snapshot's own fields


def _planned(snapshot: DaySnapshot, preferences: DayPreferences) -> PlannedDay:
    return build_planned_day(snapshot, preferences)
