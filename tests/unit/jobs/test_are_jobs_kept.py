"""Whether there may be jobs is known without opening their database."""

from __future__ import annotations

from pathlib import Path

from iris_harness.bootstrap.jobs import open_jobs
from iris_harness.bootstrap.jobs_place import are_jobs_kept
from iris_harness.config.settings import JobsSettings


def test_there_may_be_jobs_once_their_file_is_there_or_a_server_keeps_them(tmp_path: Path) -> None:
    assert not are_jobs_kept(JobsSettings(), tmp_path)
    assert are_jobs_kept(JobsSettings(database_url={"text": "postgresql://x/y"}), tmp_path)
    with open_jobs(JobsSettings(), tmp_path):
        assert are_jobs_kept(JobsSettings(), tmp_path)
