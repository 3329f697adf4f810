"""Addresses of sources on other machines: what they may be, and how they may be shown."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, parse_qsl, urlsplit

MASK = "********"
SCHEMES = ("https", "http", "webcal", "webcals")

_ICS_SUFFIXES = (".ics", ".ical", ".icalendar", ".ifb")
_CALDAV_SEGMENTS = frozenset(
    {"dav", "caldav", "remote.php", "dav.php", "principals", ".well-known"}
)


def is_address(text: str) -> bool:
    """Return whether a source's text names another machine, not a file."""
    return "://" in text


def address_problem(text: str) -> str:
    """Return why `text` cannot be an address; empty when it can.

    It is never repeated in the answer: it may be a secret.
    """
    parts = _split(text)
    if parts is None or not parts.hostname:
        return "this is no address"
    if parts.scheme.lower() not in SCHEMES:
        return f"{parts.scheme}: addresses cannot be read"
    if parts.username is not None or parts.password is not None:
        return "a user name or password in the address is not accepted; give username and password"
    if any(letter.isspace() or not letter.isprintable() for letter in text):
        return "there is a blank or an invisible character in the address"
    return ""


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises for a port that no machine has
    except ValueError:
        return None
    return parts


def address_type(text: str) -> str | None:
    """Return ``ics`` or ``caldav`` where the address tells; None where it does not."""
    parts = urlsplit(text)
    path = parts.path.lower()
    host = (parts.hostname or "").lower()
    exported = any(key == "export" for key, _ in parse_qsl(parts.query, keep_blank_values=True))
    published = host.endswith(".icloud.com") and path.startswith("/published/")
    webcal = parts.scheme.lower().startswith("webcal")
    if webcal or exported or published or path.endswith(_ICS_SUFFIXES):
        return "ics"
    named = host.startswith(("caldav.", "dav.")) or "-caldav." in host
    return "caldav" if named or _CALDAV_SEGMENTS & set(path.split("/")) else None


def host_of(text: str) -> str:
    """Return the machine an address names; empty when it names none."""
    parts = _split(text)
    return (parts.hostname or "") if parts else ""


def is_loopback(host: str) -> bool:
    """Return whether an address names this machine only."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name, which a name server may point anywhere
        return False


def shown_address(text: str, kind: str) -> str:
    """Return an address as it may be shown.

    Of an .ics file only the host is: the rest may be all that protects it.
    """
    parts = _split(text)
    if parts is None:
        return MASK
    if kind == "caldav":
        return f"{parts.scheme}://{parts.netloc}{parts.path}"
    return f"{parts.scheme}://{parts.netloc}/{MASK}"
