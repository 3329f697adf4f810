"""The work of a job, on both databases: a line of steps that nobody overtakes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.errors import (
    LeaseLostError,
    RequestError,
    UnknownJobError,
    WorkOutdatedError,
    WorkTooLargeError,
)
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.leases import Queue
from iris_harness.jobs.leasing import Daemon, Lease, Limits, NewStep, Step, WorkQueue
from iris_harness.testing import ManualClock
from tests.jobs_support import dag, reader, submit

ADA = Daemon(name="ada")
FIRST, SECOND, THIRD = "a" * 40, "b" * 40, "c" * 40


def taken(queue: WorkQueue) -> Lease:
    lease = queue.lease(ADA)
    assert lease is not None
    return lease


def step(number: int, built_on: str, head: str, pack: bytes = b"PACK") -> NewStep:
    return NewStep(number=number, built_on=built_on, head=head, pack=pack)


def states(database: Database, job_id: str) -> dict[str, str]:
    return {one.name: one.state.value for one in reader(database).get(job_id).workers}


def test_a_job_begins_once_wherever_its_workers_first_look(
    database: Database, queue: WorkQueue
) -> None:
    submit(database, dag(a=[], b=[]))
    one, other = taken(queue), taken(queue)
    assert queue.steps(one) == ()
    assert queue.begin(one, FIRST) == (Step(0, FIRST),)
    assert queue.begin(other, SECOND) == (Step(0, FIRST),)
    assert queue.steps(other) == (Step(0, FIRST),)


def test_what_a_worker_made_is_there_for_those_that_wait_for_it(
    database: Database, queue: WorkQueue
) -> None:
    submit(database, dag(a=[], b=["a"]))
    first = taken(queue)
    queue.begin(first, FIRST)
    queue.complete(first, {"tokens": 1}, step(1, FIRST, SECOND, b"\0PACK\xff"))
    second = taken(queue)
    assert queue.steps(second) == (Step(0, FIRST), Step(1, SECOND))
    assert queue.pack(second, 1) == b"\0PACK\xff"
    for number in (0, 2):
        with pytest.raises(UnknownJobError):
            queue.pack(second, number)


def test_of_two_that_built_on_one_head_the_second_changes_nothing(
    database: Database, queue: WorkQueue
) -> None:
    job = submit(database, dag(a=[], b=[], c=["b"])).job_id
    one, other = taken(queue), taken(queue)
    queue.begin(one, FIRST)
    queue.complete(one, None, step(1, FIRST, SECOND))
    for late in (step(1, FIRST, THIRD), step(2, FIRST, THIRD), step(3, SECOND, THIRD)):
        with pytest.raises(WorkOutdatedError) as caught:
            queue.complete(other, None, late)
        assert (caught.value.job_id, caught.value.built_on) == (job, late.built_on)
    assert states(database, job) == {"a": "succeeded", "b": "leased", "c": "blocked"}
    queue.complete(other, None, step(2, SECOND, THIRD))
    assert queue.steps(taken(queue))[-1] == Step(2, THIRD)


def test_a_holder_whose_lease_has_ended_adds_nothing(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    submit(database, dag(a=[]))
    old = taken(queue)
    queue.begin(old, FIRST)
    clock.advance(61)
    new = taken(queue)
    with pytest.raises(LeaseLostError):
        queue.complete(old, None, step(1, FIRST, SECOND))
    assert queue.steps(new) == (Step(0, FIRST),)


def test_a_job_is_not_begun_by_a_holder_whose_lease_has_ended(
    database: Database, queue: WorkQueue, clock: ManualClock
) -> None:
    submit(database, dag(a=[]))
    old = taken(queue)
    clock.advance(61)
    new = taken(queue)
    with pytest.raises(LeaseLostError):
        queue.begin(old, FIRST)
    assert queue.steps(new) == ()


def test_what_is_too_large_or_no_step_is_refused_and_the_lease_goes_on(
    database: Database, clock: ManualClock
) -> None:
    queue = Queue(database, clock, Limits(max_work_bytes=10))
    submit(database, dag(a=[]))
    lease = taken(queue)
    queue.begin(lease, FIRST)
    with pytest.raises(WorkTooLargeError) as caught:
        queue.complete(lease, None, step(1, FIRST, SECOND, b"x" * 11))
    assert (caught.value.size_bytes, caught.value.most_bytes) == (11, 10)
    assert "jobs.max_work_megabytes" in str(caught.value)
    for wrong in (step(1, FIRST, "main"), step(1, FIRST, SECOND, b"")):
        with pytest.raises(RequestError):
            queue.complete(lease, None, wrong)
    queue.complete(lease, None, step(1, FIRST, SECOND, b"x" * 10))


def test_each_job_has_steps_of_its_own(database: Database, queue: WorkQueue) -> None:
    submit(database, dag(a=[]))
    submit(database, dag(a=[]))
    one, other = taken(queue), taken(queue)
    queue.begin(one, FIRST)
    queue.begin(other, SECOND)
    queue.complete(one, None, step(1, FIRST, THIRD))
    assert queue.steps(other) == (Step(0, SECOND),)
    with pytest.raises(WorkOutdatedError):
        queue.complete(other, None, step(2, THIRD, FIRST))


def test_workers_that_end_at_once_all_come_into_the_line_and_cancelling_waits_for_nobody(
    place: Path | str,
) -> None:
    clock = SystemClock()
    database = open_database(place, clock)
    queue = Queue(database, clock)
    names = [f"w{number}" for number in range(12)]
    job = submit(database, dag(last=names, **{name: [] for name in names})).job_id
    leases = [taken(queue) for _ in names]
    queue.begin(leases[0], FIRST)

    def hand_in(lease: Lease) -> None:
        head = f"{leases.index(lease):040x}"
        while True:
            last = queue.steps(lease)[-1]
            try:
                queue.complete(lease, None, step(last.number + 1, last.head, head))
            except WorkOutdatedError:
                continue
            return

    with ThreadPoolExecutor(8) as pool:
        done = [pool.submit(hand_in, lease) for lease in leases]
        pool.submit(JobControl(database, "local").cancel, job).result(timeout=60)
        for one in done:
            one.result(timeout=60)
    found = states(database, job)
    assert [found[name] for name in names] == ["succeeded"] * 12
    kept = queue.steps(leases[0])
    assert [one.number for one in kept] == list(range(13))
    assert len({one.head for one in kept}) == 13
    database.close()
