"""The jobs database: SQLite on one machine, PostgreSQL for many, behind one door.

SQLite writers take the write lock when they begin (``BEGIN IMMEDIATE``), since a transaction that
becomes a writer later ignores the busy timeout. Every commit reaches the disk
(``synchronous=FULL``).
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import PoolProxiedConnection

from iris_harness.contracts.clock import Clock
from iris_harness.errors import ConfigError, IrisError, StorageError
from iris_harness.jobs.migrating import migrate
from iris_harness.jobs.statements import Driver, Statement
from iris_harness.storage.files import make_private_folder, touch_private

FILE_NAME: Final = "jobs.db"
BUSY_TIMEOUT_SECONDS: Final = 30.0
_DRIVERS: Final = frozenset({"sqlite3", "psycopg"})
CHANNEL: Final = "iris_jobs"
"""PostgreSQL's channel on which it is said that something became ready."""

_WRITING = "iris_writing"
_SQLITE_SETTINGS: Final = (
    f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_SECONDS * 1000)}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)
# The database's own clock: daemons' clocks may be hours off. It stands still within a statement,
# so that an index on times can be used.
_DATABASE_NOW: Final = sa.cast(
    sa.func.floor(sa.extract("epoch", sa.func.statement_timestamp()) * 1000), sa.BigInteger
)

_GIVEN_NOW: Final = sa.bindparam("now", type_=sa.BigInteger)


