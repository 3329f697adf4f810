"""The work that is due and the time for it, against what a plan says of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from iris_harness.contracts.day import BlockKind, DailyPlan, Workload
from iris_harness.planner.evidence import Evidence
from iris_harness.planner.evidence_time import MINUTE, Stretch, length, merged, utc, without
from iris_harness.planner.violations import Violation, ViolationKind, violation


def check_workload(day: Evidence, plan: DailyPlan) -> Iterator[Violation]:
    """Say whether the work or the time is another one."""
    if plan.workload != (None if day.is_past else _workload(day, plan)):
        message = "the work that is due, or the time for it, is not what it says"
        yield violation(ViolationKind.WORKLOAD, message)


def _workload(day: Evidence, plan: DailyPlan) -> Workload:
    work = dt.timedelta()
    own: list[Stretch] = []
    taken = [
        (utc(block.start), utc(block.end)) for block in plan.blocks if block.kind is BlockKind.BREAK
    ]
    for demand in day.demands:
        to_come = [(max(start, day.begin), end) for start, end in demand.staying]
        if not demand.is_due:
            taken += to_come
            continue
        own += to_come
        work += sum(((end - start) // MINUTE * MINUTE for start, end in to_come), dt.timedelta())
        if demand.is_work:
            work += demand.need + demand.later
    room = without(merged((*day.usable, *own)), merged(taken))
    return Workload(work_minutes=work // MINUTE, free_minutes=length(room) // MINUTE)
