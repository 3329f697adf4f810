"""A worktree of one job's worker: its files, its branch, and the work that is done in it.

What is the work is kept in git's index. What installing or testing leaves behind is not in it: a
lockfile, byte code, what a package manager writes beside the sources.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from iris_harness.daemon.checkouts.clones import Clone, without_stale_lock
from iris_harness.daemon.checkouts.git import Git
from iris_harness.errors import RepositoryError
from iris_harness.storage.files import make_private_folder

_MOST_OF_ONE_FILE = 100
_LINK, _REPOSITORY = "120000", "160000"  # modes of git's index
_MATCHED_LINE = re.compile(r"^([^\0]*)\0(\d+)\0([^\n]*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Worktree:
    """A checkout at a recorded commit, on a branch of its own."""

    clone: Clone
    folder: Path
    branch: str
    base: str
    """The commit that it was made from: every diff is against it."""

    @property
    def git(self) -> Git:
        """Git in this worktree, whatever a run has left in its folder."""
        return Git(self.clone.folder / "worktrees" / self.folder.name, self.folder)

    def stage(self, path: str) -> None:
        """Make a file a part of the work, as it is now.

        Raises:
            RepositoryError: git ignores it, or it is not there.
        """
        self.git.run("--literal-pathspecs", "add", "--", path)

    def stage_all(self, but: Collection[str] = ()) -> None:
        """Make all that differs a part of the work, `but` some paths; never what git ignores."""
        left_out = (f":(exclude,literal){path}" for path in but)
        self.git.run(
            "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul",
            input_bytes="\0".join((".", *left_out)).encode("utf-8", "surrogateescape"),
        )  # fmt: skip

    def untracked(self) -> tuple[str, ...]:
        """Return the files that are no part of the work, and that git does not ignore; sorted."""
        listed = self.git.read("ls-files", "-z", "--others", "--exclude-standard")
        # As `stage_all` writes them: a name need not be UTF-8.
        return tuple(sorted(filter(None, listed.decode("utf-8", "surrogateescape").split("\0"))))

    def restore(self) -> None:
        """Make every file of the work what it is in it, whatever a run has made of it."""
        self.git.run("checkout-index", "--quiet", "--all", "--force", "--index")

    def changed_paths(self) -> tuple[str, ...]:
        """Return the paths in which the work differs from the base, sorted."""
        listed = self._differing("--name-only")
        return tuple(sorted(filter(None, listed.split("\0"))))

    def leaving_paths(self) -> tuple[str, ...]:
        """Return the changed paths that are links out of it, or repositories of their own; sorted."""
        listed = self._differing("--raw", "--no-abbrev")
        rows = listed.split("\0")
        return tuple(
            path
            for row, path in zip(rows[::2], rows[1::2], strict=False)
            if self._leaves(row.split(), path)
        )

    def _differing(self, *form: str) -> str:
        words = ("--cached", "--no-renames", "--ignore-submodules=none", "-z", *form, self.base)
        return self.git.run("diff", *words)

    def _leaves(self, row: list[str], path: str) -> bool:
        mode, blob = row[1], row[3]
        if mode != _LINK:
            return mode == _REPOSITORY
        target = self.git.read("cat-file", "blob", blob).decode("utf-8", "surrogateescape")
        reached = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return reached.startswith(("/", "../")) or reached == ".."

    def patch(self) -> bytes:
        """Return what the work changes of the base, as a patch that `git apply` takes."""
        return self.git.read(
            "diff", "--cached", "--binary", "--full-index", "--no-ext-diff", "--no-textconv",
            self.base,
        )  # fmt: skip

    def grep(self, pattern: str, place: str = ".") -> list[tuple[str, int, str]]:
        """Return the lines of the work's text files that match, with path and number, by path.

        What is looked at is git's index: a run may have put a link in the place of a folder.

        Args:
            pattern: a regular expression as Perl's; git gives up on one that takes too long.
            place: a folder or a file.

        Raises:
            RepositoryError: it is no regular expression, or took too long; `output` says which.
        """
        words = (
            "grep", "--cached", "--line-number", "--null", "-I", "--no-color", "--full-name",
            f"--max-count={_MOST_OF_ONE_FILE}", "--perl-regexp", "-e", pattern, "--", place,
        )  # fmt: skip
        try:
            listed = self.git.run("--literal-pathspecs", *words)
        except RepositoryError as error:
            if error.output:
                raise
            return []  # git's way to say that nothing matches
        found = _MATCHED_LINE.findall(listed)
        return [(path, int(number), line) for path, number, line in found]

    def apply(self, patch: bytes) -> None:
        """Make the changes of a patch a part of the work; an empty one has none.

        Raises:
            RepositoryError: it does not fit.
        """
        if patch:
            self.git.run(
                "apply", "--index", "--binary", "--whitespace=nowarn", "-", input_bytes=patch
            )

    def tree(self) -> str:
        """Return the digest of the work, as git counts it."""
        return self.git.run("write-tree")

    def commit(self, message: str) -> str | None:
        """Keep the work on the branch; return the commit, or None where nothing is changed."""
        git = self.git
        if git.succeeds("diff", "--cached", "--quiet", "HEAD"):
            return None
        git.run("commit", "--quiet", "--no-verify", "--file=-", input_bytes=message.encode())
        return git.run("rev-parse", "HEAD")

    def reset(self, commit: str) -> None:
        """Make every file as it was in a commit; what git ignores stays."""
        self.git.run("reset", "--quiet", "--hard", commit)
        self.git.run("clean", "--quiet", "-d", "--force", "--force")

    def move_to(self, commit: str) -> None:
        """Make every file as it was in a commit, off the branch; what git ignores stays."""
        self.git.run("checkout", "--quiet", "--force", "--detach", commit)

    def remove(self) -> None:
        """Remove the folder; the branch stays."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.clone.git.run("worktree", "prune")


def add_worktree(clone: Clone, folder: Path, branch: str, base: str) -> Worktree:
    """Make a worktree on a new branch; one that is there from an interrupted try is made anew.

    Args:
        clone: the repository.
        folder: where it comes; its name is unique among the worktrees of the clone.
        branch: as ``iris/<job>/<worker>``; in the clone only, the repository never sees it.
        base: the commit that it starts at.

    Raises:
        RepositoryError: git could not make it.
    """
    worktree = Worktree(clone=clone, folder=folder, branch=branch, base=base)
    if folder.exists():
        worktree.remove()
    make_private_folder(folder.parent)
    words = ("worktree", "add", "--quiet", "--force", "-B", branch, "--", str(folder), base)
    # Of a partial clone, files are fetched now.
    without_stale_lock(
        clone.folder, (f"refs/heads/{branch}.lock",), lambda: clone.git.run(*words, network=True)
    )
    if not (clone.folder / "worktrees" / folder.name).is_dir():
        raise RepositoryError(f"git made no worktree at {folder}")
    return worktree
