"""Phones and chats by apprise: ntfy, Matrix, Telegram and a hundred more (extra `notify`)."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from iris_harness.curator.clean import clean, clean_lines
from iris_harness.errors import DeliveryError
from iris_harness.surfaces.briefing.message import Message, Receipt

_CONNECT_SECONDS = 5.0
_SECURE, _PLAIN = 443, 80


class ServicesChannel:
    """Sends to every service of its list."""

    def __init__(self, name: str, urls: Sequence[Callable[[], str]]) -> None:
        """Take what fetches the addresses: each tells who may use the service."""
        self.name = name
        self._urls = urls

    def deliver(self, message: Message) -> Receipt:
        """Send it.

        apprise does not say how a service failed, so that one which could be reached is uncertain.

        Raises:
            DeliveryError: a service did not take it, as far as can be told.
        """
        services = [_service(url()) for url in self._urls]
        for service in services:
            _check_network(service)
        failed = [name for service in services if not _notify(service, message)
                  for name in (_name(service),)]  # fmt: skip
        if failed:
            raise DeliveryError(
                f"{', '.join(failed)} did not say that it was taken", is_uncertain=True
            )
        return Receipt(f"taken by {', '.join(map(_name, services))}")


def _service(url: str) -> Any:  # noqa: ANN401 - the library has no types
    try:
        import apprise
    except ImportError as error:
        raise DeliveryError(
            f"this needs the package {error.name}", hint="pip install 'iris-harness[notify]'"
        ) from error
    logging.getLogger("apprise").disabled = True  # its lines hold addresses, which are secrets
    service = apprise.Apprise.instantiate(url)
    if service is None:
        kind = url.partition("://")[0] if "://" in url else "it"
        raise DeliveryError(
            f"apprise does not understand the address of {clean(kind)[:20]}",
            hint="`apprise --details` lists how addresses are written",
        )
    return service


def _name(service: Any) -> str:  # noqa: ANN401 - the library has no types
    return clean(str(service.service_name))


def _check_network(service: Any) -> None:  # noqa: ANN401 - the library has no types
    """Find out before anything is sent whether the service can be reached.

    Raises:
        DeliveryError: it cannot; nothing was sent, so trying again is safe.
    """
    address = urlsplit(str(getattr(service, "notify_url", "") or ""))
    host = address.hostname or getattr(service, "host", None)
    if not host or "{" in host:
        return
    is_secure = address.scheme == "https" if address.hostname else service.secure
    port = address.port if address.hostname else service.port
    try:
        socket.create_connection(
            (host, port or (_SECURE if is_secure else _PLAIN)), _CONNECT_SECONDS
        ).close()
    except OSError as error:
        raise DeliveryError(
            f"{_name(service)} cannot be reached: {error.strerror or error}",
            hint="is there a network?",
            may_retry=True,
        ) from error


def _notify(service: Any, message: Message) -> bool:  # noqa: ANN401 - the library has no types
    return bool(service.notify(title=clean(message.title), body=clean_lines(message.text)))
