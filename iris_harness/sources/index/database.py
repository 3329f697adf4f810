"""Open ``cache.db``: private, stamped, thrown away when it is damaged or of another program."""

from __future__ import annotations

import contextlib
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path

from iris_harness.storage.database import write_transaction
from iris_harness.storage.files import is_private, make_private_folder, touch_private
from iris_harness.storage.queries import parse_queries, split_script

FILE_NAME = "cache.db"

_PATIENCE_SECONDS = 2.0  # reading the calendar without the index takes about as long
_SETTINGS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class DamagedError(Exception):
    """What is stored cannot be what was stored."""


class AnotherReaderError(Exception):
    """The index belongs to another version of the program now."""


class NotPrivateError(Exception):
    """Others than the user can have written the file: what it says is not believed."""


class CacheFile:
    """The open index file of one calendar. Not thread-safe."""

    def __init__(self, folder: Path, stamp: str) -> None:
        """Take the folder of what can be rebuilt, and what an index must have been made by."""
        self._file = folder / FILE_NAME
        self._stamp = stamp
        self._connection: sqlite3.Connection | None = None
        self.queries: Mapping[str, str] = {}

    def connection(self) -> sqlite3.Connection:
        """Return the open file; it is created, or emptied when its stamp is another one.

        Raises:
            sqlite3.Error: it cannot be opened or is in use.
            StorageError: its folder cannot be created.
            OSError: the file cannot be created.
            NotPrivateError: others than the user can have written it.
        """
        if self._connection is None:
            connection = self._open()
            try:
                self._check(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
            weakref.finalize(self, connection.close)
        return self._connection

    def _open(self) -> sqlite3.Connection:
        make_private_folder(self._file.parent)
        touch_private(self._file)  # SQLite gives its -wal and -shm files the mode of this one
        if not is_private(self._file):
            raise NotPrivateError("the index may have been written by another user")
        return sqlite3.connect(
            self._file, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )

    def _check(self, connection: sqlite3.Connection) -> None:
        for setting in _SETTINGS:
            connection.execute(setting)
        text = Path(__file__).with_name("cache.sql").read_text(encoding="utf-8")
        self.queries = parse_queries(text)
        if not self._is_ours(connection):
            connection.execute("PRAGMA journal_mode = WAL")
            with write_transaction(connection):
                if not self._is_ours(connection):  # another process may have made it by now
                    self._make(connection)

    def check_stamp(self) -> None:
        """Do nothing when the file is still of this program; within a transaction.

        Raises:
            AnotherReaderError: a program that reads calendars otherwise has taken it over.
        """
        connection = self.connection()
        if connection.execute(self.queries["find_stamp"]).fetchall() != [(self._stamp,)]:
            raise AnotherReaderError("the index is used by another version of the program")

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        if ("stamp",) not in connection.execute(self.queries["find_tables"]).fetchall():
            return False
        return connection.execute(self.queries["find_stamp"]).fetchall() == [(self._stamp,)]

    def _make(self, connection: sqlite3.Connection) -> None:
        for (name,) in connection.execute(self.queries["find_tables"]).fetchall():
            connection.execute('DROP TABLE "{}"'.format(str(name).replace('"', '""')))
        for statement in split_script(self.queries["create_tables"]):
            connection.execute(statement)
        connection.execute(self.queries["write_stamp"], {"text": self._stamp})

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def discard(self) -> None:
        """Delete the file: whoever needs it next makes a new one."""
        self.close()
        for file in index_files(self._file.parent):
            with contextlib.suppress(OSError):
                file.unlink()


def index_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that the index in `folder` is made of, whether or not they exist."""
    return tuple(folder / (FILE_NAME + ending) for ending in ("", "-wal", "-shm"))


def remove_index(folder: Path) -> None:
    """Delete the index in `folder`; nothing happens where there is none.

    Raises:
        OSError: it cannot be deleted.
    """
    for file in index_files(folder):
        file.unlink(missing_ok=True)


def is_damage(error: Exception) -> bool:
    """Whether an error says that the file is damaged, not that it is busy, full or forbidden."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(code, int):
        return code & 0xFF in _DAMAGED | {sqlite3.SQLITE_ERROR}
    return isinstance(error, DamagedError)


@contextlib.contextmanager
def read_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """See the file as it is now, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
