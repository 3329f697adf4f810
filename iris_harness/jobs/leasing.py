"""What a daemon and a queue say to each other, wherever the queue is.

Needs no database: a daemon on another machine has none.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from iris_harness.contracts.canonical import Json
from iris_harness.jobs.values import WorkerSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What bounds the queue; all daemons of a database should agree."""

    lease_seconds: float = 60.0
    """How long a daemon may be silent; it renews at a third of this."""
    max_deliveries: int = 3
    """How often a worker is given out before it counts as failed."""
    max_running: int = 0
    """Workers of one owner at once; 0 is no limit."""
    max_work_bytes: int = 16 * 1024 * 1024
    """Of what one worker adds to the work of its job, as git packs it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Daemon:
    """Who asks for work."""

    name: str
    """Unique among daemons; shown to people."""
    offers: frozenset[str] = frozenset()
    """What it has, as in ``host:den-1a2b``, ``language:python``, ``label:gpu``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """The right to run a worker, until it expires."""

    spec: WorkerSpec
    fence: int
    delivery: int
    """1 for the first time that the worker is given out."""
    expires_at: int
    """By the database's clock, in milliseconds since 1970."""
    others_wait: bool
    """Whether other workers of the job wait for this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewal:
    """A lease that goes on."""

    expires_at: int
    """As `Lease.expires_at`."""
    cancel_requested: bool
    """Whether the worker should stop, and its lease be ended with `WorkQueue.give_up`."""


class Step(NamedTuple):
    """How far the work of a job has come."""

    number: int
    """0 is the commit that the job began at; each worker that is merged adds one."""
    head: str
    """The commit, by its full number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewStep:
    """What a worker adds to the work of its job."""

    number: int
    built_on: str
    """The head of the step before."""
    head: str
    pack: bytes
    """What `head` has and `built_on` has not, as `git pack-objects --thin` writes it."""


class Wakeup(Protocol):
    """Waits for work. For one thread; what happened since it was made is never missed."""

    def wait(self, timeout_seconds: float, stop: threading.Event) -> bool:
        """Return True when something may have become ready, False after the timeout or `stop`.

        Raises:
            StorageError: the queue cannot be reached.
        """
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class WorkQueue(Protocol):
    """What a daemon needs of the queue, be it a database or a server. Thread-safe.

    Whatever is asked may raise `StorageError`: the queue cannot be reached.
    """

    @property
    def limits(self) -> Limits:
        """The bounds."""
        ...

    def open_wakeup(self, daemon: Daemon) -> Wakeup:
        """Return what waits until there may be work for `daemon`."""
        ...

    def lease(self, daemon: Daemon) -> Lease | None:
        """Give `daemon` the next worker that it can run; None when there is none now."""
        ...

    def renew(self, lease: Lease) -> Renewal:
        """Prolong a lease, from now.

        Raises:
            LeaseLostError: it has ended; its holder must stop.
        """
        ...

    def complete(self, lease: Lease, result: Json = None, step: NewStep | None = None) -> None:
        """End a lease with success, and make `step` the head of the job's work.

        Raises:
            LeaseLostError: it has ended; the result was dropped.
            WorkOutdatedError: the work of the job has gone on since; nothing is changed.
            WorkTooLargeError: the step is larger than may be kept.
        """
        ...

    def fail(self, lease: Lease, kind: str, reason: str, result: Json = None) -> None:
        """End a lease with failure; all that waits for this worker fails with it.

        Raises:
            LeaseLostError: it has ended; the result was dropped.
        """
        ...

    def give_up(self, lease: Lease, reason: str = "cancelled") -> None:
        """End a lease because the worker was to be cancelled.

        Raises:
            LeaseLostError: it has ended.
        """
        ...

    def release(self, lease: Lease) -> None:
        """Hand a worker back unrun; the delivery is not counted.

        Raises:
            LeaseLostError: it has ended.
        """
        ...

    def log(self, lease: Lease, text: str) -> None:
        """Add to what the worker says of itself.

        Raises:
            LeaseLostError: it has ended.
        """
        ...

    def begin(self, lease: Lease, commit: str) -> tuple[Step, ...]:
        """Begin the work of the worker's job at a commit, unless it has begun; return its steps.

        Raises:
            LeaseLostError: the lease has ended.
        """
        ...

    def steps(self, lease: Lease) -> tuple[Step, ...]:
        """Return the steps of the worker's job, in order; none where no worker of it has begun.

        Raises:
            LeaseLostError: the lease has ended.
        """
        ...

    def pack(self, lease: Lease, number: int) -> bytes:
        """Return what a step of the worker's job added to the one before.

        Raises:
            LeaseLostError: the lease has ended.
            UnknownJobError: there is no such step, or it is the first.
        """
        ...
