"""Finished jobs as examples: asked for, of the same owner only, at planning only, and said."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from iris_harness.errors import JobStateError, RequestError, UnknownJobError
from iris_harness.jobs.context import EarlierJob
from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.llm_planner import LLMPlanner
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.values import ContextMode, PlanOutcome, PlanRequest
from iris_harness.testing import ManualClock, ScriptedModel
from tests.jobs_support import HOST, REPO, dag, reader, submit

ANSWER = json.dumps({"summary": "s", "workers": [
    {"id": "only", "task": "do it", "file": None, "files": [], "depends_on": []}]})  # fmt: skip


class Asked:
    """A planner that a model stands behind, and what it was told."""

    def __init__(self) -> None:
        self.model = ScriptedModel([ANSWER] * 10)

    def plan(self, request: PlanRequest, context: Sequence[EarlierJob]) -> PlanOutcome:
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
    database: Database, asked: Asked, mode: ContextMode, *jobs: str, owner: str = "local"
) -> tuple[str, ...]:
    """Submit a job with a context and return its notes."""
    request = PlanRequest(
        task="add dark mode to the settings page",
        repo_url=REPO,
        context=mode,
        context_jobs=jobs,
        owner=owner,
    )
    submitter = Submitter(database, plans=asked.plan, host=HOST)
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
    (note,) = ask(database, asked, ContextMode.AUTO)
    assert note.startswith(f"job {alike} (")
    assert "% alike by its words) was shown to the planner" in note
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
    assert ask(database, asked, ContextMode.AUTO) == ()
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
