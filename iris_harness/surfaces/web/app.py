"""The server as one ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from types import MappingProxyType
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from iris_harness.bootstrap.assistant import Iris
from iris_harness.clock import SystemClock
from iris_harness.surfaces.counters import CONTENT_TYPE, Counters
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.web.access import Gate
from iris_harness.surfaces.web.answers import FAILED, log_failure
from iris_harness.surfaces.web.feed import FEED_PATH, FeedApi, PlanFeed
from iris_harness.surfaces.web.feed_keys import FeedKeys
from iris_harness.surfaces.web.guards import (
    HeaderWriter,
    HostGuard,
    SizeGuard,
    TokenGuard,
    refusal,
)
from iris_harness.surfaces.web.ollama_api import OllamaApi
from iris_harness.surfaces.web.openai_api import OpenAiApi
from iris_harness.surfaces.web.page.login import Logins
from iris_harness.surfaces.web.page.routes import page_routes

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
MOST_BYTES = 2 * 1024 * 1024
OPEN_PATHS = ("/healthz", "/readyz")
"""What says nothing but that the server runs, and so needs no token."""


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
    hosts: Collection[str] = LOOPBACK_HOSTS,
    workers: int = 8,
    services: Collection[Service] = (),
    endpoints: Mapping[str, Endpoint] = MappingProxyType({}),
) -> Starlette:
    """Return the application.

    Args:
        iris: who answers; the caller closes it after the server.
        gate: who may ask.
        hosts: names this server goes by, lower case, without a port.
        workers: questions answered at once.
        services: what else starts and stops with the server, and asks the same Iris.
        endpoints: services that answer a path of this server themselves, by path.
    """
    counters = Counters()
    desk = Desk(iris, counters, workers=workers)
    openai, ollama = OpenAiApi(desk), OllamaApi(desk)
    feed = FeedApi(desk, PlanFeed(iris.setting))
    feed_keys = FeedKeys(iris.setting.data_folder)
    page = page_routes(desk, Logins(iris.setting.data_folder, gate, SystemClock()))
    open_paths = (*OPEN_PATHS, *(route.path for route in page))

    async def health(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def ready(_request: Request) -> Response:
        if desk.is_ready:
            return PlainTextResponse("ready\n")
        return PlainTextResponse("closing\n", HTTPStatus.SERVICE_UNAVAILABLE)

    async def metrics(_request: Request) -> Response:
        return PlainTextResponse(counters.text(), media_type=CONTENT_TYPE)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for service in (*services, *endpoints.values()):
                await service.start(desk)
                running.push_async_callback(service.stop)
            yield
            desk.close()

    return Starlette(
        routes=[
            *page,
            Route("/healthz", health),
            Route("/readyz", ready),
            Route("/metrics", metrics),
            Route(FEED_PATH, feed.calendar),
            Route("/v1/models", openai.models),
            Route("/v1/models/{name}", openai.model),
            Route("/v1/chat/completions", openai.complete, methods=["POST"]),
            *(Route(path, endpoint) for path, endpoint in endpoints.items()),
            Route("/api/version", ollama.version),
            Route("/api/tags", ollama.tags),
            Route("/api/ps", ollama.running),
            Route("/api/show", ollama.show, methods=["POST"]),
            Route("/api/chat", ollama.chat, methods=["POST"]),
        ],
        middleware=[
            Middleware(HeaderWriter),
            Middleware(HostGuard, hosts=hosts),
            Middleware(
                TokenGuard, gate=gate, open_paths=open_paths, keys={FEED_PATH: feed_keys.opens}
            ),
            Middleware(SizeGuard, max_bytes=MOST_BYTES),
        ],
        exception_handlers={HTTPException: _said, Exception: _failed},
        lifespan=lifespan,
    )


async def _said(_request: Request, error: Exception) -> Response:
    """Answer what has no route, or not by this method."""
    assert isinstance(error, HTTPException)  # noqa: S101 - starlette's own table says so
    answer: JSONResponse = refusal(HTTPStatus(error.status_code), error.detail, "not_found")
    answer.headers.update(error.headers or {})
    return answer


async def _failed(_request: Request, error: Exception) -> Response:
    log_failure(error)
    return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, FAILED, "internal")
