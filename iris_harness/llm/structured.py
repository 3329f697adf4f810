"""Answers in a form: asked for, read, checked, and asked for once more where they do not fit.

A grammar or a schema makes a model write the form; that it did is checked all the same. What a
model without either writes goes through the same check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
)
from iris_harness.errors import ModelAnswerError
from iris_harness.llm.schemas import find_problem

ValueT = TypeVar("ValueT")

Check = Callable[[Any], ValueT]
"""Makes a value of JSON that fits the schema; raises ValueError, which pydantic's errors are, with
what is wrong in words a model can act on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Structured(Generic[ValueT]):
    """An answer that was checked."""

    value: ValueT
    usage: TokenUsage
    """Of all rounds."""
    repaired: str = ""
    """What was wrong with the first answer; empty where it was right."""


def ask_json(
    model: ChatModel,
    request: ChatRequest,
    schema: Mapping[str, Json],
    check: Check[ValueT],
    *,
    rounds: int = 2,
) -> Structured[ValueT]:
    """Return an answer to `request` that fits `schema` and passes `check`.

    A grammar in `request` counts before the schema where the model takes grammars; elsewhere it is
    left out. A model that takes neither is told the schema in words.

    Args:
        model: who is asked.
        request: what is asked.
        schema: JSON Schema of the answer (the keywords of `schemas`).
        check: makes the value.
        rounds: how often it is asked, told each time what was wrong before; at least 1.

    Raises:
        ModelAnswerError: no answer was right; it carries the last one and what is wrong with it.
        ModelError: as the model's own.
    """
    asked = shaped(model, request, schema)
    usage, wrong, first = TokenUsage(prompt_tokens=0, completion_tokens=0), "", ""
    response: ChatResponse | None = None
    for _ in range(rounds):
        if response is not None:
            asked = _corrected(asked, response, wrong)
        response = model.complete(asked)
        usage = _sum(usage, response.usage)
        try:
            value = _read(response, asked, schema, check)
        except ValueError as error:
            wrong = str(error) or "it cannot be used"
            first = first or wrong
        else:
            return Structured(value=value, usage=usage, repaired=first)
    text = response.text if response else ""
    raise ModelAnswerError(
        f"{model.name} gave no usable answer: {wrong}", model=model.name, text=text
    )


def shaped(model: ChatModel, request: ChatRequest, schema: Mapping[str, Json]) -> ChatRequest:
    """Return `request` with the strictest form that `model` takes."""
    if request.grammar is not None and Ability.GRAMMAR in model.abilities:
        return replace(request, json_schema=None)
    if Ability.JSON_SCHEMA in model.abilities:
        return replace(request, json_schema=schema, grammar=None)
    said = f"Answer with JSON of this schema, and nothing else:\n{json.dumps(dict(schema))}"
    told = ChatMessage(role="system", content=said)
    return replace(request, messages=(told, *request.messages), json_schema=None, grammar=None)


def read_json(text: str) -> Json:
    """Return the JSON that a model wrote; a fence of Markdown around it is left out.

    Control characters in texts are let through: models write them.

    Raises:
        ValueError: it is none.
    """
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        bare = bare[bare.index("\n") : -3]
    try:
        value: Json = json.loads(bare, strict=False, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON ({error.msg} at character {error.pos})") from error
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _read(
    response: ChatResponse,
    request: ChatRequest,
    schema: Mapping[str, Json],
    check: Check[ValueT],
) -> ValueT:
    if response.finish_reason is FinishReason.LENGTH:
        raise ValueError(f"it was cut off at {request.max_tokens} tokens: answer shorter")
    if response.finish_reason is not FinishReason.STOP:
        raise ValueError(f"it ended with {response.finish_reason.value}")
    value = read_json(response.text)
    if problem := find_problem(value, schema):
        raise ValueError(problem)
    return check(value)


def _corrected(request: ChatRequest, response: ChatResponse, wrong: str) -> ChatRequest:
    said = f"That cannot be used: {wrong}. Answer again, in full and in the form asked for."
    return replace(
        request,
        messages=(
            *request.messages,
            ChatMessage(role="assistant", content=response.text),
            ChatMessage(role="user", content=said),
        ),
    )


def _sum(one: TokenUsage, other: TokenUsage) -> TokenUsage:
    return TokenUsage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        estimated=one.estimated or other.estimated,
    )
