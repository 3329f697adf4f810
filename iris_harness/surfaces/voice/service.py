"""The voice hook as a service that starts and stops with the server."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
from collections.abc import Callable, Collection

from iris_harness.errors import ServerError
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.loopback import is_loopback
from iris_harness.surfaces.voice.handler import VoiceHandler

MOST_CLIENTS = 64
"""Connections at once; a satellite needs one, and each is an open file of the process."""
_log = logging.getLogger("iris.voice")


class VoiceService:
    """Listens for voice assistants. The protocol has no login: only addresses tell who may ask."""

    def __init__(self, host: str, port: int, allowed: Collection[str] = ()) -> None:
        """Take where to listen, and the addresses and networks besides this machine's own.

        Raises:
            ServerError: `host` is reached by others and `allowed` names none of them, or an
                entry of `allowed` is no address.
        """
        self._networks = tuple(map(_network, allowed))
        if not is_loopback(host) and not self._networks:
            raise ServerError(
                f"others can reach {host}, and Wyoming has no login",
                hint="listen on 127.0.0.1, or list who may ask in voice.allow",
            )
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._clients: dict[asyncio.Task[None], VoiceHandler] = {}
        self._patience: Callable[[], float] = lambda: 0.0

    async def start(self, desk: Desk) -> None:
        """Begin to listen.

        Raises:
            ServerError: the address cannot be used.
        """
        self._patience = desk.seconds_left

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._clients) >= MOST_CLIENTS:
                _log.warning("refused a voice client: %d are connected", MOST_CLIENTS)
                writer.transport.abort()
                return
            client = VoiceHandler(reader, writer, desk=desk, may_ask=self.may_ask)
            task = asyncio.create_task(client.run())
            self._clients[task] = client
            task.add_done_callback(self._clients.pop)

        try:
            self._server = await asyncio.start_server(answer, self._host, self._port)
        except OSError as error:
            raise ServerError(
                f"cannot listen for voice on port {self._port}: {error.strerror or error}"
            ) from error
        self._port = self._server.sockets[0].getsockname()[1]

    @property
    def endpoint(self) -> tuple[str, int]:
        """The address and the port; the latter is known once it listens."""
        return self._host, self._port

    @property
    def address(self) -> str:
        """Where it listens, as ``tcp://127.0.0.1:10500``."""
        return f"tcp://{self._host}:{self._port}"

    async def stop(self) -> None:
        """Listen no more, let running answers be told, and hang up."""
        if self._server is not None:
            self._server.close()
        with contextlib.suppress(TimeoutError):
            telling = [client.idle.wait() for client in self._clients.values()]
            await asyncio.wait_for(asyncio.gather(*telling), self._patience())
        for task in tuple(self._clients):
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def may_ask(self, address: str) -> bool:
        """Return whether a client at `address` is answered."""
        try:
            peer = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if isinstance(peer, ipaddress.IPv6Address) and peer.ipv4_mapped:
            peer = peer.ipv4_mapped
        return peer.is_loopback or any(peer in network for network in self._networks)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        raise ServerError(f"{text!r} in voice.allow is no address and no network") from error
