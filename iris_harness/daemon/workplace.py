"""Where the workers of jobs work, and where their work comes together, on this machine.

The queue keeps the head of each job's work; a branch of the clone, ``iris/<job>``, follows it. A worker
starts at that head, so it has what it depends on, whichever machine made it; when it is done its commit
is merged, the result is proved again where others were merged meanwhile, and handed in as the next
head. The user's checkout and branches are never touched.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.checkouts import CloneCache, Worktree, add_worktree
from iris_harness.daemon.failures.classify import FailureClassifier
from iris_harness.daemon.gather import read_evidence
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.job_branch import JobBranch, safe_name
from iris_harness.daemon.provisioning import Machine, Provisioner
from iris_harness.daemon.runner import Project, Standing, new_home, remove_home
from iris_harness.daemon.sandbox import Limits, Places, Sandbox, Turns
from iris_harness.errors import IntegrationError, RepositoryError, WorkTooLargeError
from iris_harness.files import is_file
from iris_harness.jobs.leasing import Lease, NewStep, Step, WorkQueue
from iris_harness.jobs.values import WorkerSpec
from iris_harness.storage.files import make_private_folder, write_atomically
from iris_harness.storage.locks import hold_lock

_PATIENCE_SECONDS = 3_600
_BASE = "base"
_ENDED = "ended"


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """One worker's place."""

    lease: Lease
    branch: JobBranch
    worktree: Worktree
    project: Project
    folder: Path

    @property
    def spec(self) -> WorkerSpec:
        """What is to be done."""
        return self.lease.spec

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
    turns: Turns

    def open(self, lease: Lease, queue: WorkQueue) -> Site:
        """Make the worktree of a worker; one from an interrupted run is made anew, at its base.

        Raises:
            RepositoryError: the repository cannot be had, or has no such ref, or what other
                workers of the job made is not to be had.
            LeaseLostError: the lease has ended.
            StorageError: the queue cannot be reached.
        """
        spec = lease.spec
        clone = clone_cache(self.folder).open(spec.repo_url)
        folder = self.folder / "jobs" / safe_name(spec.job_id) / safe_name(spec.id)
        _forget_if_retried(folder, lease.delivery)
        branch = JobBranch(clone=clone, job_id=spec.job_id)
        base = self._base(branch, lease, queue, folder)
        worktree = add_worktree(clone, folder / spec.id, f"iris/{spec.job_id}-work/{spec.id}", base)
        places = _places(worktree, folder)
        sandbox = self.turns.of_next_worker(self.sandbox)
        project = self._project(worktree, places, sandbox, spec.test_cmd or "")
        return Site(lease=lease, branch=branch, worktree=worktree, folder=folder, project=project)

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

    def _base(self, branch: JobBranch, lease: Lease, queue: WorkQueue, folder: Path) -> str:
        """Return the commit that a worker starts at; the same after a restart."""
        kept = folder / _BASE
        with self.alone(lease.spec.job_id):
            head = _last_step(branch, lease, queue).head
        if is_file(kept):
            return kept.read_text(encoding="ascii").strip()
        make_private_folder(folder)
        write_atomically(kept, head.encode())
        return head

    def _project(
        self, worktree: Worktree, places: Places, sandbox: Sandbox, command: str
    ) -> Project:
        evidence = read_evidence(worktree.folder)
        return Project(
            evidence=evidence, report=inspect_repository(evidence, command),
            sandbox=sandbox, places=places, classifier=self.classifier, machine=self.machine,
            limits=self.limits, provisioner=self.provisioner,
        )  # fmt: skip

    def integrate(
        self, site: Site, commit: str, queue: WorkQueue, cancelled: Callable[[], bool]
    ) -> NewStep | None:
        """Merge a worker's commit into its job's work, and prove the whole; for who is `alone`.

        Nothing is moved: what is returned counts once the queue has it. None where it was cancelled
        meanwhile.

        Raises:
            IntegrationError: it does not merge, or the whole does not pass.
            RepositoryError: git failed.
            WorkTooLargeError: it is larger than the queue keeps.
        """
        last = _last_step(site.branch, site.lease, queue)
        head = commit
        if last.head != site.worktree.base:
            site.worktree.move_to(last.head)
            _merge(site.worktree, commit, site.spec)
            self._prove(site, cancelled)
            head = site.worktree.git.run("rev-parse", "HEAD")
        if cancelled():
            return None
        step = site.branch.next_step(last, head)
        if len(step.pack) > queue.limits.max_work_bytes:
            raise WorkTooLargeError(len(step.pack), queue.limits.max_work_bytes)
        return step

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

    def end(self, site: Site) -> None:
        """Keep that a worker failed for good: it starts anew, from others' work, if it is retried."""
        write_atomically(site.folder / _ENDED, str(site.lease.delivery).encode())

    @contextmanager
    def alone(self, job_id: str) -> Iterator[None]:
        """Let nobody else of this machine change the job's branch meanwhile."""
        lock = self.folder / "jobs" / f"{safe_name(job_id)}.lock"
        with hold_lock(lock, patience_seconds=_PATIENCE_SECONDS):
            yield


def clone_cache(folder: Path) -> CloneCache:
    """Return the clones of the workplace in a folder."""
    return CloneCache(folder / "clones")


def _last_step(branch: JobBranch, lease: Lease, queue: WorkQueue) -> Step:
    """Bring a job's branch to what the queue has, and return its last step; begin it if need be."""
    steps = queue.steps(lease)
    if not steps:
        steps = queue.begin(lease, branch.clone.find_commit(lease.spec.ref or None))
    branch.follow(steps, partial(queue.pack, lease))
    return steps[-1]


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
