"""The operations of the API."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from iris_harness.surfaces.counters import CONTENT_TYPE, Counters
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.web import ollama_api, openai_api
from iris_harness.surfaces.web.api_table import OPENAPI_PATH, Handler, Opens, Operation, document_of
from iris_harness.surfaces.web.feed import FEED_PATH, FeedApi

_JSON = "application/json"
_PLAIN = "text/plain"
_EVENTS = "text/event-stream"
_LINES = "application/x-ndjson"
_BAD = {HTTPStatus.BAD_REQUEST: "The body is not what this takes."}
_UNKNOWN = {HTTPStatus.NOT_FOUND: "There is no such model."}


class HealthApi(NamedTuple):
    """What tells of the server itself."""

    desk: Desk
    counters: Counters

    async def health(self, _request: Request) -> Response:
        """Answer ``GET /healthz``."""
        return PlainTextResponse("ok\n")

    async def ready(self, _request: Request) -> Response:
        """Answer ``GET /readyz``."""
        if self.desk.is_ready:
            return PlainTextResponse("ready\n")
        return PlainTextResponse("closing\n", HTTPStatus.SERVICE_UNAVAILABLE)

    async def metrics(self, _request: Request) -> Response:
        """Answer ``GET /metrics``."""
        return PlainTextResponse(self.counters.text(), media_type=CONTENT_TYPE)


def list_operations(
    health: HealthApi, feed: FeedApi, mcp: Handler | None, version: str
) -> tuple[Operation, ...]:
    """Return every operation, in the order of the document. `mcp` None: its package is missing."""
    openai = openai_api.OpenAiApi(health.desk)
    ollama = ollama_api.OllamaApi(health.desk)
    operations = (
        Operation("GET", "/healthz", health.health, "Say that the server runs.", Opens.NOTHING,
                  answers=(_PLAIN,)),
        Operation("GET", "/readyz", health.ready, "Say whether questions are taken.", Opens.NOTHING,
                  answers=(_PLAIN,), refusals={HTTPStatus.SERVICE_UNAVAILABLE: "It is closing."}),
        Operation("GET", "/metrics", health.metrics, "Count turns, for Prometheus.",
                  answers=(_PLAIN,)),
        Operation("GET", FEED_PATH, feed.calendar, "Give the plan as a calendar.", Opens.KEY,
                  answers=("text/calendar",),
                  refusals={HTTPStatus.NOT_MODIFIED: "It is as the client has it."}),
        Operation("GET", "/v1/models", openai.models, "List what can be asked."),
        Operation("GET", "/v1/models/{name}", openai.model, "Tell of one model.",
                  refusals=_UNKNOWN),
        Operation("POST", "/v1/chat/completions", openai.complete, "Answer, OpenAI's way.",
                  body=openai_api.ChatRequest, answers=(_JSON, _EVENTS),
                  refusals={**_BAD, **_UNKNOWN}),
        Operation("GET", "/api/version", ollama.version, "Tell the version of Ollama's API."),
        Operation("GET", "/api/tags", ollama.tags, "List what can be asked, Ollama's way."),
        Operation("GET", "/api/ps", ollama.running, "List what is loaded: nothing needs it."),
        Operation("POST", "/api/show", ollama.show, "Tell of one model, Ollama's way.",
                  body=ollama_api.ModelRequest, refusals={**_BAD, **_UNKNOWN}),
        Operation("POST", "/api/chat", ollama.chat, "Answer, Ollama's way.",
                  body=ollama_api.ChatRequest, answers=(_JSON, _LINES),
                  refusals={**_BAD, **_UNKNOWN}),
        *_mcp_operations(mcp),
    )  # fmt: skip
    return (*operations, _document(operations, version))


def _mcp_operations(mcp: Handler | None) -> Sequence[Operation]:
    if mcp is None:
        return ()
    refusals = {
        **_BAD,
        HTTPStatus.NOT_FOUND: "There is no such session.",
        HTTPStatus.METHOD_NOT_ALLOWED: "The session takes no such request.",
        HTTPStatus.NOT_ACCEPTABLE: "The client takes no answer of this kind.",
        HTTPStatus.CONFLICT: "The session has such a stream already.",
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is no JSON.",
    }
    said = {"POST": "Speak the Model Context Protocol.", "GET": "Hear what the session has to say.",
            "DELETE": "End the session."}  # fmt: skip
    return tuple(
        Operation(method, "/mcp", mcp, summary, answers=(_JSON, _EVENTS), refusals=refusals,
                  refuses_in_own_form=True)
        for method, summary in said.items()
    )  # fmt: skip


def _document(operations: tuple[Operation, ...], version: str) -> Operation:
    async def document(_request: Request) -> Response:
        return JSONResponse(told)

    own = Operation("GET", OPENAPI_PATH, document, "Give this document.")
    told = document_of((*operations, own), version)
    return own
