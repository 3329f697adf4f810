"""Where the workers of jobs work, and where their work comes together, on this machine.

Each job has a branch of its own in the clone, ``iris/<job>``, which begins at the commit that the job's
first worker started from. A worker starts at the head of that branch, so it has what it depends on; when
it is done its commit is merged, and the result is proved again where others were merged meanwhile. The
user's checkout and branches are never touched.
"""

from __future__ import annotations

import re
import secrets
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
from iris_harness.daemon.provisioning import Machine, Provisioner
from iris_harness.daemon.runner import Project, Standing, new_home, remove_home
from iris_harness.daemon.sandbox import Engines, Limits, Places, Sandbox, Turns
from iris_harness.errors import IntegrationError, RepositoryError
from iris_harness.files import is_file
from iris_harness.jobs.leases import Lease
from iris_harness.jobs.values import WorkerSpec
from iris_harness.storage.files import make_private_folder, write_atomically
from iris_harness.storage.locks import hold_lock

_PATIENCE_SECONDS = 3_600
_BASE = "base"
_ENDED = "ended"
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
        return _journal(self.folder)


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """The clones, worktrees and branches of this machine."""

    folder: Path
    sandbox: Sandbox
    classifier: FailureClassifier
    machine: Machine
    clock: Clock
    limits: Limits
    provisioner: Provisioner
    engines: Engines
    turns: Turns

    def open(self, lease: Lease) -> Site:
        """Make the worktree of a worker; one from an interrupted run is made anew, at its base.

        Raises:
            RepositoryError: the repository cannot be had, or has no such ref.
        """
        spec = lease.spec
        clone = clone_cache(self.folder).open(spec.repo_url)
        folder = self.folder / "jobs" / _name(spec.job_id) / _name(spec.id)
        _forget_if_retried(folder, lease.delivery)
        base = self._base(clone, spec, folder)
        worktree = add_worktree(clone, folder / spec.id, f"iris/{spec.job_id}-work/{spec.id}", base)
        places = _places(worktree, folder)
        sandbox = self.turns.of_next_worker(self.sandbox)
        project = self._project(worktree, places, sandbox, spec.test_cmd or "")
        return Site(spec=spec, clone=clone, worktree=worktree, folder=folder, project=project)

    @contextmanager
    def trial(self, url: str, ref: str | None, command: str) -> Iterator[tuple[Project, str]]:
        """Make a copy of a repository that can be run, give it with its commit, and remove it after.

        Args:
            url: the repository's address.
            ref: a branch, a tag or a commit; None is what the repository starts with.
            command: the test command; empty for the repository's own.

        Raises:
            RepositoryError: it cannot be cloned, or has no such ref.
        """
        clone = clone_cache(self.folder).open(url)
        commit = clone.find_commit(ref)
        name = secrets.token_hex(6)
        folder = self.folder / "trials" / name
        worktree = add_worktree(clone, folder / name, f"iris/trial/{name}", commit)
        try:
            yield self._project(worktree, _places(worktree, folder), self.sandbox, command), commit
        finally:
            worktree.remove()
            clone.git.run("branch", "--quiet", "--delete", "--force", worktree.branch)
            shutil.rmtree(folder, ignore_errors=True)

    def _base(self, clone: Clone, spec: WorkerSpec, folder: Path) -> str:
        """Return the commit that a worker starts at; the same after a restart."""
        kept = folder / _BASE
        if is_file(kept):
            return kept.read_text(encoding="ascii").strip()
        branch = job_branch(spec.job_id)
        with self._alone(spec.job_id):
            if not clone.git.succeeds("rev-parse", "--verify", "--quiet", branch):
                first = clone.find_commit(spec.ref or None)
                clone.git.run("update-ref", base_ref(spec.job_id), first)
                clone.git.run("branch", "--no-track", branch, first)
            base = clone.git.run("rev-parse", branch)
        make_private_folder(folder)
        write_atomically(kept, base.encode())
        return base

    def _project(
        self, worktree: Worktree, places: Places, sandbox: Sandbox, command: str
    ) -> Project:
        evidence = read_evidence(worktree.folder)
        return Project(
            evidence=evidence, report=inspect_repository(evidence, command),
            sandbox=sandbox, places=places, classifier=self.classifier, machine=self.machine,
            limits=self.limits, provisioner=self.provisioner, engines=self.engines,
        )  # fmt: skip

    def integrate(self, site: Site, commit: str, cancelled: Callable[[], bool]) -> str | None:
        """Merge a worker's commit into its job's branch, and prove the whole; return the new head.

        None where it was cancelled meanwhile; the branch is as before then.

        Raises:
            IntegrationError: it does not merge, or the whole does not pass; the branch is as before.
            RepositoryError: git failed.
        """
        spec, git = site.spec, site.clone.git
        with self._alone(spec.job_id):
            head = git.run("rev-parse", job_branch(spec.job_id))
            if git.succeeds("merge-base", "--is-ancestor", commit, head):
                return head  # merged before a crash
            if head == site.worktree.base:
                return _advance(site, head, commit, cancelled)
            site.worktree.move_to(head)
            _merge(site.worktree, commit, spec)
            self._prove(site, cancelled)
            return _advance(site, head, site.worktree.git.run("rev-parse", "HEAD"), cancelled)

    def _prove(self, site: Site, cancelled: Callable[[], bool]) -> None:
        """Run the tests of what was merged, with what is installed already where that will do."""
        own = site.project
        project = self._project(site.worktree, own.places, own.sandbox, site.spec.test_cmd or "")
        found = project.baseline(cancelled)
        if found.standing not in {Standing.GREEN, Standing.CANCELLED}:
            raise IntegrationError(
                f"with what other workers did meanwhile, {found.why}",
                hint="retry the worker: it starts from their work then",
                output=found.outcome.output[-4000:] if found.outcome else "",
            )

    def close(self, site: Site) -> None:
        """Remove the worktree and what was installed for it; journal, branch and base stay."""
        site.worktree.remove()
        remove_home(site.folder)

    def end(self, site: Site, lease: Lease) -> None:
        """Keep that a worker failed for good: it starts anew, from others' work, if it is retried."""
        write_atomically(site.folder / _ENDED, str(lease.delivery).encode())

    @contextmanager
    def _alone(self, job_id: str) -> Iterator[None]:
        lock = self.folder / "jobs" / f"{_name(job_id)}.lock"
        with hold_lock(lock, patience_seconds=_PATIENCE_SECONDS):
            yield


