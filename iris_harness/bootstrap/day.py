"""Plan days, keep the plans, and bring a kept plan back."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.clock import SystemClock
from iris_harness.contracts.day import DailyPlan, DaySnapshot, PlannedDay
from iris_harness.contracts.memory import DayMemory
from iris_harness.curator.strings import find_language
from iris_harness.curator.text import day_text
from iris_harness.errors import RecordNotFoundError
from iris_harness.planner import snapshot as planner_snapshot
from iris_harness.planner.public_json import plan_to_json
from iris_harness.planner.remembered import build_remembered_range

if TYPE_CHECKING:
    from iris_harness.storage.records import StoredPlan
    from iris_harness.storage.store import IrisStore


def plan_days(
    setting: DaySetting,
    days: Sequence[dt.date],
    memories: Mapping[dt.date, DayMemory] = MappingProxyType({}),
) -> tuple[PlannedDay, ...]:
    """Read the sources and plan `days`, in order; each plan is verified, or says it is not."""
    return build_remembered_range(read_days(setting, days), setting.preferences, memories)


class Remembered(NamedTuple):
    """What was found in the database before days are planned."""

    days: Mapping[dt.date, DayMemory] = MappingProxyType({})
    is_interrupted: bool = False
    """Whether Iris was stopped in the middle of a change, and it is not settled yet."""


def recall_days(setting: DaySetting, days: Sequence[dt.date]) -> Remembered:
    """Return what is remembered of days: of today the plan shown last, of every day the marks.

    Nothing is remembered of the demonstration and of paths given on the command line.

    Raises:
        StorageError: the database cannot be opened or read.
    """
    if setting.origin is not Origin.CONFIGURED:
        return Remembered()
    from iris_harness.bootstrap.memory import recall

    today = setting.local_now().date()
    with open_store(setting.data_folder) as store:
        found = {day: recall(store, day, with_plan=day == today) for day in days}
        return Remembered(days=found, is_interrupted=bool(store.journal.list_intended()))


def read_days(setting: DaySetting, days: Sequence[dt.date]) -> tuple[DaySnapshot, ...]:
    """Read the sources for all of `days`; snapshots in order of date."""
    return planner_snapshot.read_days(setting.sources, days, setting.zones, setting.clock.now())


def keep_plans(setting: DaySetting, records: Sequence[StoredPlan]) -> None:
    """Keep plans as `plan_record` has them, so that they can be replayed and checked.

    Raises:
        StorageError: the database cannot be opened or written.
    """
    with open_store(setting.data_folder) as store:
        for record in records:
            store.save_plan(record)


def save_plans(
    store: IrisStore, planned: Sequence[PlannedDay], setting: DaySetting, session: str = ""
) -> None:
    """Write each day, with the bytes that were shown, into an open database.

    Raises:
        StorageError: the database cannot be written.
    """
    for day in planned:
        store.save_plan(plan_record(day, setting, session))


def plan_record(day: PlannedDay, setting: DaySetting, session: str = "") -> StoredPlan:
    """Return a day with all it was made of, and as it is shown: plain text and JSON."""
    from iris_harness.planner.archive import dump_planned_day
    from iris_harness.storage.records import PlanOrigin, PlanSummary, StoredPlan

    return StoredPlan(
        summary=PlanSummary(
            plan_id=day.plan.plan_id,
            date=day.plan.date,
            timezone=day.plan.timezone,
            origin=PlanOrigin(setting.origin.value),
            made_at=SystemClock().now(),  # when it was made, whatever "now" it was made for
            session=session,
        ),
        payload=dump_planned_day(day),
        public_json=plan_json_text(day.plan),
        text=day_text(day.plan, find_language(setting.locale)).rstrip("\n"),
    )


def plan_json_text(plan: DailyPlan) -> str:
    """Return a plan as ``iris plan --json`` prints it, without the last line end."""
    return json.dumps(plan_to_json(plan), ensure_ascii=False, indent=2)


def get_stored_plan(folders: Sequence[Path], plan_id: str) -> StoredPlan:
    """Return the kept plan whose id begins with `plan_id`, from the first folder that has it.

    Raises:
        UsageError: `plan_id` is no id, or too short a part of one.
        RecordNotFoundError: no folder has it.
        StorageError: a database cannot be read, or the prefix fits several plans.
    """
    missing: RecordNotFoundError | None = None
    for folder in dict.fromkeys(folders):
        try:
            with open_store(folder) as store:
                return store.get_plan(plan_id)
        except RecordNotFoundError as error:
            missing = error
    raise missing or RecordNotFoundError(f"no stored plan has the id {plan_id}")


def open_store(folder: Path) -> IrisStore:
    """Open the user's database below `folder`, creating it when there is none.

    What is kept is dated by the machine's clock: a question asked for another "now" was still
    asked today, and must not age what was kept before it.

    Raises:
        StorageError: it cannot be opened, is damaged, or belongs to a newer program.
    """
    from iris_harness.storage.store import IrisStore

    return IrisStore.open(folder, SystemClock())
