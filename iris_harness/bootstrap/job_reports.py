"""The user's jobs as handlers see them, read when somebody asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iris_harness.bootstrap.jobs import open_jobs
from iris_harness.bootstrap.jobs_place import are_jobs_kept
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.config.settings import JobsSettings
from iris_harness.contracts.jobs import JobPort, JobReport, WorkerReport

if TYPE_CHECKING:
    from iris_harness.jobs.views import JobView, WorkerView

_MOST = 10


class KeptJobs:
    """Implements `iris_harness.contracts.jobs.JobPort` with the database of jobs."""

    def __init__(self, settings: JobsSettings, folder: Path) -> None:
        """Take where jobs are kept; nothing is opened yet."""
        self._settings = settings
        self._folder = folder

    def recent(self) -> tuple[JobReport, ...]:
        """Return the newest jobs, newest first."""
        if not are_jobs_kept(self._settings, self._folder):
            return ()
        with open_jobs(self._settings, self._folder) as opened:
            found = opened.reader.list(limit=_MOST)
            return tuple(_report(opened.reader.get(summary.id)) for summary in found)


def own_jobs(setting: DaySetting) -> JobPort | None:
    """Return the user's jobs; None for the demonstration and paths, which have none."""
    if setting.origin is not Origin.CONFIGURED or setting.jobs is None:
        return None
    return KeptJobs(setting.jobs, setting.data_folder)


def _report(view: JobView) -> JobReport:
    summary = view.summary
    ended = [worker.finished_at for worker in view.workers if worker.finished_at is not None]
    return JobReport(
        job_id=summary.id,
        task=summary.task,
        repo_url=summary.repo_url,
        state=summary.state.value,
        created_at=summary.created_at,
        finished_at=max(ended, default=None) if summary.state.is_final else None,
        workers=tuple(
            WorkerReport(one.name, one.spec.task, one.state.value, _told(one))
            for one in view.workers
        ),
        is_reviewed=summary.reviewed_at is not None,
    )


def _told(worker: WorkerView) -> str:
    """Return what a worker says of itself; anything may stand in a result."""
    if worker.reason:
        return worker.reason
    result = worker.result if isinstance(worker.result, dict) else {}
    return next(
        (text for name in ("summary", "why") if isinstance(text := result.get(name), str)), ""
    )
