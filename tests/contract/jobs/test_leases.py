"""The queue, on both databases and over HTTP: one holder, no loss, no start before its time."""

from __future__ import annotations

import datetime as dt
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from iris_harness.clock import SystemClock
from iris_harness.errors import JobStateError, LeaseLostError, StorageError, UnknownJobError
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database, milliseconds, open_database
from iris_harness.jobs.leases import Queue
from iris_harness.jobs.leasing import Daemon, Lease, Limits, WorkQueue
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.values import SubmitOptions
from iris_harness.jobs.views import JobState, WorkerView
from iris_harness.jobs.wakeup import open_wakeup
from iris_harness.jobs.why import explain_job
from iris_harness.testing import ManualClock
from tests.jobs_support import dag, empty_engine, reader, submit

ADA = Daemon(name="ada")
BOB = Daemon(name="bob")


def workers(database: Database, job_id: str) -> dict[str, WorkerView]:
    return {worker.name: worker for worker in reader(database).get(job_id).workers}


def states(database: Database, job_id: str) -> dict[str, str]:
    return {name: worker.state.value for name, worker in workers(database, job_id).items()}


def state(database: Database, job_id: str) -> JobState:
    return reader(database).get(job_id).summary.state


def taken(queue: WorkQueue, daemon: Daemon = ADA) -> Lease:
    lease = queue.lease(daemon)
    assert lease is not None
    return lease


def name(lease: Lease | None) -> str:
    return "" if lease is None else lease.spec.id.partition("-")[2]


# The way of a worker


def test_workers_are_given_out_once_and_in_the_order_of_their_graph(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=["a"], c=["a"], d=["b", "c"])).job_id
    order = []
    while (lease := queue.lease(ADA)) is not None:
        order.append(name(lease))
        queue.complete(lease, {"tokens": 3})
    assert order == ["a", "b", "c", "d"]
    assert state(database, job) is JobState.SUCCEEDED
    assert workers(database, job)["d"].result == {"tokens": 3}


def test_a_worker_waits_for_all_it_depends_on(database: Database, queue: WorkQueue) -> None:
    job = submit(database, dag(a=[], b=[], c=["a", "b"])).job_id
    first, second = taken(queue), taken(queue)
    assert queue.lease(ADA) is None
    queue.complete(first)
    assert states(database, job)["c"] == "blocked"
    queue.complete(second)
    assert name(queue.lease(ADA)) == "c"


def test_a_leased_worker_is_nobody_elses(database: Database, queue: WorkQueue) -> None:
    job = submit(database, dag(a=[])).job_id
    lease = taken(queue)
    assert (lease.fence, lease.delivery) == (1, 1)
    assert queue.lease(BOB) is None
    assert workers(database, job)["a"].leased_by == "ada"
    assert state(database, job) is JobState.RUNNING


def test_a_failure_fails_all_that_waits_for_it_and_nothing_else(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=["a"], c=["b"], d=[], e=["d"])).job_id
    queue.fail(taken(queue), "unverifiable", "there is nothing to prove it with", {"log": "x"})
    found = workers(database, job)
    assert states(database, job) == {
        "a": "failed", "b": "failed", "c": "failed", "d": "ready", "e": "blocked",
    }  # fmt: skip
    assert (found["a"].kind, found["a"].reason) == (
        "unverifiable", "there is nothing to prove it with",
    )  # fmt: skip
    assert (found["c"].kind, found["c"].reason) == ("dependency", "a failed")
    assert state(database, job) is JobState.QUEUED


def test_a_released_worker_counts_no_delivery(database: Database, queue: WorkQueue) -> None:
    submit(database, dag(a=[]))
    queue.release(taken(queue))
    again = taken(queue, BOB)
    assert (again.fence, again.delivery) == (2, 1)


# Leases end by themselves


