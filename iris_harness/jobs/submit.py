"""Write a job: manifest, job, workers, edges and idempotency key in one transaction, or nothing."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from iris_harness.contracts.canonical import digest
from iris_harness.errors import IdempotencyError
from iris_harness.jobs.context import EarlierJob, find_context
from iris_harness.jobs.database import Database
from iris_harness.jobs.manifest import read_manifest
from iris_harness.jobs.records import JobRecords, build_records
from iris_harness.jobs.tables import (
    WorkerState,
    edges,
    idempotency,
    jobs,
    manifests,
    worker_needs,
    workers,
)
from iris_harness.jobs.validation import MAX_WORKERS, check_plan, check_request, check_submission
from iris_harness.jobs.values import (
    Plan,
    PlanOutcome,
    PlanRequest,
    SubmitOptions,
    Submitted,
)

Plans: TypeAlias = Callable[[PlanRequest, Sequence[EarlierJob]], PlanOutcome]
_Insert: TypeAlias = "postgresql.Insert | sqlite.Insert"


class Submission(NamedTuple):
    """What one submission asks for."""

    request: PlanRequest
    options: SubmitOptions = SubmitOptions()
    plan: Plan | None = None
    """The user's own plan; None: a planner makes one."""
    job_id: str | None = None
    """Of the job, where it was told before; None: a new one."""


class Submitter:
    """Checks, plans and writes jobs. Thread-safe."""

    def __init__(
        self,
        database: Database,
        *,
        plans: Plans,
        host: str,
        max_workers: int = MAX_WORKERS,
        new_id: Callable[[], str] = lambda: secrets.token_hex(6),
    ) -> None:
        """Take what plans where the user gave no plan, and the name of this machine.

        `host` is the one whose daemons may run jobs on ``file:`` repositories.
        """
        self._database = database
        self._plans = plans
        self._host = host
        self._max_workers = max_workers
        self._new_id = new_id

    def submit(self, submission: Submission) -> Submitted:
        """Write a job, or find the one that its idempotency key made before.

        Raises:
            RequestError: the request or an option cannot be used.
            UnknownJobError: a job of the context is not this owner's.
            JobStateError: a job of the context has not succeeded.
            JobPlanError: the plan cannot be run; `nodes` names its workers at fault.
            IdempotencyError: the key was used for another request.
            StorageError: the database refused; nothing was kept.
        """
        request, options = submission.request, submission.options
        check_request(request)
        check_submission(request, options)
        asked = _digest(submission) if options.idempotency_key is not None else ""
        if asked:
            with self._database.reading() as connection:
                if known := _find(connection, submission, asked):
                    return known  # without planning a second time
        return self.write(self.prepare(submission), submission, asked)

    def prepare(self, submission: Submission) -> JobRecords:
        """Return what would be written of a checked submission: its plan made, nothing kept.

        Raises:
            UnknownJobError: a job of the context is not this owner's.
            JobStateError: a job of the context has not succeeded.
            JobPlanError: the plan cannot be run; `nodes` names its workers at fault.
        """
        outcome = self._outcome(submission)
        check_plan(outcome.plan, max_workers=self._max_workers)
        job_id = submission.job_id or self._new_id()
        needs = self._needs(submission)
        return build_records(submission.request, outcome, submission.options, needs, job_id)

    def write(self, records: JobRecords, submission: Submission, asked: str = "") -> Submitted:
        """Write what was prepared, in one transaction; `asked` is the digest where there is a key.

        Raises:
            IdempotencyError: the key was used for another request.
            StorageError: the database refused; nothing was kept.
        """
        with self._database.writing() as connection:
            if not _claim(connection, submission, asked, records.job_id):
                found = _find(connection, submission, asked)
                assert found is not None, "a claimed key has a job"  # noqa: S101 - by the constraint
                return found
            _insert(connection, records, _now(connection, self._database))
            self._database.wake(connection)
        return Submitted(job_id=records.job_id, manifest_id=records.manifest_id, is_new=True)

    def _outcome(self, submission: Submission) -> PlanOutcome:
        context = find_context(self._database, submission.request)
        if submission.plan is not None:
            return PlanOutcome(plan=submission.plan, planner="user")
        return self._plans(submission.request, context)

    def _needs(self, submission: Submission) -> tuple[str, ...]:
        """Return what a daemon must offer: what was asked, and this host for a local repository."""
        local = urlsplit(submission.request.repo_url).scheme == "file"
        here = {f"host:{self._host}"} if local else set()
        return tuple(sorted({*submission.options.needs, *here}))


def _digest(submission: Submission) -> str:
    """Return the digest of what is asked; the key itself is no part of it."""
    options = submission.options
    return digest((submission.request, submission.plan, options.priority, sorted(options.needs)))


def _find(connection: Connection, submission: Submission, asked: str) -> Submitted | None:
    key = submission.options.idempotency_key
    if key is None:
        return None
    row = connection.execute(
        sa.select(idempotency.c.digest, idempotency.c.job_id, jobs.c.manifest_id)
        .join(jobs, jobs.c.id == idempotency.c.job_id)
        .where(idempotency.c.owner == submission.request.owner, idempotency.c.key == key)
    ).one_or_none()
    if row is None:
        return None
    if row.digest != asked:
        raise IdempotencyError(key, row.job_id)
    return Submitted(job_id=row.job_id, manifest_id=row.manifest_id, is_new=False)


def _claim(connection: Connection, submission: Submission, asked: str, job_id: str) -> bool:
    """Take the key for `job_id`; False when it is taken. Waits for whoever is about to take it."""
    key = submission.options.idempotency_key
    if key is None:
        return True
    values = {
        "owner": submission.request.owner,
        "key": key,
        "digest": asked,
        "job_id": job_id,
    }
    claimed = connection.execute(
        _insert_or_nothing(connection, idempotency).returning(idempotency.c.job_id), values
    )
    return claimed.one_or_none() is not None


def _insert_or_nothing(connection: Connection, table: sa.Table) -> _Insert:
    """Return an insert that does nothing where the row is there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def _now(connection: Connection, database: Database) -> int:
    found: int = connection.execute(sa.select(database.now), database.moment()).scalar_one()
    return found


def _insert(connection: Connection, records: JobRecords, now: int) -> None:
    _keep_manifest(connection, records, now)
    connection.execute(sa.insert(jobs), {**records.job, "created_at": now})
    ready = WorkerState.READY.value
    rows = [
        {**row, "created_at": now, "ready_at": now if row["state"] == ready else None}
        for row in records.workers
    ]
    connection.execute(sa.insert(workers), rows)
    for table, more in ((edges, records.edges), (worker_needs, records.worker_needs)):
        if more:
            connection.execute(sa.insert(table), list(more))


def _keep_manifest(connection: Connection, records: JobRecords, now: int) -> None:
    """Insert a manifest if it is new, otherwise see that the kept one is sound."""
    named, text = records.manifest_id, records.manifest_text
    values = {"id": named, "body": text, "created_at": now}
    insert = _insert_or_nothing(connection, manifests).returning(manifests.c.id)
    if connection.execute(insert, values).one_or_none() is None:
        query = sa.select(manifests.c.body).where(manifests.c.id == named)
        kept = connection.execute(query).scalar_one()
        if kept != text:
            read_manifest(kept, named)  # says what is wrong with it
