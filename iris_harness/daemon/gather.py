"""Reads a repository's evidence: the only part of the decisions that touches files.

A checkout is listed by ``git ls-files`` as a subprocess without a shell, hooks or questions; a
folder that is none is walked. A listing is a file of paths, or a folder with ``files.txt`` and the
files that matter under ``markers/``. Files are read bounded, never through a link out of the
repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from iris_harness.daemon.checkouts.git import run_git
from iris_harness.daemon.evidence import Evidence, is_fixture
from iris_harness.daemon.markers import is_marker, is_script
from iris_harness.daemon.tree import MAX_PATHS, Tree, build_tree, parse_listing
from iris_harness.errors import RepositoryError, SourceError
from iris_harness.files import is_file, is_folder, read_regular_file

_MAX_LISTING_BYTES = 256 * 1024 * 1024
_LISTING = "files.txt"
_MARKERS = "markers"
_MAX_FILE_BYTES = 512 * 1024
_MAX_FILES = 400
_MAX_SCRIPTS = 60
_MAX_BYTES = 16 * 1024 * 1024
_WORD = re.compile(r"[\w./-]+")
_UNTRACKED_FOLDERS = frozenset({".git", "node_modules", ".venv", "__pycache__", ".tox", ".hg"})


def read_tree(place: Path) -> Tree:
    """Return the tracked files of a checkout, or those of a listing.

    Raises:
        SourceError: there is nothing at `place`, or it cannot be read.
    """
    if is_folder(place):
        listing = place / _LISTING
        if is_file(listing) and is_folder(place / _MARKERS):
            return parse_listing(_read(listing))
        return _checkout(place)
    if is_file(place):
        return parse_listing(_read(place))
    raise SourceError(
        f"there is no repository at {place}",
        hint="give a checkout, or a file with one path on each line",
    )


def read_evidence(place: Path, markers: Path | None = None) -> Evidence:
    """Return the evidence of a checkout, or of a listing with the files that matter beside it.

    Args:
        place: a checkout, a file with one path on each line, or a folder with ``files.txt`` and
            ``markers/``.
        markers: the folder with the files that matter; None for the usual one.

    Raises:
        SourceError: there is nothing at `place`, or it cannot be read.
    """
    tree = read_tree(place)
    folder = markers or _markers_of(place)
    if folder is not None:
        inside = build_tree(_walked(folder))
        texts = _texts(
            folder, [path for path in inside.paths if path in tree.files or is_marker(path)]
        )
        return Evidence(tree=build_tree((*tree.paths, *texts)), texts=texts)
    if not is_folder(place):
        return Evidence(tree=tree)
    texts = _texts(place, sorted(filter(is_marker, tree.paths), key=_nearness))
    scripts = _texts(place, _scripts_named(texts, tree))
    return Evidence(tree=tree, texts={**scripts, **texts})


def _markers_of(place: Path) -> Path | None:
    folder = place / _MARKERS if is_folder(place) else place.parent / _MARKERS
    listing = folder.parent / _LISTING
    return folder if is_folder(folder) and is_file(listing) else None


def _nearness(path: str) -> tuple[bool, int, str]:
    return is_fixture(path) and not path.startswith("."), path.count("/"), path


def _scripts_named(texts: Mapping[str, str], tree: Tree) -> list[str]:
    """Return the tracked scripts that the files name: what a CI or a task runner would run."""
    words = {word.removeprefix("./") for text in texts.values() for word in _WORD.findall(text)}
    found = sorted(path for path in words & tree.files if is_script(path))
    return found[:_MAX_SCRIPTS]


def _texts(root: Path, paths: Sequence[str]) -> dict[str, str]:
    """Return the contents of files inside `root`, bounded in number and bytes."""
    top = os.path.realpath(root)
    found: dict[str, str] = {}
    left = _MAX_BYTES
    for path in paths[:_MAX_FILES]:
        place = os.path.join(top, path)  # noqa: PTH118 - compared with a real path below
        if os.path.realpath(place) != place:
            continue  # through a link
        try:
            data = read_regular_file(Path(place), min(_MAX_FILE_BYTES, left)).data
        except (OSError, ValueError):
            continue
        left -= len(data)
        found[path] = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        if left <= 0:
            break
    return found


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
    # A checkout may be another user's: nothing that its settings name is run.
    words = ("-c", "safe.directory=*", "-C", str(folder), "ls-files", "-z")
    try:
        return run_git(*words, variables={}, folder=folder).stdout + b"\0"
    except RepositoryError:
        return None


def _walked(folder: Path) -> Iterator[str]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _UNTRACKED_FOLDERS)
        for name in sorted(files):
            count += 1
            if count > MAX_PATHS:
                return
            yield os.path.relpath(os.path.join(root, name), folder).replace(os.sep, "/")  # noqa: PTH118 - a name may be no text
