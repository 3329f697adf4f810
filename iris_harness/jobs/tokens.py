"""Tokens of daemons and owners that reach the queue over HTTP; each can be revoked."""

from __future__ import annotations

import enum
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from iris_harness.errors import JobStateError, RequestError, StorageError, UnknownJobError
from iris_harness.jobs.database import Database
from iris_harness.jobs.tables import tokens
from iris_harness.jobs.validation import is_name
from iris_harness.storage.secret import new_secret, secret_digest


class Role(enum.StrEnum):
    """What a token is for."""

    DAEMON = "daemon"
    """Leases workers, whoever owns them."""
    OWNER = "owner"
    """Submits and steers one owner's jobs."""


class Bearer(NamedTuple):
    """Who a token belongs to."""

    name: str
    role: Role
    owner: str
    """Whose jobs; empty for a daemon."""


class Tokens:
    """Makes, finds and revokes tokens. Thread-safe."""

    def __init__(self, database: Database) -> None:
        """Take the database they are kept in."""
        self._database = database

    def create(self, name: str, role: Role, owner: str = "") -> str:
        """Make a token and return it; it cannot be shown again.

        Raises:
            RequestError: the name cannot be used.
            JobStateError: there is, or was, a token of that name.
        """
        if not is_name(name):
            raise RequestError(f"{name[:64]!r} is no name for a token", field="name")
        token = new_secret()
        digest = secret_digest(token)
        values = {"name": name, "digest": digest, "role": role.value, "owner": owner}
        try:
            with self._database.writing() as connection:
                insert = sa.insert(tokens).values(**values, created_at=self._database.now)
                connection.execute(insert, self._database.moment())
        except StorageError as error:
            if isinstance(error.__cause__, IntegrityError):
                hint = "take another name; those of revoked tokens stay taken"
                raise JobStateError(f"a token is called {name!r} already", hint=hint) from error
            raise
        return token

    def find(self, token: str) -> Bearer | None:
        """Return whose token this is; None when it is nobody's, or was revoked."""
        query = sa.select(tokens.c.name, tokens.c.role, tokens.c.owner).where(
            tokens.c.digest == secret_digest(token), tokens.c.revoked_at.is_(None)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Bearer(row.name, Role(row.role), row.owner)

    def revoke(self, name: str, owner: str) -> None:
        """Let a token of `owner`, or of a daemon, open nothing from now on.

        Raises:
            UnknownJobError: no such token in force has that name.
        """
        if not is_name(name):
            raise _no_token(name)
        update = sa.update(tokens).where(tokens.c.name == name, *_in_force(owner))
        with self._database.writing() as connection:
            done = connection.execute(
                update.values(revoked_at=self._database.now), self._database.moment()
            )
        if done.rowcount != 1:
            raise _no_token(name)

    def list(self, owner: str) -> tuple[Bearer, ...]:
        """Return the tokens in force of `owner` and of daemons, which work for all; by name."""
        query = sa.select(tokens.c.name, tokens.c.role, tokens.c.owner)
        query = query.where(*_in_force(owner)).order_by(tokens.c.name)
        with self._database.reading() as connection:
            return tuple(
                Bearer(row.name, Role(row.role), row.owner) for row in connection.execute(query)
            )


def _no_token(name: str) -> UnknownJobError:
    return UnknownJobError(f"no token in force is called {name[:64]!r}")


def _in_force(owner: str) -> tuple[sa.ColumnElement[bool], ...]:
    mine = sa.or_(tokens.c.role == Role.DAEMON.value, tokens.c.owner == owner)
    return (tokens.c.revoked_at.is_(None), mine)
