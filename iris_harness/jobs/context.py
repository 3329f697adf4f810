"""Finished jobs of the same owner that may help to plan a new one; off unless it is asked for.

Only what was planned is used, never what workers wrote, and only while a plan is made. Jobs of
others are never looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from iris_harness.errors import ConfigError, JobStateError, RequestError
from iris_harness.jobs.database import Database
from iris_harness.jobs.embedding import Embedder
from iris_harness.jobs.finished import finished_jobs
from iris_harness.jobs.likeness import likeness
from iris_harness.jobs.reading import find_job_id
from iris_harness.jobs.tables import manifests
from iris_harness.jobs.values import ContextMode, PlanRequest
from iris_harness.sentences import INSTALL

MOST_JOBS: Final = 3
"""That `ContextMode.AUTO` takes."""
_MOST_NAMED: Final = 20
_MOST_READ: Final = 1_000
"""That are compared by their words."""
_LEAST_PERCENT: Final = {"meaning": 30, "words": 25}
"""Measured on tasks and their paraphrases (`benchmarks/job_context.py`)."""


class EarlierJob(NamedTuple):
    """What is told of a finished job."""

    id: str
    task: str
    workers: tuple[str, ...]
    """The tasks of its workers, in their order."""
    alike: str = ""
    """How alike it is, in words; "" for one that the user named."""


class Context(NamedTuple):
    """What a plan is made with."""

    jobs: tuple[EarlierJob, ...] = ()
    """As the user named them, or the most alike first."""
    notes: tuple[str, ...] = ()
    """How they were looked for, where that has to be said."""


NO_CONTEXT: Final = Context()


def find_context(
    database: Database, request: PlanRequest, embedder: Embedder | None = None
) -> Context:
    """Return the finished jobs that a request wants to be planned with.

    They are compared by what they mean, or by their words where there is no `embedder`.

    Raises:
        RequestError: jobs are named where none are to be used, or none where some are.
        UnknownJobError: one of them is not this owner's.
        JobStateError: one of them has not succeeded.
    """
    if request.context is not ContextMode.AUTO:
        return named_context(database, request)
    _check_mode(request)
    if embedder is None:
        return _by_words(database, request, f"to compare meaning: {INSTALL}")
    try:
        return _by_meaning(database, request, embedder)
    except ConfigError as error:
        return _by_words(database, request, error.message)


def named_context(database: Database, request: PlanRequest) -> Context:
    """Return the jobs that a request names; none are looked for, so `AUTO` comes to nothing here.

    Raises:
        RequestError: jobs are named where none are to be used, or none where some are.
        UnknownJobError: one of them is not this owner's.
        JobStateError: one of them has not succeeded.
    """
    _check_mode(request)
    if request.context is not ContextMode.MANUAL:
        return NO_CONTEXT
    return Context(_named(database, request))


def _check_mode(request: PlanRequest) -> None:
    if request.context is not ContextMode.MANUAL and request.context_jobs:
        raise RequestError("jobs are named, but the context is not manual", field="context_jobs")
    if request.context is ContextMode.MANUAL and not request.context_jobs:
        raise RequestError("no job is named for the context", field="context_jobs")
    if len(request.context_jobs) > _MOST_NAMED:
        raise RequestError(f"more than {_MOST_NAMED} jobs are named", field="context_jobs")


def _named(database: Database, request: PlanRequest) -> tuple[EarlierJob, ...]:
    with database.reading() as connection:
        named = [find_job_id(connection, request.owner, one) for one in request.context_jobs]
        found = _finished(connection, request.owner, named)
    for job_id in named:
        if job_id not in found:
            raise JobStateError(f"job {job_id} has not succeeded, so it cannot be a context")
    return tuple(found[job_id] for job_id in dict.fromkeys(named))


def _by_meaning(database: Database, request: PlanRequest, embedder: Embedder) -> Context:
    from iris_harness.jobs.meaning import find_neighbours  # noqa: PLC0415 - it needs numpy

    near = find_neighbours(database, request.owner, request.task, embedder, MOST_JOBS)
    percents = {one.job_id: round(one.cosine * 100) for one in near.nearest}
    with database.reading() as connection:
        found = _finished(connection, request.owner, list(percents))
    alike = _alike(found, percents, "meaning")
    notes = []
    if not alike:
        notes.append("no finished job of yours means much the same.")
    if not near.all_read:
        notes.append("the oldest finished jobs were not compared yet; later plans will.")
    return Context(alike, tuple(notes))


def _by_words(database: Database, request: PlanRequest, why: str) -> Context:
    with database.reading() as connection:
        found = _finished(connection, request.owner, None)
    texts = [" ".join((job.task, *job.workers)) for job in found.values()]
    scores = likeness(request.task, texts)
    percents = {job_id: round(score * 100) for job_id, score in zip(found, scores, strict=True)}
    alike = _alike(found, percents, "words")
    found_so = "finished jobs were compared" if alike else "no finished job is alike"
    return Context(alike, (f"{found_so} by words; {why}",))


def _alike(
    found: Mapping[str, EarlierJob], percents: Mapping[str, int], by: str
) -> tuple[EarlierJob, ...]:
    """Return the most alike, in the order of `percents` where they are equally so."""
    enough = [one for one in percents if one in found and percents[one] >= _LEAST_PERCENT[by]]
    ranked = sorted(enough, key=lambda one: -percents[one])[:MOST_JOBS]
    return tuple(found[one]._replace(alike=f"{percents[one]} % alike by {by}") for one in ranked)


def _finished(
    connection: Connection, owner: str, ids: Sequence[str] | None
) -> dict[str, EarlierJob]:
    """Return the owner's jobs that have succeeded, newest first; None: not only those of `ids`."""
    chosen = finished_jobs(owner, _MOST_READ, ids).subquery()
    query = (
        sa.select(chosen.c.id, manifests.c.body)
        .join(manifests, manifests.c.id == chosen.c.manifest_id)
        .order_by(chosen.c.created_at.desc(), chosen.c.id)
    )
    return {row.id: _earlier(row.id, row.body) for row in connection.execute(query)}


def _earlier(job_id: str, body: str) -> EarlierJob:
    manifest = json.loads(body)
    tasks = tuple(worker["task"] for worker in manifest["workers"])
    return EarlierJob(job_id, manifest["task"], tasks)


def context_notes(context: Context, *, used: bool) -> tuple[str, ...]:
    """Return what a job says of its context; `used`: whether what planned it could read it."""
    how = "shown to the planner" if used else "found, but rules make no use of it"
    told = (
        f"job {job.id}{f' ({job.alike})' if job.alike else ''} was {how}: {_first_line(job.task)}"
        for job in context.jobs
    )
    return (*told, *context.notes)


def _first_line(task: str) -> str:
    return task.strip().splitlines()[0]
