"""Phones and chats by apprise: ntfy, Matrix, Telegram and a hundred more (extra `notify`)."""

from __future__ import annotations

import errno
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
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED})


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
        failed = [_name(service) for service in services if not _notify(service, message)]
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
    place = _place(service)
    if place is None:
        return
    try:
        socket.create_connection(place, _CONNECT_SECONDS).close()
    except OSError as error:
        is_sure = isinstance(error, socket.gaierror) or error.errno in _NO_WAY
        if not is_sure:  # this may not be how it is reached: let it be tried
            return
        raise DeliveryError(
            f"{_name(service)} cannot be reached: {error.strerror or error}",
            hint="is there a network?",
            may_retry=True,
        ) from error


def _place(service: Any) -> tuple[str, int] | None:  # noqa: ANN401 - the library has no types
    """Return the host and port of a service, where it can be told; apprise has no one way to."""
    host = getattr(service, "smtp_host", None) or getattr(service, "host", None)
    if isinstance(host, str) and ("." in host or host == "localhost"):  # others keep tokens there
        return host, service.port or (_SECURE if service.secure else _PLAIN)
    for name in ("notify_url", "cloud_notify_url"):
        address = urlsplit(str(getattr(service, name, "") or ""))
        if address.hostname and "{" not in address.netloc:
            return address.hostname, address.port or _SECURE
    return None


def _notify(service: Any, message: Message) -> bool:  # noqa: ANN401 - the library has no types
    return bool(service.notify(title=clean(message.title), body=clean_lines(message.text)))
