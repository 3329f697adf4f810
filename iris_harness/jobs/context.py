"""Finished jobs of the same owner that may help to plan a new one; off unless it is asked for.

Only what was planned is used, never what workers wrote, and only while a plan is made. Jobs of
others are never looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from iris_harness.errors import JobStateError, RequestError
from iris_harness.jobs.database import Database
from iris_harness.jobs.likeness import likeness
from iris_harness.jobs.reading import find_job_id
from iris_harness.jobs.tables import WorkerState, jobs, manifests, workers
from iris_harness.jobs.values import ContextMode, PlanRequest

MOST_JOBS: Final = 3
"""That `ContextMode.AUTO` takes."""
_MOST_NAMED: Final = 20
_MOST_LOOKED_AT: Final = 1_000
_LEAST_LIKENESS: Final = 0.25


class EarlierJob(NamedTuple):
    """What is told of a finished job."""

    id: str
    task: str
    workers: tuple[str, ...]
    """The tasks of its workers, in their order."""
    likeness_percent: int | None = None
    """How alike its words are; None for one that the user named."""


def find_context(database: Database, request: PlanRequest) -> tuple[EarlierJob, ...]:
    """Return the finished jobs that a request wants to be planned with, the most alike first.

    Raises:
        RequestError: jobs are named where none are to be used, or none where some are.
        UnknownJobError: one of them is not this owner's.
        JobStateError: one of them has not succeeded.
    """
    _check_mode(request)
    if request.context is ContextMode.OFF:
        return ()
    with database.reading() as connection:
        if request.context is ContextMode.AUTO:
            return _most_alike(request, _finished(connection, request.owner, ()))
        named = [find_job_id(connection, request.owner, one) for one in request.context_jobs]
        found = {job.id: job for job in _finished(connection, request.owner, named)}
    for job_id in named:
        if job_id not in found:
            raise JobStateError(f"job {job_id} has not succeeded, so it cannot be a context")
    return tuple(found[job_id] for job_id in dict.fromkeys(named))


def _check_mode(request: PlanRequest) -> None:
    if request.context is not ContextMode.MANUAL and request.context_jobs:
        raise RequestError("jobs are named, but the context is not manual", field="context_jobs")
    if request.context is ContextMode.MANUAL and not request.context_jobs:
        raise RequestError("no job is named for the context", field="context_jobs")
    if len(request.context_jobs) > _MOST_NAMED:
        raise RequestError(f"more than {_MOST_NAMED} jobs are named", field="context_jobs")


def _finished(connection: Connection, owner: str, ids: Sequence[str]) -> tuple[EarlierJob, ...]:
    """Return the owner's jobs that have succeeded, newest first; only those of `ids` if any."""
    open_ones = sa.select(workers.c.id).where(
        workers.c.job_id == jobs.c.id, workers.c.state != WorkerState.SUCCEEDED.sql
    )
    query = (
        sa.select(jobs.c.id, manifests.c.body)
        .join(manifests, manifests.c.id == jobs.c.manifest_id)
        .where(jobs.c.owner == owner, ~sa.exists(open_ones))
        .order_by(jobs.c.created_at.desc(), jobs.c.id)
        .limit(_MOST_LOOKED_AT)
    )
    if ids:
        query = query.where(jobs.c.id.in_(ids))
    return tuple(_earlier(row.id, row.body) for row in connection.execute(query))


def _earlier(job_id: str, body: str) -> EarlierJob:
    manifest = json.loads(body)
    tasks = tuple(worker["task"] for worker in manifest["workers"])
    return EarlierJob(job_id, manifest["task"], tasks)


def _most_alike(request: PlanRequest, found: Sequence[EarlierJob]) -> tuple[EarlierJob, ...]:
    scores = likeness(request.task, [" ".join((job.task, *job.workers)) for job in found])
    ranked = sorted(
        (job._replace(likeness_percent=round(score * 100))
         for job, score in zip(found, scores, strict=True) if score >= _LEAST_LIKENESS),
        key=lambda job: -(job.likeness_percent or 0),
    )  # fmt: skip
    return tuple(ranked[:MOST_JOBS])


def context_notes(context: Sequence[EarlierJob], *, used: bool) -> tuple[str, ...]:
    """Return what a job says of its context; `used`: whether what planned it could read it."""
    how = "shown to the planner" if used else "found, but rules make no use of it"
    return tuple(
        f"job {job.id}{_alike(job)} was {how}: {job.task.strip().splitlines()[0]}"
        for job in context
    )


def _alike(job: EarlierJob) -> str:
    if job.likeness_percent is None:
        return ""
    return f" ({job.likeness_percent} % alike by its words)"
