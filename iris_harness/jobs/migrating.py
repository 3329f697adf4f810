"""Bring the schema of a jobs database up to date, once, whoever comes first."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from iris_harness.errors import DatabaseNewerError

HEAD: Final = "0005"
"""The revision this program knows; a test holds it to the migrations."""

_LOCK: Final = 0x49726973  # "Iris": the advisory lock under which one process migrates


def migrate(engine: Engine) -> None:
    """Bring the database to `HEAD`; an up-to-date one is only asked for its revision.

    Raises:
        DatabaseNewerError: a newer program has written it.
    """
    with engine.begin() as connection:
        if revision(connection) == HEAD:
            return
        if connection.dialect.name == "postgresql":
            lock_schema(connection)
        found = revision(connection)  # another process may have done it meanwhile
        if found != HEAD:
            _check_known(found)
            upgrade(connection)


def lock_schema(connection: Connection) -> None:
    """Let one connection at a time change the schema of a PostgreSQL database."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))


def revision(connection: Connection) -> str | None:
    """Return the revision of the schema; None for a database that was never set up."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _check_known(found: str | None) -> None:
    if found is not None and found > HEAD:
        raise DatabaseNewerError(
            f"the jobs database is of version {found}, and this Iris knows versions up to {HEAD}",
            hint="upgrade Iris",
        )


def upgrade(connection: Connection, target: str = "head") -> None:
    """Run the migrations up to `target` in the transaction of `connection`."""
    from alembic import command  # noqa: PLC0415 - an up-to-date database needs none of it
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", "iris_harness.jobs:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, target)
