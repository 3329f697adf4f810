"""What workers print while they run, kept up to a bound."""

from __future__ import annotations

import datetime as dt
from typing import Final, NamedTuple

import sqlalchemy as sa

from iris_harness.contracts.unicode import well_formed
from iris_harness.errors import LeaseLostError
from iris_harness.jobs.database import Database, instant
from iris_harness.jobs.leasing import Lease
from iris_harness.jobs.tables import WorkerState, worker_logs, workers

MOST_CHARACTERS: Final = 1_000_000
"""Of one worker; what comes after is dropped, and said to be."""
_LONGEST_PIECE: Final = 65_536
_CUT: Final = "\n(the log is full: what follows is not kept)\n"


class LogPiece(NamedTuple):
    """Something that a worker printed."""

    fence: int
    """Of the lease under which it was printed."""
    logged_at: dt.datetime
    """UTC."""
    text: str


class WorkerLogs:
    """Keeps and shows logs. Thread-safe."""

    def __init__(self, database: Database) -> None:
        """Take the database they are kept in."""
        self._database = database

    def append(self, lease: Lease, text: str) -> None:
        """Add to the log of a worker; only its holder may.

        Raises:
            LeaseLostError: the lease has ended.
        """
        piece = well_formed(text.replace("\0", "\N{REPLACEMENT CHARACTER}"))[-_LONGEST_PIECE:]
        worker_id = lease.spec.id
        held = sa.select(workers.c.id).where(
            workers.c.id == worker_id,
            workers.c.fence == lease.fence,
            workers.c.state == WorkerState.LEASED.sql,
        )
        sizes = sa.select(
            sa.func.coalesce(sa.func.max(worker_logs.c.number), 0),
            sa.func.coalesce(sa.func.sum(sa.func.length(worker_logs.c.text)), 0),
        ).where(worker_logs.c.worker_id == worker_id)
        with self._database.writing() as connection:
            if connection.execute(held.with_for_update()).first() is None:
                raise LeaseLostError(worker_id, lease.fence)
            number, size = connection.execute(sizes).one()
            if size >= MOST_CHARACTERS:
                return
            full = size + len(piece) >= MOST_CHARACTERS
            kept = piece[: MOST_CHARACTERS - size] + _CUT if full else piece
            values = {"worker_id": worker_id, "number": number + 1, "fence": lease.fence}
            insert = sa.insert(worker_logs).values(
                **values, text=kept, logged_at=self._database.now
            )
            connection.execute(insert, self._database.moment())

    def read(self, worker_id: str) -> tuple[LogPiece, ...]:
        """Return what a worker printed, in order; whoever asks has seen to whose it is."""
        query = (
            sa.select(worker_logs.c.fence, worker_logs.c.logged_at, worker_logs.c.text)
            .where(worker_logs.c.worker_id == worker_id)
            .order_by(worker_logs.c.number)
        )
        with self._database.reading() as connection:
            return tuple(
                LogPiece(row.fence, instant(row.logged_at), row.text)
                for row in connection.execute(query)
            )
