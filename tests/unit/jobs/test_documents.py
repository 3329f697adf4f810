"""Plans as people write and edit them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.errors import JobPlanError
from iris_harness.jobs.documents import outcome_to_json, parse_plan, plan_to_yaml
from iris_harness.jobs.values import Plan, PlannedWorker, PlanOutcome

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
_WORKERS = st.builds(
    PlannedWorker,
    id=_TEXT,
    task=_TEXT,
    file=st.none() | _TEXT,
    files=st.lists(_TEXT, max_size=3).map(tuple),
    model=_TEXT | st.just(""),
    test_cmd=st.none() | _TEXT,
    depends_on=st.lists(_TEXT, max_size=3).map(tuple),
)
_PLANS = st.builds(Plan, summary=_TEXT, workers=st.lists(_WORKERS, min_size=1).map(tuple))


@given(_PLANS)
def test_a_plan_for_an_editor_reads_back_as_it_is(plan: Plan) -> None:
    assert parse_plan(plan_to_yaml(plan), "here") == plan


@given(_PLANS)
def test_a_printed_plan_reads_back_as_it_is(plan: Plan) -> None:
    printed = json.dumps(outcome_to_json(PlanOutcome(plan=plan, planner="user", notes=("n",))))
    assert parse_plan(printed, "here") == plan


def test_a_plan_by_hand_may_leave_out_what_is_not_needed() -> None:
    plan = parse_plan("workers:\n- id: a\n  task: do it\n  file:\n", "plan.yaml")
    assert plan == Plan(summary="", workers=(PlannedWorker(id="a", task="do it"),))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", "workers: 3", "workers: [3]", "workers: [{id: a}]", "a: [", "workers: []\nx: 1",
     "workers: [{id: a, task: t, image: ubuntu}]", "workers: [{id: 1, task: t}]"],
)  # fmt: skip
def test_what_is_no_plan_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(JobPlanError, match=r"plan\.yaml") as caught:
        parse_plan(text, "plan.yaml")
    assert caught.value.problem == "malformed"
