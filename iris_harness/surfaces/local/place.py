"""Where the socket is, who is at its other end, and which Iris may answer for which."""

from __future__ import annotations

import hashlib
import os
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import iris_harness
from iris_harness.config.remembered import settings_text
from iris_harness.storage.stamp import program_stamp

if TYPE_CHECKING:
    from iris_harness.config.settings import Settings

FOLDER = "run"
SOCKET = "iris.sock"
LOCK = "iris.lock"
FORMAT = 1
"""Grows when what is said over the socket changes."""

HAS_SOCKETS = hasattr(socket, "AF_UNIX")
_LONGEST_PATH = 100  # bytes; the kernel's own bound is 104 on some systems, 108 on Linux
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: struct ucred of unix(7)


def socket_file(data_folder: Path) -> Path | None:
    """Return where the socket of an installation is; None where there can be none."""
    file = data_folder / FOLDER / SOCKET
    fits = len(os.fsencode(file)) <= _LONGEST_PATH
    return file if HAS_SOCKETS and fits else None


def is_own(peer: socket.socket) -> bool:
    """Return whether the other end is this user's process.

    Where the system does not tell, the modes of socket and folder have to do.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    found = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(found)
    return bool(user == os.geteuid())


def identity(settings: Settings, timezone: str) -> str:
    """Return a digest of all that decides an answer but the data: the program and its settings.

    A server answers for those only that would have answered the same themselves.
    """
    package = Path(iris_harness.__file__).parent
    folders = sorted(Path(folder) for folder, _, _ in os.walk(package))
    facts = (program_stamp(FORMAT, folders), str(package), timezone, settings_text(settings))
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()
