"""What the workers of a job made on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from iris_harness.bootstrap.repositories import workplace_folder
from iris_harness.daemon.checkouts import Clone
from iris_harness.daemon.checkouts.git import run_git
from iris_harness.daemon.workplace import base_ref, clone_cache, job_branch
from iris_harness.errors import RepositoryError


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWork:
    """The branch of a job in its clone."""

    clone: Clone
    job_id: str

    @classmethod
    def of(cls, job_id: str, repo_url: str, data_folder: Path) -> Self:
        """Return the work of a job.

        Raises:
            RepositoryError: nothing was made of it on this machine.
        """
        clone = clone_cache(workplace_folder(data_folder)).open(repo_url)
        if not clone.git.succeeds("rev-parse", "--verify", "--quiet", base_ref(job_id)):
            raise RepositoryError(
                f"no worker of {job_id} has run on this machine", hint="`iris daemon run` runs them"
            )
        return cls(clone=clone, job_id=job_id)

    def patch(self) -> bytes:
        """Return all that was changed, as `git apply` takes it; empty where nothing was."""
        ends = (base_ref(self.job_id), job_branch(self.job_id))
        return self.clone.git.read("diff", "--binary", "--no-ext-diff", "--no-textconv", *ends)

    def fast_forward(self, checkout: Path) -> str:
        """Move a checkout's branch to the job's head; return it.

        Raises:
            RepositoryError: the branch has gone on, or files in the checkout stand in the way; then
                nothing is changed.
        """
        branch = job_branch(self.job_id)

        def git(*words: str) -> bytes:
            return run_git(*words, variables={}, folder=checkout).stdout

        git("fetch", "--quiet", str(self.clone.folder), branch)
        git("merge", "--quiet", "--ff-only", "FETCH_HEAD")
        return git("rev-parse", "HEAD").decode("ascii").strip()
