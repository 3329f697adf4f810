"""Look at paths that a user named, which may be anything: a pipe, a device, no path at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

_IRREGULAR = "is not a regular file"
_CHUNK_BYTES = 1024 * 1024
# Opening or reading what is no plain file must not wait for a writer; Windows knows no such flag.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class FileContent(NamedTuple):
    """A file as it was when it was read."""

    data: bytes
    modified_at: float
    """Time of its last change, POSIX seconds."""


def read_regular_file(path: Path, max_bytes: int) -> FileContent:
    """Read a regular file wholly; never waits, never reads more than `max_bytes`.

    What is decided about a file is decided about the one that is open, so that one that is
    replaced or grows at that moment can neither hold the reader up nor flood it.

    Raises:
        OSError: it is missing, a folder, no regular file, too large, or unreadable; `strerror`
            says which.
        ValueError: the path cannot exist.
    """
    _check_kind(path.stat().st_mode)  # before it is opened: some devices act when they are
    handle = os.open(path, _FLAGS)
    try:
        facts = os.fstat(handle)
        _check_kind(facts.st_mode)
        data = _read_up_to(handle, facts.st_size, max_bytes)
    except BlockingIOError as error:  # /proc/kmsg and its like call themselves regular, and wait
        raise OSError(errno.EINVAL, _IRREGULAR) from error
    finally:
        os.close(handle)
    return FileContent(data=data, modified_at=facts.st_mtime)


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, _IRREGULAR)


def _read_up_to(handle: int, size: int, max_bytes: int) -> bytes:
    """Read to the end of the file, whose size may be wrong: it grows, or is made as it is read."""
    chunks: list[bytes] = []
    while size <= max_bytes and (chunk := os.read(handle, _CHUNK_BYTES)):
        chunks.append(chunk)
        size = sum(map(len, chunks))
    if size > max_bytes:
        raise OSError(errno.EFBIG, f"is larger than {max_bytes // 1024} KB")
    return b"".join(chunks)


def is_folder(path: Path) -> bool:
    """Return whether `path` is a folder that can be seen; unlike `Path.is_dir` never raises."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises for a name that is too long


def is_file(path: Path) -> bool:
    """Return whether `path` is a regular file that can be seen; never raises."""
    return os.path.isfile(path)  # noqa: PTH113 - as above


def user_path(text: str | Path) -> Path:
    """Return the path a user means, with ``~`` and ``~name`` expanded where there is such a home.

    As in a shell, ``~nobody-of-that-name`` is a file's name.
    """
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser raises for no home
