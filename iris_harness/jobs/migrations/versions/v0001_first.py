"""Manifests, jobs, workers and their edges, idempotency keys, daemons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# table, event, and the columns an update of which is refused ("" for all)
_IMMUTABLE = (
    ("manifests", "UPDATE", "", "a manifest never changes"),
    ("manifests", "DELETE", "", "a manifest is never deleted"),
    ("workers", "UPDATE", "id, job_id, position, spec", "what a worker is to do never changes"),
    ("edges", "UPDATE", "", "what a worker waits for never changes"),
)


def upgrade() -> None:
    """Make everything."""
    _make_records()
    _make_workers()
    _make_graph()
    for table, event, columns, said in _IMMUTABLE:
        _refuse(table, event, columns, said)
    if op.get_bind().dialect.name == "postgresql":
        _refuse_truncation()


def _make_records() -> None:
    op.create_table(
        "manifests",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("manifest_id", sa.String(64), sa.ForeignKey("manifests.id"), nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("planner", sa.Text, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("needs", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("cancelled_at", sa.BigInteger),
    )
    op.create_index("jobs_by_owner", "jobs", ["owner", "created_at", "id"])
    op.create_table(
        "idempotency",
        sa.Column("owner", sa.String(128), primary_key=True),
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column(
            "job_id",
            sa.String(32),
            sa.ForeignKey("jobs.id", deferrable=True, initially="DEFERRED"),
            nullable=False,
        ),
    )
    op.create_table(
        "daemons",
        sa.Column("name", sa.String(128), primary_key=True),
        sa.Column("offers", sa.Text, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
    )


def _make_workers() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.String(97), primary_key=True),
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("waiting_for", sa.Integer, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("deliveries", sa.Integer, nullable=False),
        sa.Column("leased_by", sa.String(128)),
        sa.Column("lease_expires_at", sa.BigInteger),
        sa.Column("cancel_requested", sa.Boolean, nullable=False),
        sa.Column("kind", sa.String(32)),
        sa.Column("reason", sa.Text),
        sa.Column("result", sa.Text),
        sa.Column("ready_at", sa.BigInteger),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("finished_at", sa.BigInteger),
    )
    op.create_index("workers_of_job", "workers", ["job_id", "position"])
    ready = sa.text("state = 'ready' AND paused = false")
    op.create_index(
        "workers_ready",
        "workers",
        [sa.text("priority DESC"), "created_at", "job_id", "position"],
        postgresql_where=ready,
        sqlite_where=ready,
    )
    leased = sa.text("state = 'leased'")
    op.create_index(
        "workers_leased",
        "workers",
        ["lease_expires_at"],
        postgresql_where=leased,
        sqlite_where=leased,
    )


def _make_graph() -> None:
    op.create_table(
        "edges",
        sa.Column("worker_id", sa.String(97), sa.ForeignKey("workers.id"), primary_key=True),
        sa.Column("depends_on", sa.String(97), sa.ForeignKey("workers.id"), primary_key=True),
    )
    op.create_index("edges_backwards", "edges", ["depends_on"])
    op.create_table(
        "worker_needs",
        sa.Column("worker_id", sa.String(97), sa.ForeignKey("workers.id"), primary_key=True),
        sa.Column("need", sa.String(80), primary_key=True),
    )


def _refuse(table: str, event: str, columns: str, said: str) -> None:
    """Make a trigger that refuses an event with `said`."""
    name = f"{table}_no_{event.lower()}"
    when = f"{event} OF {columns}" if columns else event
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {when} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{said}'); END"
        )
        return
    op.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{said}'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {name} BEFORE {when} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


def _refuse_truncation() -> None:
    op.execute(
        "CREATE TRIGGER manifests_no_truncate BEFORE TRUNCATE ON manifests "
        "FOR EACH STATEMENT EXECUTE FUNCTION manifests_no_delete()"
    )
