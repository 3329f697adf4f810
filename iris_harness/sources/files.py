"""Read the bytes of a source's files; every way that can fail is a `SourceError` in words."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import NamedTuple

from iris_harness.errors import SourceError

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
        found = path.stat()
        _check_kind(found.st_mode, found.st_size, label)
        return SourceFile(label=label, data=path.read_bytes(), modified_at=found.st_mtime)
    except (OSError, ValueError) as error:
        raise SourceError(f"{label}: {_reason(error)}") from error


def _check_kind(mode: int, size: int, label: str) -> None:
    if stat.S_ISDIR(mode):
        raise SourceError(f"{label}: is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise SourceError(f"{label}: is not a regular file")
    if size > MAX_FILE_BYTES:
        raise SourceError(f"{label}: is larger than {MAX_FILE_BYTES // 2**20} MB")


def _reason(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError():
            return "does not exist"
        case PermissionError():
            return "may not be read (permission denied)"
        case NotADirectoryError():
            return "does not exist (a part of its path is a file)"
        case OSError():
            return f"cannot be read ({error.strerror or type(error).__name__})"
        case _:
            return "is no path that can exist"


def list_folder(folder: Path, label: str, suffix: str) -> tuple[Path, ...]:
    """List the files of a vdir, or of a folder of vdirs, sorted by path.

    Hidden and temporary files are no items (the vdir convention of vdirsyncer).

    Raises:
        SourceError: the folder is missing or may not be read.
    """
    try:
        entries = sorted(folder.iterdir())
        found = [entry for entry in entries if _is_item(entry, suffix)]
        for collection in entries:
            if collection.is_dir() and not collection.name.startswith("."):
                found += [e for e in sorted(collection.iterdir()) if _is_item(e, suffix)]
    except OSError as error:
        raise SourceError(f"{label}: {_reason(error)}") from error
    return tuple(found)


def _is_item(path: Path, suffix: str) -> bool:
    name = path.name.lower()
    hidden = name.startswith((".", "#")) or name.endswith(_TEMPORARY)
    return not hidden and name.endswith(suffix) and not path.is_dir()