def clone_cache(folder: Path) -> CloneCache:
    """Return the clones of the workplace in a folder."""
    return CloneCache(folder / "clones")


def job_branch(job_id: str) -> str:
    """Return the branch in the clone on which a job's work comes together."""
    return f"iris/{_name(job_id)}"


def base_ref(job_id: str) -> str:
    """Return the ref in the clone that keeps where a job began."""
    return f"refs/iris/{_name(job_id)}/base"


def _places(worktree: Worktree, folder: Path) -> Places:
    readable = (worktree.clone.folder,)
    return Places(checkout=worktree.folder, home=new_home(folder), readable=readable)


def _journal(folder: Path) -> Path:
    return folder / "journal.jsonl"


def _forget_if_retried(folder: Path, delivery: int) -> None:
    """Set aside what was done before a worker failed; not where it was only not yet said that it did.

    Deliveries are counted from one again when a worker is retried, and only then.
    """
    ended = folder / _ENDED
    if not is_file(ended) or delivery > int(ended.read_text(encoding="ascii")):
        return
    journal = _journal(folder)
    if is_file(journal):
        count = len(list(folder.glob("journal-*.jsonl")))
        journal.rename(folder / f"journal-{count + 1}.jsonl")
    (folder / _BASE).unlink(missing_ok=True)
    ended.unlink()


def _advance(site: Site, old: str, new: str, cancelled: Callable[[], bool]) -> str | None:
    if cancelled():
        return None
    branch = f"refs/heads/{job_branch(site.spec.job_id)}"
    site.clone.git.run("update-ref", branch, new, old)
    return new


def _merge(merged: Worktree, commit: str, spec: WorkerSpec) -> None:
    title = f"Merge {spec.id}"
    try:
        merged.git.run("merge", "--quiet", "--no-ff", "--no-verify", "-m", title, commit)
    except RepositoryError as error:
        paths = merged.git.run("diff", "--name-only", "--diff-filter=U")
        listed = ", ".join(paths.splitlines()) or error.message
        raise IntegrationError(
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
