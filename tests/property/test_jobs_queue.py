"""Whatever daemons, owners and the clock do: one holder for each worker, and none is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from iris_harness.errors import JobStateError, LeaseLostError
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Daemon, Lease, Limits, Queue
from iris_harness.jobs.tables import WorkerState, edges, idempotency, jobs, worker_needs, workers
from iris_harness.jobs.values import SubmitOptions
from iris_harness.jobs.views import WorkerView
from iris_harness.testing import ManualClock
from tests.jobs_support import clock, dag, database, place, postgres, reader, submit
from tests.support import examples

__all__ = ["clock", "database", "place", "postgres"]

LIMITS = Limits(lease_seconds=10, max_deliveries=3)
DAEMONS = [Daemon(name=f"d{number}") for number in range(3)]


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Up to six workers, each waiting for some of the earlier ones."""
    names = [f"w{number}" for number in range(draw(st.integers(1, 6)))]
    return {
        name: draw(st.lists(st.sampled_from(names[:number]), max_size=3, unique=True))
        if number
        else []
        for number, name in enumerate(names)
    }


class QueueMachine(RuleBasedStateMachine):
    """Daemons that work, fall silent and come back; owners who cancel, pause and retry."""

    def __init__(self, opened: Database) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.database = Database(opened.engine, self.clock)
        self.queue = Queue(self.database, self.clock, LIMITS)
        self.control = JobControl(self.database, "local")
        self.jobs: list[str] = []
        self.given: list[Lease] = []
        """All leases ever given, the newest last; daemons that were silent return with theirs."""
        self.fences: set[tuple[str, int]] = set()
        self.holding: dict[str, tuple[Lease, float]] = {}
        """Worker to the lease that holds it and when that expires, as this machine believes."""

    @initialize(graph=graphs())
    def begin(self, graph: dict[str, list[str]]) -> None:
        with self.database.writing() as connection:
            for table in (edges, worker_needs, idempotency, workers, jobs):
                connection.execute(sa.delete(table))
        self.submit_job(graph, 0)

    # What may happen

    @rule(graph=graphs(), priority=st.integers(-1, 1))
    def submit_job(self, graph: dict[str, list[str]], priority: int) -> None:
        options = SubmitOptions(priority=priority)
        self.jobs.append(submit(self.database, dag(**graph), options=options).job_id)
        self.clock.advance(0.001)

    @rule(daemon=st.sampled_from(DAEMONS))
    def lease(self, daemon: Daemon) -> None:
        lease = self.queue.lease(daemon)
        if lease is None:
            return
        worker = lease.spec.id
        held = self.holding.get(worker)
        assert held is None or held[1] < self.clock.monotonic(), "two daemons hold one worker"
        assert (worker, lease.fence) not in self.fences, "a fence was given out twice"
        self.fences.add((worker, lease.fence))
        self.holding[worker] = (lease, self._expiry())
        self.given.append(lease)
        states = self._states()
        assert all(states[one] is WorkerState.SUCCEEDED for one in lease.spec.depends_on)

    @rule(daemon=st.sampled_from(DAEMONS))
    def take_over(self, daemon: Daemon) -> None:
        """Let all daemons be silent for too long, and another come."""
        self.clock.advance(11)
        self.lease(daemon)

    @precondition(lambda self: self.given)
    @rule(back=st.integers(0, 3), way=st.sampled_from(["complete", "fail", "release", "give_up"]))
    def end(self, back: int, way: str) -> None:
        lease = self._lease_given(back)
        acts = {
            "complete": lambda: self.queue.complete(lease, {"fence": lease.fence}),
            "fail": lambda: self.queue.fail(lease, "k", "r"),
            "release": lambda: self.queue.release(lease),
            "give_up": lambda: self.queue.give_up(lease),
        }
        if self._counts(lease, acts[way]):
            del self.holding[lease.spec.id]

    @precondition(lambda self: self.given)
    @rule(back=st.integers(0, 3))
    def complete(self, back: int) -> None:
        self.end(back, "complete")

    @precondition(lambda self: self.given)
    @rule(back=st.integers(0, 3))
    def renew(self, back: int) -> None:
        lease = self._lease_given(back)
        if self._counts(lease, lambda: self.queue.renew(lease)):
            self.holding[lease.spec.id] = (lease, self._expiry())

    @rule(seconds=st.sampled_from([1, 4]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule()
    def reap(self) -> None:
        self.queue.reap()

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), way=st.sampled_from(["cancel", "pause", "resume", "retry"]))
    def steer(self, data: st.DataObject, way: str) -> None:
        job = data.draw(st.sampled_from(self.jobs))
        with contextlib.suppress(JobStateError):
            getattr(self.control, way)(job)

    # What must hold

    @invariant()
    def every_worker_is_where_it_can_be(self) -> None:
        for job in self.jobs:
            found = {worker.spec.id: worker for worker in reader(self.database).get(job).workers}
            for worker in found.values():
                self._check(worker, found)

    def _check(self, worker: WorkerView, found: dict[str, WorkerView]) -> None:
        before = [found[one].state for one in worker.spec.depends_on]
        if worker.state is WorkerState.BLOCKED:
            assert any(not state.is_final for state in before), "it waits for nothing"
        if worker.state in {WorkerState.READY, WorkerState.LEASED, WorkerState.SUCCEEDED}:
            assert all(state is WorkerState.SUCCEEDED for state in before), "it is too early"
        if worker.state is WorkerState.LEASED:
            assert worker.deliveries <= LIMITS.max_deliveries
            held = self.holding.get(worker.spec.id)
            assert held is not None
            assert held[0].fence == worker.fence, "nobody knows its holder"

    def teardown(self) -> None:
        """Everything ends, once daemons do their work and nobody steers."""
        for job in self.jobs:
            with contextlib.suppress(JobStateError):
                self.control.resume(job)
        self.clock.advance(11)
        while (lease := self.queue.lease(DAEMONS[0])) is not None:
            self.queue.complete(lease)
        for job in self.jobs:
            view = reader(self.database).get(job)
            assert view.summary.state.is_final, "a worker was lost"

    # Helpers

    def _counts(self, lease: Lease, act: Callable[[], object]) -> bool:
        """Do something with a lease; whether it was taken. It must be, from its holder in time."""
        held = self.holding.get(lease.spec.id)
        is_holder = held is not None and held[0] is lease
        in_time = held is not None and held[1] >= self.clock.monotonic()
        try:
            act()
        except LeaseLostError:
            assert not (is_holder and in_time), "a holder in time was refused"
            if is_holder:
                del self.holding[lease.spec.id]
            return False
        assert is_holder, "a stale holder was believed"
        return True

    def _lease_given(self, back: int) -> Lease:
        """Return the lease given `back` ones before the newest."""
        return self.given[max(0, len(self.given) - 1 - back)]

    def _expiry(self) -> float:
        return self.clock.monotonic() + LIMITS.lease_seconds

    def _states(self) -> dict[str, WorkerState]:
        with self.database.reading() as connection:
            rows = connection.execute(sa.select(workers.c.id, workers.c.state))
            return {worker: WorkerState(state) for worker, state in rows}


def test_the_queue_keeps_its_promises(database: Database) -> None:
    run_state_machine_as_test(
        lambda: QueueMachine(database),  # type: ignore[arg-type] # any factory will do
        settings=settings(
            max_examples=examples(25),
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
