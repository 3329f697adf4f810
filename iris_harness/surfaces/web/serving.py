"""Run the application until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from iris_harness.errors import ServerError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_STOP = (signal.SIGINT, signal.SIGTERM)
GRACE_SECONDS = 20
"""How long running questions may take to end once the server is told to stop."""
_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes any that is free.

    Raises:
        ServerError: the address cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        raise ServerError(
            f"cannot listen on {host} port {port}: {error.strerror or error}",
            hint="another program may be using it; choose one with --port",
        ) from error
    return listener


def start_log() -> None:
    """Begin to log on the error stream. Before any library that would do so in its own way."""
    logging.basicConfig(level=logging.INFO, format=_FORMAT)
    logging.getLogger("mcp").setLevel(logging.WARNING)  # what it tells at INFO has the user's words


def serve(app: ASGIApp, listener: socket.socket, *, started: Callable[[], None]) -> None:
    """Serve `app` on `listener` until SIGINT or SIGTERM, then let running questions end.

    `started` is called once requests are answered. Logs go to the error stream; they hold no
    text of the user's, and no addresses of requests, which may hold some.
    """
    config = uvicorn.Config(
        app, access_log=False, log_config=None, log_level="warning", server_header=False,
        date_header=False, timeout_graceful_shutdown=GRACE_SECONDS, lifespan="on",
        h11_max_incomplete_event_size=64 * 1024, timeout_keep_alive=15, limit_concurrency=1000,
    )  # fmt: skip
    _Server(config, started).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal and come back: uvicorn would raise it again, past who must clean up."""
        before = {number: signal.signal(number, self.handle_exit) for number in _STOP}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
