"""A model plans, and nothing it says is taken on trust."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import jsonschema
import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.decoding import from_json
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
)
from iris_harness.errors import ModelError, RequestError
from iris_harness.jobs.llm_planner import LLMPlanner, plan_grammar, plan_schema
from iris_harness.jobs.values import Plan, PlanOutcome, PlanRequest
from iris_harness.llm.llama.model import LlamaModel, LlamaSettings
from iris_harness.testing import ScriptedModel
from tests.tiny_gguf import write_tiny_gguf

REQUEST = PlanRequest(task="fix a.py and b.py", worker_model="big", test_cmd="make test")


def answer(*workers: dict[str, object]) -> str:
    return json.dumps({"summary": "s", "workers": workers})


def worker(name: str, *before: str, **more: object) -> dict[str, object]:
    return {
        "id": name, "task": f"do {name}", "file": f"{name}.py", "files": [],
        "depends_on": list(before),
    } | more  # fmt: skip


GOOD = answer(worker("a"), worker("b", "a"))
CYCLE = answer(worker("a", "b"), worker("b", "a"))


def planned(*script: str | ChatResponse | ModelError) -> tuple[PlanOutcome, ScriptedModel]:
    model = ScriptedModel(script, name="planner-1")
    return LLMPlanner(model, max_workers=5).plan(REQUEST), model


def test_a_plan_that_holds_up_is_taken() -> None:
    outcome, model = planned(GOOD)
    assert outcome.planner == "planner-1"
    assert [one.depends_on for one in outcome.plan.workers] == [(), ("a",)]
    assert len(model.requests) == 1


def test_a_model_is_given_the_strictest_form_that_it_takes() -> None:
    for abilities in ({Ability.GRAMMAR, Ability.JSON_SCHEMA}, {Ability.JSON_SCHEMA}, set()):
        model = ScriptedModel([GOOD], abilities=abilities)
        assert LLMPlanner(model, max_workers=5).plan(REQUEST).notes == ()
        (request,) = model.requests
        assert (request.grammar is not None) == (Ability.GRAMMAR in abilities)
        by_schema = abilities == {Ability.JSON_SCHEMA}
        assert request.json_schema == (plan_schema(5) if by_schema else None)
        assert ("of this schema" in request.messages[0].content) == (not abilities)


def test_a_good_answer_is_one_of_the_schema() -> None:
    jsonschema.validate(json.loads(GOOD), plan_schema(5))


def test_an_invalid_plan_gets_one_repair_that_names_the_mistake() -> None:
    outcome, model = planned(CYCLE, GOOD)
    assert outcome.planner == "planner-1"
    assert "a -> b -> a" in model.requests[1].messages[-1].content


@pytest.mark.parametrize("bad", [CYCLE, "no json", "[]", "{}", answer(worker("a", model=7))])
def test_after_a_second_invalid_plan_the_rules_plan_and_the_reason_is_kept(bad: str) -> None:
    outcome, model = planned(bad, bad)
    assert outcome.planner == "heuristic"
    assert [one.file for one in outcome.plan.workers] == ["a.py", "b.py"]
    assert "planner-1 gave no plan that holds up" in outcome.notes[0]
    assert len(model.requests) == 2


def test_a_model_that_gives_no_answer_is_no_reason_to_give_none() -> None:
    outcome, _ = planned(ModelError("the server is down"))
    assert outcome.planner == "heuristic"
    assert "the server is down" in outcome.notes[0]


def test_an_answer_that_was_cut_is_none() -> None:
    usage = TokenUsage(prompt_tokens=1, completion_tokens=1)
    cut = ChatResponse(text=GOOD, finish_reason=FinishReason.LENGTH, usage=usage)
    outcome, _ = planned(cut)
    assert outcome.planner == "heuristic"


def test_what_only_the_user_may_say_is_dropped_and_recorded() -> None:
    outcome, _ = planned(answer(worker("a", test_cmd="true", model="mine")))
    assert outcome.plan.workers[0].test_cmd is None
    assert outcome.plan.workers[0].model == ""
    assert any("test command" in note and "'a'" in note for note in outcome.notes)


def test_the_model_is_told_neither_the_repository_nor_the_workers_model() -> None:
    request = PlanRequest(task="t", repo_url="https://example.org/r", worker_model="big-one")
    model = ScriptedModel([GOOD])
    LLMPlanner(model).plan(request)
    said = " ".join(message.content for message in model.requests[0].messages)
    assert "example.org" not in said
    assert "big-one" not in said


def test_a_request_without_words_never_reaches_the_model() -> None:
    model = ScriptedModel([GOOD])
    with pytest.raises(RequestError):
        LLMPlanner(model).plan(PlanRequest(task=" "))
    assert not model.requests


@pytest.mark.parametrize("seed", range(3))
def test_a_model_that_knows_no_language_plans_graphs_all_the_same(
    tmp_path: Path, seed: int
) -> None:
    file = write_tiny_gguf(tmp_path / "tiny.gguf", context=16_384, seed=seed)
    settings = LlamaSettings(name="tiny", path=file, context_tokens=16_384, engine="xllamacpp")
    with contextlib.closing(LlamaModel(settings, SystemClock())) as model:
        response = model.complete(
            ChatRequest(
                messages=(ChatMessage(role="user", content="Plan."),),
                max_tokens=12_000,
                grammar=plan_grammar(3),
                temperature_percent=150,
                seed=seed,
            )
        )
    plan = from_json(Plan, json.loads(response.text, strict=False))
    known: set[str] = set()
    for one in plan.workers:
        assert set(one.depends_on) <= known
        known.add(one.id)