def test_a_daemon_that_falls_silent_loses_its_worker(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    submit(database, dag(a=[]))
    old = taken(queue)
    clock.advance(59)
    assert queue.lease(BOB) is None
    clock.advance(2)
    new = taken(queue, BOB)
    assert (new.fence, new.delivery) == (2, 2)
    for end in (
        lambda: queue.complete(old),
        lambda: queue.fail(old, "k", "r"),
        lambda: queue.renew(old),
        lambda: queue.release(old),
        lambda: queue.give_up(old),
    ):
        with pytest.raises(LeaseLostError) as caught:
            end()
        assert caught.value.fence == 1
    queue.complete(new)


def test_a_renewed_lease_goes_on(database: Database, queue: WorkQueue, clock: ManualClock) -> None:
    submit(database, dag(a=[]))
    lease = taken(queue)
    for _ in range(10):
        clock.advance(50)
        assert not queue.renew(lease).cancel_requested
        assert queue.lease(BOB) is None
    queue.complete(lease)


def test_a_late_result_still_counts_while_nobody_else_has_the_worker(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    job = submit(database, dag(a=[])).job_id
    lease = taken(queue)
    clock.advance(3600)
    queue.complete(lease)
    assert state(database, job) is JobState.SUCCEEDED


def test_an_ended_lease_cannot_end_twice(database: Database, queue: WorkQueue) -> None:
    job = submit(database, dag(a=[], b=["a"], c=["a"])).job_id
    lease = taken(queue)
    queue.complete(lease)
    with pytest.raises(LeaseLostError):
        queue.fail(lease, "k", "r")
    assert states(database, job)["b"] == "ready"


def test_a_worker_that_kills_its_daemons_ends_as_failed(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    job = submit(database, dag(a=[], b=["a"])).job_id
    for delivery in (1, 2, 3):
        assert taken(queue).delivery == delivery
        clock.advance(61)
    assert queue.lease(ADA) is None
    found = workers(database, job)
    assert (found["a"].state, found["a"].kind) == (WorkerState.FAILED, "lost")
    assert "given out 3 times" in str(found["a"].reason)
    assert found["b"].reason == "a failed"


# Who goes first, and who may


def test_a_higher_priority_goes_first_then_the_older_job(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    for task, priority in (("old", 0), ("low", -5), ("high", 5), ("new", 0)):
        submit(database, dag(**{task: []}), options=SubmitOptions(priority=priority))
        clock.advance(1)
    assert [name(queue.lease(ADA)) for _ in range(4)] == ["high", "old", "new", "low"]


def test_a_worker_goes_only_to_a_daemon_that_offers_what_it_needs(
    database: Database, queue: WorkQueue
) -> None:
    needs = SubmitOptions(needs=("label:gpu", "language:rust"))
    submit(database, dag(needy=[]), options=needs)
    submit(database, dag(modest=[]))
    some = Daemon(name="some", offers=frozenset({"label:gpu"}))
    everything = Daemon(name="all", offers=frozenset({"label:gpu", "language:rust", "label:x"}))
    assert name(queue.lease(some)) == "modest"
    assert queue.lease(some) is None
    assert name(queue.lease(everything)) == "needy"


def test_no_owner_runs_more_than_the_most_allowed(database: Database, clock: ManualClock) -> None:
    queue = Queue(database, clock, Limits(max_running=2))
    submit(database, dag(a=[], b=[], c=[]))
    clock.advance(1)
    submit(database, dag(x=[]), owner="eve")
    first = taken(queue)
    assert [name(queue.lease(ADA)) for _ in range(3)] == ["b", "x", ""]
    queue.complete(first)
    assert name(queue.lease(ADA)) == "c"


def test_the_most_allowed_holds_among_many_daemons_at_once(
    database: Database, clock: ManualClock
) -> None:
    queue = Queue(database, clock, Limits(max_running=3))
    submit(database, dag(**{f"w{number}": [] for number in range(20)}))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: queue.lease(Daemon(name=f"d{n}")), range(16)))
    assert sum(lease is not None for lease in found) == 3


def test_many_daemons_at_once_never_get_the_same_worker(
    database: Database, queue: WorkQueue
) -> None:
    submit(database, dag(**{f"w{number}": [] for number in range(30)}))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: queue.lease(Daemon(name=f"d{n % 8}")), range(40)))
    ids = [lease.spec.id for lease in found if lease is not None]
    assert len(ids) == len(set(ids)) == 30


# Steering


def test_cancelling_ends_what_waits_and_reaches_what_runs(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=["a"], c=[])).job_id
    lease = taken(queue)
    assert JobControl(database, "local").cancel(job[:6]) == job
    assert states(database, job) == {"a": "leased", "b": "cancelled", "c": "cancelled"}
    assert queue.lease(BOB) is None
    assert queue.renew(lease).cancel_requested
    queue.give_up(lease)
    assert state(database, job) is JobState.CANCELLED
    with pytest.raises(JobStateError, match="ended already"):
        JobControl(database, "local").cancel(job)


def test_a_cancelled_worker_that_is_handed_back_is_not_run_again(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=["a"])).job_id
    lease = taken(queue)
    JobControl(database, "local").cancel(job)
    queue.release(lease)
    assert states(database, job) == {"a": "cancelled", "b": "cancelled"}
    with pytest.raises(LeaseLostError):
        queue.release(lease)


