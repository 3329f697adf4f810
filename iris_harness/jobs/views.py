"""Jobs as they stand, as values for whoever shows them."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iris_harness.contracts.canonical import Json
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.values import PlanRequest, WorkerSpec


class JobState(enum.StrEnum):
    """Where a job is, as told by its workers."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing of it will run any more, unless it is retried."""
        return self in {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED}


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSummary:
    """One line about a job."""

    id: str
    owner: str
    manifest_id: str
    task: str
    repo_url: str
    state: JobState
    counts: Mapping[WorkerState, int]
    """How many workers are in each state; states without any are left out."""
    priority: int
    created_at: dt.datetime
    """UTC."""
    reviewed_at: dt.datetime | None = None
    """When its owner was done with what it made; None: not yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerView:
    """A worker as it stands."""

    spec: WorkerSpec
    state: WorkerState
    kind: str | None
    """Short name of how it ended, as in ``unverifiable``; None while it has not."""
    reason: str | None
    """Why it failed or was cancelled."""
    result: Json
    """What its daemon handed in; None while there is none."""
    fence: int
    deliveries: int
    leased_by: str | None
    lease_expires_at: dt.datetime | None
    cancel_requested: bool
    started_at: dt.datetime | None
    finished_at: dt.datetime | None

    @property
    def name(self) -> str:
        """Its id within the job."""
        return self.spec.id.removeprefix(f"{self.spec.job_id}-")


@dataclass(frozen=True, kw_only=True, slots=True)
class JobView:
    """A job with everything that is kept of it."""

    summary: JobSummary
    request: PlanRequest
    planner: str
    notes: tuple[str, ...]
    needs: tuple[str, ...]
    workers: tuple[WorkerView, ...]
    """Each after all it depends on."""


def job_state(counts: Mapping[WorkerState, int], *, paused: bool) -> JobState:
    """Return the state of a job from those of its workers."""
    running = counts.get(WorkerState.LEASED, 0)
    waiting = counts.get(WorkerState.READY, 0) + counts.get(WorkerState.BLOCKED, 0)
    if paused and waiting:
        return JobState.PAUSED
    if running or (waiting and counts.get(WorkerState.SUCCEEDED)):
        return JobState.RUNNING
    if waiting:
        return JobState.QUEUED
    if counts.get(WorkerState.FAILED):
        return JobState.FAILED
    return JobState.CANCELLED if counts.get(WorkerState.CANCELLED) else JobState.SUCCEEDED


def job_to_json(view: JobView) -> dict[str, Json]:
    """Return a job as ``iris jobs show --json`` prints it. Keys may be added, never renamed."""
    request = view.request
    return {
        **summary_to_json(view.summary),
        "ref": request.ref,
        "planner": view.planner,
        "notes": list(view.notes),
        "needs": list(view.needs),
        "context": request.context.value,
        "context_jobs": list(request.context_jobs),
        "workers": [_worker_to_json(worker) for worker in view.workers],
    }


def summary_to_json(summary: JobSummary) -> dict[str, Json]:
    """Return one line of ``iris jobs list --json``."""
    return {
        "id": summary.id,
        "owner": summary.owner,
        "manifest_id": summary.manifest_id,
        "state": summary.state.value,
        "task": summary.task,
        "repo_url": summary.repo_url,
        "priority": summary.priority,
        "created_at": summary.created_at.isoformat(),
        "reviewed_at": _iso(summary.reviewed_at),
        "counts": {state.value: count for state, count in sorted(summary.counts.items())},
    }


def _worker_to_json(worker: WorkerView) -> dict[str, Json]:
    spec = worker.spec
    return {
        "id": worker.name,
        "key": spec.id,
        "task": spec.task,
        "file": spec.file,
        "files": list(spec.files),
        "model": spec.model,
        "test_cmd": spec.test_cmd,
        "depends_on": _names(spec.depends_on, spec.job_id),
        "state": worker.state.value,
        "kind": worker.kind,
        "reason": worker.reason,
        "result": worker.result,
        "deliveries": worker.deliveries,
        "leased_by": worker.leased_by,
        "lease_expires_at": _iso(worker.lease_expires_at),
        "cancel_requested": worker.cancel_requested,
        "started_at": _iso(worker.started_at),
        "finished_at": _iso(worker.finished_at),
    }


def _names(keys: Sequence[str], job_id: str) -> list[Json]:
    return [key.removeprefix(f"{job_id}-") for key in keys]


def _iso(instant: dt.datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()
