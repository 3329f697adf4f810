"""Why a worker has not started, or not ended: for people, and complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from iris_harness.jobs.database import Database, milliseconds
from iris_harness.jobs.leasing import Limits
from iris_harness.jobs.presence import Seen, find_daemons
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.tables import NO, WorkerState, workers
from iris_harness.jobs.views import JobState, JobView, WorkerView


class Reason(NamedTuple):
    """What holds one worker."""

    worker: str
    """Its id within the job."""
    state: WorkerState
    text: str
    """A sentence."""


class _Scene(NamedTuple):
    """What decides beside the job itself."""

    daemons: Sequence[Seen]
    running: int
    """Of the job's owner."""
    ahead: int
    """Ready workers that go before any of the job's."""


def explain_job(
    database: Database, reader: JobReader, job_id: str, limits: Limits
) -> tuple[JobView, tuple[Reason, ...]]:
    """Return a job, and a reason for each worker that has not succeeded, in the job's order.

    Raises:
        UnknownJobError: the owner has none of that id.
        AmbiguousIdError: several begin so.
    """
    view = reader.get(job_id)
    with database.reading() as connection:
        scene = _look_around(connection, database, view)
    by_key = {worker.spec.id: worker for worker in view.workers}
    return view, tuple(_reasons(view, by_key, scene, limits))


def _look_around(connection: Connection, database: Database, view: JobView) -> _Scene:
    summary = view.summary
    mine = workers.c.owner == summary.owner
    running = sa.select(sa.func.count()).where(mine, workers.c.state == WorkerState.LEASED.sql)
    born = milliseconds(summary.created_at)
    earlier = sa.or_(
        workers.c.priority > summary.priority,
        sa.and_(workers.c.priority == summary.priority, workers.c.created_at < born),
    )
    ahead = sa.select(sa.func.count()).where(
        workers.c.state == WorkerState.READY.sql, workers.c.paused == NO, earlier
    )
    return _Scene(
        daemons=find_daemons(connection, database),
        running=connection.execute(running).scalar_one(),
        ahead=connection.execute(ahead).scalar_one(),
    )


def _reasons(
    view: JobView, by_key: Mapping[str, WorkerView], scene: _Scene, limits: Limits
) -> Iterator[Reason]:
    for worker in view.workers:
        if worker.state is WorkerState.BLOCKED:
            text = _waits_for(worker, by_key)
        elif worker.state is WorkerState.READY:
            text = _not_taken(view, scene, limits)
        elif worker.state is WorkerState.LEASED:
            text = _runs(worker)
        elif worker.state is WorkerState.SUCCEEDED:
            continue
        else:
            text = f"{worker.state.value}: {worker.reason or 'no reason was given'}"
        yield Reason(worker.name, worker.state, text)


def _waits_for(worker: WorkerView, by_key: Mapping[str, WorkerView]) -> str:
    before = [by_key[key] for key in worker.spec.depends_on]
    open_ones = [one for one in before if one.state is not WorkerState.SUCCEEDED]
    said = ", ".join(f"{one.name} ({_STATES[one.state]})" for one in open_ones)
    return f"it waits for {said}"


_STATES = {
    WorkerState.BLOCKED: "which waits itself",
    WorkerState.READY: "not started",
    WorkerState.LEASED: "running",
    WorkerState.SUCCEEDED: "done",
    WorkerState.FAILED: "failed",
    WorkerState.CANCELLED: "cancelled",
}


def _not_taken(view: JobView, scene: _Scene, limits: Limits) -> str:
    if view.summary.state is JobState.PAUSED:
        return "the job is paused; `iris jobs resume` lets it go on"
    if not scene.daemons:
        return "no daemon is there to run it"
    needs = frozenset(view.needs)
    able = [one for one in scene.daemons if needs <= one.offers]
    if not able:
        return f"none of the daemons there ({_named(scene.daemons)}) offers {_lacking(view, scene)}"
    if limits.max_running and scene.running >= limits.max_running:
        return f"as many of your workers run as may at once, {scene.running} (jobs.max_running)"
    if scene.ahead:
        others = "1 other is" if scene.ahead == 1 else f"{scene.ahead} others are"
        return f"{others} ahead of it, by priority or by age"
    return f"it is next; {_named(able)} will take it when done with other work"


def _lacking(view: JobView, scene: _Scene) -> str:
    anywhere = {offer for one in scene.daemons for offer in one.offers}
    missing = sorted(frozenset(view.needs) - anywhere)
    return ", ".join(missing) if missing else f"all of {', '.join(view.needs)} at once"


def _named(daemons: Sequence[Seen]) -> str:
    return ", ".join(one.name for one in daemons)


def _runs(worker: WorkerView) -> str:
    stopping = ", and has been told to stop" if worker.cancel_requested else ""
    again = f", given out {worker.deliveries} times by now" if worker.deliveries > 1 else ""
    return f"it runs on {worker.leased_by}{again}{stopping}"
