"""Read the bytes of a source's files; every way that can fail is a `SourceError` in words."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from iris_harness.contracts.unicode import well_formed
from iris_harness.errors import SourceError
from iris_harness.files import is_folder, read_regular_file

MAX_FILE_BYTES = 256 * 1024 * 1024
"""A larger file is refused: it is no calendar of a person."""

_TEMPORARY = ("~", ".tmp", ".part", ".swp", ".bak")


class SourceFile(NamedTuple):
    """One file as it was read."""

    label: str
    """How warnings name it; never an absolute path."""
    data: bytes
    modified_at: float
    """Time of its last change, POSIX seconds."""


def read_file(path: Path, label: str) -> SourceFile:
    """Read a regular file wholly.

    Raises:
        SourceError: it is missing, a folder, not a regular file, too large, or unreadable.
    """
    try:
        content = read_regular_file(path, MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        raise SourceError(f"{label}: {_reason(error)}") from error
    return SourceFile(label=label, data=content.data, modified_at=content.modified_at)


def modified_at(mtime_ns: int) -> float:
    """Return a file's time of change as `os.stat_result.st_mtime` has it, to the last bit."""
    seconds, nanoseconds = divmod(mtime_ns, 10**9)
    return seconds + 1e-9 * nanoseconds


def path_text(path: PurePath) -> str:
    """Return a path as values and messages name it: valid text, the same on every system."""
    return well_formed(path.as_posix())


def file_label(name: str, path: PurePath) -> str:
    """Return how messages name the file `path` of the source `name`."""
    own = path_text(PurePath(path.name))
    return name if name.endswith(own) else f"{name} ({own})"


def _reason(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError():
            return "does not exist"
        case PermissionError():
            return "may not be read (permission denied)"
        case NotADirectoryError():
            return "does not exist (a part of its path is a file)"
        case OSError(errno=errno.EISDIR | errno.EINVAL | errno.EFBIG):
            return error.strerror or "cannot be read"
        case OSError():
            return f"cannot be read ({error.strerror or type(error).__name__})"
        case _:
            return "is no path that can exist"


class FolderEntry(NamedTuple):
    """What a vdir holds: a file, or a folder in it that cannot be listed."""

    path: Path
    problem: str = ""
    """Why a folder cannot be listed; empty for a file."""


def list_folder(folder: Path, label: str, suffix: str) -> tuple[FolderEntry, ...]:
    """List the files of a vdir, or of a folder of vdirs, sorted by path.

    Hidden and temporary files are no items (the vdir convention of vdirsyncer). A folder in it
    that cannot be listed costs itself only.

    Raises:
        SourceError: the folder itself is missing or may not be read.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise SourceError(f"{label}: {_reason(error)}") from error
    found = [FolderEntry(entry) for entry in entries if _is_item(entry, suffix)]
    for collection in entries:
        if is_folder(collection) and not collection.name.startswith("."):
            found += _list_collection(collection, label, suffix)
    return tuple(found)


def read_entry(entry: FolderEntry, label: str) -> SourceFile:
    """Read a file of a vdir.

    Raises:
        SourceError: it cannot be read, or is a folder that cannot be listed.
    """
    if entry.problem:
        raise SourceError(entry.problem)
    return read_file(entry.path, label)


def _list_collection(folder: Path, label: str, suffix: str) -> list[FolderEntry]:
    try:
        return [FolderEntry(e) for e in sorted(folder.iterdir()) if _is_item(e, suffix)]
    except OSError as error:
        return [FolderEntry(folder, unlisted(label, folder, error))]


def unlisted(label: str, folder: Path, error: OSError) -> str:
    """Return what is said of a folder in the source `label` that cannot be listed."""
    return f"{label}/{path_text(PurePath(folder.name))}: {_reason(error)}; nothing in it was read"


def none_read(unread: Sequence[str]) -> str:
    """Return why a source of several files was not read, from why none of them could be."""
    more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
    return f"{unread[0]}{more}"


def _is_item(path: Path, suffix: str) -> bool:
    return is_item_name(path.name, suffix) and not is_folder(path)


def is_item_name(name: str, suffix: str) -> bool:
    """Whether a file of that name is an item, neither hidden nor temporary."""
    lowered = name.lower()
    return (
        lowered.endswith(suffix)
        and not lowered.startswith((".", "#"))
        and not lowered.endswith(_TEMPORARY)
    )
