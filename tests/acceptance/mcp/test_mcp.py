"""Iris as another assistant's tools: the real client, over both transports and both protocols."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, TextContent

from tests.acceptance.web.conftest import Server, start_server

ValueT = TypeVar("ValueT")
Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[Client]]
TODO_TXT = "(A) Call mum due:2020-03-26\nBuy milk\nBuy bread @shop\n"
SETTINGS = "timezone: Europe/Berlin\ntodos: [~/todo.txt]\n"
MODES: tuple[Literal["legacy", "auto"], ...] = ("legacy", "auto")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("home")
    (home / ".config" / "iris").mkdir(parents=True)
    (home / ".config" / "iris" / "config.yaml").write_text(SETTINGS)
    running = start_server(home, source=())
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture
def todo_txt(server: Server) -> Path:
    file = server.home / "todo.txt"
    file.write_text(TODO_TXT)
    return file


@pytest.fixture(params=["http", "stdio"])
def connect(request: pytest.FixtureRequest, server: Server, todo_txt: Path) -> Connect:
    """Opens a client; `answer` is what its user says when asked, None a client that cannot ask."""
    assert todo_txt.exists()

    @asynccontextmanager
    async def opened(mode: str = "auto", answer: str | None = None) -> AsyncIterator[Client]:
        asked: list[str] = []

        async def user(_context: object, params: ElicitRequestParams) -> ElicitResult:
            asked.append(params.message)
            return ElicitResult(action=answer)  # type: ignore[arg-type]

        options: dict[str, Any] = {"mode": mode, "read_timeout_seconds": 30}
        if answer is not None:
            options["elicitation_callback"] = user
        async with _target(str(request.param), server) as target, Client(target, **options) as one:
            one.asked = asked  # type: ignore[attr-defined]
            yield one

    return opened


@asynccontextmanager
async def _target(kind: str, server: Server) -> AsyncIterator[Any]:
    if kind == "stdio":
        environment = {"HOME": str(server.home), "PATH": os.defpath, "TZ": "Europe/Berlin"}
        yield StdioServerParameters(
            command=sys.executable, args=["-m", "iris_harness", "mcp"], env=environment
        )
        return
    headers = {"Authorization": f"Bearer {server.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        yield streamable_http_client(server.url + "/mcp", http_client=http)


def run(work: Awaitable[ValueT]) -> ValueT:
    async def bounded() -> ValueT:
        return await asyncio.wait_for(work, 60)

    return asyncio.run(bounded())


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def called(client: Client, tool: str, **arguments: object) -> CallToolResult:
    return await client.call_tool(tool, arguments)


def call(connect: Connect, tool: str, mode: str = "auto", /, **arguments: object) -> CallToolResult:
    """Call one tool, as a client that cannot ask its user."""

    async def work() -> CallToolResult:
        async with connect(mode) as client:
            return await called(client, tool, **arguments)

    return run(work())


def test_tools_say_what_they_do_to_the_users_data(connect: Connect) -> None:
    async def work() -> dict[str, Any]:
        async with connect() as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    tools = run(work())
    assert sorted(tools) == [
        "add_todo", "ask", "complete_todo", "list_todos", "plan_day", "undo", "why",
    ]  # fmt: skip
    reads = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reads == {"plan_day", "list_todos", "why"}
    destroys = {name for name, tool in tools.items() if tool.annotations.destructive_hint}
    assert destroys == {"ask", "complete_todo", "undo"}
    assert all(tools[name].annotations.idempotent_hint for name in reads)
    assert all(tool.description for tool in tools.values())
    assert "context" not in tools["ask"].input_schema["properties"]


@pytest.mark.parametrize("mode", MODES)
def test_a_day_is_planned_as_text_and_as_data(connect: Connect, mode: str) -> None:
    result = call(connect, "plan_day", mode, date="tomorrow")
    assert not result.is_error
    assert "Call mum" in text_of(result)
    assert result.structured_content is not None
    assert len(result.structured_content["plans"]) == 1


def test_todos_are_listed_with_their_reasons(connect: Connect) -> None:
    result = call(connect, "list_todos")
    assert result.structured_content is not None
    assert len(result.structured_content["todos"]) == 3
    assert "- Call mum: " in text_of(result)


def test_why_explains_or_says_which_are_meant(connect: Connect) -> None:
    assert "Buy milk" in text_of(call(connect, "why", item="milk"))
    several = text_of(call(connect, "why", item="buy"))
    assert "Buy milk" in several
    assert "Buy bread" in several
    assert call(connect, "why", item="zebra").is_error


NONSENSE: tuple[tuple[str, dict[str, object]], ...] = (
    ("plan_day", {"date": "someday"}), ("plan_day", {"date": "2026-02-30"}),
    ("plan_day", {"date": 7}), ("complete_todo", {"item": "zebra"}),
    ("complete_todo", {"item": "buy"}), ("undo", {"number": 999}), ("undo", {"number": 0}),
    ("add_todo", {}), ("add_todo", {"title": "x", "list_name": "zebra"}),
    ("add_todo", {"title": "x", "due": "?"}), ("zebra", {}),
    ("ask", {"question": "x", "confirmation": "made up"}),
)  # fmt: skip


def test_what_makes_no_sense_is_refused_and_changes_nothing(
    connect: Connect, todo_txt: Path
) -> None:
    async def refused(client: Client, tool: str, arguments: dict[str, object]) -> bool:
        try:
            return bool((await client.call_tool(tool, arguments)).is_error)
        except MCPError:
            return True

    async def work() -> list[str]:
        async with connect() as client:
            return [tool for tool, said in NONSENSE if not await refused(client, tool, said)]

    assert run(work()) == []
    assert todo_txt.read_text() == TODO_TXT


CHANGES: tuple[tuple[str, dict[str, object], str, str], ...] = (
    ("add_todo", {"title": "Get stamps", "due": "2030-05-06"}, "stamps", "stamps due:2030-05-06"),
    ("complete_todo", {"item": "milk"}, "milk", "x "),
    ("ask", {"question": "add water the plants to my list"}, "plants", "plants"),
    ("ask", {"question": "delete buy bread"}, "bread", ""),
)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_can_ask_its_user_changes_things_after_a_yes_alone(
    connect: Connect, todo_txt: Path, mode: str
) -> None:
    async def work(answer: str) -> list[tuple[CallToolResult, str]]:
        async with connect(mode, answer) as client:
            return [
                (await called(client, tool, **arguments), client.asked[-1])  # type: ignore[attr-defined]
                for tool, arguments, _, _ in CHANGES
            ]

    for answer in ("decline", "cancel"):
        assert all("nothing was changed" in text_of(result) for result, _ in run(work(answer)))
        assert todo_txt.read_text() == TODO_TXT
    done = run(work("accept"))
    assert not any(result.is_error for result, _ in done)
    for (_, asked), (_, _, shown, line) in zip(done, CHANGES, strict=True):
        assert shown in asked.lower()
        assert line in todo_txt.read_text()
    assert "bread" not in todo_txt.read_text()


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_has_to_carry_a_confirmation(
    connect: Connect, todo_txt: Path, mode: str
) -> None:
    async def work() -> None:
        async with connect(mode) as client:

            async def complete(item: str, confirmation: str = "") -> CallToolResult:
                return await called(client, "complete_todo", item=item, confirmation=confirmation)

            shown = await complete("milk")
            assert "Nothing is changed yet" in text_of(shown)
            token = confirmation_of(shown)
            assert (await complete("bread", token)).is_error
            assert (await complete("milk", token)).is_error  # spent on another call
            assert read(todo_txt) == TODO_TXT
            token = confirmation_of(await complete("milk"))
            assert not (await complete("milk", token)).is_error
            assert "x " in read(todo_txt)
            assert (await complete("milk", token)).is_error

    run(work())


def confirmation_of(result: CallToolResult) -> str:
    return str((result.structured_content or {})["confirmation"])


def read(file: Path) -> str:
    return file.read_text()


def test_a_change_is_undone_after_a_yes(connect: Connect, todo_txt: Path) -> None:
    async def work() -> None:
        async with connect("auto", "accept") as client:
            await called(client, "add_todo", title="Buy stamps")
            assert "Buy stamps" in read(todo_txt)
            await called(client, "undo")
            assert read(todo_txt) == TODO_TXT

    run(work())


def test_what_changed_since_it_was_shown_is_left_alone(connect: Connect, todo_txt: Path) -> None:
    def change() -> None:
        todo_txt.write_text(TODO_TXT.replace("Buy milk", "Buy oat milk"))

    async def work() -> CallToolResult:
        async with connect() as client:
            token = confirmation_of(await called(client, "complete_todo", item="milk"))
            change()
            return await called(client, "complete_todo", item="milk", confirmation=token)

    assert run(work()).is_error
    assert "x " not in todo_txt.read_text()


@pytest.mark.parametrize("mode", MODES)
def test_the_plan_is_a_resource(connect: Connect, mode: str) -> None:
    async def work() -> tuple[list[str], list[str], str, str]:
        async with connect(mode) as client:
            listed = [str(one.uri) for one in (await client.list_resources()).resources]
            found = await client.list_resource_templates()
            templates = [one.uri_template for one in found.resource_templates]
            today = await client.read_resource("iris://plan/today")
            day = await client.read_resource("iris://plan/2030-05-06")
            return listed, templates, today.contents[0].text, day.contents[0].text  # type: ignore[union-attr]

    listed, templates, today, day = run(work())
    assert listed == ["iris://plan/today"]
    assert templates == ["iris://plan/{date}"]
    assert "Call mum" in today
    assert "6 May 2030" in day


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_nothing_is_answered_without_the_token(server: Server, path: str) -> None:
    for token in ("", "wrong"):
        with server.client(token) as http:
            for method in ("GET", "POST", "DELETE", "OPTIONS"):
                assert http.request(method, path).status_code == 401


def test_a_page_of_another_name_reaches_no_tool(server: Server) -> None:
    with server.client() as http:
        assert http.post("/mcp", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff", b"null"])
def test_nonsense_is_refused(server: Server, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with server.client() as http:
        answer = http.post("/mcp", content=body, headers=headers)
    assert 400 <= answer.status_code < 500


def test_the_log_has_no_word_of_the_users(home: Path) -> None:
    running = start_server(home)

    async def work() -> None:
        async with _target("http", running) as target, Client(target) as client:
            await called(client, "ask", question="what about my secret zebra")
            await called(client, "why", item="zebra")
            await called(client, "plan_day", date="zebra")

    run(work())
    assert "zebra" not in running.stop()
