"""The plans a subscribed calendar shows: made anew at each look, moved as little as can be."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from iris_harness.bootstrap.day import keep_plans, plan_days, plan_record, recall_days
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.contracts.memory import DayMemory
from iris_harness.errors import StorageError


def plan_feed(setting: DaySetting, days: int) -> tuple[DailyPlan, ...]:
    """Return the plans of today and of the following days, `days` in all.

    What a calendar shows was shown to the user: today's plan is kept, so that the next one moves
    as little of it as can be. A look that moves nothing keeps nothing.
    """
    first = setting.default_day()
    dates = [first + dt.timedelta(days=n) for n in range(days)]
    try:
        memories = recall_days(setting, dates).days
    except StorageError:
        memories = {}  # a plan without its memory is still a plan
    planned = plan_days(setting, dates, memories)
    _keep(setting, planned[:1], memories.get(first, DayMemory()))
    return tuple(day.plan for day in planned)


def _keep(setting: DaySetting, today: Sequence[PlannedDay], memory: DayMemory) -> None:
    if setting.origin is not Origin.CONFIGURED:
        return
    moved = [day for day in today if _spans(day.plan) - _shown(memory)]
    if not moved:
        return
    try:
        keep_plans(setting, [plan_record(day, setting) for day in moved])
    except StorageError:
        return  # it is shown all the same


def _spans(plan: DailyPlan) -> set[tuple[str, dt.datetime, dt.datetime]]:
    return {(block.title, block.start, block.end) for block in plan.blocks}


def _shown(memory: DayMemory) -> set[tuple[str, dt.datetime, dt.datetime]]:
    blocks = memory.shown.blocks if memory.shown else ()
    return {(block.title, block.start, block.end) for block in blocks}
