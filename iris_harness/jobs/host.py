"""The name of this machine among those that share a jobs database."""

from __future__ import annotations

import hashlib
import re
import socket
from pathlib import Path

_MACHINE_ID = Path("/etc/machine-id")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9-]+")


def this_host() -> str:
    """Return its host name with some digits of its machine id, since host names repeat."""
    name = _NOT_IN_A_NAME.sub("-", socket.gethostname().partition(".")[0])[:40].strip("-")
    try:
        machine = _MACHINE_ID.read_bytes().strip()
    except OSError:  # not every system has one; then the name must do
        return name or "host"
    return f"{name or 'host'}-{hashlib.sha256(machine).hexdigest()[:8]}"
