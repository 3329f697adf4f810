"""Private files that are never seen half-written.

Files and folders are made with their final permissions, not given them afterwards: there is no
moment in which another user of the machine can open them.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from iris_harness.errors import StorageError

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(folder: Path) -> None:
    """Create `folder` (and what is missing above it) for its owner only; an existing one stays.

    Raises:
        StorageError: it cannot be created.
    """
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"the folder {folder} cannot be created: {error.strerror}",
            hint="set storage.data_dir to a folder you may write to",
        ) from error


def touch_private(file: Path) -> None:
    """Create an empty file for its owner only; an existing one is not even opened.

    Closing a database's file lets go every lock that this process has on it, those of SQLite on
    other threads, too (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))


def is_private(file: Path) -> bool:
    """Whether nobody but the user can have written a file, and root, who can write any.

    Raises:
        OSError: it cannot be looked at.
    """
    if os.name == "nt":
        return True
    facts = file.stat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return facts.st_uid in {0, os.geteuid()} and not facts.st_mode & others


def new_private_file(folder: Path, prefix: str) -> Path:
    """Create an empty file under a new name in `folder`, for its owner only."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix=prefix, dir=folder)  # mkstemp's own mode is 0600
    os.close(handle)
    return Path(name)


def write_atomically(file: Path, content: bytes) -> None:
    """Write `content` so that `file` holds the old or the new bytes, whole, even after a crash."""
    scratch = new_private_file(file.parent, f".{file.name}-")
    try:
        scratch.write_bytes(content)
        replace_durably(scratch, file)
    finally:
        scratch.unlink(missing_ok=True)


def replace_durably(source: Path, target: Path) -> None:
    """Move `source` onto `target` in the same folder; it survives a power cut once this returns."""
    _sync(source, os.O_RDWR)
    source.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make names created, moved or removed in `folder` durable."""
    # Windows cannot open a folder; there the rename itself is journalled.
    with contextlib.suppress(PermissionError):
        _sync(folder, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
