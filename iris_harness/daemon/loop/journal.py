"""What a worker did, in order, for ever: one JSON object a line, each with the digest of the last.

Whoever changes a line, or takes one out, breaks the chain. A last line that was cut off by a crash
never counted and is written over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.canonical import Json, digest
from iris_harness.errors import JournalError
from iris_harness.files import read_regular_file
from iris_harness.storage.files import FILE_MODE, make_private_folder

_FIRST = "0" * 64
_MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One line."""

    kind: str
    """What was done: ``baseline``, ``reply``, ``verify`` …"""
    asked: str
    """Digest of what it was done for."""
    data: Json
    """What came of it."""
    digest: str


class Journal:
    """The journal of one worker. For one thread."""

    def __init__(self, file: Path) -> None:
        """Open it, or begin one.

        Raises:
            JournalError: a line was changed, or it cannot be read.
        """
        self._file = file
        self._entries, end = _read(file)
        self._unused = list(self._entries)
        make_private_folder(file.parent)
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT, FILE_MODE)
        os.ftruncate(self._handle, end)
        os.lseek(self._handle, end, os.SEEK_SET)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that is kept, oldest first."""
        return tuple(self._entries)

    def once(self, kind: str, asked: Json, make: Callable[[], Json]) -> Json:
        """Return what came of an effect: as it is kept, or by doing it and keeping that.

        A loop that starts again asks for the same effects, and is given each that is kept once, in
        order: the same may be asked for several times.
        """
        key = digest(asked)
        for number, kept in enumerate(self._unused):
            if (kept.kind, kept.asked) == (kind, key):
                del self._unused[number]
                return kept.data
        return self._append(kind, key, make())

    def note(self, kind: str, data: Json) -> None:
        """Keep something that is no effect; again for the same data it is not kept twice."""
        self.once(kind, data, lambda: data)

    def _append(self, kind: str, asked: str, data: Json) -> Json:
        previous = self._entries[-1].digest if self._entries else _FIRST
        entry = Entry(
            kind=kind, asked=asked, data=data, digest=_digest(kind, asked, data, previous)
        )
        line = json.dumps(
            {"kind": kind, "asked": asked, "data": data, "digest": entry.digest}, ensure_ascii=False
        )
        end = os.lseek(self._handle, 0, os.SEEK_CUR)
        try:
            _write_all(self._handle, line.encode("utf-8", "surrogatepass") + b"\n")
            os.fsync(self._handle)
        except OSError as error:
            # Half of a line would become a part of the next one.
            os.ftruncate(self._handle, end)
            os.lseek(self._handle, end, os.SEEK_SET)
            raise JournalError(f"{self._file} cannot be written: {error.strerror}") from error
        self._entries.append(entry)
        return data

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def _write_all(handle: int, data: bytes) -> None:
    """Write all of it: on a disk that is nearly full one call writes a part."""
    while data:
        data = data[os.write(handle, data) :]


def _read(file: Path) -> tuple[list[Entry], int]:
    """Return the entries, and where the next one is written."""
    try:
        content = read_regular_file(file, _MAX_BYTES).data
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise JournalError(f"{file} cannot be read: {error.strerror}") from error
    entries: list[Entry] = []
    end = content.rfind(b"\n") + 1
    for number, line in enumerate(content[:end].splitlines(), start=1):
        entry = _entry(line, entries[-1].digest if entries else _FIRST)
        if entry is None:
            raise JournalError(
                f"line {number} of {file} is not as it was written",
                hint="`iris jobs retry` starts the worker anew",
            )
        entries.append(entry)
    return entries, end


def _entry(line: bytes, previous: str) -> Entry | None:
    try:
        found = json.loads(line)
        entry = Entry(**found)
    except (ValueError, TypeError):
        return None
    expected = _digest(entry.kind, entry.asked, entry.data, previous)
    return entry if entry.digest == expected else None


def _digest(kind: str, asked: str, data: Json, previous: str) -> str:
    return digest({"kind": kind, "asked": asked, "data": data, "previous": previous})
