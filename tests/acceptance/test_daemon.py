"""Workers of a job are taken from the queue, proved, and come together on a branch of the job's."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from iris_harness.bootstrap.jobs import open_jobs
from iris_harness.bootstrap.work import JobWork
from iris_harness.clock import SystemClock
from iris_harness.config.settings import JobsSettings
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
)
from iris_harness.daemon.checkouts import Clone, CloneCache
from iris_harness.daemon.failures.classify import load_classifier
from iris_harness.daemon.job_branch import JobBranch
from iris_harness.daemon.loop import Budget
from iris_harness.daemon.provisioning import Machine, Provisioner
from iris_harness.daemon.sandbox import Limits, Turns, open_sandbox
from iris_harness.daemon.service import DaemonService
from iris_harness.daemon.workplace import Workplace
from iris_harness.errors import LeaseLostError, RepositoryError, StorageError
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.heuristic import HeuristicPlanner
from iris_harness.jobs.leases import Daemon, Lease, Queue, Renewal
from iris_harness.jobs.leases import Limits as QueueLimits
from iris_harness.jobs.leasing import NewStep
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.steps import JobSteps
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.values import Plan, PlannedWorker, PlanRequest
from iris_harness.testing import ScriptedModel
from tests.other_machine import change_elsewhere

HOST = "here"
TEST = """
import unittest
import a, b

class T(unittest.TestCase):
    def test_both(self):
        self.assertEqual(a.A + b.B, 2)
"""
FILES = {"a.py": "A = 1\n", "b.py": "B = 1\n", "test_all.py": TEST}


def call(name: str, **arguments: str) -> ChatResponse:
    return ChatResponse(
        text="",
        finish_reason=FinishReason.TOOL_CALLS,
        usage=TokenUsage(prompt_tokens=10, completion_tokens=5),
        tool_calls=(ToolCall(id=f"c-{name}", name=name, arguments=json.dumps(arguments)),),
    )


def edit(path: str, old: str, new: str) -> list[ChatResponse]:
    return [call("edit", path=path, old=old, new=new), call("finish", summary=f"Changed {path}.")]


class Yard:
    """A repository, a queue, and daemons over both."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self.origin = folder / "origin"
        self.origin.mkdir()
        for name, text in FILES.items():
            (self.origin / name).write_text(text, encoding="utf-8")
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
            self.git(*words)
        self.database = database
        self.reader = JobReader(database, "local")
        self.models: dict[str, ChatModel] = {}

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        command = ["/usr/bin/env", "git", *identity, *words]
        done = subprocess.run(command, cwd=self.origin, check=True, capture_output=True, text=True)
        return done.stdout

    def submit(self, *workers: PlannedWorker) -> str:
        planner = HeuristicPlanner()
        submitter = Submitter(self.database, plans=planner.plan, host=HOST)
        request = PlanRequest(
            task="change it", repo_url=self.origin.as_uri(), test_cmd="python3 -m unittest"
        )
        plan = Plan(summary="change it", workers=workers)
        return submitter.submit(Submission(request, plan=plan)).job_id

    def daemon(self, name: str = "one", queue: Queue | None = None) -> DaemonService:
        clock = SystemClock()
        return DaemonService(
            queue=queue or Queue(self.database, clock),
            daemon=Daemon(name=name, offers=frozenset({f"host:{HOST}"})),
            workplace=Workplace(
                folder=self.folder / "data", sandbox=open_sandbox("bubblewrap", clock),
                classifier=load_classifier(), machine=Machine.here(), clock=clock,
                limits=Limits(seconds=60, free_bytes=0), provisioner=Provisioner((), ()),
                turns=Turns(2),
            ),
            open_model=self.models.__getitem__,
            price_of=lambda _: None,
            clock=clock,
            budget=Budget(attempts=2),
        )  # fmt: skip

    def run_all(self) -> int:
        daemon, stop, count = self.daemon(), threading.Event(), 0
        while daemon.run_next(stop):
            count += 1
        return count

    @property
    def clone(self) -> Clone:
        return CloneCache(self.folder / "data" / "clones").open(self.origin.as_uri())

    def show(self, job_id: str, path: str) -> str:
        """Return a file at the head that the queue has."""
        return self.clone.git.run("show", f"{self.head(job_id)}:{path}")

    def is_merging(self, worker_id: str) -> bool:
        """Return whether a worker's files are no longer on its branch."""
        heads = (self.folder / "data" / "clones").glob(f"*.git/worktrees/{worker_id}/HEAD")
        return any(not head.read_text(encoding="ascii").startswith("ref:") for head in heads)

    def head(self, job_id: str) -> str:
        kept = JobSteps(self.database, 2**20)
        branch, steps = JobBranch(clone=self.clone, job_id=job_id), kept.of(job_id)
        branch.follow(steps, lambda number: kept.pack(job_id, number))
        return steps[-1].head


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with contextlib.closing(open_database(tmp_path / "jobs.db", SystemClock())) as database:
        yield Yard(tmp_path, database)


