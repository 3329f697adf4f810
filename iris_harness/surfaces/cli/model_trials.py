"""What `iris models test` asks of a model; nothing of the user's is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatRequest,
    FinishReason,
    ToolSpec,
)
from iris_harness.curator.clean import clean
from iris_harness.errors import ModelError
from iris_harness.llm.gbnf import choice_grammar
from iris_harness.llm.structured import ask_json
from iris_harness.llm.tools import checked_arguments

_LONGEST = 60  # characters of an answer that are shown
_MAX_TOKENS = 200
_COLOURS: dict[str, Json] = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "green", "blue"]}},
    "required": ["colour"],
    "additionalProperties": False,
}

Trial: TypeAlias = Callable[[ChatModel], tuple[bool, str]]
"""Asks a model something; returns whether it did well, and what there is to say."""


def _request(text: str) -> ChatRequest:
    message = ChatMessage(role="user", content=text)
    return ChatRequest(messages=(message,), max_tokens=_MAX_TOKENS)


def _answers(model: ChatModel) -> str:
    response = model.complete(_request("Say hello in one short sentence."))
    cut_off = response.finish_reason is FinishReason.LENGTH
    words = clean(response.text)
    if len(words) > _LONGEST:
        words = words[:_LONGEST].rstrip() + "…"
    return f'"{words}"' + (", and more" if cut_off else "")


def _fills_a_form(model: ChatModel) -> str:
    request = _request('What colour is the sky? Answer as {"colour": …}.')
    return str(ask_json(model, request, _COLOURS, lambda value: value["colour"], rounds=1).value)


def _keeps_to_a_grammar(model: ChatModel) -> str:
    request = _request("Is the sky blue? Answer yes or no.")
    grammar = choice_grammar(["yes", "no"])
    response = model.complete(ChatRequest(messages=request.messages, max_tokens=5, grammar=grammar))
    if response.text not in {"yes", "no"}:
        raise ValueError("it was not held to the grammar; take grammar out of supports")
    return response.text


def _calls_a_tool(model: ChatModel) -> str:
    tool = ToolSpec(name="paint", description="Paint the wall.", parameters=_COLOURS)
    asked = _request("Paint the wall green.")
    request = ChatRequest(
        messages=asked.messages, max_tokens=_MAX_TOKENS, tools=(tool,), must_call_tool=True
    )
    response = model.complete(request)
    if not response.tool_calls:
        raise ValueError("it called none; take tools out of supports")
    call = response.tool_calls[0]
    return f"{call.name} {json.dumps(checked_arguments(call, (tool,)))}"


def _told(ask: Callable[[ChatModel], str]) -> Trial:
    def trial(model: ChatModel) -> tuple[bool, str]:
        try:
            return True, ask(model)
        except (ModelError, ValueError) as error:
            return False, clean(str(error))

    return trial


TRIALS: tuple[tuple[str, Ability | None, Trial], ...] = (
    ("answers", None, _told(_answers)),
    ("fills in a form", Ability.JSON_SCHEMA, _told(_fills_a_form)),
    ("keeps to a grammar", Ability.GRAMMAR, _told(_keeps_to_a_grammar)),
    ("calls a tool", Ability.TOOLS, _told(_calls_a_tool)),
)
"""What it is called, what a model needs for it, and the trial; a plain answer first."""
