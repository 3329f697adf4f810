"""One connection to the database, shared by the parts of the store that use it."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

from iris_harness.contracts.unicode import well_formed
from iris_harness.errors import StorageError
from iris_harness.storage.database import translated_errors, write_transaction

RecordT = TypeVar("RecordT")
Values: TypeAlias = Mapping[str, "str | int | bytes | None"]


class Session:
    """Runs named statements one thread at a time. Thread-safe."""

    def __init__(
        self, connection: sqlite3.Connection, file: Path, queries: Mapping[str, str]
    ) -> None:
        """Take an open connection to `file`, and the statements by name."""
        self.connection = connection
        self.file = file
        self.queries = queries
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Keep other threads out; what SQLite says becomes a `StorageError`."""
        with self._lock, translated_errors(self.file):
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """As `reading`, in one transaction that is rolled back on any error."""
        with self.reading(), write_transaction(self.connection):
            yield

    @contextlib.contextmanager
    def writing_durably(self) -> Iterator[None]:
        """As `writing`; what was written survives a power cut once this is left."""
        with self.reading():
            self.connection.execute("PRAGMA synchronous = FULL")
            try:
                with write_transaction(self.connection):
                    yield
            finally:
                self.connection.execute("PRAGMA synchronous = NORMAL")

    def run(self, name: str, values: Values) -> list[sqlite3.Row]:
        """Run one statement inside `reading` or `writing`; texts are made valid Unicode."""
        return self.connection.execute(self.queries[name], written(values)).fetchall()

    def records(
        self, read: Callable[[sqlite3.Row], RecordT], rows: Sequence[sqlite3.Row]
    ) -> tuple[RecordT, ...]:
        """Return what rows mean.

        Raises:
            StorageError: one of them holds what Iris never writes: the file was tampered with.
        """
        try:
            return tuple(map(read, rows))
        except (TypeError, ValueError) as error:
            raise StorageError(
                f"{self.file} holds a record that cannot be read: {error}",
                hint="`iris restore FILE` brings a backup back, `iris forget --all` starts anew",
            ) from error


def written(values: Values) -> Values:
    """Return values as they are written and looked for: their text is valid Unicode."""
    return {
        key: well_formed(value) if isinstance(value, str) else value
        for key, value in values.items()
    }
