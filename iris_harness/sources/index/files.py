"""Tell from a folder's own entries which files of a source are not the ones that were read."""

from __future__ import annotations

import array
import itertools
import json
import operator
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from iris_harness.errors import SourceError
from iris_harness.sources.files import (
    SourceFile,
    file_label,
    is_item_name,
    read_file,
    unlisted,
)
from iris_harness.sources.streams import item_label

Identity = tuple[int, int, int, int, int]
"""Time of the last change of content and of anything (ns), size, inode, mode."""

NOT_THERE: Identity = (0, 0, 0, 0, 0)
"""Of a name that leads nowhere."""

_WIDTH = len(NOT_THERE)
_BLOCK = 64 * _WIDTH
_SUFFIX = ".ics"
_SEPARATOR = "\0"  # in no name
_FOLDER = "/"  # in no name either
_UNLISTED = "."  # no entry of a folder has this name: stands for all of one that cannot be listed
_UNLISTED_END = "/" + _UNLISTED
_identity = operator.attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino", "st_mode")


class Sweep(NamedTuple):
    """The entries of a source's folders as they look, items or not, in the folders' own order.

    It is kept as text and numbers that need no taking apart to be compared with another one: of
    ten thousand files that did not change the comparison costs a fiftieth of looking at them.
    """

    names: str
    """Each folder as ``/`` and its name, then its entries; all separated by NUL."""
    identities: array.array[int]
    """An `Identity` for each name; a folder itself has zeros."""

    def items(self) -> dict[str, Identity]:
        """Return the items by name below the source's folder, in the order they are read."""
        numbers = iter(self.identities)
        identities = zip(*[numbers] * _WIDTH, strict=True)
        found = [
            (name, identity)
            for name, identity in zip(self._paths(), identities, strict=True)
            if _is_item(name, identity)
        ]
        return dict(sorted(found, key=lambda pair: reading_order(pair[0])))

    def suspects(self, before: Sweep, also: Collection[str]) -> dict[str, Identity] | None:
        """Return the items that look otherwise than `before`, and those of `also`.

        They come in reading order; None when names differ as well.
        """
        now, then = self.identities, before.identities
        if self.names != before.names:
            return None
        places = [
            place
            for start in range(0, len(now), _BLOCK)
            if now[start : start + _BLOCK] != then[start : start + _BLOCK]
            for place in range(start, min(start + _BLOCK, len(now)), _WIDTH)
            if now[place : place + _WIDTH] != then[place : place + _WIDTH]
        ]
        changed = [place for place in places if not _is_folder(now, place)]
        if any(_is_folder(then, place) for place in changed):
            return None
        if not changed and not also:
            return {}
        paths = list(self._paths())
        changed += [paths.index(name) * _WIDTH for name in also]
        found = {paths[place // _WIDTH]: _at(now, place) for place in sorted(changed)}
        suspects = [name for name in found if _is_item(name, found[name])]
        return {name: found[name] for name in sorted(suspects, key=reading_order)}

    def _paths(self) -> Iterator[str]:
        folder = ""
        for name in self.names.split(_SEPARATOR):
            if name.startswith(_FOLDER):
                folder = f"{name[1:]}/" if name != _FOLDER else ""
                yield ""
            else:
                yield folder + name


def _is_folder(numbers: array.array[int], place: int) -> bool:
    return stat.S_ISDIR(numbers[place + _WIDTH - 1])


def _at(numbers: array.array[int], place: int) -> Identity:
    changed, facts, size, inode, mode = numbers[place : place + _WIDTH]
    return changed, facts, size, inode, mode


def _is_item(path: str, identity: Identity) -> bool:
    if path.endswith(_UNLISTED_END):
        return True
    return is_item_name(path.rpartition("/")[2], _SUFFIX) and not stat.S_ISDIR(identity[-1])


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
            OverflowError: a file system numbers its files beyond 63 bits.
        """
        ...

    def folder_modified_at(self) -> float | None:
        """Return when the folder of a vdir changed, POSIX seconds; None for a file."""
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
        return Sweep(f"{_FOLDER}{_SEPARATOR}{_ONLY}", array.array("q", (*NOT_THERE, *identity)))

    def folder_modified_at(self) -> None:
        """Return None: see `SourceFiles.folder_modified_at`."""

    def label(self, name: str) -> str:  # noqa: ARG002 - there is only one
        """Return how warnings name the file."""
        return file_label(self._name, self._path)

    def read(self, name: str) -> SourceFile:
        """Read the file; see `SourceFiles.read`."""
        return read_file(self._path, self.label(name))


_ONLY = "only" + _SUFFIX
"""What the file of a `SingleFile` is called here, whatever its name."""


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
        own, identities = _look(root)
        names = [_FOLDER, *own]
        modes = identities[2 * _WIDTH - 1 :: _WIDTH]
        for name, mode in zip(own, modes, strict=True):
            if stat.S_ISDIR(mode) and not name.startswith("."):
                inner, found = _look_or_note(f"{root}/{name}")
                names += [_FOLDER + name, *inner]
                identities += found
        return Sweep(_SEPARATOR.join(names), identities)

    def folder_modified_at(self) -> float:
        """Return when the folder itself changed; see `SourceFiles.folder_modified_at`."""
        return self._folder.stat().st_mtime

    def label(self, name: str) -> str:
        """Return how warnings name an item."""
        return item_label(self._name, PurePosixPath(name))

    def read(self, name: str) -> SourceFile:
        """Read one item; see `SourceFiles.read`."""
        if name.endswith(_UNLISTED_END):
            self._list(self._folder / name)
        return read_file(self._folder / name, self.label(name))

    def _list(self, folder: Path) -> None:
        """Try to list a folder that could not be listed.

        Raises:
            SourceError: it still cannot.
        """
        try:
            os.listdir(folder)  # noqa: PTH208 - the names are of no interest
        except OSError as error:
            raise SourceError(unlisted(self._name, folder, error)) from error


def _look_or_note(folder: str) -> tuple[list[str], array.array[int]]:
    """Do as `_look`; a folder that cannot be listed holds one thing that cannot be read."""
    try:
        return _look(folder)
    except OSError:
        return [_UNLISTED], array.array("q", (*NOT_THERE, *NOT_THERE))


def _look(folder: str) -> tuple[list[str], array.array[int]]:
    """Return the names in a folder, and the identities of the folder's own line and of each.

    Measured: with whole paths this is faster than `os.scandir` and its entries' `stat`.
    """
    names = os.listdir(folder)  # noqa: PTH208 - ten thousand of them on the path of every plan
    paths = map(f"{folder}/".__add__, names)
    try:
        found = array.array("q", itertools.chain.from_iterable(map(_identity, map(os.stat, paths))))
    except OSError:  # of one of them: a link that leads nowhere, or where one may not go
        found = array.array("q")
        for name in names:
            found.extend(_identity_of(f"{folder}/{name}"))
    return names, array.array("q", NOT_THERE) + found


def _identity_of(path: str) -> Identity:
    try:
        identity: Identity = _identity(os.stat(path))  # noqa: PTH116 - as above
    except OSError:
        return NOT_THERE
    return identity


def reading_order(name: str) -> tuple[str, str]:
    """Return the place of a file among all: a vdir's own items, then its folders by name."""
    folder, _, own = name.rpartition("/")
    return folder, own
