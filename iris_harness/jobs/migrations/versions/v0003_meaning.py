"""What finished jobs mean, as vectors; made anew whenever they are missing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table; one of pgvector's is made when it is first needed."""
    op.create_table(
        "job_vectors",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id"), primary_key=True),
        sa.Column("model_id", sa.String(64), primary_key=True),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
