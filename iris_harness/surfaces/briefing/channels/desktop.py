"""A notification on the desktop, over D-Bus.

Desktop Notifications Specification 1.2 (freedesktop.org): the service
``org.freedesktop.Notifications`` on the session bus, its methods ``GetCapabilities`` and
``Notify``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from iris_harness.curator.clean import clean, clean_lines
from iris_harness.errors import DeliveryError
from iris_harness.surfaces.briefing.message import Message, Receipt

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

_SERVICE = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_TIMEOUT_SECONDS = 10.0
_LONGEST = 1500
"""Characters of a body: no desktop shows more."""
_NEVER_EXPIRES, _AS_THE_DESKTOP_LIKES = 0, -1
_CRITICAL, _NORMAL = 2, 1


class DesktopChannel:
    """Shows a notification in the user's session."""

    def __init__(self, name: str, bus: Callable[[], str | None]) -> None:
        """Take what finds the address of the session bus; None: there is no session now."""
        self.name = name
        self._bus = bus

    def deliver(self, message: Message) -> Receipt:
        """Show it.

        Raises:
            DeliveryError: there is no session, or nothing in it shows notifications.
        """
        with self._connected() as connection:
            has_markup = "body-markup" in _call(connection, "GetCapabilities")
            body = _body(message, has_markup=has_markup)
            try:
                number = _call(connection, "Notify", "susssasa{sv}i", body)
            except OSError as error:
                raise DeliveryError(
                    f"the desktop did not say whether it was shown: {error}", is_uncertain=True
                ) from error
        return Receipt(f"shown as notification {number}")

    @contextmanager
    def _connected(self) -> Iterator[DBusConnection]:
        address = self._bus()
        if address is None:
            raise _no_desktop("there is no desktop session here")
        try:
            from jeepney.auth import AuthenticationError
            from jeepney.io.blocking import open_dbus_connection
        except ImportError as error:
            raise DeliveryError(
                f"notifications need the package {error.name}",
                hint="pip install 'iris-harness[briefing]'",
            ) from error
        try:
            connection = open_dbus_connection(address, auth_timeout=_TIMEOUT_SECONDS)
        except (OSError, RuntimeError, AuthenticationError) as error:
            raise _no_desktop(f"the desktop session cannot be reached: {error}") from error
        with connection:
            yield connection


def _no_desktop(why: str) -> DeliveryError:
    hint = "log in to a desktop, or name another channel in the settings"
    return DeliveryError(why, hint=hint, may_retry=True)


def _call(
    connection: DBusConnection, method: str, signature: str = "", body: tuple[Any, ...] = ()
) -> Any:  # noqa: ANN401 - what D-Bus answers
    from jeepney import DBusAddress, new_method_call
    from jeepney.wrappers import DBusErrorResponse, unwrap_msg

    address = DBusAddress(_PATH, bus_name=_SERVICE, interface=_SERVICE)
    call = new_method_call(address, method, signature or None, body)
    try:
        answer = unwrap_msg(connection.send_and_get_reply(call, timeout=_TIMEOUT_SECONDS))
    except DBusErrorResponse as error:
        raise _no_desktop(f"nothing in this session shows notifications ({error.name})") from error
    return answer[0]


def _body(message: Message, *, has_markup: bool) -> tuple[Any, ...]:
    text = message.text if message.is_ring else message.speech
    body = clean_lines(text)[:_LONGEST]
    hints = {
        "urgency": ("y", _CRITICAL if message.is_ring else _NORMAL),
        "category": ("s", "im.received" if message.is_ring else "x-iris.briefing"),
        "desktop-entry": ("s", "iris"),
    }
    expires = _NEVER_EXPIRES if message.is_ring else _AS_THE_DESKTOP_LIKES
    shown = escape(body, quote=False) if has_markup else body
    return ("Iris", 0, "", clean(message.title), shown, [], hints, expires)
