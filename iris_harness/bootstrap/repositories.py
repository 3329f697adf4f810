"""Assembles what runs a repository's tests: a clone, a worktree, a sandbox, and what is decided."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.checkouts import CloneCache, add_worktree
from iris_harness.daemon.failures.classify import load_classifier
from iris_harness.daemon.gather import read_evidence
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning import Machine
from iris_harness.daemon.runner import Project
from iris_harness.daemon.sandbox import Limits, Places, open_sandbox
from iris_harness.errors import UsageError
from iris_harness.files import is_folder, user_path
from iris_harness.storage.files import make_private_folder


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which state of which repository, and how it is run."""

    place: str
    """A folder of this machine, or an address."""
    ref: str | None
    """A branch, a tag or a commit; None is what the folder, or the repository, is at."""
    own_command: str
    sandbox: str
    seconds: float


@contextmanager
def opened_project(
    wanted: Wanted, data_folder: Path, clock: Clock
) -> Iterator[tuple[Project, str]]:
    """Make a copy of a repository that can be run, give it with its commit, and remove it after.

    Raises:
        UsageError: there is no repository at the place.
        RepositoryError: it cannot be cloned, or has no such ref.
        SandboxError: there is no sandbox.
    """
    sandbox = open_sandbox(wanted.sandbox, clock)
    clone = CloneCache(data_folder / "clones").open(repository_url(wanted.place))
    commit = clone.find_commit(wanted.ref)
    name = secrets.token_hex(6)
    folder = data_folder / "trials" / name
    worktree = add_worktree(clone, folder / name, f"iris/trial/{name}", commit)
    make_private_folder(folder / "home")
    try:
        evidence = read_evidence(worktree.folder)
        places = Places(checkout=worktree.folder, home=folder / "home", readable=(clone.folder,))
        project = Project(
            evidence=evidence,
            report=inspect_repository(evidence, wanted.own_command),
            sandbox=sandbox,
            places=places,
            classifier=load_classifier(),
            machine=Machine.here(),
            limits=Limits(seconds=wanted.seconds),
        )
        yield project, commit
    finally:
        worktree.remove()
        clone.git.run("branch", "--quiet", "--delete", "--force", worktree.branch)
        shutil.rmtree(folder, ignore_errors=True)


def repository_url(place: str) -> str:
    """Return the address to clone from: a folder's as ``file:``, any other as it is.

    Raises:
        UsageError: the folder is no repository.
    """
    folder = user_path(place)
    if not is_folder(folder):
        return place
    if not ((folder / ".git").exists() or (folder / "HEAD").exists()):
        raise UsageError(
            f"{place} is no git repository", hint="`git init` makes one; give the folder with .git"
        )
    return folder.resolve().as_uri()
