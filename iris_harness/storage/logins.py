"""Browsers that may use the page, and the links that let one in: digests, never secrets."""

from __future__ import annotations

import datetime as dt
import enum
import sqlite3
from typing import NamedTuple

from iris_harness.storage.records import instant_text, parse_instant
from iris_harness.storage.session import Session


class LoginKind(enum.StrEnum):
    """What a secret opens."""

    LINK = "link"  # a session, once
    SESSION = "session"  # the page


class StoredLogin(NamedTuple):
    """One secret, by its digest."""

    digest: str
    """SHA-256 of the secret in hexadecimal."""
    kind: LoginKind
    gate: str
    """Digest of the token that the server had: under another one the secret opens nothing."""
    expires_at: dt.datetime
    """Aware, UTC; from then on it opens nothing."""
    conversation: str = ""
    """The session of its turns; empty for a link."""


class Logins:
    """The logins in ``iris.db``. Thread-safe, and safe beside other processes."""

    def __init__(self, session: Session) -> None:
        """Take the open database."""
        self._session = session

    def save(self, login: StoredLogin, now: dt.datetime) -> None:
        """Keep a new secret; those that expired before `now` (aware) are deleted."""
        values = {
            "digest": login.digest,
            "kind": login.kind.value,
            "gate": login.gate,
            "conversation": login.conversation,
            "expires_at": instant_text(login.expires_at),
        }
        with self._session.writing():
            self._session.run("delete_logins_before", {"before": instant_text(now)})
            self._session.run("save_login", values)

    def find(self, digest: str) -> StoredLogin | None:
        """Return what is known of a secret, expired or not; None: it was never kept, or ended."""
        with self._session.reading():
            rows = self._session.run("find_login", {"digest": digest})
        return next(iter(self._session.records(_read, rows)), None)

    def take(self, digest: str, kind: LoginKind) -> StoredLogin | None:
        """Take a secret away and return it; of several that try at once, one gets it."""
        with self._session.writing():
            rows = self._session.run("take_login", {"digest": digest, "kind": kind.value})
        return next(iter(self._session.records(_read, rows)), None)

    def set_conversation(self, digest: str, conversation: str) -> None:
        """Let what a browser asks from now on belong to another conversation."""
        values = {"digest": digest, "conversation": conversation}
        with self._session.writing():
            self._session.run("set_conversation", values)

    def end_all(self) -> None:
        """Let no secret open anything any more."""
        with self._session.writing():
            self._session.run("delete_all_logins", {})


def _read(row: sqlite3.Row) -> StoredLogin:
    return StoredLogin(
        digest=row["digest"],
        kind=LoginKind(row["kind"]),
        gate=row["gate"],
        expires_at=parse_instant(row["expires_at"]),
        conversation=row["conversation"],
    )
