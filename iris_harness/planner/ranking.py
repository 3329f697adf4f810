"""Rank the todos of a day by one stated rule.

The rule, each line deciding only what the lines before leave equal:

1. what can be worked on this day; then what the range has no time for; then what the user skips
   on this day; then what an earlier day of the range already has in full; then what is left to a
   later one; then what may not start before a later day;
2. overdue;
3. earlier due: an instant as it is, a date as the end of that day, no due date last;
4. higher priority: 1 to 9, then undefined;
5. older, by the day it was written down; unknown last;
6. summary, then source.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Collection, Iterable
from typing import NamedTuple

from iris_harness.contracts.day import Todo
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.frame import DayFrame, Phase, first_instant

_UNDEFINED_PRIORITY = 10  # after 1 to 9
_NEVER = dt.datetime.max.replace(tzinfo=dt.UTC)
_DAY = dt.timedelta(days=1)


class Standing(enum.IntEnum):
    """Whether a todo can be given time on the day; lower ranks first."""

    WORKABLE = 0
    LEFT_OUT = 1
    SKIPPED = 2
    PLANNED_EARLIER = 3
    PLANNED_LATER = 4
    NOT_YET = 5


class Apart(NamedTuple):
    """Todos that are not to be worked on this day, and why."""

    skipped: Collection[Todo] = ()
    planned_earlier: Collection[SourceRef] = ()
    planned_later: Collection[SourceRef] = ()
    left_out: Collection[SourceRef] = ()


_NOBODY = Apart()


class RankedTodo(NamedTuple):
    """A todo with what the rule needs to know of it."""

    todo: Todo
    standing: Standing
    due_at: dt.datetime | None
    """The instant at which it is late; None: never."""
    is_due: bool
    """Due by the end of the day, overdue included."""
    overdue: bool

    def order(self) -> tuple[object, ...]:
        """Return the sort key of the rule."""
        todo = self.todo
        return (
            self.standing,
            not self.overdue,
            self.due_at or _NEVER,
            todo.priority or _UNDEFINED_PRIORITY,
            todo.created_on or dt.date.max,
            todo.summary,
            todo.source,
        )


def rank_todos(
    todos: Iterable[Todo],
    frame: DayFrame,
    now: dt.datetime,
    apart: Apart = _NOBODY,
) -> tuple[RankedTodo, ...]:
    """Return all todos by rank.

    A todo is overdue as seen from `now` when `now` lies in the day or after it, and from the
    day's start when the day is still to come. One that is due on a date is not overdue before
    that date is over.
    """
    as_of = frame.start if frame.phase(now) is Phase.FUTURE else now
    return tuple(
        sorted((_ranked(todo, frame, as_of, apart) for todo in todos), key=RankedTodo.order)
    )


def _ranked(todo: Todo, frame: DayFrame, as_of: dt.datetime, apart: Apart) -> RankedTodo:
    due_at = _late_at(todo, frame)
    return RankedTodo(
        todo=todo,
        standing=_standing(todo, frame, apart),
        due_at=due_at,
        is_due=todo.due is not None and not _is_after(todo.due, frame),
        overdue=due_at is not None and _is_late(todo, due_at, as_of),
    )


def _late_at(todo: Todo, frame: DayFrame) -> dt.datetime | None:
    if todo.due is None or isinstance(todo.due, dt.datetime):
        return todo.due
    if todo.due == dt.date.max:
        return None
    return first_instant(todo.due + _DAY, dt.time(0), frame.zone)


def _is_late(todo: Todo, due_at: dt.datetime, as_of: dt.datetime) -> bool:
    return as_of > due_at if isinstance(todo.due, dt.datetime) else as_of >= due_at


def _is_after(time: dt.date | dt.datetime, frame: DayFrame) -> bool:
    return time >= frame.end if isinstance(time, dt.datetime) else time > frame.date


def _standing(todo: Todo, frame: DayFrame, apart: Apart) -> Standing:
    if todo.source in apart.planned_earlier:
        return Standing.PLANNED_EARLIER
    if apart.skipped and todo in apart.skipped:
        return Standing.SKIPPED
    if todo.source in apart.planned_later:
        return Standing.PLANNED_LATER
    if todo.start is not None and _is_after(todo.start, frame):
        return Standing.NOT_YET
    return Standing.LEFT_OUT if todo.source in apart.left_out else Standing.WORKABLE
