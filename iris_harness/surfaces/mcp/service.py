"""The tools over HTTP: a part of the server, under its token and its guards."""

from __future__ import annotations

import contextlib

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.mcp.tools import build_server
from iris_harness.surfaces.version import own_version

_MOST_SESSIONS = 100
_IDLE_SECONDS = 1800.0


class McpEndpoint:
    """Answers ``/mcp`` (streamable HTTP). Starts and stops with the server."""

    def __init__(self) -> None:
        """Answer nothing yet."""
        self._manager: StreamableHTTPSessionManager | None = None
        self._running = contextlib.AsyncExitStack()

    async def start(self, desk: Desk) -> None:
        """Begin to answer."""
        server = build_server(desk, own_version())
        # Host names and the token were looked at before a request comes here.
        guarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(
            transport_security=guarded,
            max_sessions=_MOST_SESSIONS,
            session_idle_timeout=_IDLE_SECONDS,
        )
        self._manager = server.session_manager
        await self._running.enter_async_context(self._manager.run())

    async def stop(self) -> None:
        """End all sessions."""
        self._manager = None
        await self._running.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; only between `start` and `stop`."""
        assert self._manager is not None  # noqa: S101 - the server takes no request before or after
        await self._manager.handle_request(scope, receive, send)
