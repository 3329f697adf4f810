"""Which planner plans: the model that is named, or rules that say why."""

from __future__ import annotations

import json

import pytest

from iris_harness.bootstrap.jobs import plan_job, where_jobs_go
from iris_harness.config.settings import JobsSettings
from iris_harness.contracts.model import ChatModel
from iris_harness.errors import ConfigError, JobPlanError
from iris_harness.jobs.values import PlanRequest
from iris_harness.testing import ScriptedModel

ANSWER = json.dumps({"summary": "s", "workers": [
    {"id": "only", "task": "do it", "file": None, "files": [], "depends_on": []}]})  # fmt: skip
REQUEST = PlanRequest(task="fix a.py")


def test_rules_plan_where_no_model_is_named() -> None:
    outcome = plan_job(REQUEST, JobsSettings(), lambda _: ScriptedModel([]))
    assert outcome.planner == "heuristic"


@pytest.mark.parametrize(
    ("asked", "configured", "used"), [("", "big", "big"), ("small", "big", "small")]
)
def test_the_requests_model_goes_before_the_configured_one(
    asked: str, configured: str, used: str
) -> None:
    opened: list[str] = []

    def open_model(name: str) -> ChatModel:
        opened.append(name)
        return ScriptedModel([ANSWER], name=name)

    request = PlanRequest(task="fix a.py", planner_model=asked)
    outcome = plan_job(request, JobsSettings(planner_model=configured), open_model)
    assert (opened, outcome.planner) == ([used], used)


def test_a_model_that_cannot_be_reached_is_said_and_rules_plan() -> None:
    def refuse(_: str) -> ChatModel:
        raise ConfigError("no model is named 'big'")

    for open_model in (None, refuse):
        outcome = plan_job(REQUEST, JobsSettings(planner_model="big"), open_model)
        assert outcome.planner == "heuristic"
        assert outcome.notes[0].startswith("the planner model big cannot be asked: no ")


def test_a_plan_of_rules_is_held_to_the_most_workers_too() -> None:
    request = PlanRequest(task="fix", files=("a.py", "b.py", "c.py"))
    with pytest.raises(JobPlanError, match="more than the 2"):
        plan_job(request, JobsSettings(max_workers=2))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (None, ()),
        ({"text": "postgresql://me@127.0.0.1/jobs"}, ()),
        ({"text": "postgresql:///jobs?host=/run/postgresql"}, ()),
        ({"text": "postgresql://me:pw@db.example.org/jobs"},
         ("jobs: to the database at db.example.org",)),
        ({"fetch": ["pass", "show", "db"]},
         ("jobs: to the database whose address jobs.database_url fetches",)),
    ],
)  # fmt: skip
def test_it_is_said_where_jobs_go(url: dict[str, object] | None, said: tuple[str, ...]) -> None:
    assert where_jobs_go(JobsSettings(database_url=url)) == said
