"""Run the application until it is told to stop."""

from __future__ import annotations

import math
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from iris_harness.config.serving import Server
from iris_harness.errors import ServerError
from iris_harness.surfaces.desk import HAND_BACK_SECONDS
from iris_harness.surfaces.loopback import is_loopback
from iris_harness.surfaces.web.connections import BoundedProtocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_STOP = (signal.SIGINT, signal.SIGTERM)


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


def check_exposure(server: Server) -> None:
    """Refuse to listen where others would send a token in the clear, or with a bad certificate.

    Raises:
        ServerError: others reach the address, and there is neither TLS nor a proxy; or the
            certificate cannot be used.
    """
    if server.tls_certificate is not None:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(server.tls_certificate, server.tls_key)
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise ServerError(
                f"{server.tls_certificate} cannot be used: {error}",
                hint="server.tls_certificate and server.tls_key are PEM files without a password",
            ) from error
    elif not (is_loopback(server.host) or server.proxies):
        raise ServerError(
            f"others reach {server.host}, and what they send would not be encrypted",
            hint="set server.tls_certificate and server.tls_key, or listen on 127.0.0.1 and put a "
            "reverse proxy with TLS in front; one on another machine is listed in server.proxies",
        )


def serve(
    app: ASGIApp,
    listener: socket.socket,
    server: Server,
    *,
    started: Callable[[], None],
    stopping: Callable[[], None] = lambda: None,
) -> None:
    """Serve `app` on `listener` until SIGINT or SIGTERM, then let running requests end.

    Of the settings of the `server`, its certificate, its proxies and its grace count here.

    `started` is called once requests are answered, `stopping` as soon as no more are, both in the
    event loop. Requests that are not answered soon after their grace are dropped. Logs go to the
    error stream; they hold no text of the user's, and no addresses of requests, which may hold
    some.
    """
    config = uvicorn.Config(
        app, access_log=False, log_config=None, log_level="warning", server_header=False,
        date_header=False, lifespan="on",
        timeout_graceful_shutdown=math.ceil(server.grace_seconds + HAND_BACK_SECONDS),
        h11_max_incomplete_event_size=64 * 1024, timeout_keep_alive=15, limit_concurrency=1000,
        http=BoundedProtocol, ws="none", ssl_certfile=server.tls_certificate,
        ssl_keyfile=server.tls_key, proxy_headers=bool(server.proxies),
        forwarded_allow_ips=list(server.proxies),
    )  # fmt: skip
    _Server(config, started, stopping).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, started: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._started = started
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal and come back: uvicorn would raise it again, past who must clean up."""
        before = {number: signal.signal(number, self.handle_exit) for number in _STOP}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
