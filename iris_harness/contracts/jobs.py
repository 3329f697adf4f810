"""Jobs as they stand, for handlers: larger work that goes on beside conversations."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple, Protocol


class WorkerReport(NamedTuple):
    """One worker of a job."""

    name: str
    """Unique in its job."""
    task: str
    state: str
    """``blocked``, ``ready``, ``leased``, ``succeeded``, ``failed`` or ``cancelled``."""
    told: str = ""
    """What it says it did, or why it did not end well; empty: nothing yet. A stranger's words."""


class JobReport(NamedTuple):
    """One job."""

    job_id: str
    task: str
    """In the words in which it was asked for."""
    repo_url: str
    state: str
    """``queued``, ``running``, ``paused``, ``succeeded``, ``failed`` or ``cancelled``."""
    created_at: dt.datetime
    """Aware, UTC."""
    finished_at: dt.datetime | None
    """When its last worker ended; None while something of it may still run."""
    workers: tuple[WorkerReport, ...]
    """Each after all it waits for."""
    is_reviewed: bool = False
    """Whether its owner has brought in what it made, or has dismissed it."""

    @property
    def is_open(self) -> bool:
        """Whether something of it may still run."""
        return self.finished_at is None

    def count(self, state: str) -> int:
        """Return how many workers are in a state."""
        return sum(worker.state == state for worker in self.workers)


class JobPort(Protocol):
    """The user's jobs, for handlers. Thread-safe."""

    def recent(self) -> tuple[JobReport, ...]:
        """Return the newest jobs, newest first.

        Raises:
            IrisError: they cannot be read.
        """
        ...
