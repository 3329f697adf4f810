"""A text file, for whatever else reads it."""

from __future__ import annotations

import os
from pathlib import Path

from iris_harness.curator.clean import clean, clean_lines
from iris_harness.errors import DeliveryError, StorageError
from iris_harness.storage.files import FILE_MODE, make_private_folder, write_atomically
from iris_harness.surfaces.briefing.message import Message, Receipt


class FileChannel:
    """Writes to a file of the user's: at its end, or in place of what it held."""

    def __init__(self, name: str, path: Path, *, append: bool) -> None:
        """Take the file; it is created for its owner only."""
        self.name = name
        self._path = path
        self._append = append

    def deliver(self, message: Message) -> Receipt:
        """Write it, durably.

        Raises:
            DeliveryError: it cannot be written; nothing of it is.
        """
        content = f"{clean(message.title)}\n{clean_lines(message.text)}\n".encode()
        try:
            make_private_folder(self._path.parent)
            if self._append:
                _append(self._path, content + b"\n")
            else:
                write_atomically(self._path, content)
        except (OSError, StorageError) as error:
            said = error.strerror if isinstance(error, OSError) else error.message
            raise DeliveryError(
                f"{self._path} cannot be written: {said}",
                hint="see who owns it, and whether the disk is full",
                may_retry=True,
            ) from error
        return Receipt(f"written to {self._path}")


def _append(path: Path, content: bytes) -> None:
    """Write all of `content` at the end of a file, or nothing."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, FILE_MODE)
    try:
        end = os.lseek(handle, 0, os.SEEK_END)
        try:
            with os.fdopen(os.dup(handle), "wb") as stream:
                stream.write(content)
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)
