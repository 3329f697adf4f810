"""The part of OpenAI's API that chat clients use: models and chat completions.

https://platform.openai.com/docs/api-reference/chat. A client that names the model ``iris`` talks
to Iris; ``iris-planner`` and its like talk to one agent. No language model is behind it: what
asks for one (temperature, tools, a number of choices) is accepted and makes no difference.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from iris_harness.clock import SystemClock
from iris_harness.errors import UsageError
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.web.answers import FAILED, log_failure, markdown_of, until_gone
from iris_harness.surfaces.web.conversation import (
    Body,
    Messages,
    count_words,
    describe,
    last_said,
    session_of,
)
from iris_harness.surfaces.web.guards import refusal
from iris_harness.surfaces.web.housekeeping import answer_housekeeping, is_housekeeping
from iris_harness.surfaces.web.models import UnknownModelError, find_model, list_models

_SSE = {"X-Accel-Buffering": "no"}
"""Tells proxies not to hold a stream back."""


class StreamOptions(Body):
    """How a stream ends."""

    include_usage: bool = False


class ChatRequest(Body):
    """A request for a chat completion."""

    model: str
    messages: Messages
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: str | None = None


class OpenAiApi:
    """The handlers."""

    def __init__(self, desk: Desk) -> None:
        """Take who answers."""
        self._desk = desk

    async def models(self, _request: Request) -> Response:
        """Answer ``GET /v1/models``."""
        models = list_models(self._desk.iris)
        return JSONResponse({"object": "list", "data": [_model_json(one.name) for one in models]})

    async def model(self, request: Request) -> Response:
        """Answer ``GET /v1/models/{name}``."""
        try:
            found = find_model(self._desk.iris, request.path_params["name"])
        except UsageError as error:
            return _not_found(error)
        return JSONResponse(_model_json(found.name))

    async def complete(self, request: Request) -> Response:
        """Answer ``POST /v1/chat/completions``."""
        try:
            asked = ChatRequest.model_validate_json(await request.body())
            question = self._question(asked, request)
        except ValidationError as error:
            return refusal(HTTPStatus.BAD_REQUEST, describe(error), "invalid_request")
        except UnknownModelError as error:
            return _not_found(error)
        except UsageError as error:
            return refusal(HTTPStatus.BAD_REQUEST, error.message, "invalid_request")
        completion = _Completion(asked)
        if is_housekeeping(question.utterance):
            return self._reply(completion, answer_housekeeping(question.utterance))
        if asked.stream:
            stream = _streamed(completion, self._desk, question)
            return StreamingResponse(stream, media_type="text/event-stream", headers=_SSE)
        turn = await until_gone(request, self._desk.answer(question))
        return JSONResponse(completion.whole(markdown_of(turn, self._desk)))

    def _question(self, asked: ChatRequest, request: Request) -> Question:
        model = find_model(self._desk.iris, asked.model)
        return Question(
            utterance=last_said(asked.messages),
            session=session_of(asked.messages, request.headers, asked.user),
            agent=model.agent,
        )

    def _reply(self, completion: _Completion, text: str) -> Response:
        if not completion.is_stream:
            return JSONResponse(completion.whole(text))
        events = "".join((completion.first(), *completion.rest(text)))
        return Response(events, media_type="text/event-stream", headers=_SSE)


async def _streamed(completion: _Completion, desk: Desk, question: Question) -> AsyncIterator[str]:
    yield completion.first()  # at once, so that the client knows it was heard
    try:
        text = markdown_of(await desk.answer(question), desk)
    except Exception as error:  # noqa: BLE001 - the headers are out: the stream itself must tell
        log_failure(error)
        yield completion.failure()
        return
    for event in completion.rest(text):
        yield event


class _Completion:
    """One completion, in the words of the protocol."""

    def __init__(self, asked: ChatRequest) -> None:
        self._id = f"chatcmpl-{secrets.token_hex(12)}"
        self._created = int(SystemClock().now().timestamp())
        self._model = asked.model
        self._words = sum(count_words(message.text) for message in asked.messages)
        self.is_stream = asked.stream
        self._tells_usage = bool(asked.stream_options and asked.stream_options.include_usage)

    def whole(self, text: str) -> dict[str, Any]:
        """Return the answer to a client that does not stream."""
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(text)}

    def first(self) -> str:
        """Return the event that opens a stream."""
        return self._event({"role": "assistant", "content": ""}, None)

    def rest(self, text: str) -> list[str]:
        """Return the events that follow it: a paragraph each, the end, and the usage."""
        parts = re.split(r"(?<=\n\n)", text)
        events = [self._event({"content": part}, None) for part in parts if part]
        events.append(self._event({}, "stop"))
        if self._tells_usage:
            chunk = self._head("chat.completion.chunk")
            events.append(_data({**chunk, "choices": [], "usage": self._usage(text)}))
        return [*events, _DONE]

    def failure(self) -> str:
        """Return the event that ends a stream whose question could not be answered."""
        error = {"message": FAILED, "type": "server_error", "param": None, "code": "internal"}
        return _data({"error": error}) + _DONE

    def _event(self, delta: dict[str, str], finish: str | None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage = {"usage": None} if self._tells_usage else {}
        return _data({**self._head("chat.completion.chunk"), "choices": [choice], **usage})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}

    def _usage(self, text: str) -> dict[str, int]:
        said = count_words(text)
        return {
            "prompt_tokens": self._words,
            "completion_tokens": said,
            "total_tokens": self._words + said,
        }


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


_DONE = "data: [DONE]\n\n"


def _not_found(error: UsageError) -> Response:
    return refusal(HTTPStatus.NOT_FOUND, str(error), "model_not_found")


def _model_json(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "iris"}
