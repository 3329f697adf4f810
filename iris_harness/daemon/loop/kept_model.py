"""A worker's model whose answers are kept in the journal, and so are paid for once."""

from __future__ import annotations

from collections.abc import Generator

from iris_harness.contracts.canonical import Json, digest
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
)
from iris_harness.daemon.loop.ending import EndError, Ending
from iris_harness.daemon.loop.spending import Spending
from iris_harness.errors import ModelAnswerError, ModelError
from iris_harness.llm.estimates import request_tokens, text_tokens
from iris_harness.llm.tools import with_tools


class KeptModel:
    """A `ChatModel` that can call tools, within the budget of a worker."""

    def __init__(self, model: ChatModel, spending: Spending) -> None:
        """Take the model that is asked, and what keeps and counts its answers."""
        self._model = with_tools(model)
        self._spending = spending

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    @property
    def abilities(self) -> frozenset[Ability]:
        """Those of the model, and tools."""
        return self._model.abilities

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer; one that cannot be read is an answer in words.

        Raises:
            EndError: the model cannot be asked, or the budget is used up.
        """
        asked = [_message_json(message) for message in request.messages]
        reply = self._spending.effect("reply", digest(asked), lambda: self._reply(request))
        response = _response(reply)
        self._spending.count(response.usage)
        return response

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield the answer in one piece."""
        response = self.complete(request)
        yield response.text
        return response

    def _reply(self, request: ChatRequest) -> Json:
        try:
            return _reply_json(self._model.complete(request))
        except ModelAnswerError as error:
            return _reply_json(_unreadable(request, error.text))
        except ModelError as error:
            raise EndError(Ending.MODEL, error.message, error.hint) from error


def _unreadable(request: ChatRequest, text: str) -> ChatResponse:
    usage = TokenUsage(
        prompt_tokens=request_tokens(request), completion_tokens=text_tokens(text), estimated=True
    )
    return ChatResponse(text=text, finish_reason=FinishReason.STOP, usage=usage)


def _message_json(message: ChatMessage) -> Json:
    calls: list[Json] = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    return [message.role, message.content, calls, message.tool_call_id]


def _reply_json(response: ChatResponse) -> Json:
    calls: list[Json] = [[call.id, call.name, call.arguments] for call in response.tool_calls]
    usage = response.usage
    return {
        "text": response.text,
        "finish": response.finish_reason.value,
        "calls": calls,
        "sent": usage.prompt_tokens,
        "made": usage.completion_tokens,
        "estimated": usage.estimated,
    }


def _response(kept: Json) -> ChatResponse:
    assert isinstance(kept, dict)  # noqa: S101 - written by `_reply_json`, and its digest holds
    calls = kept["calls"]
    assert isinstance(calls, list)  # noqa: S101 - as above
    return ChatResponse(
        text=str(kept["text"]),
        finish_reason=FinishReason(str(kept["finish"])),
        usage=TokenUsage(
            prompt_tokens=int(str(kept["sent"])),
            completion_tokens=int(str(kept["made"])),
            estimated=bool(kept["estimated"]),
        ),
        tool_calls=tuple(
            ToolCall(id=str(c[0]), name=str(c[1]), arguments=str(c[2]))
            for c in calls
            if isinstance(c, list)
        ),
    )
