"""Iris as a service of the user's own session: the systemd unit, and who runs it.

Syntax after systemd.unit(5), systemd.service(5) and systemd.exec(5). What is set to shut the
program in needs no rights that a user's own manager lacks.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from iris_harness.errors import ServerError
from iris_harness.storage.files import make_private_folder, write_atomically

UNIT = "iris.service"
_MARK = "# Written by `iris service install`; `iris service uninstall` removes it."
_WANTS = "default.target.wants"
_NO_SESSION = (
    "log in to this machine itself, not by su or sudo; or start `iris serve` by other means"
)
_TIMEOUT_SECONDS = 60
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@")
_TEXT = """\
{mark}
[Unit]
Description=Iris, a personal assistant
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart={command}
Restart=on-failure
RestartSec=5
TimeoutStopSec=40
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


class UnitState(NamedTuple):
    """How the service stands."""

    file: Path
    is_installed: bool
    enabled: str
    """As systemctl says: enabled, disabled, not-found; empty where there is no systemd."""
    active: str
    """As systemctl says: active, inactive, failed; empty where there is no systemd."""


def unit_text(arguments: Sequence[str], config: Path | None) -> str:
    """Return the unit that runs `iris` with these arguments, by its absolute path.

    `config` is the settings file it uses; None is the usual one.
    """
    named = ["--config", str(config.absolute())] if config is not None else []
    command = [*_program(), *named, *arguments]
    return _TEXT.format(mark=_MARK, command=" ".join(map(quoted, command)))


def _program() -> list[str]:
    """Return how this very Iris is started."""
    python = Path(sys.executable).absolute()
    script = python.with_name("iris")
    return [str(script)] if script.is_file() else [str(python), "-m", "iris_harness"]


def quoted(word: str) -> str:
    """Return a word of a command line as systemd reads it back to the letter."""
    if word and set(word) <= _PLAIN:
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("%", "%%").replace("$", "$$") + '"'


def install(file: Path, text: str) -> None:
    """Write the unit, enable it and start it anew.

    Raises:
        ServerError: another unit is there, or systemd is not, or refuses.
    """
    _check_ours(file)
    _systemctl("daemon-reload")  # nothing is written where nobody would read it
    make_private_folder(file.parent)
    write_atomically(file, text.encode())
    _systemctl("daemon-reload")
    _systemctl("enable", UNIT)
    _systemctl("restart", UNIT)


def uninstall(file: Path) -> bool:
    """Stop and remove the unit; return whether there was one.

    Raises:
        ServerError: it is another's, or systemd refuses; in the latter case the unit is gone all
            the same, and only an Iris that runs goes on until the session ends.
    """
    if not file.exists():
        return False
    _check_ours(file)
    try:
        _systemctl("disable", "--now", UNIT)
    finally:
        (file.parent / _WANTS / UNIT).unlink(missing_ok=True)
        file.unlink()
    _systemctl("daemon-reload")
    return True


def state(file: Path) -> UnitState:
    """Return how the service stands."""
    return UnitState(file, file.exists(), _said("is-enabled", UNIT), _said("is-active", UNIT))


def _check_ours(file: Path) -> None:
    try:
        is_ours = not file.exists() or file.read_text(encoding="utf-8").startswith(_MARK)
    except (OSError, UnicodeDecodeError):
        is_ours = False
    if not is_ours:
        raise ServerError(f"{file} is not of Iris' making", hint="move it away first")


def _systemctl(*arguments: str) -> None:
    done = _run(*arguments)
    if done is None:
        raise ServerError(
            "systemd is not here to start Iris with your session",
            hint="start `iris serve` or `iris briefing watch` by other means",
        )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ServerError(f"systemctl --user {arguments[0]} failed: {lines[-1]}", hint=_NO_SESSION)


def _said(*arguments: str) -> str:
    done = _run(*arguments)
    return done.stdout.strip() if done is not None else ""


def _run(*arguments: str) -> subprocess.CompletedProcess[str] | None:
    """Run systemctl for the user's own manager; None where there is none."""
    program = shutil.which("systemctl")
    if program is None:
        return None
    try:
        return subprocess.run(
            [program, "--user", "--no-pager", *arguments],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
