"""A request as servers of OpenAI's kind take it (`POST {base_url}/chat/completions`).

Source: platform.openai.com/docs/api-reference/chat/create; what llama-server, vLLM and Ollama add
or lack is named where it matters.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from iris_harness.contracts.model import ChatMessage, ChatRequest, ToolCall
from iris_harness.contracts.unicode import well_formed

Body = dict[str, Any]


class Quirk(enum.StrEnum):
    """What a server turned out not to take: from then on it is renamed, or left out."""

    MAX_TOKENS = "max_tokens"
    """Reasoning models of OpenAI want ``max_completion_tokens`` instead."""
    TEMPERATURE = "temperature"
    SEED = "seed"
    STREAM_OPTIONS = "stream_options"


def build_body(
    request: ChatRequest, model: str, *, stream: bool, quirks: frozenset[Quirk] = frozenset()
) -> Body:
    """Return the JSON of a request, its keys in a stated order."""
    limit = "max_completion_tokens" if Quirk.MAX_TOKENS in quirks else "max_tokens"
    body: Body = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        limit: request.max_tokens,
    }
    if Quirk.TEMPERATURE not in quirks:
        body["temperature"] = request.temperature_percent / 100
    if Quirk.SEED not in quirks:
        body["seed"] = request.seed
    return body | _form(request) | _tools(request) | _streaming(quirks, stream=stream)


def _streaming(quirks: frozenset[Quirk], *, stream: bool) -> Body:
    if not stream:
        return {}
    counted = Quirk.STREAM_OPTIONS not in quirks
    return {"stream": True} | ({"stream_options": {"include_usage": True}} if counted else {})


def _form(request: ChatRequest) -> Body:
    if request.grammar is not None:
        return {"grammar": request.grammar}  # llama-server's own key
    if request.json_schema is None:
        return {}
    schema = dict(request.json_schema)
    named = {"name": "answer", "strict": is_strict(schema), "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def is_strict(schema: object) -> bool:
    """Return whether OpenAI's strict mode takes a schema.

    Every object in it names all its properties as required and allows no others.
    """
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        named = isinstance(properties, Mapping) and set(properties) == set(
            schema.get("required", ())
        )
        if not named or schema.get("additionalProperties") is not False:
            return False
    return all(map(is_strict, schema.values()))


def _tools(request: ChatRequest) -> Body:
    if not request.tools:
        return {}
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in request.tools
    ]
    return {"tools": tools, "tool_choice": "required" if request.must_call_tool else "auto"}


def _message(message: ChatMessage) -> Body:
    text = well_formed(message.content)
    if message.tool_calls:
        return {
            "role": message.role,
            "content": text or None,
            "tool_calls": [_tool_call(call) for call in message.tool_calls],
        }
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}
    return {"role": message.role, "content": text}


def _tool_call(call: ToolCall) -> Body:
    function = {"name": call.name, "arguments": well_formed(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}
