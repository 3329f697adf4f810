"""The tables of the jobs database, the same on SQLite and PostgreSQL.

Instants are whole milliseconds since 1970 in UTC. Migrations make the tables; a test holds them to
what is written here. States stand in SQL as literals, so that partial indexes are used by prepared
statements too.
"""

from __future__ import annotations

import enum
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    literal_column,
)

metadata = MetaData()


class WorkerState(enum.StrEnum):
    """Where a worker is on its way."""

    BLOCKED = "blocked"
    """Waits for other workers."""
    READY = "ready"
    """Waits for a daemon."""
    LEASED = "leased"
    """A daemon has it."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether only a retry leads out of it."""
        return self in FINAL

    @property
    def sql(self) -> ColumnElement[Any]:
        """The state as a literal of SQL."""
        return literal_column(f"'{self.value}'", String)


FINAL: Final = frozenset({WorkerState.SUCCEEDED, WorkerState.FAILED, WorkerState.CANCELLED})
OPEN: Final = (WorkerState.BLOCKED, WorkerState.READY, WorkerState.LEASED)

NO: Final = literal_column("false", Boolean)
YES: Final = literal_column("true", Boolean)

manifests = Table(
    "manifests",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("body", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(128), nullable=False),
    Column("manifest_id", ForeignKey("manifests.id"), nullable=False),
    Column("request", Text, nullable=False),
    Column("planner", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("needs", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("cancelled_at", BigInteger),
    Column("reviewed_at", BigInteger),
    Index("jobs_by_owner", "owner", "created_at", "id"),
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(97), primary_key=True),
    Column("job_id", ForeignKey("jobs.id"), nullable=False),
    # After all it depends on: rows of a job are locked in this order, so nobody waits in a circle.
    Column("position", Integer, nullable=False),
    Column("spec", Text, nullable=False),
    Column("owner", String(128), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("waiting_for", Integer, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("deliveries", Integer, nullable=False),
    Column("leased_by", String(128)),
    Column("lease_expires_at", BigInteger),
    Column("cancel_requested", Boolean, nullable=False),
    Column("kind", String(32)),
    Column("reason", Text),
    Column("result", Text),
    Column("ready_at", BigInteger),
    Column("started_at", BigInteger),
    Column("finished_at", BigInteger),
)
Index("workers_of_job", workers.c.job_id, workers.c.position)
_IS_READY = (workers.c.state == WorkerState.READY.sql) & (workers.c.paused == NO)
Index(
    "workers_ready",
    workers.c.priority.desc(),
    workers.c.created_at,
    workers.c.job_id,
    workers.c.position,
    postgresql_where=_IS_READY,
    sqlite_where=_IS_READY,
)
_IS_LEASED = workers.c.state == WorkerState.LEASED.sql
Index(
    "workers_leased",
    workers.c.lease_expires_at,
    postgresql_where=_IS_LEASED,
    sqlite_where=_IS_LEASED,
)

edges = Table(
    "edges",
    metadata,
    Column("worker_id", ForeignKey("workers.id"), primary_key=True),
    Column("depends_on", ForeignKey("workers.id"), primary_key=True),
    Index("edges_backwards", "depends_on"),
)

worker_needs = Table(
    "worker_needs",
    metadata,
    Column("worker_id", ForeignKey("workers.id"), primary_key=True),
    Column("need", String(80), primary_key=True),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("owner", String(128), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("digest", String(64), nullable=False),
    # Written first of all, so that a second request waits; the job follows in the same transaction.
    Column(
        "job_id",
        ForeignKey("jobs.id", deferrable=True, initially="DEFERRED"),
        nullable=False,
    ),
)

daemons = Table(
    "daemons",
    metadata,
    Column("name", String(128), primary_key=True),
    Column("offers", Text, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("name", String(128), primary_key=True),
    # Of the token only its digest is kept.
    Column("digest", String(64), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("owner", String(128), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

worker_logs = Table(
    "worker_logs",
    metadata,
    Column("worker_id", ForeignKey("workers.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("fence", BigInteger, nullable=False),
    Column("logged_at", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
)

job_vectors = Table(
    "job_vectors",
    metadata,
    Column("job_id", ForeignKey("jobs.id"), primary_key=True),
    # Vectors of different models cannot be compared; a new model's stand beside the old one's.
    Column("model_id", String(64), primary_key=True),
    Column("dimension", Integer, nullable=False),
    # So many float32, little-endian.
    Column("vector", LargeBinary, nullable=False),
)

job_steps = Table(
    "job_steps",
    metadata,
    Column("job_id", ForeignKey("jobs.id"), primary_key=True),
    # Whoever adds a number first has moved the job's head; who comes second has to look again.
    Column("number", Integer, primary_key=True),
    Column("head", String(64), nullable=False),
    Column("worker_id", ForeignKey("workers.id"), nullable=False),
    Column("pack", LargeBinary),
    Column("made_at", BigInteger, nullable=False),
)
