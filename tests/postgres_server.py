"""A real PostgreSQL server for tests, on a Unix socket in a folder of its own; also as root."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_DEBIAN = Path("/usr/lib/postgresql")
_OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c max_connections=200"


class PostgresServer(NamedTuple):
    """A running server."""

    folder: Path

    def url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://postgres@/{name}?host={self.folder}"


def find_programs() -> Path | None:
    """Return the folder of the newest server's programs; None where none is installed."""
    found = sorted(
        _DEBIAN.glob("*/bin/pg_ctl"), key=lambda path: float(path.parent.parent.name), reverse=True
    )
    if found:
        return found[0].parent
    program = shutil.which("pg_ctl")
    return Path(program).resolve().parent if program else None


@contextlib.contextmanager
def run_postgres(programs: Path) -> Iterator[PostgresServer]:
    """Run a server until the end of the block; nothing it keeps is forced to the disk."""
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as name:
        folder = Path(name)
        _give_away(folder)
        data = folder / "data"
        _run(programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
        options = f"-k {folder} {_OPTIONS}"
        control = (programs / "pg_ctl", "-D", data, "-s", "-w")
        _run(*control, "-o", options, "-l", folder / "log", "start")
        try:
            yield PostgresServer(folder)
        finally:
            _run(*control, "-m", "immediate", "stop")


def _give_away(folder: Path) -> None:
    """Let the server's own user have `folder`: PostgreSQL refuses to run as root."""
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)


def _run(*command: str | Path) -> None:
    as_root = os.geteuid() == 0
    subprocess.run(
        list(map(str, command)),
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC"},
        user="postgres" if as_root else None,
        group="postgres" if as_root else None,
        extra_groups=[] if as_root else None,
    )
