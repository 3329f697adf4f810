"""Every address of the server stands in its document or belongs to the page, and each is locked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import demo_setting
from iris_harness.surfaces.mcp.service import McpEndpoint
from iris_harness.surfaces.web.access import Gate
from iris_harness.surfaces.web.app import build_app

TOLD_TO_EVERYBODY = {"/healthz", "/readyz"}
LOOKED_AT = ("HEAD", "/login")  # what looks at a link before its user does: it has no body
LOCKED = {
    HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.SEE_OTHER, HTTPStatus.BAD_REQUEST,
}  # fmt: skip


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Starlette]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Iris(demo_setting()) as iris:
        yield build_app(iris, Gate("right"), mcp=McpEndpoint())


def routes_of(app: Starlette) -> list[Route]:
    found = [route for route in app.routes if isinstance(route, Route)]
    assert len(found) == len(app.routes)  # nothing is mounted that hides addresses
    return found


def ask(
    app: Starlette,
    requests: list[tuple[str, str]],
    token: str = "",
    body: object = None,
    length: bytes = b"",
) -> list[httpx.Response]:
    async def work() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        sent = {b"Authorization": f"Bearer {token}".encode(), b"Content-Length": length}
        headers = {name: value for name, value in sent.items() if value not in {b"", b"Bearer "}}
        base = "http://localhost"
        async with httpx.AsyncClient(transport=transport, base_url=base, headers=headers) as http:
            content = None if body is None else json.dumps(body)
            return [await http.request(method, path, content=content) for method, path in requests]

    return asyncio.run(work())


def test_every_route_is_in_the_document_or_of_the_page(app: Starlette) -> None:
    (document,) = ask(app, [("GET", "/openapi.json")], "right")
    listed = set(document.json()["paths"])
    others = [route.path for route in routes_of(app) if route.path not in listed]
    assert listed <= {route.path for route in routes_of(app)}
    named = [path for path in others if not path.startswith("/static/")]
    assert sorted(named) == ["/", "/ask", "/do", "/login", "/logout", "/new"]


@pytest.mark.parametrize("token", ["", "wrong", "right"])
def test_no_route_of_the_page_shows_anything_without_a_login(app: Starlette, token: str) -> None:
    """The token is for programs: in a browser it opens nothing."""
    asked = [
        (method, route.path)
        for route in routes_of(app)
        for method in sorted(route.methods or ())
        if not route.path.startswith("/static/") and (method, route.path) != LOOKED_AT
    ]
    (document,) = ask(app, [("GET", "/openapi.json")], "right")
    of_the_page = [one for one in asked if one[1] not in document.json()["paths"]]
    answers = ask(app, of_the_page, token)
    assert {answer.status_code for answer in answers} <= LOCKED
    assert len(of_the_page) >= 7


def test_no_other_route_is_answered_without_the_token(app: Starlette) -> None:
    (document,) = ask(app, [("GET", "/openapi.json")], "right")
    asked = [
        (method, path.replace("{name}", "iris"))
        for path in document.json()["paths"]
        for method in ("GET", "POST", "DELETE", "PUT")
    ]
    answers = ask(app, asked)
    opened = {path for (_, path), one in zip(asked, answers, strict=True) if one.status_code != 401}
    assert opened == TOLD_TO_EVERYBODY


def test_a_question_that_breaks_iris_is_logged_by_its_own_kind_and_place(
    app: Starlette, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OverflowError("the user's own words")

    monkeypatch.setattr(app.state.desk.iris, "turn", broken)
    question = {"model": "iris", "messages": [{"role": "user", "content": "hello"}]}
    (answer,) = ask(app, [("POST", "/v1/chat/completions")], "right", question)
    assert answer.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "a question failed: OverflowError in broken" in caplog.text


def test_a_length_of_other_digits_and_a_model_of_a_long_name_are_refused_in_short(
    app: Starlette,
) -> None:
    question = {"model": "x" * 10_000, "messages": [{"role": "user", "content": "hello"}]}
    (unknown,) = ask(app, [("POST", "/v1/chat/completions")], "right", question)
    assert unknown.status_code == HTTPStatus.NOT_FOUND
    assert len(unknown.text) < 1000
    (odd,) = ask(app, [("GET", "/v1/models")], "right", length="²".encode("latin-1"))
    assert odd.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
