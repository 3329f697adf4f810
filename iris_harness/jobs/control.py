"""What an owner may do with a job: cancel it, pause it, let it go on, try again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from iris_harness.errors import JobStateError, UnknownJobError
from iris_harness.jobs.database import Database
from iris_harness.jobs.reading import find_job_id
from iris_harness.jobs.settling import KIND_CANCELLED
from iris_harness.jobs.tables import FINAL, WorkerState, edges, jobs, workers

_WAITS = workers.c.state.in_((WorkerState.BLOCKED.sql, WorkerState.READY.sql))
_RUNS = workers.c.state == WorkerState.LEASED.sql


class JobControl:
    """Steers the jobs of one owner. Ids may be shortened to their start. Thread-safe."""

    def __init__(self, database: Database, owner: str) -> None:
        """Take the database and whose jobs are steered."""
        self._database = database
        self._owner = owner

    def cancel(self, some_id: str) -> str:
        """Cancel a job: what waits is cancelled now, what runs is told so; return its id.

        Raises:
            UnknownJobError: this owner has none of that id.
            JobStateError: it has ended.
        """
        with self._database.writing() as connection:
            job_id, states = self._locked(connection, some_id)
            if FINAL.issuperset(states.values()):
                raise JobStateError(f"job {job_id} has ended already")
            moment = self._database.moment()
            waiting = sa.update(workers).where(workers.c.job_id == job_id, _WAITS)
            ended = waiting.values(
                state=WorkerState.CANCELLED.sql,
                kind=KIND_CANCELLED,
                reason="the job was cancelled",
                finished_at=self._database.now,
            )
            connection.execute(ended, moment)
            running = sa.update(workers).where(workers.c.job_id == job_id, _RUNS)
            connection.execute(running.values(cancel_requested=True))
            told = sa.update(jobs).where(jobs.c.id == job_id)
            connection.execute(told.values(cancelled_at=self._database.now, paused=False), moment)
        return job_id

    def pause(self, some_id: str) -> str:
        """Let nothing more of a job start; what runs goes on. Return its id.

        Raises:
            UnknownJobError: this owner has none of that id.
            JobStateError: it has ended.
        """
        return self._set_paused(some_id, paused=True)

    def resume(self, some_id: str) -> str:
        """Let a paused job go on; return its id.

        Raises:
            UnknownJobError: this owner has none of that id.
            JobStateError: it has ended.
        """
        return self._set_paused(some_id, paused=False)

    def _set_paused(self, some_id: str, *, paused: bool) -> str:
        with self._database.writing() as connection:
            job_id, states = self._locked(connection, some_id)
            if FINAL.issuperset(states.values()):
                raise JobStateError(f"job {job_id} has ended already")
            connection.execute(
                sa.update(workers).where(workers.c.job_id == job_id).values(paused=paused)
            )
            connection.execute(sa.update(jobs).where(jobs.c.id == job_id).values(paused=paused))
            if not paused:
                self._database.wake(connection.exec_driver_sql)
        return job_id

    def mark_reviewed(self, some_id: str) -> str:
        """Keep that the owner is done with what a job made; return its id.

        Its changes are brought in, or are not wanted: either way nothing of it waits any more.

        Raises:
            UnknownJobError: this owner has none of that id.
            JobStateError: something of it may still run.
        """
        with self._database.writing() as connection:
            job_id, states = self._locked(connection, some_id)
            if not FINAL.issuperset(states.values()):
                raise JobStateError(
                    f"job {job_id} has not ended yet", hint=f"`iris jobs cancel {job_id}` ends it"
                )
            told = sa.update(jobs).where(jobs.c.id == job_id)
            connection.execute(told.values(reviewed_at=self._database.now), self._database.moment())
        return job_id

    def retry(self, some_id: str, worker: str | None = None) -> tuple[str, tuple[str, ...]]:
        """Run again what failed or was cancelled; return the job's id and the workers' names.

        With `worker` (its name in the job) only that one, and what failed because of it.

        Raises:
            UnknownJobError: this owner has no such job, or it no such worker.
            JobStateError: there is nothing to run again, or what it waits for has failed itself.
        """
        with self._database.writing() as connection:
            job_id, states = self._locked(connection, some_id)
            graph = _graph(connection, job_id)
            start = self._start(job_id, states, worker)
            chosen = _to_run_again(states, graph, start)
            if not chosen:
                raise JobStateError(
                    f"nothing of job {job_id} can run again now",
                    hint="`iris jobs show` tells what has failed, and what that waited for",
                )
            for one in chosen:
                waits = sum(states[before] is not WorkerState.SUCCEEDED for before in graph[one])
                self._reset(connection, one, waits)
            told = sa.update(jobs).where(jobs.c.id == job_id)
            connection.execute(told.values(cancelled_at=None, reviewed_at=None))
            self._database.wake(connection.exec_driver_sql)
        return job_id, tuple(one.removeprefix(f"{job_id}-") for one in chosen)

    def _start(
        self, job_id: str, states: Mapping[str, WorkerState], worker: str | None
    ) -> frozenset[str]:
        """Return what is asked to run again: one worker, or all that ended without success."""
        if worker is None:
            return frozenset(one for one, state in states.items() if _went_wrong(state))
        key = f"{job_id}-{worker}"
        if key not in states:
            raise UnknownJobError(f"job {job_id} has no worker {worker[:64]!r}")
        if not _went_wrong(states[key]):
            raise JobStateError(f"{worker} did not fail: it is {states[key].value}")
        return frozenset({key})

    def _reset(self, connection: Connection, worker: str, waits: int) -> None:
        connection.execute(
            sa.update(workers)
            .where(workers.c.id == worker)
            .values(
                state=(WorkerState.BLOCKED if waits else WorkerState.READY).value,
                waiting_for=waits,
                deliveries=0,
                cancel_requested=False,
                leased_by=None,
                kind=None,
                reason=None,
                result=None,
                ready_at=None if waits else self._database.now,
                started_at=None,
                finished_at=None,
            ),
            self._database.moment(),
        )

    def _locked(self, connection: Connection, some_id: str) -> tuple[str, dict[str, WorkerState]]:
        """Return a job's id and the states of its workers, dependencies first; they are held."""
        job_id = find_job_id(connection, self._owner, some_id)
        query = (
            sa.select(workers.c.id, workers.c.state)
            .where(workers.c.job_id == job_id)
            .order_by(workers.c.position)
            .with_for_update()
        )
        found = connection.execute(query)
        return job_id, {worker: WorkerState(state) for worker, state in found}


