"""Where the workers of jobs work, and where their work comes together, on this machine.

Each job has a branch of its own in the clone, ``iris/<job>``, which begins at the commit that the job's
first worker started from. A worker starts at the head of that branch, so it has what it depends on; when
it is done its commit is merged, and the result is proved again where others were merged meanwhile. The
user's checkout and branches are never touched.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.checkouts import Clone, CloneCache, Worktree, add_worktree
from iris_harness.daemon.failures.classify import FailureClassifier
from iris_harness.daemon.gather import read_evidence
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning import Machine
from iris_harness.daemon.runner import Project, Standing
from iris_harness.daemon.sandbox import Limits, Places, Sandbox
from iris_harness.errors import RepositoryError
from iris_harness.jobs.values import WorkerSpec
from iris_harness.storage.files import make_private_folder
from iris_harness.storage.locks import hold_lock

_PATIENCE_SECONDS = 3_600
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """One worker's place."""

    spec: WorkerSpec
    clone: Clone
    worktree: Worktree
    project: Project
    folder: Path

    @property
    def journal(self) -> Path:
        """The file of its journal, which outlives the worktree."""
        return self.folder / "journal.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """The clones, worktrees and branches of this machine."""

    folder: Path
    sandbox: Sandbox
    classifier: FailureClassifier
    machine: Machine
    clock: Clock
    limits: Limits

    def open(self, spec: WorkerSpec) -> Site:
        """Make the worktree of a worker; one from an interrupted run is made anew, at its base.

        Raises:
            RepositoryError: the repository cannot be had, or has no such ref.
        """
        clone = CloneCache(self.folder / "clones").open(spec.repo_url)
        folder = self.folder / "jobs" / _name(spec.job_id) / _name(spec.id)
        base = self._base(clone, spec, folder)
        worktree = add_worktree(clone, folder / spec.id, f"iris/{spec.job_id}-work/{spec.id}", base)
        return Site(
            spec=spec, clone=clone, worktree=worktree, folder=folder,
            project=self._project(worktree, folder / "home", spec.test_cmd),
        )  # fmt: skip

    def _base(self, clone: Clone, spec: WorkerSpec, folder: Path) -> str:
        """Return the commit that a worker starts at; the same after a restart."""
        kept = folder / "base"
        if kept.exists():
            return kept.read_text(encoding="ascii").strip()
        branch = job_branch(spec.job_id)
        with self._alone(spec.job_id):
            if not clone.git.succeeds("rev-parse", "--verify", "--quiet", branch):
                first = clone.find_commit(spec.ref or None)
                clone.git.run("update-ref", base_ref(spec.job_id), first)
                clone.git.run("branch", "--no-track", branch, first)
            base = clone.git.run("rev-parse", branch)
        make_private_folder(folder)
        kept.write_text(base, encoding="ascii")
        return base

    def _project(self, worktree: Worktree, home: Path, command: str | None) -> Project:
        make_private_folder(home)
        evidence = read_evidence(worktree.folder)
        places = Places(checkout=worktree.folder, home=home, readable=(worktree.clone.folder,))
        return Project(
            evidence=evidence, report=inspect_repository(evidence, command or ""),
            sandbox=self.sandbox, places=places, classifier=self.classifier, machine=self.machine,
            limits=self.limits,
        )  # fmt: skip

    def integrate(self, site: Site, commit: str, cancelled: Callable[[], bool]) -> str:
        """Merge a worker's commit into its job's branch, and prove the whole; return the new head.

        Raises:
            RepositoryError: it does not merge, or the whole does not pass; the branch is as before.
        """
        spec, branch = site.spec, job_branch(site.spec.job_id)
        with self._alone(spec.job_id):
            head = site.clone.git.run("rev-parse", branch)
            if head == site.worktree.base:
                return self._advance(site.clone, branch, head, commit)
            folder = site.folder / f"{spec.id}-merged"
            merged = add_worktree(site.clone, folder, f"iris/{spec.job_id}-merge/{spec.id}", head)
            try:
                _merge(merged, commit, spec)
                self._prove(merged, site, cancelled)
                return self._advance(site.clone, branch, head, merged.git.run("rev-parse", "HEAD"))
            finally:
                merged.remove()

    def _prove(self, merged: Worktree, site: Site, cancelled: Callable[[], bool]) -> None:
        home = site.folder / "merged" / "home"
        found = self._project(merged, home, site.spec.test_cmd).baseline(cancelled)
        if found.standing is not Standing.GREEN:
            raise RepositoryError(
                f"with what other workers did meanwhile, {found.why}",
                hint="retry the worker: it starts from their work then",
                output=found.outcome.output[-4000:] if found.outcome else "",
            )

    def _advance(self, clone: Clone, branch: str, old: str, new: str) -> str:
        clone.git.run("update-ref", f"refs/heads/{branch}", new, old)
        return new

    def close(self, site: Site) -> None:
        """Remove the worktree; journal, branch and base stay."""
        site.worktree.remove()
        shutil.rmtree(site.folder / "home", ignore_errors=True)

    @contextmanager
    def _alone(self, job_id: str) -> Iterator[None]:
        lock = self.folder / "jobs" / f"{_name(job_id)}.lock"
        with hold_lock(lock, patience_seconds=_PATIENCE_SECONDS):
            yield


def job_branch(job_id: str) -> str:
    """Return the branch in the clone on which a job's work comes together."""
    return f"iris/{_name(job_id)}"


def base_ref(job_id: str) -> str:
    """Return the ref in the clone that keeps where a job began."""
    return f"refs/iris/{_name(job_id)}/base"


def _merge(merged: Worktree, commit: str, spec: WorkerSpec) -> None:
    title = f"Merge {spec.id}"
    try:
        merged.git.run("merge", "--quiet", "--no-ff", "--no-verify", "-m", title, commit)
    except RepositoryError as error:
        paths = merged.git.run("diff", "--name-only", "--diff-filter=U")
        listed = ", ".join(paths.splitlines()) or error.message
        raise RepositoryError(
            f"what other workers did meanwhile conflicts with it in {listed}",
            hint="retry the worker: it starts from their work then", output=error.output,
        ) from error  # fmt: skip


def _name(text: str) -> str:
    """Return a name that is safe as a folder and in a ref.

    Raises:
        RepositoryError: it is not.
    """
    if not _SAFE.fullmatch(text) or ".." in text or text.endswith(".lock"):
        raise RepositoryError(f"{text!r} is no id of a job or a worker")
    return text
