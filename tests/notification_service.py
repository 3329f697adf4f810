"""A small notification service on a D-Bus session, as desktops have one.

Run as ``python notification_service.py ADDRESS [capability …]``: it says "ready" once it has the
name, and prints each notification as a line of JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"


def main(address: str, capabilities: list[str]) -> None:
    """Answer until the bus is gone."""
    connection = open_dbus_connection(address)
    connection.send_and_get_reply(message_bus.RequestName(NAME))
    print("ready", flush=True)
    number = 0
    while True:
        call = connection.receive()
        if call.header.message_type is not MessageType.method_call:
            continue
        method = call.header.fields.get(HeaderFields.member)
        if method == "GetCapabilities":
            answer: Any = new_method_return(call, "as", (capabilities,))
        elif method == "Notify":
            number += 1
            program, _, _, title, body, _, hints, expires = call.body
            told = {"program": program, "title": title, "body": body, "expires": expires}
            urgency = hints["urgency"][1]
            print(json.dumps({**told, "urgency": urgency}), flush=True)
            answer = new_method_return(call, "u", (number,))
        else:
            answer = new_error(call, "org.freedesktop.DBus.Error.UnknownMethod")
        connection.send(answer)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
