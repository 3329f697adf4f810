"""Bubblewrap: namespaces of its own for each run, and only what it is given of the file system.

What a run sees is listed, not what is hidden from it: the system's programs and libraries, a few
files of /etc, the checkout, a home of the job's own. So a folder nobody thought of is not there.

See bwrap(1).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import psutil

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox.control_group import control_group, entering
from iris_harness.daemon.sandbox.launching import (
    CHECKOUT,
    HOME,
    LAST_SERVED,
    SHARED_MEMORY_BYTES,
    SYSTEM_PATH,
    accounts,
    environment,
    limited,
    most_tasks,
    system_places,
)
from iris_harness.daemon.sandbox.supervise import Supervisor, end, kill_group, start
from iris_harness.daemon.sandbox.values import Command, Limits, Outcome, Places
from iris_harness.daemon.sandbox.watch import family
from iris_harness.errors import SandboxError

_PROBE_SECONDS = 10


def find_missing() -> str | None:
    """Return why bubblewrap cannot be used on this machine; None where it can."""
    try:
        done = subprocess.run(
            ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],  # noqa: S607 - the user's own PATH
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_SECONDS, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        return "bubblewrap (bwrap) is not installed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap (bwrap) cannot be started: {error}"
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"bubblewrap may not make namespaces here: {said[-1] if said else 'no reason given'}"
    return None


class Bubblewrap:
    """A `Sandbox` of Linux namespaces."""

    name = "bubblewrap"

    def __init__(self, clock: Clock) -> None:
        """Take the clock that limits are measured with."""
        self._supervisor = Supervisor(clock)

    def home(self, places: Places) -> str:  # noqa: ARG002 - the same whatever is bound there
        """Return the home folder that every run has."""
        return HOME

    def run(self, command: Command, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        """Run one command to its end; see `Sandbox.run`."""
        with ExitStack() as opened:
            group = opened.enter_context(control_group(most_tasks(command.limits)))
            users, groups = (opened.enter_context(_Sealed(text)) for text in accounts())
            status = opened.enter_context(_Status())
            words = confined(command, users=users.fd, groups=groups.fd, status=status.writing)
            # Not in its command line, which a run can read: they name folders of the user's.
            options = opened.enter_context(_Sealed("\0".join(words)))
            argv = (
                *entering(group),
                *LAST_SERVED,
                *("bwrap", "--args", str(options.fd), "--"),
                *limited(command.limits),
                # Counted inside: the user's other processes are none of it.
                f"--nproc={most_tasks(command.limits)}",
                "--",
                *command.argv,
            )
            given = (options.fd, users.fd, groups.fd, status.writing)
            process = start(argv, Path("/"), {"PATH": SYSTEM_PATH}, given)
            status.started()
            namespace = _Namespace(process, status)
            outcome = self._supervisor.run(process, namespace, command, cancelled, confined=True)
            if outcome.exit_code == process.returncode and not status.has_exit_code():
                raise SandboxError(
                    f"the sandbox cannot be set up: {outcome.output.strip()[-500:]}",
                    hint="`iris doctor` says what it needs",
                )
        return outcome


def confined(command: Command, *, users: int, groups: int, status: int) -> tuple[str, ...]:
    """Return the options of bubblewrap for a command."""
    return (
        "--unshare-all", *(("--share-net",) if command.network else ()),
        "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--hostname", "sandbox", "--json-status-fd", str(status),
        *_system(command.network),
        "--ro-bind-data", str(users), "/etc/passwd", "--ro-bind-data", str(groups), "/etc/group",
        "--proc", "/proc", "--dev", "/dev",
        *_scratch(command.limits),
        *_places(command.places),
        "--remount-ro", "/",
        "--clearenv", *_variables(environment(command, HOME)),
        "--chdir", os.path.normpath(f"{CHECKOUT}/{command.folder}"),
    )  # fmt: skip


def _variables(variables: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(variables):
        yield from ("--setenv", name, variables[name])


def _system(network: bool) -> Iterator[str]:  # noqa: FBT001 - one switch, named at its only call
    for source, target in system_places(network=network):
        if not target.startswith("/etc/") and Path(source).is_symlink():
            yield from ("--symlink", str(Path(source).readlink()), target)
        else:
            yield from ("--ro-bind-try", source, target)


def _scratch(limits: Limits) -> Iterator[str]:
    for place in ("/tmp", "/var/tmp"):  # noqa: S108 - the run's own
        yield from ("--perms", "1777", "--size", str(limits.scratch_bytes), "--tmpfs", place)
    yield from ("--perms", "1777", "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm")  # noqa: S108


def _places(places: Places) -> Iterator[str]:
    for path in places.readable:
        yield from ("--ro-bind", str(path), str(path))
    yield from ("--bind", str(places.home), HOME, "--bind", str(places.checkout), CHECKOUT)


class _Sealed:
    """A text that is given to a program as an open file."""

    def __init__(self, text: str) -> None:
        self.fd = os.memfd_create("iris")
        os.write(self.fd, text.encode())
        os.lseek(self.fd, 0, os.SEEK_SET)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)


class _Status:
    """What bubblewrap reports: JSON objects, one on each line."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self._text = b""

    def started(self) -> None:
        """Keep no end that could be written to: only bubblewrap does."""
        os.close(self.writing)
        self.writing = -1

    def child(self) -> int | None:
        """Return the number of the namespace's first process, as seen from outside."""
        value = self._find("child-pid")
        return value if isinstance(value, int) else None

    def has_exit_code(self) -> bool:
        """Return whether the command was started, and came to an end."""
        return self._find("exit-code") is not None

    def _find(self, key: str) -> object:
        self._read()
        for line in self._text.splitlines():
            try:
                found = json.loads(line)
            except ValueError:
                continue  # half of a line
            if isinstance(found, dict) and key in found:
                return found[key]
        return None

    def _read(self) -> None:
        try:
            while data := os.read(self.reading, 4096):
                self._text += data
        except BlockingIOError:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in (self.reading, self.writing):
            if fd >= 0:
                os.close(fd)


class _Namespace:
    """The processes of a run: all that is below the namespace's first one."""

    def __init__(self, process: subprocess.Popen[bytes], status: _Status) -> None:
        self._process = process
        self._status = status
        self._first: psutil.Process | None = None

    def find(self) -> Sequence[psutil.Process]:
        first = self._find_first()
        return () if first is None else family(first.pid)

    def kill(self) -> None:
        """End the namespace's first process: the kernel ends the others with it."""
        first = self._find_first()
        if first is not None:
            end(first)
        kill_group(self._process)

    def _find_first(self) -> psutil.Process | None:
        if self._first is None and (child := self._status.child()) is not None:
            try:
                self._first = psutil.Process(child)
            except psutil.NoSuchProcess:
                return None
        return self._first
