"""Where the resources of a source are: one file, the files of a folder, or a server.

A store knows nothing of what a resource says. Changes are made in it by `apply_change`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from iris_harness.contracts.changes import Change, Standing
from iris_harness.errors import ChangedOutsideError, SourceError, WriteError
from iris_harness.files import is_folder
from iris_harness.sources.files import file_label, list_folder, path_text
from iris_harness.sources.ical.entries import DIGEST_UID
from iris_harness.sources.streams import item_label
from iris_harness.sources.writing.atomic import (
    Held,
    check_writable,
    locked_folder,
    read_target,
    remove_file,
    replace_file,
)
from iris_harness.sources.writing.retold import as_kept, found_again, same_whole
from iris_harness.sources.writing.text import Format, edited, standing
from iris_harness.sources.writing.wrapping import unwrap

_TRIES = 5
_FOLD = re.compile(rb"\r*\n[ \t]")
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")
_LONGEST_NAME = 120

Rewrite = Callable[[bytes | None], bytes | None]
"""From what a resource holds to what it is to hold; None: it is not there."""


class Store(Protocol):
    """The resources of one source."""

    is_single: bool
    """Whether all items are in one resource; else each has one of its own."""
    keeps_bytes: bool
    """Whether what is written is kept to the letter; a server may tell it in other words."""

    def candidates(self, uid: str) -> Iterator[str]:
        """Yield the resources that may hold the item of that UID, the likeliest first.

        Raises:
            WriteError: they cannot be listed.
        """
        ...

    def new_resource(self, uid: str) -> str:
        """Return the name of the resource for a new item.

        Raises:
            WriteError: it cannot be told where new items belong.
        """
        ...

    def read(self, resource: str) -> bytes | None:
        """Return what a resource holds; None: it is not there.

        Raises:
            WriteError: it cannot be read.
        """
        ...

    def rewrite(self, resource: str, rewrite: Rewrite) -> bytes | None:
        """Read a resource, and put what `rewrite` makes of it in its place.

        Nobody can write the resource in between without being noticed; then `rewrite` is called
        again with what the resource holds now. Returns what the resource holds at the end.

        Raises:
            WriteError: it cannot be written, or what `rewrite` raised.
        """
        ...

    def check_open(self, resource: str) -> None:
        """Refuse a resource that may not be written, before anything is planned.

        Raises:
            ReadOnlySourceError: it may not be.
        """
        ...


def may_hold(raw: bytes, uid: str) -> bool:
    """Whether a resource may hold the item of that UID; cheap, and never wrong with False."""
    if not uid.isascii() or uid.startswith(DIGEST_UID) or b"\0" in raw:
        return True
    return uid.encode() in _FOLD.sub(b"", raw)


class FileStore:
    """One file; its name is the resource. Implements `Store`."""

    is_single = True
    keeps_bytes = True

    def __init__(self, name: str, path: Path) -> None:
        """Take the source's name and its file, which may be a symbolic link."""
        self._path = path
        self._label = file_label(name, path)
        self.resource = path_text(PurePosixPath(path.name))

    def candidates(self, uid: str) -> Iterator[str]:  # noqa: ARG002 - there is only one
        """Yield the one there is."""
        yield self.resource

    def new_resource(self, uid: str) -> str:  # noqa: ARG002 - as above
        """Return the one there is."""
        return self.resource

    def read(self, resource: str) -> bytes | None:
        """Return what it holds; see `Store.read`."""
        self._check_name(resource)
        return _read(self._target(), self._label)

    def rewrite(self, resource: str, rewrite: Rewrite) -> bytes | None:
        """Replace it; see `Store.rewrite`."""
        self._check_name(resource)
        return _rewrite(self._target(), self._label, rewrite)

    def check_open(self, resource: str) -> None:
        """Refuse a file that is closed; see `Store.check_open`."""
        self._check_name(resource)
        _check_open(self._target(), self._label)

    def _target(self) -> Path:
        return _resolved(self._path)

    def _check_name(self, resource: str) -> None:
        if resource != self.resource:
            raise WriteError(
                f"is now kept in {self.resource}; the change was made in {resource}",
                hint="the settings name another file than they did",
            )


