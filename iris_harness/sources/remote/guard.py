"""Which machines may be connected to, and the connection to exactly the address that was checked.

A name is resolved once per connection, every address it has is checked, and the socket goes to
one of these addresses: a name server that answers differently the second time changes nothing.
TLS still verifies the name (httpcore passes it on as SNI), and so does the Host header.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from typing import TypeAlias

import httpcore

from iris_harness.errors import SourceError
from iris_harness.sources.remote.deadline import Deadline

Resolve: TypeAlias = Callable[[str, int], list[str]]
"""Host and port to its addresses as text; raises OSError when the name has none."""
_Address: TypeAlias = "ipaddress.IPv4Address | ipaddress.IPv6Address"
_SocketOption: TypeAlias = (
    "tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]"
)

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOW_32_BITS = 2**32 - 1


def resolve_name(host: str, port: int) -> list[str]:
    """Return the addresses of `host` in the order of the system's preference."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(text: str) -> bool:
    """Return whether an address is one of the public internet.

    Addresses that carry an IPv4 address inside (mapped, 6to4, Teredo, NAT64) count as that one.
    """
    address: _Address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = _embedded(address)
        if inner is not None:
            address = inner
    return address.is_global and not address.is_multicast


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & _LOW_32_BITS)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to checked addresses only, each step within the deadline."""

    def __init__(
        self, deadline: Deadline, *, private_host: str = "", resolve: Resolve = resolve_name
    ) -> None:
        """Take the bound in time.

        Args:
            deadline: of everything done through this backend.
            private_host: the one name that may have private addresses; empty: none may.
            resolve: asks the name server.
        """
        self._deadline = deadline
        self._private_host = private_host
        self._resolve = resolve
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline bounds every step
        local_address: str | None = None,
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of `host` that answers.

        Raises:
            SourceError: the name has no address, one that may not be connected to, or none that
                answers.
        """
        options = tuple(socket_options or ())
        reason = "has no address"
        for address in self._checked_addresses(host, port):
            try:
                stream = self._sockets.connect_tcp(
                    address, port, self._deadline.remaining(), local_address, options
                )
            except httpcore.ConnectTimeout:
                reason = "does not answer"
            except httpcore.ConnectError as error:
                reason = f"cannot be reached ({_why(error)})"
            else:
                return _BoundedStream(stream, self._deadline)
        raise SourceError(f"{host} {reason}")

    def _checked_addresses(self, host: str, port: int) -> list[str]:
        addresses = self._addresses(host, port)
        if host != self._private_host and not all(is_public(address) for address in addresses):
            raise SourceError(
                f"{host} is on a private network, which is not asked unless "
                "allow_private_addresses: true stands beside its url"
            )
        return addresses

    def _addresses(self, host: str, port: int) -> list[str]:
        # A name server may let its caller wait for minutes; nothing can interrupt that, so the
        # asking is left to a thread of its own.
        found: list[str] = []
        failures: list[OSError | UnicodeError] = []

        def ask() -> None:
            try:
                found.extend(self._resolve(host, port))
            except (OSError, UnicodeError) as error:
                failures.append(error)

        asking = threading.Thread(target=ask, name="iris-resolve", daemon=True)
        asking.start()
        asking.join(self._deadline.remaining())
        if asking.is_alive():
            raise SourceError(f"the name {host} could not be looked up in time")
        if failures:
            raise SourceError(f"the name {host} cannot be found") from failures[0]
        return found


def _why(error: Exception) -> str:
    cause = error.__cause__ or error.__context__
    strerror = cause.strerror if isinstance(cause, OSError) else None
    return (strerror or "no connection").lower()


class _BoundedStream(httpcore.NetworkStream):
    """A connection whose every read and write ends at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - see connect_tcp
        return self._stream.read(max_bytes, self._deadline.remaining())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - see connect_tcp
        self._stream.write(buffer, self._deadline.remaining())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - see connect_tcp
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.remaining())
        return _BoundedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
