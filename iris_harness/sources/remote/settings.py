"""What it takes to reach one source on another machine."""

from __future__ import annotations

import datetime as dt
import enum
import hashlib
import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_HTTP_SCHEMES = {"webcal": "https", "webcals": "https"}
_MODULES = {"ics": ("httpx",), "caldav": ("httpx", "caldav")}
_KEY_LENGTH = 32


class RemoteKind(enum.StrEnum):
    """How a server is spoken to."""

    ICS = "ics"
    CALDAV = "caldav"


class Component(enum.StrEnum):
    """What is wanted of a collection (RFC 5545 §3.6)."""

    EVENT = "VEVENT"
    TODO = "VTODO"


@dataclass(frozen=True, kw_only=True, slots=True)
class Login:
    """Who asks. The password is fetched when a server is first asked, and never shown."""

    username: str
    password: Callable[[], str] = field(repr=False)
    """Raises `IrisError` when it cannot be had."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteSource:
    """One source on another machine."""

    name: str
    """Unique among sources of its kind; never the address, which may be a secret."""
    url: str = field(repr=False)
    """http, https, webcal or webcals."""
    kind: RemoteKind
    component: Component
    login: Login | None = None
    collections: tuple[str, ...] = ()
    """CalDAV: names or last path segments of the collections to read; () means all."""
    timeout_seconds: float = 15.0
    """Bound of one refresh as a whole, from name resolution to the last byte."""
    max_bytes: int = 50 * 2**20
    """Bound of one answer, counted both as sent and as unpacked."""
    refresh_every: dt.timedelta = dt.timedelta(minutes=15)
    """For so long after a successful look at the server it is not asked again."""
    allow_private_addresses: bool = False
    """Whether the host named in `url`, and only that one, may be on a private network."""
    stale_after_hours: float | None = None
    """Age of the copy from which it is `stale` though the server was not asked; None: never."""

    @property
    def http_url(self) -> str:
        """The address to ask: webcal and webcals mean https."""
        scheme, colon, rest = self.url.partition(":")
        return _HTTP_SCHEMES.get(scheme.lower(), scheme.lower()) + colon + rest

    @property
    def host(self) -> str:
        """The name of the machine that is asked."""
        return urlsplit(self.http_url).hostname or ""

    def cache_key(self) -> str:
        """Return the name of its folder in the cache; a digest, so it does not show the address."""
        who = self.login.username if self.login else ""
        parts = [self.kind.value, self.component.value, self.http_url, who, *self.collections]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_KEY_LENGTH]


def missing_extra(kind: RemoteKind) -> str:
    """Return what to install before such a source can be read; empty when it is there.

    Imports nothing.
    """
    if all(importlib.util.find_spec(module) is not None for module in _MODULES[kind]):
        return ""
    return "needs the extra 'remote': pip install 'iris-harness[remote]'"