class Silent(Queue):
    """Ends before it can hand in what came of a worker, as a daemon that is killed does."""

    def complete(self, lease: Lease, result: Json = None, step: NewStep | None = None) -> None:  # noqa: ARG002 - not handed in
        raise LeaseLostError(lease.spec.id, lease.fence)

    def fail(self, lease: Lease, kind: str, reason: str, result: Json = None) -> None:  # noqa: ARG002 - as above
        raise LeaseLostError(lease.spec.id, lease.fence)


class Unreachable(Queue):
    """Cannot be asked once a worker was given out."""

    def renew(self, lease: Lease) -> Renewal:
        raise StorageError(f"{lease.spec.id}: the database cannot be reached")


class HookedModel(ScriptedModel):
    """Does something when it is asked first."""

    def __init__(self, script: list[ChatResponse], hook: Callable[[], object]) -> None:
        super().__init__(script)
        self._hook = hook

    def complete(self, request: ChatRequest) -> ChatResponse:
        if not self.requests:
            self._hook()
        return super().complete(request)


def outcome(yard: Yard, job_id: str) -> dict[str, tuple[str, str | None]]:
    workers = yard.reader.get(job_id).workers
    return {one.spec.id.removeprefix(f"{job_id}-"): (one.state.value, one.kind) for one in workers}


def test_two_workers_and_a_third_on_both_come_together(yard: Yard) -> None:
    yard.models = {
        "ma": ScriptedModel(edit("a.py", "A = 1", "A = 1  # one")),
        "mb": ScriptedModel(edit("b.py", "B = 1", "B = 1  # two")),
        "mc": ScriptedModel([call("read", path="b.py"), *edit("a.py", "# one", "# three")]),
    }
    job = yard.submit(
        PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"),
        PlannedWorker(id="w2", task="comment b", file="b.py", model="mb"),
        PlannedWorker(id="w3", task="again", file="a.py", model="mc", depends_on=("w1", "w2")),
    )
    before = yard.git("for-each-ref") + yard.git("status", "--porcelain")
    assert yard.run_all() == 3
    assert yard.show(job, "a.py") == "A = 1  # three"
    assert yard.show(job, "b.py") == "B = 1  # two"
    assert yard.git("for-each-ref") + yard.git("status", "--porcelain") == before


def test_what_a_job_made_is_there_on_a_machine_that_never_ran_it(yard: Yard) -> None:
    yard.models = {"ma": ScriptedModel(edit("a.py", "A = 1", "A = 1  # mine"))}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    with open_jobs(JobsSettings(), yard.folder) as opened:
        summary = opened.reader.get(job).summary
        with pytest.raises(RepositoryError, match="no worker"):
            JobWork.of(summary, opened, yard.folder / "phone")
        yard.run_all()
        work = JobWork.of(summary, opened, yard.folder / "phone")
    assert b"+A = 1  # mine" in work.patch()
    assert work.fast_forward(yard.origin) == yard.head(job)
    assert (yard.origin / "a.py").read_text(encoding="utf-8") == "A = 1  # mine\n"


