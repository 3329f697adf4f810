"""What is run, within which limits, and what came of it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE
_MOST_OF_A_LINE = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What one run may use. Reaching a limit ends the run with all its processes."""

    seconds: float = 600.0
    """Of the clock on the wall."""
    memory_bytes: int = 4 * GIBIBYTE
    """Of all its processes together; pages that they share count once."""
    processes: int = 256
    """At one time, threads not counted."""
    file_bytes: int = 2 * GIBIBYTE
    """Of one file."""
    scratch_bytes: int = 2 * GIBIBYTE
    """Of each temporary folder, which is kept in memory where the sandbox has its own."""
    free_bytes: int = GIBIBYTE
    """What has to stay free on the disk of the checkout."""
    output_bytes: int = 512 * 1024
    """Of the output that is kept, its beginning and its end; the rest is counted only."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The folders of this machine that a run sees, besides the system's programs."""

    checkout: Path
    """What is worked on: read and written."""
    home: Path
    """A home folder of the job's own: read and written. The user's is never seen."""
    readable: tuple[Path, ...] = ()
    """What is only read, at its own path: a toolchain in the user's home, the clone's history."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Image:
    """A container image that is on this machine."""

    engine: str
    """What keeps it, and runs it."""
    id: str
    """Its digest, which never stands for another one."""
    reference: str
    """The name by which it came."""
    path: tuple[str, ...]
    """The folders of its programs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One run."""

    argv: tuple[str, ...]
    places: Places
    folder: str = ""
    """Where it starts, relative to the checkout, with ``/``."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What is added to the few variables that every run has; never a secret."""
    path: tuple[str, ...] = ()
    """Folders that are looked in for programs before the system's."""
    network: bool = False
    """Whether it may reach the network: only while dependencies are installed."""
    limits: Limits = Limits()
    image: Image | None = None
    """Whose programs it runs with; None: this machine's."""


class Ended(enum.StrEnum):
    """How a run ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_MANY_PROCESSES = "too_many_processes"
    DISK_FULL = "disk_full"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of a run."""

    ended: Ended
    exit_code: int
    """As a shell gives it: 128 + the number of the signal that ended it. 124 where a limit did."""
    output: str
    """Both streams as they came, decoded as UTF-8, without what went beyond the limit."""
    seconds: float
    peak_memory_bytes: int
    """As seen by the watch, which looks a few times a second."""
    confined: bool
    """False where it ran as the user, with all that the user may do."""

    @property
    def succeeded(self) -> bool:
        """Whether it came to its own end and reported success."""
        return self.ended is Ended.EXITED and self.exit_code == 0

    @property
    def last_line(self) -> str:
        """The last line with something on it, at most 300 characters; empty without one."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1][:_MOST_OF_A_LINE] if lines else ""


class Sandbox(Protocol):
    """Runs commands of a repository."""

    @property
    def name(self) -> str:
        """What confines them, as the configuration calls it."""
        ...

    def home(self, places: Places) -> str:
        """Return where a command finds its home folder."""
        ...

    def run(self, command: Command, cancelled: Callable[[], bool] = ...) -> Outcome:
        """Run one command to its end; none of its processes is left then.

        Raises:
            SandboxError: the sandbox could not be set up; the command was not started.
        """
        ...
