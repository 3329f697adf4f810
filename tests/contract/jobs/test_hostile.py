"""What nobody sane hands in: ids, words and results that no database keeps as they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from iris_harness.contracts.canonical import Json
from iris_harness.errors import IrisError, UnknownJobError
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Daemon, Lease, Queue
from iris_harness.jobs.logs import MOST_PIECES, WorkerLogs
from iris_harness.jobs.submit import Submission
from iris_harness.jobs.tables import jobs
from iris_harness.jobs.tokens import Role, Tokens
from iris_harness.jobs.values import ContextMode, Plan, PlannedWorker, PlanRequest, SubmitOptions
from iris_harness.jobs.views import JobState, WorkerView
from iris_harness.testing import ManualClock
from tests.jobs_support import REPO, dag, reader, submit, submitter

NO_TEXTS = pytest.mark.parametrize(
    "strange", ["\ud800", "a\0b", "a" * 60_000, "%" * 60_000], ids=["surrogate", "nul", "long", "%"]
)


@pytest.fixture
def queue(database: Database, clock: ManualClock) -> Queue:
    return Queue(database, clock)


@pytest.fixture
def lease(database: Database, queue: Queue) -> Lease:
    submit(database, dag(a=[]))
    lease = queue.lease(Daemon(name="ada"))
    assert lease is not None
    return lease


def only_worker(database: Database) -> WorkerView:
    (summary,) = reader(database).list()
    (worker,) = reader(database).get(summary.id).workers
    return worker


@NO_TEXTS
def test_an_id_that_none_can_be_is_unknown_on_every_path(database: Database, strange: str) -> None:
    submit(database)
    control = JobControl(database, "local")
    ways: tuple[Callable[[str], object], ...] = (
        reader(database).get, reader(database).manifest, control.cancel, control.pause,
        control.resume, control.retry, lambda name: Tokens(database).revoke(name, "local"),
    )  # fmt: skip
    for way in ways:
        with pytest.raises(UnknownJobError):
            way(strange)


@NO_TEXTS
@pytest.mark.parametrize("field", ["ref", "owner", "file", "worker_model", "test_cmd", "repo_url"])
def test_a_request_with_a_text_that_cannot_be_kept_is_refused(
    database: Database, field: str, strange: str
) -> None:
    request = PlanRequest(**{"task": "tidy", "repo_url": REPO, field: strange})  # type: ignore[arg-type] # one of its texts
    with pytest.raises(IrisError):
        submitter(database).submit(Submission(request, SubmitOptions(idempotency_key="k")))


@NO_TEXTS
def test_a_context_that_no_job_can_be_is_unknown(database: Database, strange: str) -> None:
    request = PlanRequest(
        task="tidy", repo_url=REPO, context=ContextMode.MANUAL, context_jobs=(strange,)
    )
    with pytest.raises(UnknownJobError):
        submitter(database).submit(Submission(request))


@pytest.mark.parametrize("strange", ["\ud800", "a\0b", float("nan"), float("-inf")])
def test_a_result_is_kept_whatever_a_daemon_hands_in(
    database: Database, queue: Queue, lease: Lease, strange: Json
) -> None:
    queue.complete(lease, {"said": strange, "branch": "iris/x"})
    result = only_worker(database).result
    assert isinstance(result, dict)
    assert result["branch"] == "iris/x"
    assert result["said"] in {None, "?", "a\0b"}


@NO_TEXTS
def test_a_failure_is_kept_with_its_reason_whatever_is_said_of_it(
    database: Database, queue: Queue, lease: Lease, strange: str
) -> None:
    queue.fail(lease, strange, f"because {strange}")
    worker = only_worker(database)
    assert worker.state.value == "failed"
    assert (worker.reason or "").startswith("because")
    assert len(worker.reason or "") <= 4_000
    assert len(worker.kind or "") <= 32


def test_a_log_keeps_its_beginning_and_an_empty_piece_is_none(
    database: Database, lease: Lease
) -> None:
    logs = WorkerLogs(database)
    for text in ("", "A" * 70_000 + "B", "", "C"):
        logs.append(lease, text)
    assert [piece.text for piece in logs.read(lease.spec.id)] == ["A" * 70_000 + "B", "C"]


def test_a_log_of_countless_pieces_has_an_end(
    database: Database, lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_PIECES <= 10_000
    monkeypatch.setattr("iris_harness.jobs.logs.MOST_PIECES", 3)
    logs = WorkerLogs(database)
    for _ in range(5):
        logs.append(lease, ".")
    pieces = logs.read(lease.spec.id)
    assert len(pieces) == 3
    assert "the log is full" in pieces[-1].text


@pytest.mark.parametrize("ways", [("pause", "cancel"), ("cancel",)])
def test_what_is_retried_after_its_end_runs_whatever_was_paused_before(
    database: Database, queue: Queue, ways: tuple[str, ...]
) -> None:
    job_id = submit(database, dag(a=[], b=["a"])).job_id
    control = JobControl(database, "local")
    for way in ways:
        getattr(control, way)(job_id)
    control.retry(job_id)
    assert reader(database).get(job_id).summary.state is JobState.QUEUED
    assert queue.lease(Daemon(name="ada")) is not None


def test_a_job_that_failed_while_it_was_paused_runs_when_it_is_retried(
    database: Database, queue: Queue, lease: Lease
) -> None:
    control = JobControl(database, "local")
    control.pause(lease.spec.job_id)
    queue.fail(lease, "unverifiable", "no")
    control.retry(lease.spec.job_id)
    assert queue.lease(Daemon(name="ada")) is not None


def test_a_retry_while_the_rest_is_paused_lets_it_stay_paused(
    database: Database, queue: Queue
) -> None:
    job_id = submit(database, dag(a=[], b=[])).job_id
    lease = queue.lease(Daemon(name="ada"))
    assert lease is not None
    control = JobControl(database, "local")
    control.pause(job_id)
    queue.fail(lease, "unverifiable", "no")
    control.retry(job_id)
    assert reader(database).get(job_id).summary.state is JobState.PAUSED
    assert queue.lease(Daemon(name="ada")) is None


def test_more_jobs_are_listed_than_a_statement_has_parameters(database: Database) -> None:
    job_id = submit(database, dag(a=[])).job_id
    with database.writing() as connection:
        (row,) = connection.execute(sa.select(jobs).where(jobs.c.id == job_id)).mappings()
        copies = [{**row, "id": f"{number:012}"} for number in range(40_000)]
        connection.execute(sa.insert(jobs), copies)
    assert len(reader(database).list(limit=100_000)) == 40_001


def test_an_owner_sees_and_revokes_no_token_of_another(database: Database) -> None:
    tokens = Tokens(database)
    hers = tokens.create("phone", Role.OWNER, "eve")
    den = tokens.create("den", Role.DAEMON)
    tokens.create("tablet", Role.OWNER, "local")
    assert [one.name for one in tokens.list("local")] == ["den", "tablet"]
    with pytest.raises(UnknownJobError):
        tokens.revoke("phone", "local")
    assert tokens.find(hers) is not None
    tokens.revoke("den", "local")  # daemons work for all
    assert tokens.find(den) is None


def test_a_file_that_is_left_empty_is_none(database: Database) -> None:
    plan = Plan(summary="s", workers=(PlannedWorker(id="a", task="t", file=""),))
    job_id = submit(database, plan).job_id
    assert reader(database).get(job_id).workers[0].spec.file is None