def meanwhile(yard: Yard, path: str, text: str) -> Callable[[], None]:
    """Return what hands in another worker's commit for the only job, from another machine."""

    def commit() -> None:
        (job,) = yard.reader.list()
        change_elsewhere(yard.database, job.id, yard.origin, path, text)

    return commit


def test_what_conflicts_with_others_work_is_said_and_changes_nothing(yard: Yard) -> None:
    theirs = meanwhile(yard, "a.py", "A = 1  # theirs\n")
    yard.models = {"ma": HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), theirs)}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    yard.run_all()
    assert outcome(yard, job) == {"w1": ("failed", "conflict")}
    assert "conflicts with it in a.py" in (yard.reader.get(job).workers[0].reason or "")
    assert yard.show(job, "a.py") == "A = 1  # theirs"


def test_what_passes_alone_and_not_together_is_not_merged(yard: Yard) -> None:
    theirs = meanwhile(yard, "b.py", "B = 2\n")
    yard.models = {"ma": HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), theirs)}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    yard.run_all()
    assert outcome(yard, job) == {"w1": ("failed", "conflict")}
    assert yard.show(job, "a.py") == "A = 1"


def test_a_daemon_that_is_stopped_hands_its_worker_back_and_nothing_is_paid_twice(
    yard: Yard,
) -> None:
    stop = threading.Event()
    script = edit("a.py", "A = 1", "A = 1  # mine")
    model = HookedModel(script, stop.set)
    yard.models = {"ma": model}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    assert yard.daemon().run_next(stop)
    assert outcome(yard, job) == {"w1": ("ready", None)}
    assert len(model.requests) == 1
    assert yard.run_all() == 1
    assert outcome(yard, job) == {"w1": ("succeeded", None)}
    assert len(model.requests) == len(script)


def test_a_worker_that_cannot_be_won_fails_with_what_depends_on_it_at_no_cost(yard: Yard) -> None:
    model = ScriptedModel([])
    yard.models = {"": model}
    job = yard.submit(
        PlannedWorker(id="w1", task="x", file="a.py", test_cmd="frobnicate"),
        PlannedWorker(id="w2", task="y", file="b.py", depends_on=("w1",)),
    )
    assert yard.run_all() == 1
    assert outcome(yard, job)["w1"] == ("failed", "impossible")
    assert outcome(yard, job)["w2"][0] == "failed"
    assert model.requests == []


def test_what_conflicted_starts_from_the_others_work_when_it_is_retried(yard: Yard) -> None:
    theirs = meanwhile(yard, "a.py", "A = 1  # theirs\n")
    yard.models = {"ma": HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), theirs)}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    yard.run_all()
    assert outcome(yard, job) == {"w1": ("failed", "conflict")}
    yard.models = {"ma": ScriptedModel(edit("a.py", "# theirs", "# both"))}
    JobControl(yard.database, "local").retry(job)
    assert yard.run_all() == 1
    assert outcome(yard, job) == {"w1": ("succeeded", None)}
    assert yard.show(job, "a.py") == "A = 1  # both"


def test_a_failure_that_was_not_yet_said_is_said_at_no_further_cost(yard: Yard) -> None:
    model = ScriptedModel([call("finish", summary="nothing")] * 2)
    yard.models = {"ma": model}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    queue = Silent(yard.database, SystemClock(), QueueLimits(lease_seconds=0.5))
    assert yard.daemon(queue=queue).run_next(threading.Event())
    assert outcome(yard, job) == {"w1": ("leased", None)}
    time.sleep(0.6)
    assert yard.run_all() == 1
    assert outcome(yard, job) == {"w1": ("failed", "not_done")}
    assert len(model.requests) == 2


