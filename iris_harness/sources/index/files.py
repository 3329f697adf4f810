"""Tell from a folder's own entries which files of a source are not the ones that were read."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from iris_harness.sources.files import SourceFile, file_label, is_item_name, read_file
from iris_harness.sources.streams import item_label

Identity = tuple[int, int, int, int]
"""Time of the last change of content and of anything (ns), size, inode."""

NOT_THERE: Identity = (0, 0, 0, 0)
"""Of a name that leads nowhere."""

_SUFFIX = ".ics"
_identity = operator.attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino")


class Sweep(NamedTuple):
    """The files of a source as its folder shows them, in the order they are read."""

    names: list[str]
    """Below the folder of the source."""
    identities: list[Identity]
    folder_modified_at: float | None = None
    """Time of the last change of a vdir's folder itself, POSIX seconds."""


class SourceFiles(Protocol):
    """The files of one calendar."""

    key: str
    """Names the calendar; what was remembered under another key is another calendar."""
    must_be_readable: bool
    """Whether a file that cannot be read means that the calendar was not read."""

    def sweep(self) -> Sweep:
        """Look at every file, and into none.

        Raises:
            OSError: a folder cannot be listed.
        """
        ...

    def label(self, name: str) -> str:
        """Return how warnings name a file."""
        ...

    def read(self, name: str) -> SourceFile:
        """Read one file.

        Raises:
            SourceError: it cannot be read.
        """
        ...


class SingleFile:
    """A calendar in one file."""

    must_be_readable = True

    def __init__(self, name: str, path: Path, me: Collection[str]) -> None:
        """Take the calendar's name, its file, and the user's own addresses."""
        self.key = json.dumps(["file", name, str(path.absolute()), sorted(me)])
        self._name = name
        self._path = path

    def sweep(self) -> Sweep:
        """Look at the file; see `SourceFiles.sweep`."""
        try:
            identity: Identity = _identity(self._path.stat())
        except FileNotFoundError:
            identity = NOT_THERE
        return Sweep(names=[self._path.name], identities=[identity])

    def label(self, name: str) -> str:  # noqa: ARG002 - there is only one
        """Return how warnings name the file."""
        return file_label(self._name, self._path)

    def read(self, name: str) -> SourceFile:
        """Read the file; see `SourceFiles.read`."""
        return read_file(self._path, self.label(name))


class FolderFiles:
    """A calendar in a vdir, or in a folder of vdirs: what `list_folder` lists."""

    must_be_readable = False

    def __init__(self, name: str, folder: Path, me: Collection[str]) -> None:
        """Take the calendar's name, its folder, and the user's own addresses."""
        self.key = json.dumps(["folder", name, str(folder.absolute()), sorted(me)])
        self._name = name
        self._folder = folder

    def sweep(self) -> Sweep:
        """Look at every item; see `SourceFiles.sweep`."""
        root = os.fspath(self._folder)
        modified_at = self._folder.stat().st_mtime
        found, collections = _scan(root, "")
        for name in sorted(collections):
            found += _scan(f"{root}/{name}", f"{name}/")[0]
        names = [name for name, _ in found]
        return Sweep(names, [identity for _, identity in found], modified_at)

    def label(self, name: str) -> str:
        """Return how warnings name an item."""
        return item_label(self._name, PurePosixPath(name))

    def read(self, name: str) -> SourceFile:
        """Read one item; see `SourceFiles.read`."""
        return read_file(self._folder / name, self.label(name))


def _scan(folder: str, prefix: str) -> tuple[list[tuple[str, Identity]], list[str]]:
    """Return the items of a folder by name, and the folders in it that may hold more."""
    items: list[tuple[str, Identity]] = []
    folders: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir():
                if not name.startswith("."):
                    folders.append(name)
            elif is_item_name(name, _SUFFIX):
                items.append((prefix + name, _identity_of(entry)))
    items.sort()
    return items, folders


def _identity_of(entry: os.DirEntry[str]) -> Identity:
    try:
        identity: Identity = _identity(entry.stat())
    except FileNotFoundError:
        return NOT_THERE
    return identity


def reading_order(name: str) -> tuple[str, str]:
    """Return the place of a file among all: a vdir's own items, then its folders by name."""
    folder, _, own = name.rpartition("/")
    return folder, own
