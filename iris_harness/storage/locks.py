"""One at a time among threads and processes, held by a lock on a file.

The lock goes with the process that holds it, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from iris_harness.errors import StorageError
from iris_harness.storage.files import FILE_MODE, make_private_folder

with contextlib.suppress(ImportError):  # not on Windows; there only the database keeps order
    import fcntl

_STEP_SECONDS = 0.05


@contextlib.contextmanager
def hold_lock(file: Path, *, patience_seconds: float) -> Iterator[bool]:
    """Hold the lock on `file`, which is created; yield whether it was had.

    Without patience (0) False is yielded where somebody else holds it.

    Raises:
        StorageError: somebody held it for longer than the patience, or the file cannot be opened.
    """
    make_private_folder(file.parent)
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, FILE_MODE)
    except OSError as error:
        raise StorageError(f"{file} cannot be opened: {error.strerror}") from error
    try:
        held = _take(handle, patience_seconds)
        if not held and patience_seconds:
            raise StorageError(
                "another Iris is changing something", hint="try again when it is done"
            )
        yield held
    finally:
        os.close(handle)


def is_held(file: Path) -> bool:
    """Return whether somebody holds the lock on `file`; nobody does where it is not there."""
    if "fcntl" not in globals():
        return False
    try:
        handle = os.open(file, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _take(handle: int, patience_seconds: float) -> bool:
    if "fcntl" not in globals():
        return True
    for _ in range(int(patience_seconds / _STEP_SECONDS)):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(_STEP_SECONDS)
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
