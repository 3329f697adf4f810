"""A clone of each repository, shared by the jobs on it, and brought up to date before each.

A clone is bare: nothing is ever checked out in it. Of a repository on another machine only the
history is fetched at first, and files as they are needed (partial clone).
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from iris_harness.daemon.checkouts.git import Git, run_git
from iris_harness.errors import RepositoryError
from iris_harness.storage.files import make_private_folder
from iris_harness.storage.locks import hold_lock

_PATIENCE_SECONDS = 900
_REMOTE = "refs/remotes/origin"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HELD = re.compile(r"Unable to create '([^'\n]+\.lock)': File exists")
_SCP_FORM = re.compile(r"[\w.-]+@[\w.-]+:(?!/)[^\s]+")
_SCHEMES = ("file", "https", "ssh")


@dataclass(frozen=True, kw_only=True, slots=True)
class Clone:
    """A clone as it is now."""

    url: str
    folder: Path

    @property
    def git(self) -> Git:
        """Git in this clone."""
        return Git(self.folder)

    def find_commit(self, ref: str | None) -> str:
        """Return the commit that a branch, a tag or the start of a commit's number names.

        None is the branch that the repository itself starts with.

        Raises:
            RepositoryError: it has no such ref.
        """
        for name in _readings(ref):
            if self.git.succeeds("rev-parse", "--verify", "--quiet", "--end-of-options", name):
                return self.git.run("rev-parse", "--verify", "--end-of-options", name)
        what = f"no branch, tag or commit {ref!r}" if ref else "no commit"
        raise RepositoryError(f"{self.url} has {what}", hint="name one with --ref")

    def need_commit(self, commit: str) -> None:
        """See to it that a commit is here, by its full number.

        Raises:
            RepositoryError: the repository does not have it, or not any longer.
        """
        name = f"{commit}^{{commit}}"
        if self.git.succeeds("rev-parse", "--verify", "--quiet", name):
            return
        try:
            self.git.run("fetch", "--quiet", "--no-tags", "origin", commit, network=True)
            self.git.run("rev-parse", "--verify", "--quiet", name)
        except RepositoryError as error:
            raise RepositoryError(
                f"{self.url} does not have the commit {commit[:12]}, at which the job began",
                hint="push it again, or submit the job anew", output=error.output,
            ) from error  # fmt: skip


class CloneCache:
    """The clones of this machine."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that holds them; it is made when needed."""
        self._folder = folder

    def open(self, url: str) -> Clone:
        """Return the clone of a repository, up to date.

        Raises:
            RepositoryError: the address is none that is cloned, or it cannot be reached.
            StorageError: another process has been fetching it for a quarter of an hour.
        """
        check_url(url)
        folder = self._folder_of(url)
        make_private_folder(self._folder)
        with hold_lock(folder.with_suffix(".lock"), patience_seconds=_PATIENCE_SECONDS):
            clone = Clone(url=url, folder=folder)
            if (folder / "iris-complete").exists():
                _bring_up_to_date(clone)
            else:
                _create(clone)
        return clone

    def holds(self, url: str) -> bool:
        """Whether the repository was cloned here before; nothing is fetched to tell."""
        return (self._folder_of(url) / "iris-complete").exists()

    def _folder_of(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()[:24]}.git"


def check_url(url: str) -> None:
    """Refuse what is no address of a repository, or one that holds a password.

    Raises:
        RepositoryError: it is one of these.
    """
    parts = urlsplit(url)
    if _SCP_FORM.fullmatch(url):
        return
    if parts.scheme not in _SCHEMES or not url.isprintable() or " " in url:
        raise RepositoryError(
            f"{url!r} is no address that is cloned from",
            hint="give https://…, ssh://…, user@host:path, or a folder as file:///…",
        )
    if parts.password is not None:
        raise RepositoryError(
            "the address holds a password",
            hint="leave it out; git's own credential helpers are asked for it",
        )


def _create(clone: Clone) -> None:
    if clone.folder.exists():
        shutil.rmtree(clone.folder)  # an earlier one that was interrupted
    _set_up(clone)
    _fetch(clone)
    (clone.folder / "iris-complete").touch()


def _set_up(clone: Clone) -> None:
    """Make it a repository with an origin; one that is there keeps its branches."""
    make_private_folder(clone.folder)
    run_git("init", "--quiet", "--bare", ".", variables={}, folder=clone.folder)
    git = clone.git
    git.run("config", "remote.origin.url", clone.url)
    git.run("config", "remote.origin.fetch", f"+refs/heads/*:{_REMOTE}/*")
    if not clone.url.startswith("file:"):
        git.run("config", "remote.origin.promisor", "true")
        git.run("config", "remote.origin.partialclonefilter", "blob:none")


def _bring_up_to_date(clone: Clone) -> None:
    """Fetch; what a killed git or a machine that lost its power left broken is put right before.

    Raises:
        RepositoryError: it cannot be reached, or is broken beyond that.
    """
    whole = clone.git.succeeds("rev-parse", "--git-dir")
    if not whole:
        (clone.folder / "HEAD").unlink(missing_ok=True)  # git would take an empty one for its own
    if not whole or not clone.git.succeeds("config", "--get", "remote.origin.url"):
        _set_up(clone)
    without_stale_lock(clone.folder, ("refs/remotes/", "refs/tags/"), lambda: _fetch(clone))


def without_stale_lock(folder: Path, places: tuple[str, ...], act: Callable[[], object]) -> None:
    """Do something to refs that nobody else changes now; once more where a lock was in its way.

    Git keeps a lock as a file, which stays when it is killed.

    Raises:
        RepositoryError: it failed for another reason, or again.
    """
    try:
        act()
    except RepositoryError as error:
        held = _HELD.search(error.output)
        lock = Path(held[1]) if held else None
        if (
            lock is None
            or not lock.is_relative_to(folder)
            or not str(lock.relative_to(folder)).startswith(places)
        ):
            raise
        lock.unlink(missing_ok=True)
        act()


def _fetch(clone: Clone) -> None:
    git = clone.git
    git.run("fetch", "--quiet", "--prune", "--force", "--tags", "origin", network=True)
    # Where HEAD is detached, or the repository is empty, there is no branch it starts with.
    git.succeeds("remote", "set-head", "origin", "--auto")


def _readings(ref: str | None) -> tuple[str, ...]:
    if ref is None:
        return (
            f"{_REMOTE}/HEAD^{{commit}}",
            f"{_REMOTE}/main^{{commit}}",
            f"{_REMOTE}/master^{{commit}}",
        )
    name = ref.removeprefix("refs/heads/").removeprefix("origin/")
    readings = (f"{_REMOTE}/{name}", f"refs/tags/{ref.removeprefix('refs/tags/')}")
    commit = (ref,) if re.fullmatch(r"[0-9a-f]{7,64}", ref) else ()
    return tuple(f"{reading}^{{commit}}" for reading in (*readings, *commit))
