"""The part of Ollama's API that assistants use (Home Assistant takes a local assistant so).

https://github.com/ollama/ollama/blob/main/docs/api.md: ``/api/tags`` lists what can be chosen,
``/api/chat`` answers as a stream of JSON lines unless ``stream`` is false.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

from pydantic import Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from iris_harness.clock import SystemClock
from iris_harness.errors import UsageError
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.web.answers import FAILED, log_failure, markdown_of, until_gone
from iris_harness.surfaces.web.conversation import (
    Body,
    Message,
    count_words,
    describe,
    last_said,
    session_of,
)
from iris_harness.surfaces.web.housekeeping import answer_housekeeping, is_housekeeping
from iris_harness.surfaces.web.models import UnknownModelError, find_model, list_models

_VERSION = "0.9.0"
"""The version of Ollama's API that is spoken here."""
_NEVER = "2026-01-01T00:00:00Z"
_LINES = "application/x-ndjson"


class ChatRequest(Body):
    """A request for an answer."""

    model: str
    messages: tuple[Message, ...] = Field(default=(), max_length=10_000)
    stream: bool = True


class ModelRequest(Body):
    """A request for what is known of a model."""

    model: str = ""
    name: str = ""


class OllamaApi:
    """The handlers."""

    def __init__(self, desk: Desk) -> None:
        """Take who answers."""
        self._desk = desk

    async def version(self, _request: Request) -> Response:
        """Answer ``GET /api/version``."""
        return JSONResponse({"version": _VERSION})

    async def tags(self, _request: Request) -> Response:
        """Answer ``GET /api/tags``."""
        models = list_models(self._desk.iris)
        return JSONResponse({"models": [_model_json(model.name) for model in models]})

    async def running(self, _request: Request) -> Response:
        """Answer ``GET /api/ps``: nothing needs loading."""
        return JSONResponse({"models": []})

    async def show(self, request: Request) -> Response:
        """Answer ``POST /api/show``."""
        try:
            asked = ModelRequest.model_validate_json(await request.body())
            model = find_model(self._desk.iris, asked.model or asked.name)
        except (ValidationError, UsageError) as error:
            return _refusal(error)
        return JSONResponse({
            "modelfile": "", "parameters": "", "template": "", "license": "",
            "details": _model_json(model.name)["details"],
            "model_info": {"general.architecture": "iris", "general.name": model.description},
            "capabilities": ["completion"],
        })  # fmt: skip

    async def chat(self, request: Request) -> Response:
        """Answer ``POST /api/chat``."""
        try:
            asked = ChatRequest.model_validate_json(await request.body())
            question = self._question(asked, request)
        except (ValidationError, UsageError) as error:
            return _refusal(error)
        if question is None:
            return JSONResponse(_line(asked, "", done="load"))
        if is_housekeeping(question.utterance):
            return _reply(asked, answer_housekeeping(question.utterance))
        if asked.stream:
            return StreamingResponse(_streamed(asked, self._desk, question), media_type=_LINES)
        turn = await until_gone(request, self._desk.answer(question))
        return _reply(asked, markdown_of(turn, self._desk))

    def _question(self, asked: ChatRequest, request: Request) -> Question | None:
        """Return what is asked; None when only the model is to be loaded."""
        model = find_model(self._desk.iris, asked.model)
        if not asked.messages:
            return None
        return Question(
            utterance=last_said(asked.messages),
            session=session_of(asked.messages, request.headers, None),
            agent=model.agent,
        )


async def _streamed(asked: ChatRequest, desk: Desk, question: Question) -> AsyncIterator[str]:
    yield _json_line(_line(asked, ""))  # at once, so that the client knows it was heard
    try:
        text = markdown_of(await desk.answer(question), desk)
    except Exception as error:  # noqa: BLE001 - the headers are out: the stream itself must tell
        log_failure(error)
        yield _json_line({"error": FAILED})
        return
    yield _json_line(_line(asked, text))
    yield _json_line({**_line(asked, "", done="stop"), **_figures(asked, text)})


def _reply(asked: ChatRequest, text: str) -> Response:
    if not asked.stream:
        return JSONResponse({**_line(asked, text, done="stop"), **_figures(asked, text)})
    last = {**_line(asked, "", done="stop"), **_figures(asked, text)}
    return Response(_json_line(_line(asked, text)) + _json_line(last), media_type=_LINES)


def _line(asked: ChatRequest, text: str, *, done: str = "") -> dict[str, Any]:
    line: dict[str, Any] = {
        "model": asked.model,
        "created_at": SystemClock().now().isoformat().replace("+00:00", "Z"),
        "message": {"role": "assistant", "content": text},
        "done": bool(done),
    }
    return {**line, "done_reason": done} if done else line


def _figures(asked: ChatRequest, text: str) -> dict[str, int]:
    """Return what a client may show: words for tokens, and no time of a model."""
    return {
        "total_duration": 0,
        "load_duration": 0,
        "prompt_eval_count": sum(count_words(message.text) for message in asked.messages),
        "prompt_eval_duration": 0,
        "eval_count": count_words(text),
        "eval_duration": 0,
    }


def _json_line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _model_json(name: str) -> dict[str, Any]:
    return {
        "name": f"{name}:latest",
        "model": f"{name}:latest",
        "modified_at": _NEVER,
        "size": 0,
        "digest": hashlib.sha256(name.encode()).hexdigest(),
        "details": {
            "parent_model": "", "format": "iris", "family": "iris", "families": ["iris"],
            "parameter_size": "", "quantization_level": "",
        },
    }  # fmt: skip


def _refusal(error: ValidationError | UsageError) -> Response:
    if isinstance(error, ValidationError):
        return JSONResponse({"error": describe(error)}, HTTPStatus.BAD_REQUEST)
    is_unknown = isinstance(error, UnknownModelError)
    status = HTTPStatus.NOT_FOUND if is_unknown else HTTPStatus.BAD_REQUEST
    return JSONResponse({"error": str(error)}, status)
