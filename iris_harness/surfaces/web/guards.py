"""What stands before every route: host names, tokens, sizes and headers. Plain ASGI.

A request passes, in this order: the host allow-list (a page of another site that had its name
point here is refused, DNS rebinding), the size limit, the token. What refuses answers itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from types import MappingProxyType

import anyio
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iris_harness.surfaces.web.access import Gate

BODY_SECONDS = 30.0
"""How long a client may take to send a body."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}

_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:@/?#\s]+))(?::[0-9]{0,5})?")
"""A host as RFC 9110 §7.2 has it; an IPv6 address has colons of its own."""


def refusal(status: HTTPStatus, message: str, code: str) -> JSONResponse:
    """Return an error in the shape that OpenAI's clients read."""
    kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    error = {"message": message, "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status)


class HostGuard:
    """Refuses requests that name another host than this server has."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        """Take host names and addresses, lower case, without a port."""
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] == "http" and _host_name(Headers(scope=scope)) not in self._hosts:
            text = "this server does not go by that name"
            await refusal(HTTPStatus.MISDIRECTED_REQUEST, text, "unknown_host")(
                scope, receive, send
            )
            return
        await self._app(scope, receive, send)


def _host_name(headers: Headers) -> str:
    named = headers.getlist("host")
    if len(named) != 1:
        return ""
    found = _HOST.fullmatch(named[0].strip().lower())
    return "" if found is None else found["address"] or found["name"].rstrip(".")


class SizeGuard:
    """Refuses bodies above a size, whatever their header says."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        """Take the most bytes of one body."""
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "0")
        if not (said.isascii() and said.isdigit()) or int(said) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        try:
            with anyio.fail_after(BODY_SECONDS):
                body = await self._read(receive)
        except TimeoutError:
            answer = refusal(HTTPStatus.REQUEST_TIMEOUT, "the body did not come", "timeout")
            answer.headers["Connection"] = "close"
            await answer(scope, receive, send)
            return
        if body is None:
            await self._refuse(scope, receive, send)
            return
        await self._app(scope, _Replayed(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the whole body; None when it is too large."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body)
            body += message.get("body", b"")
            if len(body) > self._max_bytes:
                return None
            if not message.get("more_body", False):
                return bytes(body)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"a request has {self._max_bytes} bytes at most"
        await refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text, "too_large")(scope, receive, send)


class _Replayed:
    """Gives a body that was read already, then whatever the client does next."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        body, self._body = self._body, None
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        return await self._receive()


class TokenGuard:
    """Refuses requests without the token, except for the paths that tell nothing."""

    def __init__(
        self,
        app: ASGIApp,
        gate: Gate,
        open_paths: Collection[str],
        keys: Mapping[str, Callable[[str], bool]] = MappingProxyType({}),
    ) -> None:
        """Take who may pass, and the paths that everybody may ask.

        `keys` tells of paths with keys of their own, sent as ``?token=``, which ones open them.
        """
        self._app = app
        self._gate = gate
        self._open = frozenset(open_paths)
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] == "http" and not self._may_pass(scope):
            text = "the token is missing or wrong; `iris serve token` prints it"
            answer = refusal(HTTPStatus.UNAUTHORIZED, text, "invalid_api_key")
            answer.headers["WWW-Authenticate"] = "Bearer"
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _may_pass(self, scope: Scope) -> bool:
        if scope["path"] in self._open:
            return True
        if opens := self._keys.get(scope["path"]):
            key = QueryParams(scope["query_string"]).get("token", "")
            if key and opens(key):
                return True
        kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self._gate.opens(token.strip())


class HeaderWriter:
    """Adds the headers that tell browsers to keep what they get to themselves."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request, and its answer with the headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
