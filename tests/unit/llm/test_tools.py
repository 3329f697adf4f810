"""Calls of tools with one loop, whatever the model can."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
    ToolSpec,
)
from iris_harness.errors import ModelAnswerError
from iris_harness.llm.tools import checked_arguments, with_tools
from iris_harness.testing import ScriptedModel
from tests.unit.llm.support import REQUEST, drained, user

PATH: dict[str, Json] = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
READ = ToolSpec(name="read", description="Read a file.", parameters=PATH)
ASKED = replace(REQUEST, tools=(READ,))
CALL = '{"tool": "read", "arguments": {"path": "a.txt"}}'
DONE = '{"tool": "answer", "text": "It says hello."}'
JSON_ONLY = (Ability.JSON_SCHEMA,)


def native(*calls: ToolCall, text: str = "") -> ChatResponse:
    reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
    usage = TokenUsage(prompt_tokens=1, completion_tokens=1)
    return ChatResponse(text=text, finish_reason=reason, usage=usage, tool_calls=calls)


def conversation(model: ChatModel) -> str:
    """Run the loop that a worker runs: call, answer the call, until there are words."""
    messages = [user("What does a.txt say?")]
    for _ in range(5):
        response = model.complete(replace(ASKED, messages=tuple(messages)))
        if not response.tool_calls:
            return response.text
        messages.append(
            ChatMessage(role="assistant", content=response.text, tool_calls=response.tool_calls)
        )
        for call in response.tool_calls:
            path = checked_arguments(call, ASKED.tools)["path"]
            said = f"content of {path}"
            messages.append(ChatMessage(role="tool", content=said, tool_call_id=call.id))
    raise AssertionError("it never came to an end")


def test_one_loop_runs_native_calls_and_calls_written_as_json() -> None:
    call = ToolCall(id="c1", name="read", arguments='{"path": "a.txt"}')
    models = {
        "native": ScriptedModel([native(call), native(text="It says hello.")]),
        "schema": ScriptedModel([CALL, DONE], abilities=JSON_ONLY),
        "words": ScriptedModel([f"```json\n{CALL}\n```", DONE], abilities=()),
    }
    assert {
        kind: conversation(with_tools(model)) for kind, model in models.items()
    } == dict.fromkeys(models, "It says hello.")


def test_a_model_with_native_calls_is_used_as_it_is() -> None:
    model = ScriptedModel([])
    assert with_tools(model) is model


def test_a_model_that_knows_no_tools_is_told_them_and_held_to_them() -> None:
    model = ScriptedModel([CALL], abilities=JSON_ONLY)
    response = with_tools(model).complete(replace(ASKED, must_call_tool=True))
    assert response.finish_reason is FinishReason.TOOL_CALLS
    assert [(call.name, json.loads(call.arguments)) for call in response.tool_calls] == [
        ("read", {"path": "a.txt"})
    ]
    (request,) = model.requests
    assert request.tools == ()
    assert "Read a file." in request.messages[0].content
    written = json.dumps(request.json_schema)
    assert '{"const": "read"}' in written
    assert '{"const": "answer"}' not in written


def test_earlier_calls_reach_such_a_model_as_words() -> None:
    model = ScriptedModel([DONE], abilities=JSON_ONLY)
    call = ToolCall(id="c1", name="read", arguments='{"path": "a.txt"}')
    messages = (
        user("Go."),
        ChatMessage(role="assistant", content="", tool_calls=(call,)),
        ChatMessage(role="tool", content="hello", tool_call_id="c1"),
    )
    with_tools(model).complete(replace(ASKED, messages=messages))
    said = model.requests[0].messages[1:]
    assert [message.role for message in said] == ["user", "assistant", "user"]
    assert json.loads(said[1].content)["arguments"] == {"path": "a.txt"}
    assert "hello" in said[2].content


@pytest.mark.parametrize(
    "text",
    ["no JSON", "[]", '{"tool": "write", "arguments": {}}', '{"tool": "read", "arguments": {}}'],
)
def test_what_is_neither_a_call_nor_an_answer_is_an_error(text: str) -> None:
    with pytest.raises(ModelAnswerError, match="neither a call nor an answer"):
        with_tools(ScriptedModel([text], abilities=JSON_ONLY)).complete(ASKED)


def test_an_answer_is_refused_where_a_call_is_asked_for() -> None:
    model = with_tools(ScriptedModel([DONE], abilities=JSON_ONLY))
    with pytest.raises(ModelAnswerError):
        model.complete(replace(ASKED, must_call_tool=True))


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (ToolCall(id="1", name="write", arguments="{}"), "no tool write; there are read"),
        (ToolCall(id="1", name="read", arguments="{"), "no JSON"),
        (ToolCall(id="1", name="read", arguments='{"path": 1}'), r"\$\.path is 1"),
        (ToolCall(id="1", name="read", arguments="[]"), "not of type object"),
    ],
)
def test_arguments_are_checked_with_words_to_answer_the_model_with(
    call: ToolCall, wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        checked_arguments(call, (READ,))


def test_a_stream_with_tools_comes_whole_and_one_without_in_pieces() -> None:
    model = with_tools(ScriptedModel([DONE, CALL, "Hello, all."], abilities=JSON_ONLY))
    assert drained(model.stream(ASKED))[0] == ["It says hello."]
    pieces, response = drained(model.stream(ASKED))
    assert (pieces, len(response.tool_calls)) == ([], 1)
    assert len(drained(model.stream(REQUEST))[0]) > 1
