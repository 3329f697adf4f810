"""Calls of tools from every model, so that a loop over tools has one body.

A server's native calls are taken as they are. A model that knows none writes JSON of a schema (or
is told it in words): the same answer, with `tool_calls` in it, comes of both. Arguments are checked
against the tool's own schema either way by `checked_arguments`.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import replace

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    ToolCall,
    ToolSpec,
)
from iris_harness.errors import ModelAnswerError
from iris_harness.llm.schemas import find_problem
from iris_harness.llm.structured import read_json, shaped

_ANSWER = "answer"


def with_tools(model: ChatModel) -> ChatModel:
    """Return a model that takes tools: `model` itself, or one that writes its calls as JSON."""
    return model if Ability.TOOLS in model.abilities else JsonToolModel(model)


def checked_arguments(call: ToolCall, tools: Sequence[ToolSpec]) -> dict[str, Json]:
    """Return the arguments of a call, checked.

    Raises:
        ValueError: there is no such tool, or the arguments are not what it takes; the message is
            one to answer the model with.
    """
    found = next((tool for tool in tools if tool.name == call.name), None)
    if found is None:
        raise ValueError(f"there is no tool {call.name}; there are {_names(tools)}")
    arguments = read_json(call.arguments or "{}")
    problem = find_problem(arguments, found.parameters)
    if problem or not isinstance(arguments, dict):
        raise ValueError(f"the arguments of {call.name} are wrong: {problem or 'no object'}")
    return arguments


def _names(tools: Sequence[ToolSpec]) -> str:
    return ", ".join(tool.name for tool in tools) or "none"


class JsonToolModel:
    """A `ChatModel` that gives a model without native tools the ability to call them."""

    def __init__(self, model: ChatModel) -> None:
        """Take the model that is asked."""
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    @property
    def abilities(self) -> frozenset[Ability]:
        """Those of the model, and tools."""
        return self._model.abilities | {Ability.TOOLS}

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer, whose `tool_calls` hold at most one call.

        Raises:
            ModelAnswerError: it is cut off, or neither a call nor an answer.
            ModelError: as the model's own.
        """
        if not request.tools:
            return self._model.complete(_plain(request))
        response = self._model.complete(self._asked(request))
        if response.finish_reason is not FinishReason.STOP:
            return response
        return self._called(response, request)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield one answer; with tools in the request it comes in one piece, when it is whole."""
        if not request.tools:
            return (yield from self._model.stream(_plain(request)))
        response = self.complete(request)
        if response.text:
            yield response.text
        return response

    def _asked(self, request: ChatRequest) -> ChatRequest:
        schema = call_schema(request.tools, may_answer=not request.must_call_tool)
        told = ChatMessage(role="system", content=_instructions(request))
        plain = _plain(request)
        bare = replace(
            plain,
            messages=(told, *plain.messages),
            tools=(),
            must_call_tool=False,
        )
        return shaped(self._model, bare, schema)

    def _called(self, response: ChatResponse, request: ChatRequest) -> ChatResponse:
        schema = call_schema(request.tools, may_answer=not request.must_call_tool)
        try:
            value = read_json(response.text)
            problem = find_problem(value, schema)
        except ValueError as error:
            value, problem = None, str(error)
        if problem or not isinstance(value, dict):
            said = f"{self.name} wrote neither a call nor an answer: {problem or 'no object'}"
            raise ModelAnswerError(said, model=self.name, text=response.text)
        if value["tool"] == _ANSWER and _ANSWER not in {tool.name for tool in request.tools}:
            return replace(response, text=str(value["text"]))
        arguments = json.dumps(value["arguments"], ensure_ascii=False)
        call = ToolCall(
            id=f"call_{len(request.messages)}", name=str(value["tool"]), arguments=arguments
        )
        return replace(response, text="", finish_reason=FinishReason.TOOL_CALLS, tool_calls=(call,))


def call_schema(tools: Sequence[ToolSpec], *, may_answer: bool) -> dict[str, Json]:
    """Return the schema of one call of one of `tools`, or of an answer in words."""
    forms: list[Json] = [
        _form(tool.name, "arguments", dict(tool.parameters) or {"type": "object"}) for tool in tools
    ]
    if may_answer:
        forms.append(_form(_ANSWER, "text", {"type": "string"}))
    return {"anyOf": forms}


def _form(tool: str, key: str, schema: Json) -> Json:
    return {
        "type": "object",
        "properties": {"tool": {"const": tool}, key: schema},
        "required": ["tool", key],
        "additionalProperties": False,
    }


def _instructions(request: ChatRequest) -> str:
    lines = ["You may use these tools. Answer with one JSON object and nothing else."]
    lines += [
        f'{{"tool": "{tool.name}", "arguments": …}}: {tool.description} '
        f"Arguments: {json.dumps(dict(tool.parameters))}"
        for tool in request.tools
    ]
    if not request.must_call_tool:
        lines.append(f'{{"tool": "{_ANSWER}", "text": …}}: say something, and be done.')
    return "\n".join(lines)


def _plain(request: ChatRequest) -> ChatRequest:
    """Return the request with earlier calls and their results as words."""
    return replace(request, messages=tuple(map(_as_words, request.messages)))


def _as_words(message: ChatMessage) -> ChatMessage:
    if message.role == "tool":
        said = f"Result of {message.tool_call_id or 'the tool'}:\n{message.content}"
        return ChatMessage(role="user", content=said)
    if not message.tool_calls:
        return message
    written = [
        f'{{"tool": {json.dumps(call.name)}, "arguments": {call.arguments or "{}"}}}'
        for call in message.tool_calls
    ]
    return ChatMessage(role="assistant", content="\n".join([message.content, *written]).strip())
