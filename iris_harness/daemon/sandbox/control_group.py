"""A control group that caps how many processes a run has, where Iris itself is root.

The kernel's limit per user does not hold for root (setrlimit(2), RLIMIT_NPROC), and a run that starts
processes without end would leave none for the watch that should end it. An ordinary user needs no
control group: the limit holds inside the namespaces of a run.

See the kernel's documentation of control groups, versions 1 and 2: the files are named alike.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PLACES = (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup"))
_MOST = "pids.max"
_MEMBERS = "cgroup.procs"
_STEPS = 100
_STEP_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Group:
    """One control group."""

    folder: Path

    def stop(self) -> None:
        """End every process in it; none of them can start another meanwhile."""
        (self.folder / _MOST).write_text("0", encoding="ascii")
        for number in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def members(self) -> tuple[int, ...]:
        """Return the numbers of its processes."""
        return tuple(map(int, (self.folder / _MEMBERS).read_text(encoding="ascii").split()))


@contextlib.contextmanager
def control_group(tasks: int) -> Iterator[Group | None]:
    """Make a group for at most so many processes and threads; None where that cannot be done."""
    group = _make(tasks) if os.getuid() == 0 else None
    try:
        yield group
    finally:
        if group is not None:
            _remove(group)


def entering(group: Group | None) -> tuple[str, ...]:
    """Return the words that start a program inside a group."""
    if group is None:
        return ()
    script = 'echo $$ > "$0" && exec "$@"'
    return ("sh", "-c", script, str(group.folder / _MEMBERS))


def _make(tasks: int) -> Group | None:
    for place in _PLACES:
        group = place / f"iris-{secrets.token_hex(6)}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / _MOST).write_text(str(tasks), encoding="ascii")
        except OSError:
            group.rmdir()  # the controller is not on
            continue
        return Group(group)
    return None


def _remove(group: Group) -> None:
    for _ in range(_STEPS):
        try:
            group.folder.rmdir()
        except OSError:
            time.sleep(_STEP_SECONDS)  # what was killed is still being put away
        else:
            return
