"""What the workers of a job made, on whichever machines."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from iris_harness.bootstrap.jobs import Jobs
from iris_harness.bootstrap.repositories import workplace_folder
from iris_harness.daemon.checkouts.git import run_git
from iris_harness.daemon.job_branch import JobBranch
from iris_harness.daemon.workplace import clone_cache
from iris_harness.errors import RepositoryError, UsageError
from iris_harness.jobs.views import JobSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWork:
    """The branch of a job in its clone."""

    branch: JobBranch
    title: str
    """The first line of the task, at most 72 characters."""

    @classmethod
    def of(cls, job: JobSummary, opened: Jobs, data_folder: Path) -> Self:
        """Return the work of a job; what other machines made of it comes from the jobs' database.

        Raises:
            RepositoryError: no worker has begun, or the repository cannot be had on this machine.
            StorageError: the database cannot be reached.
        """
        clones = clone_cache(workplace_folder(data_folder))
        kept = opened.steps
        steps = kept.of(job.id)
        if not steps and not clones.holds(job.repo_url):
            raise _nothing_made(job)  # before the repository is fetched for nothing
        branch = JobBranch(clone=clones.open(job.repo_url), job_id=job.id)
        if steps:
            branch.follow(steps, partial(kept.pack, job.id))
        elif not branch.is_here:
            raise _nothing_made(job)
        return cls(branch=branch, title=job.task.strip().partition("\n")[0][:72])

    def patch(self) -> bytes:
        """Return all that was changed, as `git apply` takes it; empty where nothing was."""
        ends = (self.branch.base, self.branch.name)
        git = self.branch.clone.git
        return git.read("diff", "--binary", "--no-ext-diff", "--no-textconv", *ends, network=True)

    def fast_forward(self, checkout: Path) -> str:
        """Move a checkout's branch to the job's head; return it.

        Raises:
            RepositoryError: the branch has gone on, or files in the checkout stand in the way; then
                nothing is changed.
        """

        def git(*words: str) -> bytes:
            return run_git(*words, variables={}, folder=checkout).stdout

        git("fetch", "--quiet", str(self.branch.clone.folder), self.branch.name)
        git("merge", "--quiet", "--ff-only", "FETCH_HEAD")
        return git("rev-parse", "HEAD").decode("ascii").strip()

    def patch_into(self, checkout: Path) -> None:
        """Make the job's changes in a checkout's files, and commit nothing.

        Raises:
            RepositoryError: they do not fit; then nothing is changed.
        """
        run_git("apply", "--whitespace=nowarn", "-", variables={}, folder=checkout,
                input_bytes=self.patch())  # fmt: skip

    def publish(self) -> str:
        """Push the job's branch to the repository it was made from; return the branch's name.

        Raises:
            RepositoryError: it is refused, or the repository cannot be reached.
        """
        name = f"refs/heads/{self.branch.name}"
        git = self.branch.clone.git
        git.run("push", "--quiet", "origin", f"{name}:{name}", network=True)
        return self.branch.name


def _nothing_made(job: JobSummary) -> RepositoryError:
    return RepositoryError(f"no worker of {job.id} has run", hint="`iris daemon run` runs them")


def run_after(words: Sequence[str], folder: Path, known: Mapping[str, str]) -> int:
    """Run the user's own command after a branch was pushed; return its exit code.

    Args:
        words: its arguments; ``{branch}``, ``{title}`` and ``{job}`` in them are filled in.
        folder: where it runs.
        known: what fills them in.

    Raises:
        UsageError: it cannot be started.
    """
    filled = [_filled(word, known) for word in words]
    try:
        return subprocess.run(filled, cwd=folder, check=False).returncode
    except OSError as error:
        raise UsageError(
            f"{filled[0]} cannot be started: {error.strerror}", hint="jobs.publish names it"
        ) from error


def _filled(word: str, known: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], found[0]), word)
