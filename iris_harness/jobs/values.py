"""What is asked, planned and kept of a job; all of it frozen.

Texts about files are hints: nothing here has seen the repository. A daemon, which has, resolves
them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

LOCAL_OWNER = "local"


class ContextMode(enum.StrEnum):
    """Whether finished jobs of the same owner may help to plan this one."""

    OFF = "off"
    AUTO = "auto"
    """The nearest by meaning."""
    MANUAL = "manual"
    """Those in `PlanRequest.context_jobs`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanRequest:
    """What a user wants done, before it is planned."""

    task: str
    repo_url: str = ""
    """Where the repository is; empty only while nothing is submitted."""
    ref: str = ""
    """Branch, tag or commit; empty means the default branch."""
    file: str | None = None
    """The one file that is meant, as a hint."""
    files: tuple[str, ...] = ()
    """Several files that are meant, as hints."""
    worker_model: str = ""
    """Model of the workers; empty means the configured one."""
    planner_model: str = ""
    """Model that plans; empty means the configured one, or none."""
    test_cmd: str | None = None
    """How every worker is proved; None leaves it to the daemon's own discovery."""
    context: ContextMode = ContextMode.OFF
    context_jobs: tuple[str, ...] = ()
    """Ids of jobs of the same owner, for `ContextMode.MANUAL`."""
    owner: str = LOCAL_OWNER

    def named_files(self) -> tuple[str, ...]:
        """Return `file` and `files` without repetition, in that order."""
        return tuple(dict.fromkeys((*((self.file,) if self.file else ()), *self.files)))


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedWorker:
    """One node of a plan."""

    id: str
    task: str
    file: str | None = None
    """The file it works on, as a hint; None: the daemon finds out."""
    files: tuple[str, ...] = ()
    """Further files, as hints."""
    model: str = ""
    """Empty means the request's `worker_model`."""
    test_cmd: str | None = None
    """None means the request's."""
    depends_on: tuple[str, ...] = ()
    """Ids of the workers that must have succeeded before."""

    def named_files(self) -> tuple[str, ...]:
        """Return `file` and `files` without repetition, in that order."""
        return tuple(dict.fromkeys((*((self.file,) if self.file else ()), *self.files)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A DAG of workers, in the order in which they are listed to people."""

    summary: str
    workers: tuple[PlannedWorker, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanOutcome:
    """A plan, and how it came about."""

    plan: Plan
    planner: str
    """``heuristic``, the model's name, or ``user``."""
    notes: tuple[str, ...] = ()
    """Each rule that was applied and each thing that was dropped, as sentences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """The immutable record of what is to be done; its id is the SHA-256 of its canonical JSON."""

    task: str
    repo_url: str
    ref: str
    summary: str
    workers: tuple[PlannedWorker, ...]
    """With model and test command filled in from the request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerSpec:
    """Everything a daemon is told of one worker."""

    id: str
    """``<job_id>-<worker_id>``."""
    task: str
    job_task: str
    file: str | None
    files: tuple[str, ...]
    model: str
    test_cmd: str | None
    depends_on: tuple[str, ...]
    """Ids of specs of the same job."""
    repo_url: str
    ref: str
    job_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmitOptions:
    """How a job is queued; no part of what is to be done."""

    idempotency_key: str | None = None
    """The same key of the same owner never makes a second job."""
    priority: int = 0
    """Higher goes first; -100 to 100."""
    needs: tuple[str, ...] = ()
    """What a daemon must offer, as in ``label:gpu``, ``language:rust``, ``sandbox:bwrap``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Submitted:
    """What became of a submission."""

    job_id: str
    manifest_id: str
    is_new: bool
    """False: the idempotency key had made this job before."""
