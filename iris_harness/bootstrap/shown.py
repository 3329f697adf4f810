"""A day as a surface shows it that stays open: planned for this minute, kept, and compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.day import open_store, plan_days, plan_record, recall_days
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.clock import FixedClock
from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.contracts.memory import BlockMove, DayMemory
from iris_harness.errors import RecordNotFoundError, StorageError, UsageError
from iris_harness.planner.archive import load_planned_day
from iris_harness.planner.items import list_items
from iris_harness.planner.moves import block_moves
from iris_harness.planner.shown import as_shown


class ShownDay(NamedTuple):
    """A planned day with what is said beside it."""

    planned: PlannedDay
    kept_id: str
    """Id of a kept plan that has the same things at the same times; where keeping failed, its own,
    which nothing is kept by."""
    moves: tuple[BlockMove, ...]
    """What differs from the plan that the user looked at before, as `block_moves` has it."""
    notes: tuple[str, ...]
    """What went wrong with the records, and changes that were interrupted, in sentences."""

    @property
    def plan(self) -> DailyPlan:
        """The plan."""
        return self.planned.plan


def show_day(setting: DaySetting, day: dt.date, *, since: str = "") -> ShownDay:
    """Plan a day from what its sources hold now; keep the plan unless only "now" has moved.

    "Now" is the full minute, so that a page that is loaded again shows the same plan. `since` is
    the id of the plan that the user looked at before; empty, or one that is not kept, compares
    with nothing. Never raises for what a source or the database does.
    """
    now = setting.clock.now().replace(second=0, microsecond=0)
    setting = replace(setting, clock=FixedClock(now))
    notes: list[str] = []
    (planned,) = plan_days(setting, (day,), _remembered(setting, day, notes))
    moves: tuple[BlockMove, ...] = ()
    kept_id = planned.plan.plan_id
    try:
        moves = _moves(setting, planned, since)
        kept_id = _kept(setting, planned)
    except StorageError as error:
        notes.append(f"the plan was not kept: {error}")
    return ShownDay(planned=planned, kept_id=kept_id, moves=moves, notes=tuple(notes))


def _kept(setting: DaySetting, planned: PlannedDay) -> str:
    """Return the id of the newest plan of the day, which is this one unless it is no other."""
    with open_store(setting.data_folder) as store:
        newest = next(iter(store.list_plans(day=planned.plan.date, limit=1)), None)
        if newest is not None and newest.origin.value == setting.origin.value:
            before = load_planned_day(store.get_plan(newest.plan_id).payload)
            if _things(before.plan) == _things(planned.plan):
                return newest.plan_id
        store.save_plan(plan_record(planned, setting))
    return planned.plan.plan_id


def _things(plan: DailyPlan) -> tuple[object, ...]:
    """Return everything in a plan that can be pointed at, where it is, and what the user said."""
    items = [(item.kind, item.title, item.source, item.times) for item in list_items(plan)]
    pinned = [(block.source, block.start) for block in plan.blocks if block.pinned]
    return items, pinned, plan.skipped


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
    compared = replace(planned.snapshot, shown=as_shown(before.plan))
    return block_moves(replace(planned, snapshot=compared))
