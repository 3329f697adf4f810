"""Answers in a form, from every kind of model."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import Ability, ChatResponse, FinishReason, TokenUsage
from iris_harness.errors import ModelAnswerError
from iris_harness.llm.structured import ask_json, read_json
from iris_harness.testing import ScriptedModel
from tests.unit.llm.support import REQUEST

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["n"],
}


def number(value: Any) -> int:  # noqa: ANN401 - JSON
    found: int = value["n"]
    if found == 7:
        raise ValueError("7 is taken")
    return found


def cut_off(text: str) -> ChatResponse:
    usage = TokenUsage(prompt_tokens=2, completion_tokens=3)
    return ChatResponse(text=text, finish_reason=FinishReason.LENGTH, usage=usage)


def test_a_right_answer_is_taken_at_once() -> None:
    model = ScriptedModel(['{"n": 3}'])
    found = ask_json(model, REQUEST, SCHEMA, number)
    assert (found.value, found.repaired) == (3, "")
    assert model.requests == [replace(REQUEST, json_schema=SCHEMA)]


@pytest.mark.parametrize(
    ("first", "wrong"),
    [
        ('{"n": 12}', "$.n is above 9"),
        ('{"m": 1}', "$ has no n"),
        ('{"n": 7}', "7 is taken"),
        ("{", "no JSON"),
        ('{"n": NaN}', "NaN is no JSON"),
        ("[" * 100_000, "nested too deep"),
        (cut_off('{"n": 3}'), "cut off at 50 tokens"),
    ],
)
def test_a_wrong_answer_is_told_what_is_wrong_once(first: str | ChatResponse, wrong: str) -> None:
    model = ScriptedModel([first, '{"n": 4}'])
    found = ask_json(model, REQUEST, SCHEMA, number)
    assert found.value == 4
    assert wrong in found.repaired
    said = model.requests[1].messages
    assert [message.role for message in said] == ["user", "assistant", "user"]
    assert wrong in said[2].content


def test_two_wrong_answers_are_an_error_that_carries_the_last() -> None:
    model = ScriptedModel(['{"n": 12}', '{"n": 0}'], name="small")
    with pytest.raises(
        ModelAnswerError, match=r"small gave no usable answer: \$\.n is below 1"
    ) as e:
        ask_json(model, REQUEST, SCHEMA, number)
    assert e.value.text == '{"n": 0}'


def test_the_usage_is_that_of_all_rounds() -> None:
    found = ask_json(ScriptedModel([cut_off("{"), '{"n": 1}']), REQUEST, SCHEMA, number)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (2, 5)


def test_a_grammar_counts_before_the_schema_where_it_is_taken() -> None:
    asked = replace(REQUEST, grammar='root ::= "{}"')
    for abilities in (set(Ability), {Ability.JSON_SCHEMA}):
        model = ScriptedModel(['{"n": 1}'], abilities=abilities)
        ask_json(model, asked, SCHEMA, number)
        (request,) = model.requests
        assert (request.grammar is None) == (Ability.GRAMMAR not in abilities)
        assert (request.json_schema is None) == (Ability.GRAMMAR in abilities)


def test_a_model_without_forms_is_told_the_schema_and_may_use_a_fence() -> None:
    model = ScriptedModel(['```json\n{"n": 5}\n```'], abilities=())
    assert ask_json(model, REQUEST, SCHEMA, number).value == 5
    told = model.requests[0].messages[0]
    assert told.role == "system"
    assert json.dumps(SCHEMA) in told.content


def test_control_characters_in_texts_are_let_through() -> None:
    assert read_json('{"a": "b\tc\nd"}') == {"a": "b\tc\nd"}
