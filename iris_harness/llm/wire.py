"""One HTTP exchange with a model server: bounded in time and size, ended by a cancelled turn.

httpcore's own backend bounds single steps; here each wait looks at the deadline of the call and at
its turn. A connection serves one call: nothing is shared between threads, and nothing has to be
woken up that went stale meanwhile. Redirects are not followed, so the key goes nowhere else.
"""

from __future__ import annotations

import queue
import ssl
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import certifi
import httpcore

from iris_harness.errors import ModelAnswerError, ModelUnavailableError
from iris_harness.llm.attempts import FailedAttemptError
from iris_harness.llm.deadline import Deadline

MAX_ANSWER_BYTES = 32 * 2**20
_CONNECT_SECONDS = 10.0  # a machine that is there answers sooner; the next attempt may
_SocketOption: TypeAlias = (
    "tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]"
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a server says; its body is read while it comes."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; of several with one name the last."""
    pieces: Iterator[bytes]
    """The body; reading it raises as `exchange`."""

    def body(self) -> bytes:
        """Return the whole body."""
        return b"".join(self.pieces)


def system_trust() -> ssl.SSLContext:
    """Return the certificates this machine believes."""
    context = ssl.create_default_context()
    if not context.get_ca_certs():  # a Python without the system's certificates, as on macOS
        context.load_verify_locations(certifi.where())
    return context


@contextmanager
def exchange(
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    deadline: Deadline,
    trust: ssl.SSLContext,
) -> Iterator[Answer]:
    """Post `body` (None: get) and give the answer; the connection ends with the block.

    Raises:
        FailedAttemptError: there is no connection, or it broke; no message names more than a host.
        ModelTimeoutError: the deadline passed.
        TurnCancelledError: the turn was cancelled.
    """
    backend = _Backend(deadline)
    host = httpcore.URL(url).host.decode("ascii", "replace")
    try:
        with (
            httpcore.ConnectionPool(ssl_context=trust, network_backend=backend) as pool,
            pool.stream(
                "GET" if body is None else "POST",
                url,
                headers=[(name.encode(), value.encode()) for name, value in headers.items()],
                content=body,
            ) as answer,
        ):
            yield Answer(
                status=answer.status,
                headers={
                    k.decode("latin-1").lower(): v.decode("latin-1") for k, v in answer.headers
                },
                pieces=_bounded(answer.iter_stream(), host, backend),
            )
    except (
        httpcore.NetworkError,
        httpcore.TimeoutException,
        httpcore.ProtocolError,
        OSError,
    ) as error:
        raise _failed(error, host, backend) from error


def _bounded(pieces: Iterable[bytes], host: str, backend: _Backend) -> Iterator[bytes]:
    size = 0
    try:
        for piece in pieces:
            size += len(piece)
            if size > MAX_ANSWER_BYTES:
                error = ModelAnswerError(f"answers with more than {MAX_ANSWER_BYTES >> 20} MB")
                raise FailedAttemptError(error, may_have_cost=True)
            yield piece
    except (
        httpcore.NetworkError,
        httpcore.TimeoutException,
        httpcore.ProtocolError,
        OSError,
    ) as error:
        raise _failed(error, host, backend) from error


def _failed(error: Exception, host: str, backend: _Backend) -> FailedAttemptError:
    causes = _causes(error)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        # Before the first byte of the request: nobody got the key, and it will not change.
        said = f"has a certificate that cannot be trusted ({host})"
        return FailedAttemptError(ModelUnavailableError(said, hint="check base_url"))
    said = backend.trouble or _broken(error, causes, host)
    hint = "" if backend.connected else "check that the server runs, and base_url"
    return FailedAttemptError(
        ModelUnavailableError(said, hint=hint), again=True, may_have_cost=backend.connected
    )


def _causes(error: Exception) -> list[BaseException]:
    """Return `error` and what it came from, the last first."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    return causes


def _broken(error: Exception, causes: Sequence[BaseException], host: str) -> str:
    """Say what went wrong without the library's own words, which may hold an address."""
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"does not speak TLS as it should ({host})"
    if isinstance(error, httpcore.RemoteProtocolError):
        return f"broke off its answer, or does not speak HTTP ({host})"
    return f"lost the connection ({host})"


class _Backend(httpcore.NetworkBackend):
    """Connects within the deadline, and remembers how far it came."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()
        self.connected = False
        self.trouble = ""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline bounds every step
        local_address: str | None = None,
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect; the look-up of the name, which nothing can interrupt, waits in a thread."""
        options = tuple(socket_options or ())
        done: queue.SimpleQueue[httpcore.NetworkStream | Exception] = queue.SimpleQueue()

        def connect() -> None:
            try:
                limit = min(self._deadline.remaining(), _CONNECT_SECONDS)
                done.put(self._sockets.connect_tcp(host, port, limit, local_address, options))
            except Exception as error:  # noqa: BLE001 - it is raised again by who waits
                done.put(error)

        threading.Thread(target=connect, name="iris-model-connect", daemon=True).start()
        found = self._awaited(done)
        if isinstance(found, Exception):
            self.trouble = f"cannot be reached at {host}: {_why(found)}"
            raise httpcore.ConnectError(self.trouble) from found
        self.connected = True
        return _BoundedStream(found, self._deadline)

    def _awaited(
        self, done: queue.SimpleQueue[httpcore.NetworkStream | Exception]
    ) -> httpcore.NetworkStream | Exception:
        while True:
            try:
                return done.get(timeout=self._deadline.slice())
            except queue.Empty:
                continue


def _why(error: Exception) -> str:
    cause = error.__cause__ or error.__context__
    if isinstance(error, httpcore.ConnectTimeout):
        return "it does not answer"
    strerror = cause.strerror if isinstance(cause, OSError) else None
    return (strerror or "no connection").lower()


class _BoundedStream(httpcore.NetworkStream):
    """A connection whose every wait ends at the deadline, or with the turn."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - see connect_tcp
        while True:
            try:
                return self._stream.read(max_bytes, self._deadline.slice())
            except httpcore.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - see connect_tcp
        try:
            self._stream.write(buffer, self._deadline.remaining())
        except httpcore.WriteTimeout as error:
            raise self._deadline.passed() from error

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - see connect_tcp
    ) -> httpcore.NetworkStream:
        limit = min(self._deadline.remaining(), _CONNECT_SECONDS)
        secured = self._stream.start_tls(ssl_context, server_hostname, limit)
        return _BoundedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
