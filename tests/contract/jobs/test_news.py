"""What a day is told of jobs, on both databases, and from a file without SQLAlchemy."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
import sqlalchemy as sa

from iris_harness.contracts.day import JobNews, JobStage
from iris_harness.errors import JobStateError, StorageError
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.news import MOST, read_news, read_news_file
from iris_harness.jobs.views import JobState
from iris_harness.testing import ManualClock
from tests.jobs_support import dag, reader, submit

DEN = Daemon(name="den")
TWO = dag(a=[], b=["a"])


@pytest.fixture
def queue(database: Database, clock: ManualClock) -> Queue:
    return Queue(database, clock)


def told(database: Database, place: Path | str, owner: str = "local") -> list[JobNews]:
    """Return the news, which are the same whichever way they are read."""
    found = read_news(database, owner)
    if isinstance(place, Path):
        assert read_news_file(place, owner) == found
    return list(found)


def complete(queue: Queue) -> None:
    lease = queue.lease(DEN)
    assert lease is not None
    queue.complete(lease, {"summary": "done"})


def test_a_job_is_told_at_every_stage(
    database: Database, place: Path | str, queue: Queue, clock: ManualClock
) -> None:
    begun_at = clock.now()
    done = submit(database, TWO, task="fix the login")
    stages = [told(database, place)]
    clock.advance(60)
    complete(queue)
    stages.append(told(database, place))
    JobControl(database, "local").pause(done.job_id)
    stages.append(told(database, place))
    JobControl(database, "local").resume(done.job_id)
    complete(queue)
    stages.append(told(database, place))
    found = [(one.stage.value, one.done, one.workers) for (one,) in stages]
    assert found == [("waiting", 0, 2), ("running", 1, 2), ("paused", 1, 2), ("review", 2, 2)]
    assert {one.task for (one,) in stages} == {"fix the login"}
    assert {str(one.source) for (one,) in stages} == {f"jobs: {done.job_id}"}
    since = [(one.since - begun_at).total_seconds() for (one,) in stages]
    assert since == [0, 0, 0, 60], (
        "what goes on counts from its submission, what ended from its end"
    )


def test_a_job_that_failed_says_why_in_the_words_of_the_worker_that_did(
    database: Database, place: Path | str, queue: Queue
) -> None:
    submit(database, dag(z=[], a=["z"]))
    lease = queue.lease(DEN)
    assert lease is not None
    queue.fail(lease, "unverifiable", "the tests fail\nbefore any change")
    (job,) = told(database, place)
    assert (job.stage, job.why) == (JobStage.FAILED, "the tests fail before any change")


def test_a_job_that_was_cancelled_is_no_news(database: Database, place: Path | str) -> None:
    done = submit(database)
    JobControl(database, "local").cancel(done.job_id)
    assert told(database, place) == []


def test_nobody_is_told_of_others_jobs(database: Database, place: Path | str) -> None:
    submit(database, owner="ada")
    assert told(database, place) == []
    assert len(told(database, place, "ada")) == 1


def test_the_newest_jobs_are_told_newest_first(
    database: Database, place: Path | str, clock: ManualClock
) -> None:
    for number in range(MOST + 2):
        clock.advance(1)
        submit(database, dag(a=[]), task=f"task {number}")
    assert [one.task for one in told(database, place)] == [
        f"task {number}" for number in range(MOST + 1, 1, -1)
    ]


def test_a_job_that_was_reviewed_waits_no_more_until_it_runs_again(
    database: Database, place: Path | str, queue: Queue, clock: ManualClock
) -> None:
    done = submit(database, dag(a=[], b=[]))
    control = JobControl(database, "local")
    with pytest.raises(JobStateError, match="has not ended yet"):
        control.mark_reviewed(done.job_id)
    complete(queue)
    lease = queue.lease(DEN)
    assert lease is not None
    queue.fail(lease, "unverifiable", "no tests")
    assert control.mark_reviewed(done.job_id[:6]) == done.job_id
    assert told(database, place) == []
    assert reader(database).get(done.job_id).summary.reviewed_at == clock.now()
    control.retry(done.job_id)
    assert [one.stage for one in told(database, place)] == [JobStage.RUNNING]
    complete(queue)
    assert [one.stage for one in told(database, place)] == [JobStage.REVIEW]


_SAME = {
    JobState.QUEUED: JobStage.WAITING, JobState.RUNNING: JobStage.RUNNING,
    JobState.PAUSED: JobStage.PAUSED, JobState.FAILED: JobStage.FAILED,
    JobState.SUCCEEDED: JobStage.REVIEW,
}  # fmt: skip


@pytest.mark.parametrize("paused", [False, True])
def test_a_job_is_told_as_its_list_shows_it_whatever_its_workers_are(
    database: Database, place: Path | str, *, paused: bool
) -> None:
    states = ("blocked", "ready", "leased", "succeeded", "failed", "cancelled")
    for first in states:
        for second in states:
            done = submit(database, dag(a=[], b=[]))
            with database.writing() as connection:
                for worker, state in (("a", first), ("b", second)):
                    connection.execute(
                        sa.text(
                            "UPDATE workers SET state = :state, paused = :paused WHERE id = :id"
                        ),
                        {"state": state, "paused": paused, "id": f"{done.job_id}-{worker}"},
                    )
                connection.execute(
                    sa.text("UPDATE jobs SET paused = :paused WHERE id = :id"),
                    {"paused": paused, "id": done.job_id},
                )
    listed = {one.id: _SAME.get(one.state) for one in reader(database).list(limit=99)}
    found = {one.source.locator: one.stage for one in told(database, place)}
    assert found == {job: stage for job, stage in listed.items() if stage is not None}


def test_instants_are_whole_seconds_in_utc(database: Database, place: Path | str) -> None:
    submit(database)
    (job,) = told(database, place)
    assert (job.since.utcoffset(), job.since.microsecond) == (dt.timedelta(), 0)


@pytest.mark.parametrize(
    "content", [b"", b"no database at all, but long enough to look like one" * 9]
)
def test_a_file_that_is_no_jobs_database_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "jobs.db"
    file.write_bytes(content)
    with pytest.raises(StorageError, match="the jobs database: "):
        read_news_file(file, "local")
    assert file.read_bytes() == content


def test_text_that_no_plan_could_keep_is_mended(database: Database, place: Path | str) -> None:
    done = submit(database)
    with database.writing() as connection:
        connection.execute(
            sa.text("UPDATE jobs SET request = :request WHERE id = :id"),
            {"request": r'{"task": "a \ud800\n b' + "x" * 2000 + '"}', "id": done.job_id},
        )
    (job,) = told(database, place)
    assert job.task.startswith("a ? bxxx")
    assert len(job.task) == 500
