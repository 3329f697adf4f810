"""Prove what a plan says of the user's jobs: worked out again, sharing nothing with the planner."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import DailyPlan, DaySnapshot, JobNews, JobStage
from iris_harness.planner.violations import Violation, ViolationKind, violation

_PLACES = ("failed", "review", "running", "paused", "waiting")


def check_jobs(snapshot: DaySnapshot, plan: DailyPlan) -> Iterator[Violation]:
    """Yield what of the jobs that were read is missing, added, or in the wrong place."""
    zone = ZoneInfo(snapshot.timezone)
    wanted = [one for one in snapshot.jobs if _is_news(one, snapshot.date, zone)]
    for one in wanted:
        if one not in plan.jobs:
            yield violation(ViolationKind.MISSING, "this job is missing", one.task)
    for one in plan.jobs:
        if one not in wanted:
            yield violation(ViolationKind.UNKNOWN, "there is no such news of a job", one.task)
    if len(plan.jobs) != len(set(plan.jobs)):
        yield violation(ViolationKind.UNKNOWN, "a job is listed twice")
    for first, second in pairwise(plan.jobs):
        if _place(first) > _place(second):
            message = f"it is listed after {first.task!r}"
            yield violation(ViolationKind.ORDER, message, second.task)


def _is_news(job: JobNews, day: dt.date, zone: ZoneInfo) -> bool:
    """Whether it goes on, or ended on a day that is near enough; days are those of the zone."""
    if job.stage not in {JobStage.FAILED, JobStage.REVIEW}:
        return True
    days_ago = (day - job.since.astimezone(zone).date()).days
    return days_ago <= (1 if job.stage is JobStage.FAILED else 7)


def _place(job: JobNews) -> tuple[object, ...]:
    ago = dt.datetime.max.replace(tzinfo=dt.UTC) - job.since
    return (_PLACES.index(job.stage.value), ago, job.source)
