"""Wait until something may have become ready, without asking for work again and again.

PostgreSQL tells listeners. SQLite tells nobody, but counts the commits of others in
``PRAGMA data_version``, which costs a few microseconds to read.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final

import sqlalchemy as sa

from iris_harness.contracts.clock import Clock
from iris_harness.jobs.database import CHANNEL, Database, translated_errors
from iris_harness.jobs.leasing import Wakeup
from iris_harness.jobs.tables import NO, WorkerState, workers

POLL_SECONDS: Final = 0.022
_SLICE_SECONDS: Final = 0.5  # how long a stop may go unnoticed
_SOME_READY: Final = (
    sa.select(workers.c.id)
    .where(workers.c.state == WorkerState.READY.sql, workers.c.paused == NO)
    .limit(1)
)


def open_wakeup(database: Database, clock: Clock) -> Wakeup:
    """Return what waits for work in `database`; `clock` measures the wait.

    Raises:
        StorageError: the database cannot be reached.
    """
    if database.is_postgresql:
        return _Listener(database, clock)
    return _CommitWatcher(database, clock)


class _CommitWatcher:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        with translated_errors():
            # Not SQLAlchemy's connection: that would begin a transaction, and see nothing new.
            watching = database.engine.raw_connection()
            self._connection: Any = watching.driver_connection
            watching.detach()  # the pool would wait for it
            self._version = self._read_version()

    def wait(self, timeout_seconds: float, stop: threading.Event) -> bool:
        until = self._clock.monotonic() + timeout_seconds
        with translated_errors():
            while not stop.is_set():
                version = self._read_version()
                if version != self._version:
                    self._version = version
                    if self._some_ready():
                        return True
                if self._clock.monotonic() >= until:
                    return False
                time.sleep(POLL_SECONDS)  # half of what waiting for `stop` itself would cost
        return False

    def _read_version(self) -> int:
        version: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return version

    def _some_ready(self) -> bool:
        with self._database.reading() as connection:
            return connection.execute(_SOME_READY).first() is not None

    def close(self) -> None:
        self._connection.close()


class _Listener:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._connection: Any = None
        self._listen()

    def _listen(self) -> None:
        with translated_errors():
            listening = self._database.engine.raw_connection()
            self._connection = listening.driver_connection
            listening.detach()  # the pool would lend it to others
            self._connection.autocommit = True
            self._connection.execute(f"LISTEN {CHANNEL}")

    def wait(self, timeout_seconds: float, stop: threading.Event) -> bool:
        if self._connection is None:
            self._listen()
            return True  # what was said meanwhile went unheard
        until = self._clock.monotonic() + timeout_seconds
        while not stop.is_set():
            left = until - self._clock.monotonic()
            if self._heard(max(0.0, min(left, _SLICE_SECONDS))):
                return True
            if left <= 0:
                return False
        return False

    def _heard(self, seconds: float) -> bool:
        try:
            with translated_errors():
                return bool(list(self._connection.notifies(timeout=seconds, stop_after=1)))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
