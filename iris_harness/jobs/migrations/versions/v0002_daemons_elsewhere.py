"""Tokens of daemons and owners on other machines, and what workers print."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "tokens",
        sa.Column("name", sa.String(128), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_table(
        "worker_logs",
        sa.Column("worker_id", sa.String(97), sa.ForeignKey("workers.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("logged_at", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
