"""The lease queue: every worker is run by one daemon at a time, and none is lost.

A lease is a right that ends by itself. Its fence, a number that grows with every lease of a worker,
makes a holder harmless whose lease has ended: whatever it hands in is refused. Deliveries are
counted when they are given out, so that a worker that kills its daemons ends as failed.
"""

from __future__ import annotations

import contextlib
import json
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.errors import LeaseLostError
from iris_harness.jobs.database import Database
from iris_harness.jobs.kept import LONGEST_KIND, LONGEST_REASON, kept_json, kept_text
from iris_harness.jobs.leasing import Daemon, Lease, Limits, NewStep, Renewal, Step, Wakeup
from iris_harness.jobs.logs import WorkerLogs
from iris_harness.jobs.manifest import read_spec
from iris_harness.jobs.presence import Presence
from iris_harness.jobs.settling import KIND_CANCELLED, Settler
from iris_harness.jobs.statements import Driver, Statement
from iris_harness.jobs.steps import JobSteps
from iris_harness.jobs.tables import NO, WorkerState, edges, worker_needs, workers
from iris_harness.jobs.values import WorkerSpec
from iris_harness.jobs.wakeup import open_wakeup

__all__ = ["KIND_LOST", "Daemon", "Lease", "Limits", "Queue", "Renewal"]

KIND_LOST: Final = "lost"
"""How a worker failed whose daemons never came back."""

_LEASING_LOCK: Final = 0x4C656173  # PostgreSQL's, held while a most number of running ones counts


