"""The user's jobs as a source of the day."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iris_harness.bootstrap.jobs_place import are_jobs_kept, jobs_file
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind, SourceState, SourceStatus
from iris_harness.errors import IrisError, StorageError

if TYPE_CHECKING:
    from iris_harness.config.settings import JobsSettings
    from iris_harness.contracts.day import JobNews

_SOURCE = "jobs"  # as chat names it too


class JobsOfDay:
    """Implements `iris_harness.contracts.ports.JobNewsPort` with the database of jobs."""

    def __init__(self, settings: JobsSettings, folder: Path) -> None:
        """Take whose jobs are read, and the data folder; nothing is opened yet."""
        self._settings = settings
        self._folder = folder

    def read(self, window: ReadWindow) -> Reading[JobNews] | None:  # noqa: ARG002 - as they stand
        """Return the newest jobs as they stand; None where none were ever submitted."""
        if not are_jobs_kept(self._settings, self._folder):
            return None
        try:
            found = self._found()
        except IrisError as error:
            return Reading(status=_status(SourceState.FAILED, str(error)))
        return Reading(status=_status(SourceState.OK), items=found)

    def _found(self) -> tuple[JobNews, ...]:
        from iris_harness.jobs.news import read_news_file

        if self._settings.database_url is None:
            try:
                return read_news_file(jobs_file(self._folder), self._settings.owner)
            except StorageError:
                pass  # an older program's, perhaps: whoever opens it brings it up to date
        return self._opened()

    def _opened(self) -> tuple[JobNews, ...]:
        from iris_harness.bootstrap.jobs import open_jobs
        from iris_harness.jobs.news import read_news

        with open_jobs(self._settings, self._folder) as opened:
            return read_news(opened.database, self._settings.owner)


def _status(state: SourceState, detail: str = "") -> SourceStatus:
    return SourceStatus(name=_SOURCE, kind=SourceKind.JOBS, state=state, detail=detail)