class FolderStore:
    """The items of a vdir, or of a folder of vdirs, by their path in it. Implements `Store`."""

    is_single = False
    keeps_bytes = True

    def __init__(self, name: str, folder: Path) -> None:
        """Take the source's name and its folder."""
        self._name = name
        self._folder = folder

    def candidates(self, uid: str) -> Iterator[str]:
        """Yield the items whose name has the UID in it, then all others; see `Store`."""
        names = self._names()
        likely = [name for name in names if uid in PurePosixPath(name).name]
        yield from likely
        yield from (name for name in names if name not in likely)

    def new_resource(self, uid: str) -> str:
        """Return a name in the folder itself, or in the only vdir in it; see `Store`."""
        name = item_name(uid)
        folders = sorted({str(PurePosixPath(item).parent) for item in self._names()})
        if not folders:
            folders = [path_text(entry.relative_to(self._folder)) for entry in self._vdirs()]
        if "." in folders or not folders:
            return name
        if len(folders) > 1:
            raise WriteError(
                f"holds several folders ({', '.join(folders)}); which one is meant cannot be told",
                hint="list each of them as a source of its own",
            )
        return f"{folders[0]}/{name}"

    def _names(self) -> list[str]:
        try:
            found = list_folder(self._folder, self._name, ".ics")
        except SourceError as error:
            raise WriteError(error.message.removeprefix(f"{self._name}: ")) from error
        return [path_text(one.path.relative_to(self._folder)) for one in found if not one.problem]

    def _vdirs(self) -> list[Path]:
        return sorted(
            entry
            for entry in self._folder.iterdir()
            if is_folder(entry) and not entry.name.startswith(".")
        )

    def read(self, resource: str) -> bytes | None:
        """Return what an item holds; see `Store.read`."""
        return _read(self._target(resource), self._label(resource))

    def rewrite(self, resource: str, rewrite: Rewrite) -> bytes | None:
        """Replace, make or remove an item; see `Store.rewrite`."""
        return _rewrite(self._target(resource), self._label(resource), rewrite)

    def check_open(self, resource: str) -> None:
        """Refuse an item or a folder that is closed; see `Store.check_open`."""
        _check_open(self._target(resource), self._label(resource))

    def _label(self, resource: str) -> str:
        return item_label(self._name, PurePosixPath(resource))

    def _target(self, resource: str) -> Path:
        relative = PurePosixPath(resource)
        unsafe = relative.is_absolute() or ".." in relative.parts or not relative.parts
        if unsafe or "\0" in resource:  # it comes from a journal, which is a file
            raise WriteError(f"has no item {resource!r}")
        return _resolved(self._folder / relative)


def item_name(uid: str) -> str:
    """Return a file name for a UID that Iris gave: of safe characters, and not hidden."""
    return f"{_UNSAFE.sub('-', uid).lstrip('.#')[:_LONGEST_NAME]}.ics"


def _resolved(path: Path) -> Path:
    """Return the file itself where `path` is a link to it, so that the link stays one."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # links in a circle
        raise WriteError("is a link that leads in a circle") from error


def _read(target: Path, label: str) -> bytes | None:
    held = read_target(target, label)
    return None if held.identity is None else held.data


def _check_open(target: Path, label: str) -> None:
    check_writable(target, read_target(target, label))


def _rewrite(target: Path, label: str, rewrite: Rewrite) -> bytes | None:
    with locked_folder(target.parent) as is_locked:
        for _ in range(_TRIES):
            held = read_target(target, label)
            try:
                return _rewrite_once(target, held, rewrite, is_locked=is_locked)
            except _MeanwhileError:
                continue
    raise ChangedOutsideError(
        "is written by another program again and again", hint="try again when that is done"
    )


class _MeanwhileError(Exception):
    """Somebody wrote the file between reading and writing."""


def _rewrite_once(target: Path, held: Held, rewrite: Rewrite, *, is_locked: bool) -> bytes | None:
    before = None if held.identity is None else held.data
    after = rewrite(before)
    if after == before:
        return after
    try:
        if after is None:
            remove_file(target, held)
        else:
            replace_file(target, after, held, is_locked=is_locked)
    except ChangedOutsideError as error:
        raise _MeanwhileError from error
    return after


def apply_change(store: Store, change: Change, kind: Format) -> Change:
    """Make `change` in its resource; see `ChangeApplier.apply`."""
    exact = store.keeps_bytes
    kept = store.rewrite(
        change.resource, lambda data: changed_bytes(data, change, kind, exact=exact)
    )
    return change if exact else as_kept(change, kept)


def changed_bytes(
    data: bytes | None, change: Change, kind: Format, *, exact: bool = True
) -> bytes | None:
    """Return what a resource holds after `change`.

    Raises:
        ChangedOutsideError: what is to be changed is not there as it was.
    """
    if change.whole:
        edit = change.edits[0]
        if not _is_whole(edit.before, data, change.encoding, exact=exact):
            raise ChangedOutsideError("is no longer as it was read; nothing was written")
        return None if edit.after is None else edit.after.encode(change.encoding)
    plain, wrapping = unwrap(_there(data, change))
    if not exact:
        change = found_again(change, plain)
    return wrapping.wrap(edited(plain, change.edits, change.encoding, kind))


def change_standing(data: bytes | None, change: Change, *, exact: bool = True) -> Standing:
    """Return how `change` stands to what its resource holds."""
    if change.whole:
        edit = change.edits[0]
        for text, stands in ((edit.after, Standing.DONE), (edit.before, Standing.PENDING)):
            if _is_whole(text, data, change.encoding, exact=exact):
                return stands
        return Standing.CHANGED
    if data is None and change.before is not None:
        return Standing.CHANGED
    plain, _ = unwrap(data or b"")
    if not exact:
        change = found_again(change, plain)
    return standing(plain, change.edits, change.encoding)


def _is_whole(text: str | None, data: bytes | None, encoding: str, *, exact: bool) -> bool:
    if not exact:
        return same_whole(text, data, encoding)
    return data == (None if text is None else text.encode(encoding))


def _there(data: bytes | None, change: Change) -> bytes:
    if data is not None:
        return data
    if change.before is None:
        return b""
    raise ChangedOutsideError("is gone", hint="it was deleted or moved since it was read")
