"""Small real servers on loopback for the tests of remote sources."""

from __future__ import annotations

import contextlib
import http.server
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass
class Answer:
    """What a server says to one request."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    announce_length: bool = True


@dataclass
class Asked:
    """One request as a server saw it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class WebServer:
    """A server that answers as `answer` says, and remembers what it was asked."""

    answer: Callable[[Asked], Answer]
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    scheme: str = "http"

    def url(self, path: str = "/secret-word/basic.ics", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"


@contextlib.contextmanager
def serve_web(
    answer: Callable[[Asked], Answer], tls: ssl.SSLContext | None = None
) -> Iterator[WebServer]:
    served = WebServer(answer=answer, scheme="https" if tls else "http")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            with contextlib.suppress(OSError):  # the client hung up: that is what is tested
                super().handle_one_request()

        def reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            asked = Asked(self.command, self.path, dict(self.headers), self.rfile.read(length))
            served.asked.append(asked)
            told = served.answer(asked)
            self.send_response(told.status)
            if told.announce_length and "Content-Length" not in told.headers:
                self.send_header("Content-Length", str(len(told.body)))
            if not told.announce_length:
                self.close_connection = True
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(told.body)
            if len(told.body) < int(told.headers.get("Content-Length", 0)):
                self.close_connection = True

        do_GET = reply  # noqa: N815 - the names that http.server looks for
        do_PROPFIND = do_REPORT = do_PUT = do_DELETE = reply  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    served.port = server.server_address[1]
    running = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    running.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        running.join()


@contextlib.contextmanager
def serve_socket(talk: Callable[[socket.socket, threading.Event], None]) -> Iterator[int]:
    """Give each connection to `talk`, which ends when the event is set; yield the port."""
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    talking: list[threading.Thread] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=_talk, args=(talk, connection, over))
            thread.start()
            talking.append(thread)

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for thread in talking:
            thread.join()


def _talk(
    talk: Callable[[socket.socket, threading.Event], None],
    connection: socket.socket,
    over: threading.Event,
) -> None:
    with connection, contextlib.suppress(OSError):
        connection.recv(65_536)
        talk(connection, over)
