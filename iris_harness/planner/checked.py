"""Every plan that is shown was verified, or says that it is not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from iris_harness.contracts.day import DayPreferences, DaySnapshot, PlannedDay
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.verify import verify_plan


def build_checked_range(
    snapshots: Sequence[DaySnapshot], preferences: DayPreferences
) -> tuple[PlannedDay, ...]:
    """Return one planned day per snapshot, by date, each verified.

    Raises:
        UsageError: as `build_range`.
        CanonicalError: as `build_range`.
    """
    return tuple(mark_unverified(day) for day in _build(snapshots, preferences))


def _build(snapshots: Sequence[DaySnapshot], preferences: DayPreferences) -> tuple[PlannedDay, ...]:
    if len(snapshots) == 1:
        return (build_planned_day(snapshots[0], preferences),)
    from iris_harness.planner.ranges import build_range  # noqa: PLC0415 - start-up: rarely needed

    return build_range(snapshots, preferences)


def mark_unverified(day: PlannedDay) -> PlannedDay:
    """Return `day` as it is when its plan verifies, else with a warning that names the plan."""
    violations = verify_plan(day.snapshot, day.preferences, day.plan)
    if not violations:
        return day
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    line = f"plan {day.plan.plan_id[:12]} is unverified: {violations[0]}{more}"
    warnings = tuple(sorted({*day.plan.warnings, line}))
    return dataclasses.replace(day, plan=dataclasses.replace(day.plan, warnings=warnings))
