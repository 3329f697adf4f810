"""How often one client may ask, and over what it has to come. Plain ASGI, behind the token."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Collection
from http import HTTPStatus

from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from iris_harness.contracts.clock import Clock
from iris_harness.surfaces.loopback import is_loopback
from iris_harness.surfaces.web.guards import refusal

_MOST_CLIENTS = 10_000
_MINUTE = 60.0
_OTHER_SITES = ("cross-site", "same-site")


class Allowance:
    """Requests that clients have left: a minute's worth at once, refilled as time passes.

    Not thread-safe: it is asked from the server's one loop.
    """

    def __init__(self, per_minute: int, clock: Clock) -> None:
        """Take how many requests a client may make in a minute."""
        self._most = float(per_minute)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take one request; return 0, or the seconds until there is one again."""
        now = self._clock.monotonic()
        left, at = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - at) * self._most / _MINUTE)
        is_there = left >= 1
        self._left[client] = (left - 1 if is_there else left, now)
        while len(self._left) > _MOST_CLIENTS:  # the one that asked longest ago has all again
            self._left.popitem(last=False)
        return 0.0 if is_there else (1 - left) * _MINUTE / self._most


class Guests:
    """Browsers that were let in lately, by a digest of their cookie.

    Not thread-safe: it is used in the server's one loop.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._known: OrderedDict[str, None] = OrderedDict()

    def note(self, cookie: str) -> None:
        """Remember the value of a cookie that let a browser in."""
        self._known[_digest(cookie)] = None
        if len(self._known) > _MOST_CLIENTS:
            self._known.popitem(last=False)

    def find(self, scope: Scope) -> str:
        """Return the cookie that a request is known by; "" where it is a stranger's."""
        values = Request(scope).cookies.values()
        return next((value for value in values if _digest(value) in self._known), "")


class RateGuard:
    """Refuses a client that asks too often, with the time after which it may again."""

    def __init__(
        self, app: ASGIApp, allowance: Allowance, open_paths: Collection[str], guests: Guests
    ) -> None:
        """Take how much clients may ask, the paths that no token was looked at for, and guests."""
        self._app = app
        self._allowance = allowance
        self._open = frozenset(open_paths)
        self._guests = guests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        wait = self._allowance.take(self._client(scope)) if scope["type"] == "http" else 0.0
        if not wait:
            await self._app(scope, receive, send)
            return
        text = "too many requests; server.requests_per_minute is the bound"
        answer = refusal(HTTPStatus.TOO_MANY_REQUESTS, text, "rate_limit_exceeded")
        answer.headers["Retry-After"] = str(math.ceil(wait))
        await answer(scope, receive, send)

    def _client(self, scope: Scope) -> str:
        """Return a digest of what let a request in; of one that nothing was asked of, its address.

        Who was not let in by what he sends could send another each time. What pages of other
        sites make a browser send is counted apart: it must not use up what its user has.
        """
        shown = self._guests.find(scope) if scope["path"] in self._open else _shown(scope)
        return _digest(shown or _stranger(scope))


def _stranger(scope: Scope) -> str:
    address = scope["client"][0] if scope.get("client") else ""
    site = Headers(scope=scope).get("sec-fetch-site", "")
    return f"{address} from another site" if site in _OTHER_SITES else address


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _shown(scope: Scope) -> str:
    key = QueryParams(scope["query_string"]).get("token", "")
    return Headers(scope=scope).get("authorization", "") or key


class EncryptionGuard:
    """Refuses what comes from another machine in the clear: a token would be read on its way."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers the rest."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] == "http" and scope["scheme"] != "https" and not _is_here(scope):
            text = "this server is reached over TLS, or through the proxy that server.proxies names"
            answer = refusal(HTTPStatus.FORBIDDEN, text, "tls_required")
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_here(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and is_loopback(client[0])
