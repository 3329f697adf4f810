"""When a job's owner was done with what it made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of jobs from before it is not known, so they still wait."""
    op.add_column("jobs", sa.Column("reviewed_at", sa.BigInteger))
