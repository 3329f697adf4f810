"""Clients that do not do their part: they are dropped, and nobody else waits for them."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from iris_harness.surfaces.web import connections, guards
from iris_harness.surfaces.web.connections import BoundedProtocol
from iris_harness.surfaces.web.guards import SizeGuard

PATIENCE_SECONDS = 0.4
HEAD = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n"


@dataclass
class App:
    """Answers at once, or with more than anybody reads."""

    port: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(400 if scope["path"] == "/much" else 0):
            await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if scope["path"] == "/much":
            self.ended.set()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A real server in a thread, with little patience."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(connections, "READ_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(guards, "BODY_SECONDS", PATIENCE_SECONDS)
    app = App()
    listener = socket.create_server(("127.0.0.1", 0))
    app.port = listener.getsockname()[1]
    guarded = SizeGuard(app, max_bytes=1000)
    config = uvicorn.Config(
        guarded, http=BoundedProtocol, log_config=None, lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    yield app
    server.should_exit = True
    thread.join()
    listener.close()


def is_dropped(client: socket.socket) -> bool:
    """Return whether the server hangs up while the client waits."""
    client.settimeout(20)
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def connect(app: App) -> socket.socket:
    return socket.create_connection(("127.0.0.1", app.port))


def ask(app: App) -> int:
    return httpx.get(f"http://127.0.0.1:{app.port}/").status_code


@pytest.mark.parametrize("begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_client_that_never_asks_is_dropped(app: App, begun: bytes) -> None:
    with connect(app) as slow:
        slow.sendall(begun)
        assert ask(app) == 200
        assert is_dropped(slow)


def test_a_client_that_trickles_its_headers_is_dropped_all_the_same(app: App) -> None:
    begun = time.perf_counter()
    with connect(app) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        while is_taken(slow, b"X-More: 1\r\n") and time.perf_counter() - begun < 30:
            time.sleep(PATIENCE_SECONDS / 4)
    assert time.perf_counter() - begun < 15


def is_taken(client: socket.socket, sent: bytes) -> bool:
    """Return whether the server takes what is sent; False once it has hung up."""
    try:
        client.sendall(sent)
    except OSError:
        return False
    return True


def test_a_client_that_stops_in_its_second_question_is_dropped(app: App) -> None:
    with connect(app) as slow:
        slow.sendall(HEAD % b"")
        assert slow.recv(1000).startswith(b"HTTP/1.1 200")
        slow.settimeout(0.1)
        slow.sendall(b"GET / HT")
        while not is_dropped(slow):
            pass


def test_a_client_that_never_sends_its_body_is_told_and_dropped(app: App) -> None:
    with connect(app) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
        slow.settimeout(20)
        assert slow.recv(10_000).startswith(b"HTTP/1.1 408")


def test_a_client_that_never_reads_is_dropped_and_its_answer_ends(app: App) -> None:
    with connect(app) as slow:
        slow.sendall(HEAD % b"much")
        assert ask(app) == 200
        assert app.ended.wait(20)
    assert ask(app) == 200


def test_a_client_that_reads_gets_everything(app: App) -> None:
    answer = httpx.get(f"http://127.0.0.1:{app.port}/much")
    assert len(answer.content) == 40_000_000
