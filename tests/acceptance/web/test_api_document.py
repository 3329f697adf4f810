"""The OpenAPI document: what it lists is what there is, and nothing of it is open."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from iris_harness.surfaces.web.access import renew_token
from tests.acceptance.web.conftest import Server, start_server
from tests.support import examples

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
OPEN = {"/healthz", "/readyz"}
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_schema_conformance,
]  # fmt: skip


@pytest.fixture(scope="module")
def document(server: Server) -> dict[str, Any]:
    with server.client() as http:
        answer = http.get("/openapi.json")
    assert answer.status_code == HTTPStatus.OK
    found: dict[str, Any] = answer.json()
    return found


def paths_of(document: dict[str, Any]) -> list[str]:
    return [re.sub(r"\{\w+\}", "iris", path) for path in document["paths"]]


def test_the_document_is_one_that_tools_read(server: Server) -> None:
    found = {operation.label for operation in operations_of(server)}
    assert {"GET /plan.ics", "POST /v1/chat/completions", "POST /api/chat", "POST /mcp"} < found


def _iris(server: Server, *arguments: str) -> str:
    """Run `iris` beside the server, with its home."""
    done = subprocess.run(
        [sys.executable, "-m", "iris_harness", *arguments],
        env={"PATH": os.defpath, "HOME": str(server.home), "TZ": "Europe/Berlin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _own(server: Server) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


@pytest.mark.parametrize("token", ["", "wrong", "\u00e9"], ids=["none", "wrong", "odd"])
def test_no_operation_answers_without_the_token(
    server: Server, document: dict[str, Any], token: str
) -> None:
    headers = {b"Authorization": f"Bearer {token}".encode()} if token else {}
    with httpx.Client(base_url=server.url, headers=headers) as http:
        answered = [
            (method, path)
            for path in paths_of(document)
            for method in METHODS
            if http.request(method, path).status_code != HTTPStatus.UNAUTHORIZED
        ]
    assert {path for _, path in answered} == OPEN


def test_a_token_that_was_renewed_opens_nothing_after_the_next_start(
    document: dict[str, Any], tmp_path: Path
) -> None:
    first = start_server(tmp_path)
    first.stop()
    renew_token(tmp_path / ".local" / "share" / "iris")
    second = start_server(tmp_path)
    with second.client(first.token) as http:
        statuses = {http.get(path).status_code for path in paths_of(document) if path not in OPEN}
    with second.client() as http:
        assert http.get("/v1/models").status_code == HTTPStatus.OK
    second.stop()
    assert statuses == {HTTPStatus.UNAUTHORIZED}


def test_a_key_of_a_phone_opens_its_calendar_and_no_other_operation(
    server: Server, document: dict[str, Any]
) -> None:
    made = _iris(server, "serve", "feed", "new", "phone", "--demo")
    key = made.rpartition("token=")[2].strip()
    opened = [
        path
        for path in paths_of(document)
        if httpx.get(server.url + path, params={"token": key}).status_code == HTTPStatus.OK
    ]
    assert set(opened) == {*OPEN, "/plan.ics"}
    _iris(server, "serve", "feed", "revoke", "phone", "--demo")
    asked = httpx.get(server.url + "/plan.ics", params={"token": key})
    assert asked.status_code == HTTPStatus.UNAUTHORIZED


def operations_of(server: Server) -> list[APIOperation[Any, Any, Any, Any]]:
    url = server.url + "/openapi.json"
    found = schemathesis.openapi.from_url(url, headers=_own(server)).get_all_operations()
    return [one.ok() for one in found if isinstance(one, Ok)]


@pytest.mark.parametrize("mode", GenerationMode)
def test_whatever_is_sent_is_answered_as_the_document_says(
    server: Server, mode: GenerationMode
) -> None:
    for operation in operations_of(server):
        if mode is GenerationMode.NEGATIVE and not operation.body and not operation.path_parameters:
            continue  # nothing of it can be wrong

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(max_examples=examples(8), suppress_health_check=list(HealthCheck))
        def answers(case: schemathesis.Case[Any]) -> None:
            case.validate_response(sent(server, case), checks=CHECKS)

        answers()


def sent(server: Server, case: schemathesis.Case[Any]) -> httpx.Response:
    """Send what was made up. The tool's own way to send meets a urllib3 it does not know here."""
    made = case.as_transport_kwargs(base_url=server.url, headers=_own(server))
    made.pop("timeout", None)
    request = requests.Request(**made).prepare()
    body = request.body.encode() if isinstance(request.body, str) else request.body
    assert body is None or isinstance(body, bytes)
    headers = [(name.encode(), _bytes(value)) for name, value in request.headers.items()]
    url, method = str(request.url), str(request.method)
    return httpx.request(method, url, headers=headers, content=body, timeout=30)


def _bytes(value: str | bytes) -> bytes:
    return value.encode("latin-1") if isinstance(value, str) else value
