"""Reads a repository's evidence: the only part of the decisions that touches files.

A checkout is listed by ``git ls-files`` as a subprocess without a shell, hooks or questions; a
folder that is none is walked. A listing is a file of paths, or a folder with ``files.txt`` and the
files that matter under ``markers/``. Files are read bounded, never through a link out of the
repository.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from iris_harness.daemon.tree import MAX_PATHS, Tree, build_tree, parse_listing
from iris_harness.errors import SourceError
from iris_harness.files import is_file, is_folder, read_regular_file

_MAX_LISTING_BYTES = 256 * 1024 * 1024
_GIT_SECONDS = 60
_LISTING = "files.txt"
# Nothing that the repository's own settings name is run.
_GIT = (
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*",
    "-c", "core.quotePath=false", "--no-optional-locks",
)  # fmt: skip
_UNTRACKED_FOLDERS = frozenset({".git", "node_modules", ".venv", "__pycache__", ".tox", ".hg"})


def read_tree(place: Path) -> Tree:
    """Return the tracked files of a checkout, or those of a listing.

    Raises:
        SourceError: there is nothing at `place`, or it cannot be read.
    """
    if is_folder(place):
        listing = place / _LISTING
        if is_file(listing) and is_folder(place / "markers"):
            return parse_listing(_read(listing))
        return _checkout(place)
    if is_file(place):
        return parse_listing(_read(place))
    raise SourceError(
        f"there is no repository at {place}",
        hint="give a checkout, or a file with one path on each line",
    )


def _read(path: Path) -> bytes:
    try:
        return read_regular_file(path, _MAX_LISTING_BYTES).data
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error


def _checkout(folder: Path) -> Tree:
    listed = _git_listing(folder)
    return parse_listing(listed) if listed is not None else build_tree(_walked(folder))


def _git_listing(folder: Path) -> bytes | None:
    """Return what git lists; None where the folder is no checkout, or git is not there."""
    try:
        done = subprocess.run(
            [*_GIT, "-C", str(folder), "ls-files", "-z"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_GIT_SECONDS,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout + b"\0" if done.returncode == 0 else None


def _walked(folder: Path) -> Iterator[str]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _UNTRACKED_FOLDERS)
        for name in sorted(files):
            count += 1
            if count > MAX_PATHS:
                return
            yield os.path.relpath(os.path.join(root, name), folder).replace(os.sep, "/")  # noqa: PTH118 - a name may be no text
