"""Which daemons are there; only for telling people why nothing starts."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from iris_harness.contracts.clock import Clock
from iris_harness.jobs.database import Database
from iris_harness.jobs.tables import daemons

SHOWN_EVERY_SECONDS: Final = 15.0
ABSENT_AFTER_SECONDS: Final = 90.0


class Seen(NamedTuple):
    """A daemon that showed itself lately."""

    name: str
    offers: frozenset[str]


class Presence:
    """Writes down that a daemon is there, now and then. Thread-safe."""

    def __init__(self, database: Database, clock: Clock) -> None:
        """Take the database, and a clock for the intervals."""
        self._database = database
        self._clock = clock
        self._next: dict[str, float] = {}
        self._lock = threading.Lock()
        self._upsert = _upsert(database)

    def show(self, name: str, offers: Collection[str]) -> None:
        """Write down that a daemon is there, unless that was done a moment ago."""
        with self._lock:
            if self._clock.monotonic() < self._next.get(name, float("-inf")):
                return
            self._next[name] = self._clock.monotonic() + SHOWN_EVERY_SECONDS
        given = {"name": name, "offers": json.dumps(sorted(offers))}
        with self._database.writing() as connection:
            connection.execute(self._upsert, given | self._database.moment())


def _upsert(database: Database) -> Any:  # noqa: ANN401 - the statement of either engine
    insert: Any = postgresql.insert if database.is_postgresql else sqlite.insert
    values = {
        "name": sa.bindparam("name"),
        "offers": sa.bindparam("offers"),
        "seen_at": database.now,
    }
    statement = insert(daemons).values(**values)
    return statement.on_conflict_do_update(
        index_elements=["name"],
        set_={"offers": statement.excluded.offers, "seen_at": statement.excluded.seen_at},
    )


def find_daemons(connection: Connection, database: Database) -> tuple[Seen, ...]:
    """Return the daemons that showed themselves lately, by name."""
    since = database.now - sa.literal(int(ABSENT_AFTER_SECONDS * 1000), sa.BigInteger)
    query = sa.select(daemons).where(daemons.c.seen_at >= since).order_by(daemons.c.name)
    rows = connection.execute(query, database.moment())
    return tuple(Seen(row.name, frozenset(json.loads(row.offers))) for row in rows)
