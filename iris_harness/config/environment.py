"""What the process was given: variables, home folder, terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from iris_harness.files import user_path

DEFAULT_COLUMNS = 80


def variables() -> dict[str, str]:
    """Return a copy of the environment variables."""
    return dict(os.environ)


def home() -> Path:
    """Return the user's home folder."""
    return user_path("~")


def session_bus(environ: Mapping[str, str] | None = None) -> str | None:
    """Return the address of the user's D-Bus session; None where there is none.

    Where no variable names it, it is the socket ``bus`` of the user's runtime folder.
    """
    given = variables() if environ is None else environ
    if address := given.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    folder = given.get("XDG_RUNTIME_DIR")
    socket = Path(folder) / "bus" if folder else None
    return f"unix:path={socket}" if socket is not None and socket.exists() else None


def is_dumb(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the terminal says that it understands no escape sequences."""
    return (variables() if environ is None else environ).get("TERM") == "dumb"


@dataclass(frozen=True, kw_only=True, slots=True)
class Terminal:
    """What one output stream can show."""

    interactive: bool
    """Whether a person is on the other end."""
    color: bool
    """Whether colour may be used (https://no-color.org: any non-empty `NO_COLOR` says no)."""
    unicode: bool
    """Whether box drawing and other symbols beyond ASCII can be written to it."""
    columns: int
    """Width in character cells."""


def read_terminal(stream: TextIO, environ: Mapping[str, str] | None = None) -> Terminal:
    """Return the facts about the terminal behind `stream`."""
    given = variables() if environ is None else environ
    interactive = stream.isatty()
    return Terminal(
        interactive=interactive,
        color=interactive and not given.get("NO_COLOR") and given.get("TERM") != "dumb",
        unicode=(stream.encoding or "").lower().replace("-", "").startswith("utf"),
        columns=_columns(stream, given),
    )


def _columns(stream: TextIO, given: Mapping[str, str]) -> int:
    asked = given.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and int(asked) > 0:
        return int(asked)
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_COLUMNS
    except (OSError, ValueError):  # no terminal behind it, or no file at all
        return DEFAULT_COLUMNS
