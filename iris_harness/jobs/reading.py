"""Read jobs; an owner sees no one else's."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from iris_harness.contracts.decoding import from_json
from iris_harness.errors import AmbiguousIdError, UnknownJobError
from iris_harness.jobs.database import Database, instant
from iris_harness.jobs.manifest import read_manifest, read_spec
from iris_harness.jobs.tables import WorkerState, jobs, manifests, workers
from iris_harness.jobs.values import Manifest, PlanRequest
from iris_harness.jobs.views import JobSummary, JobView, WorkerView, job_state

_MOST_NAMED = 8  # of the ids that an ambiguous one may mean


class JobReader:
    """Reads the jobs of one owner. Thread-safe."""

    def __init__(self, database: Database, owner: str) -> None:
        """Take the database and whose jobs are read."""
        self._database = database
        self._owner = owner

    def list(self, *, limit: int = 20) -> tuple[JobSummary, ...]:
        """Return the newest jobs, newest first."""
        newest = (
            sa.select(jobs)
            .where(jobs.c.owner == self._owner)
            .order_by(jobs.c.created_at.desc(), jobs.c.id.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            rows = connection.execute(newest).mappings().all()
            counts = _counts(connection, [row["id"] for row in rows])
        return tuple(_summary(row, counts[row["id"]]) for row in rows)

    def get(self, job_id: str) -> JobView:
        """Return a job; the start of its id is enough where it fits one only.

        Raises:
            UnknownJobError: this owner has none of that id.
            AmbiguousIdError: several begin so.
        """
        with self._database.reading() as connection:
            return self._view(connection, find_job_id(connection, self._owner, job_id))

    def _view(self, connection: Connection, job_id: str) -> JobView:
        row = connection.execute(sa.select(jobs).where(jobs.c.id == job_id)).mappings().one()
        of_job = sa.select(workers).where(workers.c.job_id == job_id).order_by(workers.c.position)
        found = connection.execute(of_job).mappings().all()
        counts: dict[WorkerState, int] = {}
        for one in found:
            state = WorkerState(one["state"])
            counts[state] = counts.get(state, 0) + 1
        return JobView(
            summary=_summary(row, counts),
            request=from_json(PlanRequest, json.loads(row["request"])),
            planner=row["planner"],
            notes=tuple(json.loads(row["notes"])),
            needs=tuple(json.loads(row["needs"])),
            workers=tuple(map(_worker, found)),
        )

    def manifest(self, some_id: str) -> tuple[str, Manifest]:
        """Return a manifest, verified, and its id; `some_id` is its own or a job's.

        Raises:
            UnknownJobError: this owner has no such job, and no job with such a manifest.
            AmbiguousIdError: several ids begin so.
            ManifestError: what is kept is not what was written.
        """
        with self._database.reading() as connection:
            named = self._manifest_id(connection, some_id)
            body = connection.execute(
                sa.select(manifests.c.body).where(manifests.c.id == named)
            ).scalar_one()
        return named, read_manifest(body, named)

    def _manifest_id(self, connection: Connection, some_id: str) -> str:
        query = (
            sa.select(jobs.c.manifest_id)
            .where(jobs.c.owner == self._owner, _begins(jobs.c.manifest_id, some_id))
            .distinct()
            .order_by(jobs.c.manifest_id)
            .limit(_MOST_NAMED)
        )
        found: tuple[str, ...] = ()
        if len(some_id) >= 8:  # noqa: PLR2004 - shorter ones are jobs'
            found = tuple(connection.execute(query).scalars())
        if len(found) > 1:
            raise AmbiguousIdError(some_id, found)
        if found:
            return found[0]
        job_id = find_job_id(connection, self._owner, some_id)
        of_job = sa.select(jobs.c.manifest_id).where(jobs.c.id == job_id)
        return str(connection.execute(of_job).scalar_one())

    def manifest_ids(self) -> tuple[str, ...]:
        """Return the ids of all manifests of this owner's jobs, sorted."""
        mine = sa.select(jobs.c.manifest_id).where(jobs.c.owner == self._owner)
        with self._database.reading() as connection:
            found = connection.execute(mine.distinct().order_by(jobs.c.manifest_id))
            return tuple(found.scalars())


def find_job_id(connection: Connection, owner: str, job_id: str) -> str:
    """Return the full id of a job of `owner` from the start of it.

    Raises:
        UnknownJobError: there is none.
        AmbiguousIdError: several begin so.
    """
    query = (
        sa.select(jobs.c.id)
        .where(jobs.c.owner == owner, _begins(jobs.c.id, job_id))
        .order_by(jobs.c.id)
        .limit(_MOST_NAMED)
    )
    found: tuple[str, ...] = tuple(connection.execute(query).scalars()) if job_id else ()
    if job_id in found:
        return job_id
    if not found:
        raise UnknownJobError(
            f"there is no job {job_id[:64]!r}", hint="`iris jobs list` shows their ids"
        )
    if len(found) > 1:
        raise AmbiguousIdError(job_id, found)
    return found[0]


def _begins(column: sa.ColumnElement[str], start: str) -> sa.ColumnElement[bool]:
    return column.startswith(start, autoescape=True)


def _counts(connection: Connection, job_ids: Sequence[str]) -> dict[str, dict[WorkerState, int]]:
    query = (
        sa.select(workers.c.job_id, workers.c.state, sa.func.count())
        .where(workers.c.job_id.in_(job_ids))
        .group_by(workers.c.job_id, workers.c.state)
    )
    found: dict[str, dict[WorkerState, int]] = {job_id: {} for job_id in job_ids}
    for job_id, state, count in connection.execute(query):
        found[job_id][WorkerState(state)] = count
    return found


def _summary(row: RowMapping, counts: Mapping[WorkerState, int]) -> JobSummary:
    request: dict[str, Any] = json.loads(row["request"])
    return JobSummary(
        id=row["id"],
        owner=row["owner"],
        manifest_id=row["manifest_id"],
        task=request["task"],
        repo_url=request["repo_url"],
        state=job_state(counts, paused=row["paused"]),
        counts=counts,
        priority=row["priority"],
        created_at=instant(row["created_at"]),
        reviewed_at=_maybe(row["reviewed_at"]),
    )


def _worker(row: RowMapping) -> WorkerView:
    return WorkerView(
        spec=read_spec(row["spec"]),
        state=WorkerState(row["state"]),
        kind=row["kind"],
        reason=row["reason"],
        result=None if row["result"] is None else json.loads(row["result"]),
        fence=row["fence"],
        deliveries=row["deliveries"],
        leased_by=row["leased_by"],
        lease_expires_at=_maybe(row["lease_expires_at"]),
        cancel_requested=row["cancel_requested"],
        started_at=_maybe(row["started_at"]),
        finished_at=_maybe(row["finished_at"]),
    )


def _maybe(milliseconds: int | None) -> dt.datetime | None:
    return None if milliseconds is None else instant(milliseconds)
