"""Plans of days that were planned before: as little as possible moves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace

from iris_harness.contracts.day import DayPreferences, DaySnapshot, PlannedDay
from iris_harness.contracts.memory import DayMemory
from iris_harness.planner.checked import build_checked_range


def build_remembered_range(
    snapshots: Sequence[DaySnapshot],
    preferences: DayPreferences,
    memories: Mapping[dt.date, DayMemory],
) -> tuple[PlannedDay, ...]:
    """Return one planned day per snapshot, by date, each verified and made with its memory.

    Asked again at the same moment, with nothing changed, the plan shown last is the answer: the
    same inputs give the same bytes, however often they are asked for.

    Raises:
        UsageError: as `build_range`.
        CanonicalError: as `build_range`.
    """
    if any(_is_same_moment(snapshot, memories) for snapshot in snapshots):
        again = build_checked_range(
            [_with(one, memories, as_last=True) for one in snapshots], preferences
        )
        if all(_is_last(day, memories) for day in again):
            return again
    return build_checked_range(
        [_with(one, memories, as_last=False) for one in snapshots], preferences
    )


def _is_same_moment(snapshot: DaySnapshot, memories: Mapping[dt.date, DayMemory]) -> bool:
    memory = memories.get(snapshot.date, DayMemory())
    return memory.last_now == snapshot.now


def _is_last(day: PlannedDay, memories: Mapping[dt.date, DayMemory]) -> bool:
    memory = memories.get(day.plan.date, DayMemory())
    return not memory.last_id or memory.last_id == day.plan.plan_id


def _with(
    snapshot: DaySnapshot, memories: Mapping[dt.date, DayMemory], *, as_last: bool
) -> DaySnapshot:
    memory = memories.get(snapshot.date, DayMemory())
    shown = memory.made_with if as_last else memory.shown
    return snapshot if shown is None else replace(snapshot, shown=shown)
