"""Open Iris' SQLite file: private, checked, migrated, safe beside other processes.

Writers take the write lock when they begin (``BEGIN IMMEDIATE``) and wait for each other up to
`BUSY_TIMEOUT_SECONDS`. ``PRAGMA user_version`` is the schema's version; it changes in the same
transaction as the schema. A transaction is durable against a crash of the program at once, and
against a power cut after the next checkpoint (``synchronous=NORMAL``): a lost plan is made again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from iris_harness.errors import DatabaseNewerError, StorageError
from iris_harness.storage.files import make_private_folder, touch_private
from iris_harness.storage.queries import split_script

FILE_NAME = "iris.db"
BACKUP_FOLDER = "backups"
BUSY_TIMEOUT_SECONDS = 5.0
APPLICATION_ID = 0x49524953  # "IRIS" in the file's header: how a stranger's database is told apart

_SETTINGS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",  # what is deleted is overwritten
    "PRAGMA temp_store = MEMORY",  # and what is rewritten leaves no trace in /tmp
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)


def open_database(file: Path, migrations: Sequence[str], stamp: str) -> sqlite3.Connection:
    """Open `file`, creating it or bringing it to the version of `migrations`.

    Args:
        file: the database; its folder is created when missing.
        migrations: scripts in order; their number is the version of this program.
        stamp: names the backup that is made before an existing database is changed.

    Raises:
        DatabaseNewerError: a newer program has written it.
        StorageError: it cannot be opened, is damaged, or is another program's database.
    """
    make_private_folder(file.parent)
    with translated_errors(file):
        touch_private(file)  # SQLite gives its -wal and -shm files the mode of this one
        connection = connect(file)
        try:
            _prepare(connection, file, migrations, stamp)
        except BaseException:
            connection.close()
            raise
    return connection


def connect(file: Path) -> sqlite3.Connection:
    """Connect to an existing file; transactions are begun by hand, threads are kept apart."""
    connection = sqlite3.connect(
        file, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(
    connection: sqlite3.Connection, file: Path, migrations: Sequence[str], stamp: str
) -> None:
    if schema_version(connection) != len(migrations):
        _migrate(connection, file, migrations, stamp)
    check_identity(connection, file)
    if pragma(connection, "journal_mode") != "wal":
        # Another process may be in the way at this moment; the next opening tries again, and
        # until then every promise holds but for readers who wait for a writer.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")


def check_identity(connection: sqlite3.Connection, file: Path) -> None:
    """Do nothing when the database is one of Iris', or has nothing in it yet.

    Raises:
        StorageError: it belongs to another program.
    """
    if pragma(connection, "application_id") != APPLICATION_ID and _table_count(connection):
        raise StorageError(
            f"{file} is another program's database",
            hint="move it away, or set storage.data_dir to a folder of Iris' own",
        )


def _migrate(
    connection: sqlite3.Connection, file: Path, migrations: Sequence[str], stamp: str
) -> None:
    with write_transaction(connection):
        version = schema_version(connection)  # read again: another process may have done it
        check_identity(connection, file)
        check_version(version, len(migrations), file)
        if 0 < version < len(migrations):
            backup_before_migration(file, version, stamp)
        for number in range(version + 1, len(migrations) + 1):
            for statement in split_script(migrations[number - 1]):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def check_version(version: int, known: int, file: Path) -> None:
    """Do nothing when this program can read schema `version`.

    Raises:
        DatabaseNewerError: it cannot; nothing was changed.
    """
    if version > known:
        raise DatabaseNewerError(
            f"{file} is of version {version}, and this Iris knows versions up to {known}",
            hint="upgrade Iris, or restore a backup that this version made",
        )


def backup_before_migration(file: Path, version: int, stamp: str) -> Path:
    """Copy the database beside itself, as it is before a migration; return the copy."""
    folder = file.parent / BACKUP_FOLDER
    make_private_folder(folder)
    target = folder / f"{file.stem}-v{version}-{stamp}.db"
    copy_database(file, target)
    return target


def copy_database(source: Path, target: Path) -> None:
    """Copy a database that may be in use into one self-contained private file."""
    touch_private(target)
    with (
        contextlib.closing(connect(source)) as reader,
        contextlib.closing(sqlite3.connect(target, isolation_level=None)) as writer,
    ):
        copy_pages(reader, writer, source)
        writer.execute("PRAGMA journal_mode = DELETE")  # no -wal beside the copy


def copy_pages(reader: sqlite3.Connection, writer: sqlite3.Connection, named: Path) -> None:
    """Copy a whole database into another in one transaction of it; both may be in use.

    Raises:
        StorageError: the lock was not had in time; `named` is the file the message names.
    """

    def give_up_when_locked(status: int, _remaining: int, _total: int) -> None:
        # By now the busy timeout has passed; `Connection.backup` alone would try for ever.
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise _in_use(named)

    reader.backup(writer, pages=-1, progress=give_up_when_locked)


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema's version; 0 for a database that was never set up."""
    return int(str(pragma(connection, "user_version")))


def pragma(connection: sqlite3.Connection, name: str) -> int | str:
    """Return the one value of a pragma."""
    value: int | str = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _table_count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


@contextlib.contextmanager
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock; commit at the end, roll back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite has rolled back by itself when the disk is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextlib.contextmanager
def translated_errors(file: Path) -> Iterator[None]:
    """Turn what SQLite or the file system says into a `StorageError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise storage_error(error, file) from error
    except OSError as error:
        raise StorageError(f"{file} cannot be used: {error.strerror or error}") from error


def _in_use(file: Path) -> StorageError:
    return StorageError(
        f"{file} is in use by another process", hint="try again when the other Iris is done"
    )


def storage_error(error: sqlite3.Error, file: Path) -> StorageError:
    """Return the error for people behind an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    match primary:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StorageError(
                f"{file} is damaged: {error}",
                hint="`iris restore FILE` puts a backup in its place and keeps the damaged file",
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return _in_use(file)
        case sqlite3.SQLITE_FULL:
            return StorageError(f"{file} cannot grow: the disk is full", hint="free some space")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StorageError(
                f"{file} cannot be written: {error}",
                hint="`iris doctor` checks who owns the folder",
            )
        case _:
            return StorageError(f"{file}: {error}")
