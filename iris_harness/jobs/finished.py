"""Which jobs may serve as examples: an owner's own that have succeeded, the newest of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from iris_harness.jobs.tables import WorkerState, jobs, workers

MOST_LOOKED_AT: Final = 10_000
"""That are compared with a new one."""


def finished_jobs(
    owner: str, most: int = MOST_LOOKED_AT, ids: Sequence[str] | None = None
) -> sa.Select[Any]:
    """Return the statement that finds them: id, created_at and manifest_id, newest first.

    `ids` are the only ones that are wanted; None: all.
    """
    open_ones = sa.select(workers.c.id).where(
        workers.c.job_id == jobs.c.id, workers.c.state != WorkerState.SUCCEEDED.sql
    )
    query = (
        sa.select(jobs.c.id, jobs.c.created_at, jobs.c.manifest_id)
        .where(jobs.c.owner == owner, ~sa.exists(open_ones))
        .order_by(jobs.c.created_at.desc(), jobs.c.id)
        .limit(most)
    )
    return query if ids is None else query.where(jobs.c.id.in_(ids))
