"""A day as a surface shows it that stays open: planned for this minute, kept, and compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.day import keep_plans, open_store, plan_days, plan_record, recall_days
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.clock import FixedClock
from iris_harness.contracts.day import DailyPlan, PlannedDay, ShownBlock, ShownPlan
from iris_harness.contracts.memory import BlockMove, DayMemory
from iris_harness.errors import RecordNotFoundError, StorageError, UsageError
from iris_harness.planner.archive import load_planned_day
from iris_harness.planner.moves import block_moves


class ShownDay(NamedTuple):
    """A planned day with what is said beside it."""

    planned: PlannedDay
    moves: tuple[BlockMove, ...]
    """What differs from the plan that the user looked at before, as `block_moves` has it."""
    notes: tuple[str, ...]
    """What went wrong with the records, and changes that were interrupted, in sentences."""

    @property
    def plan(self) -> DailyPlan:
        """The plan."""
        return self.planned.plan


def show_day(setting: DaySetting, day: dt.date, *, since: str = "") -> ShownDay:
    """Plan a day from what its sources hold now, and keep the plan.

    "Now" is the full minute, so that a page that is loaded again shows the same plan. `since` is
    the id of the plan that the user looked at before; empty, or one that is not kept, compares
    with nothing. Never raises for what a source or the database does.
    """
    now = setting.clock.now().replace(second=0, microsecond=0)
    setting = replace(setting, clock=FixedClock(now))
    notes: list[str] = []
    (planned,) = plan_days(setting, (day,), _remembered(setting, day, notes))
    moves: tuple[BlockMove, ...] = ()
    try:
        moves = _moves(setting, planned, since)
        keep_plans(setting, [plan_record(planned, setting)])
    except StorageError as error:
        notes.append(f"the plan was not kept: {error}")
    return ShownDay(planned=planned, moves=moves, notes=tuple(notes))


def _remembered(setting: DaySetting, day: dt.date, notes: list[str]) -> Mapping[dt.date, DayMemory]:
    # A plan without its memory is still a plan: say so beside it, and show it.
    try:
        remembered = recall_days(setting, (day,))
        if remembered.is_interrupted:
            notes.extend(ActionRunner(setting).settle())
    except StorageError as error:
        notes.append(f"your pins and the plan shown before are not known: {error}")
        return {}
    return remembered.days


def find_shown(setting: DaySetting, plan_id: str) -> PlannedDay | None:
    """Return the day that was shown with the plan `plan_id`; None when it is not kept.

    Raises:
        StorageError: the database cannot be read.
    """
    try:
        with open_store(setting.data_folder) as store:
            return load_planned_day(store.get_plan(plan_id).payload)
    except (RecordNotFoundError, UsageError):
        return None


def _moves(setting: DaySetting, planned: PlannedDay, since: str) -> tuple[BlockMove, ...]:
    before = find_shown(setting, since) if since else None
    if before is None or before.plan.date != planned.plan.date:
        return ()
    compared = replace(planned.snapshot, shown=_as_shown(before.plan))
    return block_moves(replace(planned, snapshot=compared))


def _as_shown(plan: DailyPlan) -> ShownPlan:
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
    )
    return ShownPlan(plan_id=plan.plan_id, blocks=(*blocks, *plan.history))
