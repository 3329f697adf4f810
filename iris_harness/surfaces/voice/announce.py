"""Tell Home Assistant by itself where the voice hook listens (DNS-SD, RFC 6763)."""

from __future__ import annotations

import ipaddress
import socket

from zeroconf import InterfaceChoice
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.voice.service import VoiceService

SERVICE_TYPE = "_wyoming._tcp.local."
_ANYWHERE = ("224.0.0.251", 5353)  # where mDNS is spoken: it tells which of our addresses is heard


class Announcement:
    """Announces a voice service that started before; takes it back at the end."""

    def __init__(
        self, voice: VoiceService, interfaces: list[str] | InterfaceChoice = InterfaceChoice.All
    ) -> None:
        """Take what to announce, and by which of this machine's addresses."""
        self._voice = voice
        self._interfaces = interfaces
        self._zeroconf: AsyncZeroconf | None = None

    async def start(self, _desk: Desk) -> None:
        """Announce it."""
        self._zeroconf = AsyncZeroconf(interfaces=self._interfaces)
        host, port = self._voice.endpoint
        info = AsyncServiceInfo(
            SERVICE_TYPE,
            f"iris-{port}.{SERVICE_TYPE}",
            addresses=[_heard_address(host).packed],
            port=port,
        )
        await self._zeroconf.async_register_service(info, allow_name_change=True)

    async def stop(self) -> None:
        """Take it back."""
        if self._zeroconf is not None:
            await self._zeroconf.async_unregister_all_services()
            await self._zeroconf.async_close()


def _heard_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return the address to announce: the one listened on, else the one others hear us by."""
    address = ipaddress.ip_address(socket.gethostbyname(host))
    if not address.is_unspecified:
        return address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(_ANYWHERE)  # sends nothing
        return ipaddress.ip_address(asked.getsockname()[0])
