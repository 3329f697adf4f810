"""Every operation of the API, in one table: routes and the OpenAPI document are made of it."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

Handler: TypeAlias = "Callable[[Request], Awaitable[Response]] | ASGIApp"
OPENAPI_PATH = "/openapi.json"
_JSON = "application/json"
_REFERENCE = "#/components/schemas/{model}"
_DEFINITIONS = "$defs"


class Opens(enum.Enum):
    """What lets a request in."""

    NOTHING = "nothing"
    TOKEN = "token"  # noqa: S105 - a word
    KEY = "key"
    """The token, or a key of the path's own in the query."""


class Operation(NamedTuple):
    """One method of one path."""

    method: str
    path: str
    handler: Handler
    summary: str
    opens: Opens = Opens.TOKEN
    body: type[BaseModel] | None = None
    """What is sent; None where nothing is read."""
    answers: Sequence[str] = (_JSON,)
    """Media types of what is answered."""
    refusals: Mapping[HTTPStatus, str] = MappingProxyType({})
    """How it may refuse besides what every operation may."""
    refuses_in_own_form: bool = False
    """Whether `refusals` have another form than the errors of the rest."""


def routes_of(operations: Sequence[Operation]) -> list[BaseRoute]:
    """Return the routes; methods of one path that share a handler are one route."""
    methods: dict[tuple[str, Handler], list[str]] = {}
    for one in operations:
        methods.setdefault((one.path, one.handler), []).append(one.method)
    # A handler that is no function answers all methods itself, in starlette's eyes.
    return [Route(path, handler, methods=names) for (path, handler), names in methods.items()]


def open_paths_of(operations: Sequence[Operation]) -> tuple[str, ...]:
    """Return the paths that need nothing."""
    return tuple(one.path for one in operations if one.opens is Opens.NOTHING)


def document_of(operations: Sequence[Operation], version: str) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of the operations, in their order."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {"Error": _ERROR}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Iris",
            "version": version,
            "description": "Ask Iris. The chat operations follow OpenAI's and Ollama's protocols.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "query", "name": "token"},
            },
        },
    }


def _operation(one: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {
        "operationId": f"{one.method.lower()}{one.path.replace('/', '_').strip('{}')}",
        "summary": one.summary,
        "security": _SECURITY[one.opens],
        "responses": _responses(one),
    }
    if names := [part[1:-1] for part in one.path.split("/") if part.startswith("{")]:
        said["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ]
    if one.body is not None:
        schema = one.body.model_json_schema(ref_template=_REFERENCE)
        schemas.update(schema.pop(_DEFINITIONS, {}))
        name = f"{one.body.__module__.rpartition('.')[2]}.{one.body.__qualname__}"
        schemas[name] = schema
        reference = {"$ref": _REFERENCE.format(model=name)}
        said["requestBody"] = {"required": True, "content": {_JSON: {"schema": reference}}}
    return said


def _responses(one: Operation) -> dict[str, Any]:
    found = {"200": {"description": "Answered.", "content": {kind: {} for kind in one.answers}}}
    refusals = {**_ALWAYS, **(_LOCKED if one.opens is not Opens.NOTHING else {}), **one.refusals}
    error = {"schema": {"$ref": _REFERENCE.format(model="Error")}}
    for status, why in sorted(refusals.items()):
        has_own_form = one.refuses_in_own_form and status in one.refusals
        has_body = status is not HTTPStatus.NOT_MODIFIED and not has_own_form
        content: dict[str, Any] = {_JSON: error} if has_body else {}
        found[str(status.value)] = {"description": why, "content": content}
    return found


_SECURITY: dict[Opens, list[dict[str, list[str]]]] = {
    Opens.NOTHING: [],
    Opens.TOKEN: [{"token": []}],
    Opens.KEY: [{"token": []}, {"key": []}],
}
_ALWAYS = {
    HTTPStatus.FORBIDDEN: "It came in the clear from another machine.",
    HTTPStatus.REQUEST_TIMEOUT: "The body did not come in time.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large.",
    HTTPStatus.MISDIRECTED_REQUEST: "The server does not go by that name.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests; Retry-After says when.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "A mistake in Iris; the log says where.",
}
_LOCKED = {HTTPStatus.UNAUTHORIZED: "The token is missing or wrong."}
# OpenAI's shape is an object, Ollama's a text.
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["message", "type", "param", "code"],
                    "properties": {
                        "message": {"type": "string"},
                        "type": {"type": "string"},
                        "param": {"type": "null"},
                        "code": {"type": "string"},
                    },
                },
            ]
        }
    },
}