class Queue:
    """Gives workers to daemons; implements `leasing.WorkQueue`. Thread-safe."""

    def __init__(self, database: Database, clock: Clock, limits: Limits | None = None) -> None:
        """Take the database, a clock for intervals of this process, and the bounds."""
        self._database = database
        self._limits = limits or Limits()
        self._sql = _Statements(database, self._limits)
        self._settler = Settler(database)
        self._presence = Presence(database, clock)
        self._logs = WorkerLogs(database)
        self._steps = JobSteps(database, self._limits.max_work_bytes)
        self._clock = clock
        self._next_reaping = clock.monotonic()

    @property
    def database(self) -> Database:
        """Where the queue is."""
        return self._database

    @property
    def limits(self) -> Limits:
        """The bounds."""
        return self._limits

    def open_wakeup(self, daemon: Daemon) -> Wakeup:  # noqa: ARG002 - all are woken alike
        """Return what waits until something becomes ready.

        Raises:
            StorageError: the database cannot be reached.
        """
        return open_wakeup(self._database, self._clock)

    def lease(self, daemon: Daemon) -> Lease | None:
        """Give `daemon` the next worker that it can run; None when there is none now.

        The highest priority goes first, then the oldest job, then its order.
        """
        self._presence.show(daemon.name, daemon.offers)
        if is_due := self._clock.monotonic() >= self._next_reaping:
            self.reap()
        lease = self._take(daemon)
        if lease is None and not is_due and self.reap():
            lease = self._take(daemon)
        return lease

    def _take(self, daemon: Daemon) -> Lease | None:
        offers = sorted(daemon.offers)
        given = {
            "daemon": daemon.name,
            "offers": offers if self._database.is_postgresql else json.dumps(offers),
        }
        # Whoever counts the running ones must count alone.
        counting = self._limits.max_running and self._database.is_postgresql
        with self._database.driving() if counting else self._database.single() as driver:
            if counting:
                self._sql.lock_leasing.rows(driver, {})
            row = self._sql.lease.row(driver, given | self._database.moment())
        return None if row is None else _lease(*row)

    def held_by(self, daemon: str, worker_id: str, fence: int) -> Lease:
        """Return a lease that `daemon` holds, from what it was told of it.

        Raises:
            LeaseLostError: it has ended, or never was this daemon's.
        """
        given = {"worker": worker_id, "held": fence, "daemon": daemon}
        with self._database.single(writes=False) as driver:
            row = self._sql.held_by.row(driver, given)
        if row is None:
            raise LeaseLostError(worker_id, fence)
        return _lease(*row)

    def was_completed_by(self, daemon: str, worker_id: str, fence: int) -> bool:
        """Return whether `daemon` ended that lease with success: it may not know that it did."""
        given = {"worker": worker_id, "held": fence, "daemon": daemon}
        with self._database.single(writes=False) as driver:
            return self._sql.completed_by.row(driver, given) is not None

    def renew(self, lease: Lease) -> Renewal:
        """Prolong a lease, from now.

        Raises:
            LeaseLostError: it has ended; its holder must stop.
        """
        with self._database.single() as driver:
            expires_at, cancel_requested = self._held(driver, self._sql.renew, lease)
        return Renewal(expires_at=expires_at, cancel_requested=bool(cancel_requested))

    def complete(self, lease: Lease, result: Json = None, step: NewStep | None = None) -> None:
        """End a lease with success; what waited only for this worker becomes ready.

        With `step` the work of the job goes on to it, in the same transaction.

        Raises:
            LeaseLostError: it has ended; the result was dropped.
            WorkOutdatedError: `step` was built on what is no longer the head; nothing is changed.
            WorkTooLargeError: `step` is larger than may be kept.
        """
        if step is not None:
            self._steps.check(step)
        with self._ending(lease, step) as driver:
            if step is not None:
                self._steps.add(driver, lease, step)
            self._end(driver, lease, WorkerState.SUCCEEDED, result=result)
            if lease.others_wait:
                self._settler.after_success(driver, lease.spec.id)

    def fail(self, lease: Lease, kind: str, reason: str, result: Json = None) -> None:
        """End a lease with failure; all that waits for this worker fails with it.

        Args:
            lease: held by the caller.
            kind: short name of how it failed, as in ``unverifiable``; at most 32 characters.
            reason: a sentence for people.
            result: what there is all the same.

        Raises:
            LeaseLostError: it has ended; the result was dropped.
        """
        with self._ending(lease) as driver:
            self._end(driver, lease, WorkerState.FAILED, kind, reason, result)
            if lease.others_wait:
                self._settler.after_failure(driver, lease.spec.id, _name(lease.spec))

    def give_up(self, lease: Lease, reason: str = "cancelled") -> None:
        """End a lease because the worker was to be cancelled.

        Raises:
            LeaseLostError: it has ended.
        """
        with self._ending(lease) as driver:
            self._give_up(driver, lease, reason)

    def _give_up(self, driver: Driver, lease: Lease, reason: str = "cancelled") -> None:
        self._end(driver, lease, WorkerState.CANCELLED, KIND_CANCELLED, reason)
        if lease.others_wait:
            self._settler.after_cancellation(driver, lease.spec.id, _name(lease.spec))

    def release(self, lease: Lease) -> None:
        """Hand a worker back unrun, as a daemon that shuts down does; the delivery is not counted.

        One that was to be cancelled meanwhile is cancelled, since no daemon need look at it again.

        Raises:
            LeaseLostError: it has ended.
        """
        with self._database.driving() as driver:
            given = {"worker": lease.spec.id, "held": lease.fence}
            if self._sql.release.row(driver, given | self._database.moment()) is None:
                self._give_up(driver, lease)
            self._database.wake(driver.execute)

    def log(self, lease: Lease, text: str) -> None:
        """Add to the log of a worker.

        Raises:
            LeaseLostError: the lease has ended.
        """
        self._logs.append(lease, text)

    def begin(self, lease: Lease, commit: str) -> tuple[Step, ...]:
        """Begin the work of the worker's job at a commit, unless it has begun; return its steps.

        Raises:
            LeaseLostError: the lease has ended.
        """
        return self._steps.begin(lease, commit)

    def steps(self, lease: Lease) -> tuple[Step, ...]:
        """Return the steps of the worker's job, in order; none where no worker of it has begun."""
        return self._steps.of(lease.spec.job_id)

    def pack(self, lease: Lease, number: int) -> bytes:
        """Return what a step of the worker's job added to the one before.

        Raises:
            UnknownJobError: there is no such step, or it is the first.
        """
        return self._steps.pack(lease.spec.job_id, number)

    def _ending(
        self, lease: Lease, step: NewStep | None = None
    ) -> contextlib.AbstractContextManager[Driver]:
        """Hold what the end of a lease needs: one statement where it changes nothing else."""
        changes_more = lease.others_wait or step is not None
        return self._database.driving() if changes_more else self._database.single()

    def reap(self) -> int:
        """End all leases that have expired, each in its own transaction; return how many."""
        interval = self._limits.lease_seconds / 4
        self._next_reaping = self._clock.monotonic() + interval
        count = 0
        while self._some_expired() and self._reap_one():
            count += 1
        return count

    def _some_expired(self) -> bool:
        with self._database.single(writes=False) as driver:
            return self._sql.expired.row(driver, self._database.moment()) is not None

    def _reap_one(self) -> bool:
        with self._database.driving() as driver:
            moment = self._database.moment()
            row = self._sql.take_expired.row(driver, moment)
            if row is None:
                return False
            lost = _Expired._make(row)
            if lost.cancel_requested:
                self._settle_lost(driver, lost, WorkerState.CANCELLED, KIND_CANCELLED)
                self._settler.after_cancellation(driver, lost.id, lost.name)
            elif lost.deliveries >= self._limits.max_deliveries:
                self._settle_lost(driver, lost, WorkerState.FAILED, KIND_LOST)
                self._settler.after_failure(driver, lost.id, lost.name)
            else:
                self._sql.requeue.run(driver, {"worker": lost.id} | moment)
                self._database.wake(driver.execute)
        return True

    def _settle_lost(self, driver: Driver, lost: _Expired, state: WorkerState, kind: str) -> None:
        times = "once" if lost.deliveries == 1 else f"{lost.deliveries} times"
        said = f"it was given out {times}, and its daemon fell silent each time"
        given = _ending(lost.id, lost.fence, state, kind, said, None)
        self._sql.end.rows(driver, given | self._database.moment())

    def _end(
        self,
        driver: Driver,
        lease: Lease,
        state: WorkerState,
        kind: str | None = None,
        reason: str | None = None,
        result: Json = None,
    ) -> None:
        given = _ending(lease.spec.id, lease.fence, state, kind, reason, result)
        if self._sql.end.row(driver, given | self._database.moment()) is None:
            raise LeaseLostError(lease.spec.id, lease.fence)

    def _held(self, driver: Driver, statement: Statement, lease: Lease) -> tuple[Any, ...]:
        given = {"worker": lease.spec.id, "held": lease.fence}
        row = statement.row(driver, given | self._database.moment())
        if row is None:
            raise LeaseLostError(lease.spec.id, lease.fence)
        return row