def test_a_cancelled_worker_whose_daemon_is_dead_is_not_run_again(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    job = submit(database, dag(a=[])).job_id
    taken(queue)
    JobControl(database, "local").cancel(job)
    clock.advance(61)
    assert queue.lease(BOB) is None
    assert states(database, job) == {"a": "cancelled"}


def test_a_paused_job_starts_nothing_until_it_is_resumed(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=["a"])).job_id
    control = JobControl(database, "local")
    lease = taken(queue)
    control.pause(job)
    queue.complete(lease)
    assert queue.lease(ADA) is None
    assert state(database, job) is JobState.PAUSED
    control.resume(job)
    assert name(queue.lease(ADA)) == "b"


def test_a_retry_runs_again_what_failed_and_only_that(database: Database, queue: WorkQueue) -> None:
    job = submit(database, dag(a=[], b=["a"], c=["b"])).job_id
    queue.complete(taken(queue))
    queue.fail(taken(queue), "tests", "two tests fail")
    control = JobControl(database, "local")
    assert control.retry(job) == (job, ("b", "c"))
    assert states(database, job) == {"a": "succeeded", "b": "ready", "c": "blocked"}
    again = taken(queue)
    assert (name(again), again.fence, again.delivery) == ("b", 2, 1)
    queue.complete(again)
    queue.complete(taken(queue))
    assert state(database, job) is JobState.SUCCEEDED
    with pytest.raises(JobStateError):
        control.retry(job)


def test_one_worker_is_retried_with_what_failed_because_of_it(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=[], c=["a"], d=["a", "b"])).job_id
    queue.fail(taken(queue), "k", "r")
    queue.fail(taken(queue), "k", "r")
    control = JobControl(database, "local")
    assert control.retry(job, "a")[1] == ("a", "c")
    assert states(database, job) == {"a": "ready", "b": "failed", "c": "blocked", "d": "failed"}
    with pytest.raises(JobStateError):
        control.retry(job, "d")
    with pytest.raises(UnknownJobError):
        control.retry(job, "z")
    assert control.retry(job)[1] == ("b", "d")


def test_a_cancelled_job_can_be_retried(database: Database, queue: WorkQueue) -> None:
    job = submit(database, dag(a=[], b=["a"])).job_id
    control = JobControl(database, "local")
    control.cancel(job)
    control.retry(job)
    queue.complete(taken(queue))
    queue.complete(taken(queue))
    assert state(database, job) is JobState.SUCCEEDED


def test_nobody_steers_the_job_of_another_owner(database: Database) -> None:
    job = submit(database, dag(a=[]), owner="eve").job_id
    control = JobControl(database, "local")
    for act in (control.cancel, control.pause, control.resume, control.retry):
        with pytest.raises(UnknownJobError):
            act(job)
    with pytest.raises(UnknownJobError):
        explain_job(database, reader(database), job, Limits())


# Why


def why(database: Database, job: str, limits: Limits | None = None) -> dict[str, str]:
    _, reasons = explain_job(database, reader(database), job, limits or Limits())
    return {reason.worker: reason.text for reason in reasons}