class Database:
    """One open jobs database. Thread-safe; not to be carried over a fork."""

    def __init__(self, engine: Engine, clock: Clock | None) -> None:
        """Take an engine whose schema is up to date, and the clock; None: the database's own."""
        self.engine = engine
        self.clock = clock
        self._writer = engine.execution_options(**{_WRITING: True})

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL; otherwise SQLite."""
        return self.engine.dialect.name == "postgresql"

    @property
    def now(self) -> sa.ColumnElement[int]:
        """The present as SQL, in milliseconds since 1970; `moment` has its parameters."""
        return _DATABASE_NOW if self.clock is None else _GIVEN_NOW

    def moment(self) -> dict[str, Any]:
        """Return the parameters of a statement with `now` in it."""
        return {} if self.clock is None else {"now": milliseconds(self.clock.now())}

    def statement(self, element: sa.sql.ClauseElement) -> Statement:
        """Return a statement in this database's own words, for `driving` and `single`."""
        return Statement(self.engine.dialect, element)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Hold a transaction that may write; it is committed at the end, or leaves nothing.

        Raises:
            StorageError: the database refused, or cannot be reached.
        """
        with translated_errors(), self._writer.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def driving(self) -> Iterator[Driver]:
        """Hold a transaction that may write, as `writing`, with the driver's own connection.

        For `statements.Statement`, where SQLAlchemy's own work would count.

        Raises:
            StorageError: the database refused, or cannot be reached.
        """
        with self._lent() as connection:
            if not self.is_postgresql:
                connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except IrisError:
                connection.rollback()
                raise
            connection.commit()

    @contextlib.contextmanager
    def single(self, *, writes: bool = True) -> Iterator[Driver]:
        """Hold the driver's connection for one statement that is a transaction of its own.

        PostgreSQL is spared the two round trips that begin and commit a transaction. SQLite takes
        the write lock first where it `writes`: "now" is this machine's there, and is to be read
        after the wait for others.

        Raises:
            StorageError: the database refused, or cannot be reached.
        """
        if writes and not self.is_postgresql:
            with self.driving() as connection:
                yield connection
            return
        with self._lent() as connection:
            if not self.is_postgresql:
                yield connection
                return
            connection.autocommit = True
            try:
                yield connection
            finally:
                if not connection.closed:
                    connection.autocommit = False

    @contextlib.contextmanager
    def _lent(self) -> Iterator[Any]:
        """Lend the driver's connection; one that an unknown error has left is not lent again."""
        with translated_errors():
            lent = self.engine.raw_connection()
            try:
                yield lent.driver_connection
            except IrisError:
                raise
            except BaseException as error:
                self._discard(lent, error)
                raise
            finally:
                lent.close()

    def _discard(self, lent: PoolProxiedConnection, error: BaseException) -> None:
        gone = bool(getattr(lent.driver_connection, "closed", False))  # psycopg's, by its server
        lent.invalidate(error)
        if gone:
            self.engine.dispose()  # and so will be the others

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Hold a transaction that sees one state of things.

        Raises:
            StorageError: the database cannot be reached.
        """
        with translated_errors(), self.engine.begin() as connection:
            yield connection

    def wake(self, run: Callable[[str], object]) -> None:
        """Say, when the transaction is committed, that something became ready.

        `run` runs a text in the transaction. On SQLite the commit itself can be seen by whoever
        waits.
        """
        if self.is_postgresql:
            run(f"SELECT pg_notify('{CHANNEL}', '')")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def milliseconds(instant: dt.datetime) -> int:
    """Return an aware instant as whole milliseconds since 1970."""
    return int(instant.timestamp() * 1000)


def instant(milliseconds: int) -> dt.datetime:
    """Return milliseconds since 1970 as an instant in UTC."""
    return dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC)


def open_database(place: Path | str, clock: Clock) -> Database:
    """Open a jobs database, creating it or bringing it up to date.

    Args:
        place: a SQLite file, or the URL of a PostgreSQL database.
        clock: "now" on SQLite; PostgreSQL has its own.

    Raises:
        ConfigError: the URL cannot be used.
        DatabaseNewerError: a newer program has written it.
        StorageError: it cannot be opened.
    """
    url = _sqlite_url(place) if isinstance(place, Path) else _postgresql_url(place)
    with translated_errors():
        engine = _sqlite_engine(url) if isinstance(place, Path) else _postgresql_engine(url)
        try:
            migrate(engine.execution_options(**{_WRITING: True}))
        except BaseException:
            engine.dispose()
            raise
    return Database(engine, clock if isinstance(place, Path) else None)


def _sqlite_url(file: Path) -> URL:
    make_private_folder(file.parent)
    try:
        touch_private(file)  # SQLite gives its -wal and -shm files the mode of this one
    except OSError as error:
        raise StorageError(f"{file} cannot be used: {error.strerror or error}") from error
    return URL.create("sqlite", database=str(file))


def _sqlite_engine(url: URL) -> Engine:
    engine = sa.create_engine(
        url, connect_args={"timeout": BUSY_TIMEOUT_SECONDS}, pool_reset_on_return=None
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: DBAPIConnection, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun below, and nowhere else
    for setting in _SQLITE_SETTINGS:
        connection.execute(setting)


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get(_WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _postgresql_url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise _bad_url("it cannot be read") from error
    if url.drivername not in {"postgresql", "postgres", "postgresql+psycopg"}:
        raise _bad_url(f"{url.drivername}:// is no PostgreSQL")
    return url.set(drivername="postgresql+psycopg")


def _bad_url(why: str) -> ConfigError:
    # The URL may hold a password: it is not repeated.
    return ConfigError(
        f"not the address of a database: {why}",
        key="jobs.database_url",
        expected="postgresql://user@host/database",
    )


def _postgresql_engine(url: URL) -> Engine:
    try:
        return sa.create_engine(url, isolation_level="READ COMMITTED", pool_reset_on_return=None)
    except (ImportError, NoSuchModuleError) as error:
        raise StorageError(
            "PostgreSQL's driver is not installed", hint="pip install 'iris-harness[jobs]'"
        ) from error


@contextlib.contextmanager
def translated_errors() -> Iterator[None]:
    """Turn what the database says into a `StorageError`; statements and their values stay out.

    Raises:
        StorageError: the database, or its driver, raised.
    """
    try:
        yield
    except DBAPIError as error:
        raise _storage_error(error.orig or error) from error
    except PoolTimeoutError as error:
        raise StorageError("too many at once use the jobs database", hint="try again") from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] in _DRIVERS:
            raise _storage_error(error) from error
        raise


def _storage_error(error: BaseException) -> StorageError:
    diagnosis = getattr(error, "diag", None)  # PostgreSQL's message without its context
    said = getattr(diagnosis, "message_primary", None) or str(error) or type(error).__name__
    return StorageError(f"the jobs database: {' '.join(said.split())}", hint=_hint(said))


def _hint(said: str) -> str:
    if "locked" in said:
        return "another process has held it for long; try again"
    if "connect" in said:
        return "check jobs.database_url, and that the server runs"
    return ""
