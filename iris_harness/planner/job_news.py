"""What of the user's jobs is news on a day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from iris_harness.contracts.day import JobNews, JobStage

_DAYS_TOLD = {JobStage.FAILED: 1, JobStage.REVIEW: 7}
"""How many days back something that has ended is told; what goes on always is."""


def pick_job_news(jobs: Iterable[JobNews], day: dt.date) -> tuple[JobNews, ...]:
    """Return what `DailyPlan.jobs` has of jobs in their normal form, in its order."""
    return tuple(sorted((one for one in jobs if _is_news(one, day)), key=job_order))


def _is_news(job: JobNews, day: dt.date) -> bool:
    told = _DAYS_TOLD.get(job.stage)
    return told is None or (day - job.since.date()).days <= told


def job_order(job: JobNews) -> tuple[object, ...]:
    """Return the sort key that `DailyPlan.jobs` states, total within a plan."""
    newest_first = -job.since.timestamp()  # exact: whole seconds
    counts = (job.done, job.workers)
    return (list(JobStage).index(job.stage), newest_first, job.source, job.task, job.why, counts)