def _went_wrong(state: WorkerState) -> bool:
    return state in {WorkerState.FAILED, WorkerState.CANCELLED}


def _graph(connection: Connection, job_id: str) -> dict[str, list[str]]:
    """Return ``worker -> what it waits for`` of a job, dependencies first."""
    query = (
        sa.select(workers.c.id, edges.c.depends_on)
        .join(edges, edges.c.worker_id == workers.c.id, isouter=True)
        .where(workers.c.job_id == job_id)
        .order_by(workers.c.position, edges.c.depends_on)
    )
    graph: dict[str, list[str]] = {}
    for worker, before in connection.execute(query):
        graph.setdefault(worker, [])
        if before is not None:
            graph[worker].append(before)
    return graph


def _to_run_again(
    states: Mapping[str, WorkerState], graph: Mapping[str, Iterable[str]], start: frozenset[str]
) -> tuple[str, ...]:
    """Return what of `start`, and of what failed because of it, can run again; in order.

    Nothing runs again that waits for something that has failed and does not run again.
    """
    chosen: dict[str, None] = {}
    for one, before in graph.items():
        wanted = one in start or (_went_wrong(states[one]) and any(b in chosen for b in before))
        if wanted and all(b in chosen or not _went_wrong(states[b]) for b in before):
            chosen[one] = None
    return tuple(chosen)
