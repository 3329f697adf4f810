from __future__ import annotations

from collections.abc import Iterator

import pytest

from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Queue
from iris_harness.jobs.leasing import WorkQueue
from iris_harness.jobs.tokens import Tokens
from iris_harness.testing import ManualClock
from tests.jobs_server import Elsewhere, serve_jobs
from tests.jobs_support import clock, database, pgvector, place, postgres

__all__ = ["clock", "database", "pgvector", "place", "postgres"]


@pytest.fixture(params=["direct", "http"])
def queue(
    request: pytest.FixtureRequest,
    database: Database,
    clock: ManualClock,
) -> Iterator[WorkQueue]:
    """The queue as daemons see it: in the database, and at a server of it."""
    if request.param == "direct":
        yield Queue(database, clock)
        return
    with serve_jobs(database) as url:
        yield Elsewhere(url, Tokens(database))
