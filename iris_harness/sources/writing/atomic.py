"""Files of the user, replaced whole: the old bytes or the new ones, whatever happens.

Iris never writes into a file. It writes a new one beside it, forces it to the disk, gives it the
old one's owner, mode and attributes, and puts it in its place in one step. A lock on the folder
keeps two Iris from writing over each other; it is gone with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from iris_harness.errors import (
    ChangedOutsideError,
    ReadOnlySourceError,
    SourceError,
    WriteError,
)
from iris_harness.sources.files import MAX_FILE_BYTES, read_file
from iris_harness.storage.files import new_private_file, sync_folder

_TRIES = 400
_PAUSE_SECONDS = 0.025
_NEW_FILE_MODE = 0o666  # less the umask, as any program's
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_NO_LOCKS = {errno.EBADF, errno.ENOLCK, errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM}

Identity = tuple[int, int, int, int]


class Held(NamedTuple):
    """A file as it was read."""

    data: bytes
    identity: Identity | None
    """What is another whenever the file is; None: there is no file."""


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[bool]:
    """Keep other Iris processes and threads from writing files of `folder`.

    Yields whether they are kept: not every file system knows locks. Then only the look at the
    file just before it is replaced stands between two writers.

    Raises:
        WriteError: another one writes for too long, or the folder cannot be opened.
    """
    if sys.platform == "win32":
        yield False
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise write_error(error) from error
    try:
        yield _lock(handle)
    finally:
        os.close(handle)  # gives the lock back, and so does a crash


def _lock(handle: int) -> bool:
    import fcntl  # noqa: PLC0415 - not there on Windows

    for _ in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            raise write_error(error) from error
        else:
            return True
    raise WriteError(
        "is being written by another Iris, which does not come to an end",
        hint="look for an Iris that hangs, then try again",
    )


def read_target(target: Path, label: str) -> Held:
    """Read the file; one that is not there holds nothing.

    Raises:
        WriteError: it cannot be read.
    """
    try:
        before = _identity(target)
        if before is None:
            return Held(b"", None)
        file = read_file(target, label)
    except SourceError as error:
        raise WriteError(_without_label(error.message, label)) from error
    except OSError as error:
        raise write_error(error) from error
    return Held(file.data, before)


def _without_label(message: str, label: str) -> str:
    return message.removeprefix(f"{label}: ")


def _identity(target: Path) -> Identity | None:
    try:
        facts = target.stat()
    except FileNotFoundError:
        return None
    return facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino


def _is_as_read(target: Path, held: Held) -> bool:
    """Whether nobody replaced or changed the file since it was read.

    Its bytes are compared as well: clocks of files tick too slowly to tell two quick writes apart.
    """
    return read_target(target, target.name) == held


def check_writable(target: Path, held: Held) -> None:
    """Refuse what its owner closed, also when this user (root) could write it all the same.

    Raises:
        ReadOnlySourceError: the file or its folder is closed to writing.
        WriteError: the file has a second name that would keep the old content.
    """
    folder = target.parent
    try:
        _check_open(folder, folder.stat().st_mode, "the folder it is in")
        if held.identity is None:
            return
        facts = target.stat()
    except OSError as error:
        raise write_error(error) from error
    _check_open(target, facts.st_mode, "the file")
    if facts.st_nlink > 1:
        raise WriteError(
            "is one file under two names (a hard link), which writing would part",
            hint="make one of the names a symbolic link",
        )


def _check_open(path: Path, mode: int, what: str) -> None:
    if not mode & _WRITABLE or not os.access(path, os.W_OK):
        raise ReadOnlySourceError(
            f"may not be written: {what} is read-only", hint="allow it with chmod u+w"
        )


def replace_file(target: Path, content: bytes, held: Held, *, is_locked: bool) -> None:
    """Put `content` in the place of what was `held`.

    Call it inside `locked_folder`. Once it returns the new content survives a power cut.

    Raises:
        ChangedOutsideError: another program wrote the file since it was read.
        WriteError: it cannot be written; the old content stands.
    """
    if len(content) > MAX_FILE_BYTES:
        raise WriteError(f"would be larger than {MAX_FILE_BYTES // 2**20} MB")
    check_writable(target, held)
    prefix = _scratch_prefix(target)
    try:
        if is_locked:  # then whoever left one there is dead
            _remove_scratch(target.parent, prefix)
        scratch = _new_scratch(target, prefix, held)
        try:
            _write_durably(scratch, content)
            if held.identity is not None:
                _make_alike(scratch, target)
            if not _is_as_read(target, held):
                raise ChangedOutsideError("was written by another program just now")
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
        sync_folder(target.parent)
    except OSError as error:
        raise write_error(error) from error


def remove_file(target: Path, held: Held) -> None:
    """Remove the file that was `held`. Call it inside `locked_folder`.

    Raises:
        ChangedOutsideError: another program wrote the file since it was read.
        WriteError: it cannot be removed.
    """
    check_writable(target, held)
    if not _is_as_read(target, held):
        raise ChangedOutsideError("was written by another program just now")
    try:
        target.unlink()
        sync_folder(target.parent)
    except OSError as error:
        raise write_error(error) from error


def _scratch_prefix(target: Path) -> str:
    # Hidden, so no item of a folder; of one length, however long the file's own name is.
    name = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]
    return f".iris-{name}-"


def _remove_scratch(folder: Path, prefix: str) -> None:
    for left in folder.glob(f"{prefix}*"):
        left.unlink(missing_ok=True)


def _new_scratch(target: Path, prefix: str, held: Held) -> Path:
    if held.identity is not None:
        return new_private_file(target.parent, prefix)
    scratch = target.parent / f"{prefix}{secrets.token_hex(4)}"
    os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE_MODE))
    return scratch


def _write_durably(file: Path, content: bytes) -> None:
    with file.open("wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def _make_alike(scratch: Path, target: Path) -> None:
    """Give a new file owner, group, attributes (access lists among them) and mode of another."""
    wanted, given = target.stat(), scratch.stat()
    if (wanted.st_uid, wanted.st_gid) != (given.st_uid, given.st_gid):
        try:
            os.chown(scratch, wanted.st_uid, wanted.st_gid)
        except PermissionError as error:
            raise WriteError(
                "belongs to another user or group, to whom a new file cannot be given",
                hint="have its owner write it, or copy it",
            ) from error
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):  # not every file system has any
            for name in os.listxattr(target):
                os.setxattr(scratch, name, os.getxattr(target, name))
    scratch.chmod(stat.S_IMODE(wanted.st_mode))


def write_error(error: OSError) -> WriteError:
    """Return what a failure of the system means to the user."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return WriteError("cannot be written: the disk is full", hint="make room, then retry")
        case errno.EFBIG:
            return WriteError("cannot be written: it would be larger than is allowed here")
        case errno.EROFS:
            return ReadOnlySourceError("may not be written: the disk is read-only")
        case errno.EACCES | errno.EPERM:
            return ReadOnlySourceError("may not be written (permission denied)")
        case errno.ENOENT:
            return WriteError("does not exist", hint="create its folder first")
        case _:
            return WriteError(f"cannot be written ({error.strerror or type(error).__name__})")
