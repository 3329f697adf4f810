"""Keys that open the calendar of plans and nothing else: one for each phone, each revocable.

They are kept as digests in a file of their own, not in the database: a backup that is brought back
must not bring back a key that was revoked since.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.canonical import to_json
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import ServerError, UsageError
from iris_harness.files import read_regular_file
from iris_harness.storage.files import write_atomically
from iris_harness.storage.locks import hold_lock
from iris_harness.storage.secret import new_secret, opens, secret_digest

FILE = "server-feeds.json"
_LOCK = "server-feeds.lock"
_MOST_BYTES = 1024 * 1024
_MOST_NAME = 100
_PATIENCE_SECONDS = 5.0
_log = logging.getLogger("iris.server")


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedKey:
    """What is known of one key."""

    name: str
    """What the user calls it; unique."""
    made_at: dt.datetime
    """UTC."""
    digest: str
    """Of the key, as `secret_digest` has it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    keys: tuple[FeedKey, ...]


class FeedKeys:
    """The keys of one data folder. Each call reads the file: a revoked key opens nothing."""

    def __init__(self, data_folder: Path) -> None:
        """Take where they are kept."""
        self._file = data_folder / FILE

    def new(self, name: str, made_at: dt.datetime) -> str:
        """Make a key and return it; it is shown this once.

        Raises:
            UsageError: the name is empty, too long or taken.
            ServerError: the keys cannot be read or kept.
        """
        if not 0 < len(name) <= _MOST_NAME or not name.isprintable():
            raise UsageError("a name has 1 to 100 printable characters")
        secret = new_secret()
        with self._lock():
            keys = self.list()
            if any(key.name == name for key in keys):
                raise UsageError(f"there is a key named {name!r}", hint="revoke it first")
            digest = secret_digest(secret)
            made = FeedKey(name=name, made_at=made_at.astimezone(dt.UTC), digest=digest)
            self._write((*keys, made))
        return secret

    def revoke(self, name: str) -> None:
        """Forget a key: it opens nothing from now on.

        Raises:
            UsageError: there is none of that name.
            ServerError: the keys cannot be read or kept.
        """
        with self._lock():
            keys = self.list()
            left = tuple(key for key in keys if key.name != name)
            if len(left) == len(keys):
                raise UsageError(f"there is no key named {name!r}", hint="`iris serve feed list`")
            self._write(left)

    def list(self) -> tuple[FeedKey, ...]:
        """Return all keys, oldest first.

        Raises:
            ServerError: they cannot be read.
        """
        try:
            content = read_regular_file(self._file, _MOST_BYTES).data
            return from_json(_Kept, json.loads(content)).keys
        except FileNotFoundError:
            return ()
        except (OSError, TypeError, ValueError) as error:
            raise ServerError(
                f"{self._file}: the keys of the calendar cannot be read",
                hint="delete the file, and make new keys",
            ) from error

    def opens(self, secret: str) -> bool:
        """Return whether a key opens the calendar, in a time that does not depend on it.

        Where the keys cannot be read, none does.
        """
        try:
            keys = self.list()
        except ServerError as error:
            _log.warning("%s", error)
            return False
        return sum(opens(secret, key.digest) for key in keys) > 0  # looks at every one

    def _lock(self) -> AbstractContextManager[bool]:
        return hold_lock(self._file.with_name(_LOCK), patience_seconds=_PATIENCE_SECONDS)

    def _write(self, keys: Sequence[FeedKey]) -> None:
        try:
            write_atomically(self._file, json.dumps(to_json(_Kept(keys=tuple(keys)))).encode())
        except OSError as error:
            raise ServerError(f"{self._file}: {error.strerror or error}") from error
