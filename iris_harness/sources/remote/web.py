"""HTTP as remote sources need it: bounded, without cookies, and silent about addresses.

httpx's own client is not used: it logs every address, which may be a secret, it keeps cookies,
and it bounds single steps, not a whole exchange. Its requests, responses and authentication are.
"""

from __future__ import annotations

import re
import ssl
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self

import certifi
import httpcore
import httpx

from iris_harness.errors import SourceError
from iris_harness.sources.remote.deadline import Deadline
from iris_harness.sources.remote.guard import GuardedBackend, Resolve, resolve_name
from iris_harness.sources.remote.settings import RemoteSource

_MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOT_PASSED_ON = frozenset({b"set-cookie", b"content-encoding", b"transfer-encoding"})
"""Cookies are never sent back, and the body is unpacked already."""
_UNAUTHORIZED = 401
_GZIP = 31  # zlib's wbits for a gzip member with header and checksum
_PIECE = 65_536  # bytes unpacked at a time
_ICLOUD = "caldav.icloud.com"
_ICLOUD_HOST = re.compile(r"p\d+-caldav\.icloud\.com")
_ICLOUD_PORT = 443


class Web:
    """The requests of one refresh. Not thread-safe; close it."""

    def __init__(
        self,
        source: RemoteSource,
        deadline: Deadline,
        *,
        resolve: Resolve = resolve_name,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """Take the source whose server is asked and the bound in time of all requests together.

        Args:
            source: its address, login and bounds.
            deadline: of all requests together.
            resolve: asks the name server.
            trust: which certificates are believed; None: those the system believes.
        """
        self._home = httpx.URL(source.http_url)
        self._login = source.login
        self._auth: httpx.Auth | None = None
        self._deadline = deadline
        self._max_bytes = source.max_bytes
        own_host = self._home.raw_host.decode("ascii")
        private_host = own_host if source.allow_private_addresses else ""
        self._pool = httpcore.ConnectionPool(
            ssl_context=trust or _system_trust(),
            network_backend=GuardedBackend(deadline, private_host=private_host, resolve=resolve),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.close()

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes = b""
    ) -> httpx.Response:
        """Return the answer, its body read and unpacked; its `url` is where it came from.

        Redirects are followed with the same method, at most 5 of them, to http and https only,
        never from https to http. The login goes to the configured server and to no other.

        Raises:
            SourceError: there is no complete answer within the bounds; the message names hosts
                at most, never an address.
        """
        target = _parsed(url)
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._ask(method, target, headers, content)
            location = response.headers.get("location")
            if response.status_code not in _REDIRECTS or location is None:
                return response
            target = _redirected(target, location)
        raise SourceError("is sent on from address to address without an end")

    def _ask(
        self, method: str, url: httpx.URL, headers: Mapping[str, str], content: bytes
    ) -> httpx.Response:
        request = httpx.Request(method, url, headers=_headers(headers), content=content)
        auth = self._auth_for(url)
        if auth is None:
            return self._exchange(request)
        flow = auth.sync_auth_flow(request)
        response = self._exchange(next(flow))
        while True:
            try:
                response = self._exchange(flow.send(response))
            except StopIteration:
                return response

    def _auth_for(self, url: httpx.URL) -> httpx.Auth | None:
        if self._login is None or not may_have_login(url, self._home):
            return None
        if self._auth is None:
            self._auth = _AsTheServerAsks(self._login.username, self._login.password())
        return self._auth

    def _exchange(self, request: httpx.Request) -> httpx.Response:
        try:
            with self._pool.stream(
                request.method,
                str(request.url),
                headers=request.headers.raw,
                content=request.content or None,
            ) as answer:
                body = self._body(answer)
        except (httpcore.TimeoutException, TimeoutError) as error:
            raise self._deadline.passed() from error
        except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError, OSError) as error:
            raise SourceError(_broken(error, request.url.host)) from error
        kept = [(name, value) for name, value in answer.headers if _is_kept(name)]
        return httpx.Response(answer.status, headers=kept, content=body, request=request)

    def _body(self, answer: httpcore.Response) -> bytes:
        headers = httpx.Headers(answer.headers)
        announced = headers.get("content-length", "")
        if announced.isascii() and announced.isdigit() and int(announced) > self._max_bytes:
            raise self._too_large()
        raw = self._bounded(answer.iter_stream())
        encoding = headers.get("content-encoding", "").strip().lower()
        if encoding in {"", "identity"}:
            return b"".join(raw)
        if encoding in {"gzip", "x-gzip"}:
            return b"".join(self._bounded(unpack(raw)))
        raise SourceError("answers in a compression that was not asked for")

    def _bounded(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        size = 0
        for piece in pieces:
            self._deadline.remaining()
            size += len(piece)
            if size > self._max_bytes:
                raise self._too_large()
            yield piece

    def _too_large(self) -> SourceError:
        return SourceError(f"answers with more than {self._max_bytes / 2**20:g} MB (max_megabytes)")


class _AsTheServerAsks(httpx.Auth):
    """Basic or digest, whichever the server asks for; the password is not sent unasked."""

    def __init__(self, username: str, password: str) -> None:
        self._basic = httpx.BasicAuth(username, password)
        self._digest = httpx.DigestAuth(username, password)
        self._chosen: httpx.Auth | None = None

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Yield the request, and again with the login when the server asks for it."""
        if self._chosen is None:
            response = yield request
            if response.status_code != _UNAUTHORIZED:
                return
            asked = response.headers.get_list("www-authenticate")
            digest = any(value.lstrip().lower().startswith("digest") for value in asked)
            self._chosen = self._digest if digest else self._basic
        yield from self._chosen.auth_flow(request)


def may_have_login(url: httpx.URL, home: httpx.URL) -> bool:
    """Return whether the login for `home` may be sent to `url`.

    That is the same host and port with the same or a safer scheme; and for iCloud the host of
    its own (``p42-caldav.icloud.com``) on which it keeps each user's calendars.
    """
    if url.scheme == "https" and home.host == _ICLOUD and _is_icloud(url):
        return True
    if url.host != home.host:
        return False
    if url.scheme == home.scheme:
        return _port(url) == _port(home)
    return url.scheme == "https" and (_port(url), _port(home)) == (443, 80)


def _is_icloud(url: httpx.URL) -> bool:
    return _port(url) == _ICLOUD_PORT and bool(_ICLOUD_HOST.fullmatch(url.host))


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def _system_trust() -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not context.get_ca_certs():  # a Python without the system's certificates, as on macOS
        context.load_verify_locations(certifi.where())
    return context


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    return {"User-Agent": "iris-harness", "Accept-Encoding": "gzip", **given}


def _is_kept(name: bytes) -> bool:
    return name.lower() not in _NOT_PASSED_ON


def _parsed(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise SourceError("is sent to an address that means nothing") from error


def _redirected(target: httpx.URL, location: str) -> httpx.URL:
    try:
        there = target.join(location)
    except httpx.InvalidURL as error:
        raise SourceError("is sent on to an address that means nothing") from error
    if there.scheme not in {"http", "https"} or not there.host:
        raise SourceError(f"is sent on to a {there.scheme}: address, which is not followed")
    if target.scheme == "https" and there.scheme == "http":
        raise SourceError(f"is sent on to {there.host} without encryption, which is not followed")
    return there.copy_with(userinfo=b"", fragment=None)


def unpack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack gzip, at most 64 kB at a time, so that its reader can stop before it is too much.

    Raises:
        SourceError: it is damaged or cut off.
    """
    unpacker = zlib.decompressobj(_GZIP)
    for piece in pieces:
        packed = piece
        while packed:
            if unpacker.eof:  # several members after one another are one file (RFC 1952 §2.2)
                unpacker = zlib.decompressobj(_GZIP)
            try:
                yield unpacker.decompress(packed, _PIECE)
            except zlib.error as error:
                raise SourceError("answers with damaged compressed data") from error
            packed = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    if not unpacker.eof:
        raise SourceError("answers with compressed data that was cut off")


def _broken(error: Exception, host: str) -> str:
    """Say what went wrong without the library's own words, which may hold an address."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return f"the certificate of {host} cannot be trusted"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"{host} does not speak TLS as it should"
    if isinstance(error, httpcore.RemoteProtocolError):
        return f"{host} broke off its answer, or does not speak HTTP"
    return f"the connection to {host} broke"
