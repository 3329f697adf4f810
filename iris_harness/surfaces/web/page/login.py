"""How a browser is let in: a link that works once makes a session, whose secret is a cookie.

The digests of both secrets are kept, with the gate they were made for: a renewed token ends them
all. Time is the machine's, whatever "now" questions are asked for.
"""

from __future__ import annotations

import datetime as dt
import hmac
import secrets
from pathlib import Path
from typing import NamedTuple

from iris_harness.bootstrap.day import open_store
from iris_harness.contracts.clock import Clock
from iris_harness.storage.logins import LoginKind, StoredLogin
from iris_harness.storage.secret import new_secret, secret_digest
from iris_harness.surfaces.web.access import Gate

LINK_MINUTES = 10
SESSION_DAYS = 30
_CONVERSATION_BYTES = 16


class Visitor(NamedTuple):
    """A browser that was let in."""

    digest: str
    """Of its secret."""
    conversation: str
    """The session that its questions belong to."""
    form_key: str
    """What each of its forms has to carry: a page of another site cannot know it."""


class Logins:
    """Makes links, lets browsers in, and ends sessions. Thread-safe."""

    def __init__(self, folder: Path, gate: Gate, clock: Clock) -> None:
        """Take the data folder, the gate whose token the secrets stand for, and the time."""
        self._folder = folder
        self._gate = gate
        self._clock = clock

    def make_link(self) -> str:
        """Return a secret that lets one browser in, once and soon.

        Raises:
            StorageError: the database cannot be written.
        """
        return self._make(LoginKind.LINK, dt.timedelta(minutes=LINK_MINUTES))

    def enter(self, link: str) -> str | None:
        """Return the secret of a new session; None when the link is wrong, used or too old.

        Raises:
            StorageError: the database cannot be read or written.
        """
        with open_store(self._folder) as store:
            login = store.logins.take(secret_digest(link), LoginKind.LINK)
        if login is None or not self._counts(login):
            return None
        return self._make(LoginKind.SESSION, dt.timedelta(days=SESSION_DAYS))

    def find(self, secret: str) -> Visitor | None:
        """Return who has this secret; None when it opens nothing.

        Raises:
            StorageError: the database cannot be read.
        """
        digest = secret_digest(secret)
        with open_store(self._folder) as store:
            login = store.logins.find(digest)
        if login is None or login.kind is not LoginKind.SESSION or not self._counts(login):
            return None
        return Visitor(digest=digest, conversation=login.conversation, form_key=_form_key(secret))

    def begin_conversation(self, visitor: Visitor) -> None:
        """Let the visitor's next question be the first of a new conversation.

        Raises:
            StorageError: the database cannot be written.
        """
        with open_store(self._folder) as store:
            store.logins.set_conversation(visitor.digest, _new_conversation())

    def end(self, visitor: Visitor) -> None:
        """Let the visitor's secret open nothing any more.

        Raises:
            StorageError: the database cannot be written.
        """
        with open_store(self._folder) as store:
            store.logins.take(visitor.digest, LoginKind.SESSION)

    def _make(self, kind: LoginKind, lifetime: dt.timedelta) -> str:
        secret = new_secret()
        now = self._clock.now()
        login = StoredLogin(
            digest=secret_digest(secret),
            kind=kind,
            gate=self._gate.name,
            expires_at=now + lifetime,
            conversation=_new_conversation() if kind is LoginKind.SESSION else "",
        )
        with open_store(self._folder) as store:
            store.logins.save(login, now)
        return secret

    def _counts(self, login: StoredLogin) -> bool:
        is_ours = hmac.compare_digest(login.gate, self._gate.name)
        return is_ours and self._clock.now() < login.expires_at


def end_all_logins(folder: Path) -> None:
    """Sign every browser out, and let no link that is left open anything.

    Raises:
        StorageError: the database cannot be written.
    """
    with open_store(folder) as store:
        store.logins.end_all()


def _new_conversation() -> str:
    return f"web-{secrets.token_hex(_CONVERSATION_BYTES)}"


def _form_key(secret: str) -> str:
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"forms", "sha256").hexdigest()
