"""A model server that does what it is told to: also what no server should.

Real sockets on loopback. Each connection takes the next step of the script; the last one repeats.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Step = Callable[["Exchange"], None]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as it arrived."""

    line: str
    headers: Mapping[str, str]
    body: Any


@dataclass(kw_only=True)
class Exchange:
    """One connection, after its request was read."""

    connection: socket.socket
    asked: Asked
    closing: threading.Event

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def gone(self, seconds: float) -> bool:
        """Wait; return whether the client hung up meanwhile."""
        self.connection.settimeout(seconds)
        try:
            return self.connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True


@dataclass(kw_only=True)
class FaultyServer:
    port: int
    scheme: str
    script: list[Step]
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    """Set when a client left before its answer was whole."""

    @property
    def base_url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"


@contextmanager
def faulty_server(*script: Step, tls: ssl.SSLContext | None = None) -> Iterator[FaultyServer]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = FaultyServer(
        port=listener.getsockname()[1], scheme="https" if tls else "http", script=list(script)
    )
    closing = threading.Event()
    workers: list[threading.Thread] = []

    def serve() -> None:
        while not closing.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            worker = threading.Thread(target=answer, args=(connection,), daemon=True)
            workers.append(worker)
            worker.start()

    def answer(plain: socket.socket) -> None:
        with plain, suppress(OSError), _secured(plain, tls) as connection:
            asked = _read_request(connection)
            server.asked.append(asked)
            step = server.script.pop(0) if len(server.script) > 1 else server.script[0]
            try:
                step(Exchange(connection=connection, asked=asked, closing=closing))
            except OSError:
                server.hung_up.set()

    accepting = threading.Thread(target=serve, daemon=True)
    accepting.start()
    try:
        yield server
    finally:
        closing.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join(5)
        for worker in workers:
            worker.join(5)


def _secured(plain: socket.socket, tls: ssl.SSLContext | None) -> socket.socket:
    return tls.wrap_socket(plain, server_side=True) if tls else plain


def _read_request(connection: socket.socket) -> Asked:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("no request")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    line, *lines = head.decode().split("\r\n")
    headers = {k.lower(): v.strip() for k, _, v in (text.partition(":") for text in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    return Asked(line=line, headers=headers, body=json.loads(body) if body else None)


# Steps


def completion(text: str, **changes: object) -> dict[str, Any]:
    """Return a whole answer; `changes` replace keys of its choice, usage=None leaves that out."""
    usage = changes.pop("usage", {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14})
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    tree = {"object": "chat.completion", "choices": [choice | changes]}
    return tree | ({"usage": usage} if usage else {})


def tool_call(number: int, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return a whole answer that calls a tool; its usage is 100 tokens and 10."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return completion(
        "",
        finish_reason="tool_calls",
        message={"role": "assistant", "content": None, "tool_calls": [call]},
        usage={"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    )


def says(tree: object, *, status: int = 200, headers: Sequence[str] = ()) -> Step:
    """Answer with JSON, or with a text as it is."""
    body = (tree if isinstance(tree, str) else json.dumps(tree)).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers]

    def step(exchange: Exchange) -> None:
        exchange.send("\r\n".join([*lines, "", ""]).encode() + body)

    return step


def complains(status: int, message: str = "", *headers: str, **facts: object) -> Step:
    return says({"error": {"message": message, **facts}}, status=status, headers=headers)


def half(tree: object) -> Step:
    """Announce a whole answer, send half of it, and hang up."""
    body = json.dumps(tree).encode()

    def step(exchange: Exchange) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        exchange.send(head + body[: len(body) // 2])

    return step


def nothing(exchange: Exchange) -> None:
    """Hang up without a word."""


def silence(exchange: Exchange) -> None:
    """Never answer."""
    while not exchange.closing.is_set():
        if exchange.gone(0.05):
            raise ConnectionError("the client left")


def drips(exchange: Exchange) -> None:
    """Send an answer that never ends, a byte now and then."""
    exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not exchange.closing.is_set():
        exchange.send(b" ")
        time.sleep(0.02)


def endless(exchange: Exchange) -> None:
    """Send as fast as it goes, without end."""
    exchange.send(b"HTTP/1.1 200 OK\r\n\r\n")
    while not exchange.closing.is_set():
        exchange.send(b" " * 2**20)


def chunk(text: str | None = None, **choice: object) -> dict[str, Any]:
    """Return one chunk of a stream."""
    delta = {} if text is None else {"content": text}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None} | choice]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3}}


def streams(*chunks: object, done: bool = True, pause: float = 0.0, newline: str = "\n") -> Step:
    """Answer with server-sent events; a text is sent as it is."""

    def step(exchange: Exchange) -> None:
        exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for one in (*chunks, *(["data: [DONE]"] if done else [])):
            line = one if isinstance(one, str) else f"data: {json.dumps(one)}"
            exchange.send((line + newline * 2).encode())
            if exchange.closing.wait(pause):
                return

    return step