def test_what_was_merged_and_not_handed_in_counts_for_nothing_and_is_merged_once(
    yard: Yard,
) -> None:
    theirs = meanwhile(yard, "b.py", "B = 1  # theirs\n")
    model = HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), theirs)
    yard.models = {"ma": model}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    queue = Silent(yard.database, SystemClock(), QueueLimits(lease_seconds=0.5))
    assert yard.daemon(queue=queue).run_next(threading.Event())
    assert (yard.show(job, "a.py"), yard.show(job, "b.py")) == ("A = 1", "B = 1  # theirs")
    time.sleep(0.6)
    assert yard.run_all() == 1
    assert outcome(yard, job) == {"w1": ("succeeded", None)}
    assert (yard.show(job, "a.py"), len(model.requests)) == ("A = 1  # mine", 2)
    subjects = yard.clone.git.run("log", "--format=%s", yard.head(job)).splitlines()
    assert sorted(subjects) == [f"Merge {job}-w1", "comment a", "first", "theirs"]


def test_a_daemon_that_is_stopped_while_the_whole_is_proved_merges_nothing(yard: Yard) -> None:
    stop = threading.Event()
    theirs = meanwhile(yard, "b.py", "B = 1  # theirs\n")
    model = HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), theirs)
    yard.models = {"ma": model}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))

    def stop_there() -> None:
        while not yard.is_merging(f"{job}-w1"):
            time.sleep(0.01)
        stop.set()

    with ThreadPoolExecutor() as pool:
        pool.submit(stop_there)
        yard.daemon().run_next(stop)
    assert outcome(yard, job) == {"w1": ("ready", None)}
    assert yard.show(job, "a.py") == "A = 1"
    assert yard.run_all() == 1
    assert outcome(yard, job) == {"w1": ("succeeded", None)}
    assert len(model.requests) == 2


def test_a_lease_that_cannot_be_renewed_counts_as_lost(yard: Yard) -> None:
    queue = Unreachable(yard.database, SystemClock(), QueueLimits(lease_seconds=0.3))
    model = HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), lambda: time.sleep(0.8))
    yard.models = {"ma": model}
    job = yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    assert yard.daemon(queue=queue).run_next(threading.Event())
    assert outcome(yard, job) == {"w1": ("leased", None)}
    assert yard.show(job, "a.py") == "A = 1"


class Away(Queue):
    """Cannot be asked the first time."""

    asked = 0

    def lease(self, daemon: Daemon) -> Lease | None:
        self.asked += 1
        if self.asked == 1:
            raise StorageError("the database cannot be reached")
        return super().lease(daemon)


def test_a_daemon_outlives_a_database_that_is_away(yard: Yard) -> None:
    stop = threading.Event()
    yard.models = {"ma": HookedModel(edit("a.py", "A = 1", "A = 1  # mine"), stop.set)}
    yard.submit(PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"))
    yard.daemon(queue=Away(yard.database, SystemClock())).run(stop)
    assert stop.is_set()
    with pytest.raises(StorageError):
        yard.daemon(queue=Away(yard.database, SystemClock())).run(threading.Event(), once=True)


def test_several_workers_of_one_daemon_run_at_once_and_come_together(yard: Yard) -> None:
    together = threading.Barrier(2, timeout=60)
    yard.models = {
        "ma": HookedModel(edit("a.py", "A = 1", "A = 1  # one"), together.wait),
        "mb": HookedModel(edit("b.py", "B = 1", "B = 1  # two"), together.wait),
        "mc": ScriptedModel(edit("a.py", "# one", "# three")),
    }
    job = yard.submit(
        PlannedWorker(id="w1", task="comment a", file="a.py", model="ma"),
        PlannedWorker(id="w2", task="comment b", file="b.py", model="mb"),
        PlannedWorker(id="w3", task="go on", file="a.py", model="mc", depends_on=("w1", "w2")),
    )
    yard.daemon().run(threading.Event(), once=True, workers=2)
    assert set(outcome(yard, job).values()) == {("succeeded", None)}
    assert yard.show(job, "a.py") == "A = 1  # three"
    assert yard.show(job, "b.py") == "B = 1  # two"
