"""The server as one ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from iris_harness.bootstrap.assistant import Iris
from iris_harness.clock import SystemClock
from iris_harness.config.serving import Server
from iris_harness.surfaces.counters import Counters
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.loopback import is_loopback
from iris_harness.surfaces.version import own_version
from iris_harness.surfaces.web.access import Gate
from iris_harness.surfaces.web.answers import FAILED, log_failure
from iris_harness.surfaces.web.api import HealthApi, list_operations
from iris_harness.surfaces.web.api_table import open_paths_of, routes_of
from iris_harness.surfaces.web.feed import FEED_PATH, FeedApi, PlanFeed
from iris_harness.surfaces.web.feed_keys import FeedKeys
from iris_harness.surfaces.web.guards import (
    HeaderWriter,
    HostGuard,
    SizeGuard,
    TokenGuard,
    refusal,
)
from iris_harness.surfaces.web.limits import Allowance, EncryptionGuard, Guests, RateGuard
from iris_harness.surfaces.web.page.login import Logins
from iris_harness.surfaces.web.page.routes import page_routes

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
MOST_BYTES = 2 * 1024 * 1024
EVERY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - what is no name of a server


class Service(Protocol):
    """Something that listens beside the HTTP server."""

    async def start(self, desk: Desk) -> None:
        """Begin, with who answers."""
        ...

    async def stop(self) -> None:
        """End."""
        ...


class Endpoint(Service, Protocol):
    """A service that answers requests of a path itself."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, while it runs."""
        ...


def build_app(
    iris: Iris,
    gate: Gate,
    *,
    server: Server | None = None,
    workers: int = 8,
    services: Collection[Service] = (),
    mcp: Endpoint | None = None,
) -> Starlette:
    """Return the application; its `state.desk` is where questions are answered.

    Args:
        iris: who answers; the caller closes it after the server.
        gate: who may ask.
        server: the settings of the server; None means the defaults.
        workers: questions answered at once.
        services: what else starts and stops with the server, and asks the same Iris.
        mcp: what answers the Model Context Protocol; None where its package is missing.
    """
    server = server or Server()
    counters = Counters()
    desk = Desk(iris, counters, workers=workers, grace_seconds=server.grace_seconds)
    feed = FeedApi(desk, PlanFeed(iris.setting, server.feed_days))
    operations = list_operations(HealthApi(desk, counters), feed, mcp, own_version())
    guests = Guests()
    logins = Logins(iris.setting.data_folder, gate, SystemClock())
    page = page_routes(desk, logins, guests.note)
    # The page's routes look at a login of their own.
    open_paths = (*open_paths_of(operations), *(route.path for route in page))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            running.callback(desk.close)  # last: services let running questions end
            for service in (*services, *([mcp] if mcp else [])):
                await service.start(desk)
                running.push_async_callback(service.stop)
            yield
            desk.take_no_more()  # a server that was told to stop has done so before

    keys = {FEED_PATH: FeedKeys(iris.setting.data_folder).opens}
    allowance = Allowance(server.requests_per_minute, SystemClock())
    app = Starlette(
        routes=[*page, *routes_of(operations)],
        middleware=[
            Middleware(HeaderWriter),
            Middleware(HostGuard, hosts=host_names(server)),
            *([] if is_loopback(server.host) else [Middleware(EncryptionGuard)]),
            Middleware(TokenGuard, gate=gate, open_paths=open_paths, keys=keys),
            Middleware(RateGuard, allowance=allowance, open_paths=open_paths, guests=guests),
            Middleware(SizeGuard, max_bytes=MOST_BYTES),
        ],
        exception_handlers={HTTPException: _said, Exception: _failed},
        lifespan=lifespan,
    )
    app.state.desk = desk
    return app


def host_names(server: Server) -> tuple[str, ...]:
    """Return the names that requests may call the server by, lower case."""
    own = server.host.lower()
    every = "" if own in EVERY_ADDRESS else own
    return (*LOOPBACK_HOSTS, *server.names, *([every] if every else []))


async def _said(_request: Request, error: Exception) -> Response:
    """Answer what has no route, or not by this method."""
    assert isinstance(error, HTTPException)  # noqa: S101 - starlette's own table says so
    answer: JSONResponse = refusal(HTTPStatus(error.status_code), error.detail, "not_found")
    answer.headers.update(error.headers or {})
    return answer


async def _failed(_request: Request, error: Exception) -> Response:
    log_failure(error)
    return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, FAILED, "internal")
