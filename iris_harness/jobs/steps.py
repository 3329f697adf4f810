"""The work of each job, kept with the queue: every machine starts from what all have done.

The steps of a job are a line of commits. A step is added in the transaction that ends its worker,
under the number after the one it was built on: of two who built on the same step only the first can
add theirs. What a step adds is a git pack, and only git looks into it.
"""

from __future__ import annotations

import re
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from iris_harness.errors import (
    LeaseLostError,
    RequestError,
    UnknownJobError,
    WorkOutdatedError,
    WorkTooLargeError,
)
from iris_harness.jobs.database import Database
from iris_harness.jobs.leasing import Lease, NewStep, Step
from iris_harness.jobs.statements import Driver
from iris_harness.jobs.tables import WorkerState, job_steps, workers

_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_COLUMNS: Final = ("job_id", "number", "head", "worker_id", "pack", "made_at")
_JOB: Final = sa.bindparam("job", type_=sa.String)
_NUMBER: Final = sa.bindparam("number", type_=sa.Integer)
_HEAD: Final = sa.bindparam("head", type_=sa.String)
_WORKER: Final = sa.bindparam("worker", type_=sa.String)


class JobSteps:
    """Keeps the steps of jobs. Thread-safe."""

    def __init__(self, database: Database, max_bytes: int) -> None:
        """Take the database they are kept in, and how large one may be."""
        self._database = database
        self._max_bytes = max_bytes
        self._begin = database.statement(_first(database))
        self._add = database.statement(_next(database))
        of_job = sa.select(job_steps.c.number, job_steps.c.head).where(job_steps.c.job_id == _JOB)
        self._all = database.statement(of_job.order_by(job_steps.c.number))
        self._pack = database.statement(
            sa.select(job_steps.c.pack).where(
                job_steps.c.job_id == _JOB, job_steps.c.number == _NUMBER
            )
        )

    def of(self, job_id: str) -> tuple[Step, ...]:
        """Return the steps of a job in order; whoever asks has seen to whose it is."""
        with self._database.single(writes=False) as driver:
            return tuple(Step._make(row) for row in self._all.rows(driver, {"job": job_id}))

    def pack(self, job_id: str, number: int) -> bytes:
        """Return what a step added to the one before; whoever asks has seen to whose it is.

        Raises:
            UnknownJobError: there is no such step, or it is the first.
        """
        with self._database.single(writes=False) as driver:
            row = self._pack.row(driver, {"job": job_id, "number": number})
        if row is None or row[0] is None:
            raise UnknownJobError(f"the work of job {job_id} has no step {number} to fetch")
        return bytes(row[0])

    def begin(self, lease: Lease, commit: str) -> tuple[Step, ...]:
        """Begin the work of a job at a commit, unless it has begun; return its steps.

        Raises:
            LeaseLostError: the lease has ended.
            RequestError: that is no commit.
        """
        job_id = lease.spec.job_id
        given = {"job": job_id, "worker": lease.spec.id, "held": lease.fence}
        with self._database.single() as driver:
            moment = self._database.moment()
            self._begin.run(driver, {**given, "head": _checked(commit), **moment})
        found = self.of(job_id)
        if not found:
            raise LeaseLostError(lease.spec.id, lease.fence)
        return found

    def check(self, step: NewStep) -> None:
        """Refuse what cannot be kept, before anything is locked for it.

        Raises:
            WorkTooLargeError: it is too large.
            RequestError: its head is no commit, or it has no pack.
        """
        _checked(step.head)
        if not step.pack:
            raise RequestError("a step of work has no pack", field="pack")
        if len(step.pack) > self._max_bytes:
            raise WorkTooLargeError(len(step.pack), self._max_bytes)

    def add(self, driver: Driver, lease: Lease, step: NewStep) -> None:
        """Add a step, in the transaction that ends its worker and before anything is locked in it.

        Raises:
            WorkOutdatedError: it was built on what is not the last step.
        """
        job_id = lease.spec.job_id
        given = {
            "job": job_id,
            "number": step.number,
            "before": step.number - 1,
            "built_on": step.built_on,
            "head": step.head,
            "worker": lease.spec.id,
            "pack": step.pack,
        }
        if self._add.row(driver, given | self._database.moment()) is None:
            raise WorkOutdatedError(job_id, step.built_on)


def _first(database: Database) -> Any:  # noqa: ANN401 - the statement of either engine
    """Return what inserts step 0 while the worker is held, unless it is there."""
    values: tuple[sa.ColumnElement[Any], ...] = (
        _JOB, sa.literal_column("0"), _HEAD, _WORKER, sa.null(), database.now,
    )  # fmt: skip
    held = (
        workers.c.id == _WORKER,
        workers.c.job_id == _JOB,
        workers.c.fence == sa.bindparam("held"),
        workers.c.state == WorkerState.LEASED.sql,
    )
    return _unless_there(database, sa.select(*values).where(*held))


def _next(database: Database) -> Any:  # noqa: ANN401 - the statement of either engine
    """Return what inserts a step after the one that it was built on, unless its number is taken."""
    pack = sa.bindparam("pack", type_=sa.LargeBinary)
    values: tuple[sa.ColumnElement[Any], ...] = (
        _JOB, _NUMBER, _HEAD, _WORKER, pack, database.now,
    )  # fmt: skip
    last = (
        job_steps.c.job_id == _JOB,
        job_steps.c.number == sa.bindparam("before", type_=sa.Integer),
        job_steps.c.head == sa.bindparam("built_on", type_=sa.String),
    )
    chosen = sa.select(*values).select_from(job_steps).where(*last)
    return _unless_there(database, chosen).returning(job_steps.c.number)


def _unless_there(database: Database, chosen: sa.Select[Any]) -> Any:  # noqa: ANN401 - as above
    insert: Any = postgresql.insert if database.is_postgresql else sqlite.insert
    return insert(job_steps).from_select(_COLUMNS, chosen).on_conflict_do_nothing()


def _checked(commit: str) -> str:
    if not _COMMIT.fullmatch(commit):
        raise RequestError(f"{commit[:64]!r} is no commit", field="head")
    return commit