def test_why_tells_what_holds_each_worker(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    needs = SubmitOptions(needs=("label:gpu",))
    job = submit(database, dag(a=[], b=["a"]), options=needs).job_id
    assert why(database, job)["a"] == "no daemon is there to run it"
    assert queue.lease(ADA) is None
    assert why(database, job) == {
        "a": "none of the daemons there (ada) offers label:gpu",
        "b": "it waits for a (not started)",
    }
    able = Daemon(name="able", offers=frozenset({"label:gpu"}))
    lease = taken(queue, able)
    assert why(database, job)["a"] == "it runs on able"
    queue.fail(lease, "k", "the tests fail")
    assert why(database, job) == {"a": "failed: the tests fail", "b": "failed: a failed"}
    clock.advance(3600)
    JobControl(database, "local").retry(job)
    assert why(database, job)["a"] == "no daemon is there to run it"


def test_why_tells_of_a_pause_a_limit_and_a_crowd(database: Database, clock: ManualClock) -> None:
    limits = Limits(max_running=1)
    queue = Queue(database, clock, limits)
    submit(database, dag(one=[], two=[]))
    clock.advance(1)
    job = submit(database, dag(a=[])).job_id
    taken(queue)
    assert "as many of your workers run as may" in why(database, job, limits)["a"]
    assert why(database, job)["a"] == "1 other is ahead of it, by priority or by age"
    JobControl(database, "local").pause(job)
    assert "paused" in why(database, job)["a"]


# Waking up


def test_whoever_waits_is_woken_within_a_moment(database: Database, queue: WorkQueue) -> None:
    wakeup = open_wakeup(database, SystemClock())
    never = threading.Event()
    assert not wakeup.wait(0.05, never)
    delays = []
    for _ in range(5):
        with ThreadPoolExecutor(1) as pool:
            woken = pool.submit(lambda: (wakeup.wait(10, never), time.monotonic()))
            time.sleep(0.03)
            submit(database, dag(a=[]))
            ready = time.monotonic()
            found, at = woken.result()
        assert found
        delays.append(at - ready)
        queue.complete(taken(queue))
        while wakeup.wait(0, never):
            pass
    wakeup.close()
    assert sorted(delays)[2] < 0.2  # 20 ms where the machine is quiet: benchmarks/queue.py


def test_what_became_ready_before_the_wait_is_not_missed(
    database: Database, queue: WorkQueue
) -> None:
    wakeup = open_wakeup(database, SystemClock())
    assert queue.lease(ADA) is None
    submit(database, dag(a=[]))
    assert wakeup.wait(5, threading.Event())
    wakeup.close()


def test_a_wait_ends_when_it_is_told_to_stop(database: Database) -> None:
    wakeup = open_wakeup(database, SystemClock())
    stop = threading.Event()
    threading.Timer(0.05, stop.set).start()
    began = time.monotonic()
    assert not wakeup.wait(60, stop)
    assert time.monotonic() - began < 10
    wakeup.close()


# Clocks


def test_on_postgresql_the_clock_of_a_daemon_changes_nothing(place: Path | str) -> None:
    if isinstance(place, Path):
        return  # SQLite is one machine's, and has that machine's clock
    fast, slow = ManualClock(), ManualClock()
    fast.advance(3600)
    ahead, behind = open_database(place, fast), open_database(place, slow)
    submit(behind, dag(a=[], b=["a"]))
    one, two = Queue(ahead, fast), Queue(behind, slow)
    lease = taken(two)
    fast.advance(7200)
    assert one.reap() == 0
    assert one.lease(BOB) is None
    two.complete(lease)
    two.complete(taken(one, BOB))
    ahead.close()
    behind.close()


# Transactions


def test_a_transaction_that_fails_leaves_nothing_after_statements_of_their_own(
    database: Database, queue: WorkQueue
) -> None:
    submit(database, dag(a=[]))
    queue.renew(taken(queue))  # on PostgreSQL the pool's connection was in autocommit for these

    def fail_halfway() -> None:
        with database.writing() as connection:
            connection.execute(sa.text("UPDATE workers SET priority = 7"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    with database.reading() as connection:
        found = connection.execute(sa.text("SELECT priority FROM workers"))
        assert found.scalar_one() == 0


def test_a_server_that_dropped_its_connections_is_asked_anew(place: Path | str) -> None:
    if isinstance(place, Path):
        return  # SQLite has no connections that another could end
    opened = open_database(place, SystemClock())
    queue = Queue(opened, SystemClock())
    submit(opened, dag(a=[], b=[]))
    with opened.single(), opened.single(), opened.reading():
        pass  # three connections in the pool
    with empty_engine(place).connect() as admin:
        admin.execute(
            sa.text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
        admin.invalidate()
    with pytest.raises(StorageError):
        queue.lease(ADA)
    assert name(queue.lease(ADA)) == "a"
    assert name(queue.lease(ADA)) == "b"
    opened.close()


def test_a_lease_that_waited_for_others_counts_from_when_it_was_given(tmp_path: Path) -> None:
    opened = open_database(tmp_path / "jobs.db", SystemClock())
    queue = Queue(opened, SystemClock(), Limits(lease_seconds=10))
    submit(opened, dag(a=[]))
    queue.reap()
    queue.lease(Daemon(name="eve", offers=frozenset()))  # shows itself now, and not below
    submit(opened, dag(b=[]))
    with ThreadPoolExecutor(1) as pool, opened.writing():
        waiting = pool.submit(queue.lease, Daemon(name="eve"))
        time.sleep(0.3)
        released = SystemClock().now()
    lease = waiting.result()
    assert lease is not None
    assert lease.expires_at >= milliseconds(released) + 10_000
    started = workers(opened, lease.spec.job_id)["b"].started_at
    assert started is not None
    assert started >= released - dt.timedelta(milliseconds=1)
    opened.close()
