"""The last good copy of a source in the cache folder: private, written whole, shared safely.

Several processes may use one copy. Nobody waits for another's network: a refresh reads the copy's
state, asks the server, and stores only if the state is still the one it began with; else another
process was quicker and its copy is as good. Only the disk is used under the lock.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.canonical import Json
from iris_harness.errors import SourceError, StorageError
from iris_harness.storage.files import make_private_folder, touch_private, write_atomically

FILE = "calendar.ics"
"""The content of a copy that is one file."""
ITEMS = "items"
"""The content of a copy that is a folder of collections."""

_STATE = "state.json"
_LOCK = "lock"
_VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyState:
    """What is known of a copy that was read in full at least once."""

    read_at: dt.datetime
    """When the server last confirmed it, by the "now" of that turn; aware, UTC."""
    facts: Mapping[str, Json]
    """What the next refresh needs to ask for changes only."""

    def is_fresh(self, now: dt.datetime, refresh_every: dt.timedelta) -> bool:
        """Return whether the server need not be asked.

        A copy from the future was made before the clock was set back: it is not fresh, or it
        would stay so for as long as the clock was wrong.
        """
        return dt.timedelta() <= now - self.read_at < refresh_every


class Copy:
    """The copy of one source in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Take its folder; nothing is created before something is stored."""
        self.folder = folder

    def state(self) -> CopyState | None:
        """Return what is known; None when there is no usable copy."""
        try:
            tree = json.loads((self.folder / _STATE).read_bytes())
            if tree["version"] != _VERSION:
                return None
            return CopyState(
                read_at=dt.datetime.fromisoformat(tree["read_at"]).astimezone(dt.UTC),
                facts=dict(tree["facts"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None  # missing or damaged: fetched anew

    def store_state(self, state: CopyState) -> None:
        """Replace the state; call it last, when everything it speaks of is on the disk."""
        tree = {
            "version": _VERSION,
            "read_at": state.read_at.astimezone(dt.UTC).isoformat(),
            "facts": dict(state.facts),
        }
        write_atomically(self.folder / _STATE, json.dumps(tree).encode())

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other processes from reading or storing; the folder exists inside.

        Raises:
            SourceError: the folder cannot be made or written to.
        """
        try:
            make_private_folder(self.folder)
            touch_private(self.folder / _LOCK)
            with _locked(self.folder / _LOCK, shared=False):
                yield
        except StorageError as error:
            raise SourceError(f"its copy cannot be kept: {error.message}") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise SourceError(f"its copy cannot be kept ({reason})") from error

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Keep other processes from storing while the copy is read."""
        try:
            lock = _locked(self.folder / _LOCK, shared=True)
            lock.__enter__()
        except OSError:  # no copy yet, or a folder that was closed: reading says so itself
            yield
            return
        try:
            yield
        finally:
            lock.__exit__(None, None, None)


@contextmanager
def _locked(file: Path, *, shared: bool) -> Iterator[None]:
    if sys.platform == "win32":  # single writes stay whole there; only their order is not kept
        yield
        return
    import fcntl  # noqa: PLC0415 - not there on Windows

    with file.open("rb") as handle:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield  # closing the file gives the lock back, and so does a crash
