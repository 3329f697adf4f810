"""What the end of a worker means for those that wait for it; in the transaction that ends it.

Rows of a job are locked in the order of their positions, dependencies first, by everyone: no two
transactions wait for each other in a circle. SQLite has one writer and needs no locks.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from iris_harness.jobs.database import Database
from iris_harness.jobs.statements import Driver
from iris_harness.jobs.tables import WorkerState, edges, workers

KIND_DEPENDENCY = "dependency"
KIND_CANCELLED = "cancelled"

_ENDED = sa.bindparam("ended", type_=sa.String)
_direct = sa.select(edges.c.worker_id).where(edges.c.depends_on == _ENDED)
_IS_BLOCKED = workers.c.state == WorkerState.BLOCKED.sql
_LAST_ONE = workers.c.waiting_for == sa.literal_column("1")


def _below() -> sa.Select[Any]:
    """Return the ids of all that wait for `ended`, however many lie between."""
    found = _direct.cte("below", recursive=True)
    further = sa.select(edges.c.worker_id).join(found, edges.c.depends_on == found.c.worker_id)
    return sa.select(found.union(further).c.worker_id)


_all_below = _below()


def _locking(ids: sa.Select[Any]) -> sa.Select[Any]:
    """Return what locks the blocked ones of `ids`, dependencies first."""
    chosen = sa.select(workers.c.id).where(workers.c.id.in_(ids), _IS_BLOCKED)
    return chosen.order_by(workers.c.position).with_for_update()


class Settler:
    """Settles those that wait for a worker that has ended."""

    def __init__(self, database: Database) -> None:
        """Take the database whose clock tells when."""
        self._database = database
        self._lock_direct = database.statement(_locking(_direct))
        self._lock_below = database.statement(_locking(_all_below))
        self._advance = database.statement(
            sa.update(workers)
            .where(workers.c.id.in_(_direct), _IS_BLOCKED)
            .values(
                waiting_for=workers.c.waiting_for - sa.literal_column("1"),
                state=sa.case((_LAST_ONE, WorkerState.READY.sql), else_=WorkerState.BLOCKED.sql),
                ready_at=sa.case((_LAST_ONE, database.now), else_=sa.null()),
            )
            .returning(workers.c.state)
        )
        self._give_up = database.statement(
            sa.update(workers)
            .where(workers.c.id.in_(_all_below), _IS_BLOCKED)
            .values(
                state=sa.bindparam("new_state"),
                kind=sa.bindparam("new_kind"),
                reason=sa.bindparam("new_reason"),
                finished_at=database.now,
            )
        )

    def after_success(self, driver: Driver, ended: str) -> None:
        """Count down what waits for a worker that succeeded; wake daemons for what became ready."""
        asked = {"ended": ended}
        if self._database.is_postgresql and not self._lock_direct.rows(driver, asked):
            return
        moved = self._advance.rows(driver, asked | self._database.moment())
        if (WorkerState.READY.value,) in moved:
            self._database.wake(driver.execute)

    def after_failure(self, driver: Driver, ended: str, name: str) -> None:
        """Fail all that wait for a worker that failed; `name` is its id within the job."""
        self._end_below(driver, ended, WorkerState.FAILED, f"{name} failed")

    def after_cancellation(self, driver: Driver, ended: str, name: str) -> None:
        """Cancel all that wait for a worker that was cancelled."""
        self._end_below(driver, ended, WorkerState.CANCELLED, f"{name} was cancelled")

    def _end_below(self, driver: Driver, ended: str, state: WorkerState, reason: str) -> None:
        if self._database.is_postgresql:
            self._lock_below.rows(driver, {"ended": ended})
        given = {
            "ended": ended,
            "new_state": state.value,
            "new_kind": KIND_DEPENDENCY,
            "new_reason": reason,
        }
        self._give_up.run(driver, given | self._database.moment())
