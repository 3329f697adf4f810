"""The work of a job, so that every machine can go on from it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "job_steps",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("head", sa.String(64), nullable=False),
        sa.Column("worker_id", sa.String(97), sa.ForeignKey("workers.id"), nullable=False),
        sa.Column("pack", sa.LargeBinary),
        sa.Column("made_at", sa.BigInteger, nullable=False),
    )