class _Expired(NamedTuple):
    """A worker whose daemon fell silent."""

    id: str
    job_id: str
    fence: int
    deliveries: int
    cancel_requested: bool

    @property
    def name(self) -> str:
        return self.id.removeprefix(f"{self.job_id}-")


class _Statements:
    """The queue's statements; each is built once."""

    def __init__(self, database: Database, limits: Limits) -> None:
        now = database.now
        until = now + sa.literal(int(limits.lease_seconds * 1000), sa.BigInteger)
        is_leased = workers.c.state == WorkerState.LEASED.sql
        held = (workers.c.id == sa.bindparam("worker"), workers.c.fence == sa.bindparam("held"))
        told = (
            workers.c.spec,
            workers.c.fence,
            workers.c.deliveries,
            workers.c.lease_expires_at,
            sa.exists().where(edges.c.depends_on == workers.c.id),
        )
        has_expired = (is_leased, workers.c.lease_expires_at < now)
        unleased = {"state": WorkerState.READY.sql, "leased_by": None, "lease_expires_at": None}

        written = database.statement
        self.lock_leasing = written(sa.select(sa.func.pg_advisory_xact_lock(_LEASING_LOCK)))
        self.lease = written(
            sa.update(workers)
            .where(workers.c.id == _next_ready(database, limits).scalar_subquery())
            .values(
                state=WorkerState.LEASED.sql,
                fence=workers.c.fence + 1,
                deliveries=workers.c.deliveries + 1,
                leased_by=sa.bindparam("daemon"),
                lease_expires_at=until,
                started_at=sa.func.coalesce(workers.c.started_at, now),
            )
            .returning(*told)
        )
        self.held_by = written(
            sa.select(*told).where(*held, is_leased, workers.c.leased_by == sa.bindparam("daemon"))
        )
        self.completed_by = written(
            sa.select(workers.c.id).where(
                *held,
                workers.c.state == WorkerState.SUCCEEDED.sql,
                workers.c.leased_by == sa.bindparam("daemon"),
            )
        )
        self.renew = written(
            sa.update(workers)
            .where(*held, is_leased)
            .values(lease_expires_at=until)
            .returning(workers.c.lease_expires_at, workers.c.cancel_requested)
        )
        self.release = written(
            sa.update(workers)
            .where(*held, is_leased, workers.c.cancel_requested == NO)
            .values(**unleased, ready_at=now, deliveries=workers.c.deliveries - 1)
            .returning(workers.c.id)
        )
        self.end = written(
            sa.update(workers)
            .where(*held, is_leased)
            .values(
                state=sa.bindparam("new_state"),
                kind=sa.bindparam("new_kind"),
                reason=sa.bindparam("new_reason"),
                result=sa.bindparam("new_result"),
                lease_expires_at=None,
                finished_at=now,
            )
            .returning(workers.c.id)
        )
        self.expired = written(sa.select(workers.c.id).where(*has_expired).limit(1))
        self.take_expired = written(
            sa.select(
                workers.c.id,
                workers.c.job_id,
                workers.c.fence,
                workers.c.deliveries,
                workers.c.cancel_requested,
            )
            .where(*has_expired)
            .order_by(workers.c.lease_expires_at)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        self.requeue = written(
            sa.update(workers)
            .where(workers.c.id == sa.bindparam("worker"))
            .values(**unleased, ready_at=now)
        )


def _next_ready(database: Database, limits: Limits) -> sa.Select[Any]:
    """Return the one worker that is next for a daemon with ``offers``."""
    one = workers.alias("one")
    lacking = (
        sa.select(worker_needs.c.need)
        .where(
            worker_needs.c.worker_id == one.c.id,
            _not_offered(database),
        )
        .correlate(one)
    )
    chosen = sa.select(one.c.id).where(
        one.c.state == WorkerState.READY.sql, one.c.paused == NO, ~sa.exists(lacking)
    )
    if limits.max_running:
        chosen = chosen.where(_running_of(one.c.owner) < limits.max_running)
    in_turn = (one.c.priority.desc(), one.c.created_at, one.c.job_id, one.c.position)
    return chosen.order_by(*in_turn).limit(1).with_for_update(skip_locked=True, of=one)


def _not_offered(database: Database) -> sa.ColumnElement[bool]:
    """Return whether a need is none of ``offers``: an array there, a JSON list here."""
    need = worker_needs.c.need
    if database.is_postgresql:
        return need != sa.all_(sa.bindparam("offers", type_=ARRAY(sa.String)))
    offers = sa.func.json_each(sa.bindparam("offers")).table_valued("value")
    return need.not_in(sa.select(offers.c.value))


def _running_of(owner: sa.ColumnElement[str]) -> sa.ScalarSelect[int]:
    other = workers.alias("other")
    mine = (other.c.owner == owner, other.c.state == WorkerState.LEASED.sql)
    return sa.select(sa.func.count()).select_from(other).where(*mine).scalar_subquery()


def _ending(
    worker: str,
    fence: int,
    state: WorkerState,
    kind: str | None,
    reason: str | None,
    result: Json,
) -> dict[str, Any]:
    return {
        "worker": worker,
        "held": fence,
        "new_state": state.value,
        "new_kind": None if kind is None else kept_text(kind, LONGEST_KIND),
        "new_reason": None if reason is None else kept_text(reason, LONGEST_REASON),
        "new_result": None if result is None else kept_json(result),
    }


def _lease(spec: str, fence: int, delivery: int, expires_at: int, others_wait: int) -> Lease:
    return Lease(
        spec=read_spec(spec),
        fence=fence,
        delivery=delivery,
        expires_at=expires_at,
        others_wait=bool(others_wait),
    )


def _name(spec: WorkerSpec) -> str:
    return spec.id.removeprefix(f"{spec.job_id}-")
