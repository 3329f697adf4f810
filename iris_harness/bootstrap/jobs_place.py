"""Where jobs are kept: known without what opens them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iris_harness.config.settings import JobsSettings

_FILE_NAME = (
    "jobs.db"  # `jobs.database.FILE_NAME`, which needs SQLAlchemy to be read; a test compares
)


def jobs_file(folder: Path) -> Path:
    """Return the file that has the jobs of a data folder, unless a server keeps them."""
    return folder / _FILE_NAME


def are_jobs_kept(settings: JobsSettings, folder: Path) -> bool:
    """Return whether there may be jobs: none were ever submitted where their file is missing."""
    return settings.database_url is not None or jobs_file(folder).exists()
