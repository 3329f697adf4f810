"""Write the rows of one job, in the caller's transaction.

What varies from worker to worker goes to the database as one JSON text, and is a table there: with
a parameter for each cell, the driver would do more than the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from iris_harness.errors import IdempotencyError
from iris_harness.jobs.database import Database
from iris_harness.jobs.manifest import read_manifest
from iris_harness.jobs.records import JobRecords
from iris_harness.jobs.statements import Driver
from iris_harness.jobs.tables import (
    NO,
    WorkerState,
    edges,
    idempotency,
    jobs,
    manifests,
    worker_needs,
    workers,
)
from iris_harness.jobs.values import PlanRequest, Submitted

_NONE_YET: Final = sa.literal_column("0", sa.Integer)


class JobWriter:
    """Writes jobs and finds those that an idempotency key made. Thread-safe."""

    def __init__(self, database: Database) -> None:
        """Take the database whose clock tells when."""
        self._database = database
        self._find = database.statement(
            sa.select(idempotency.c.digest, idempotency.c.job_id, jobs.c.manifest_id)
            .join(jobs, jobs.c.id == idempotency.c.job_id)
            .where(
                idempotency.c.owner == sa.bindparam("owner"),
                idempotency.c.key == sa.bindparam("key"),
            )
        )
        self._claim = database.statement(
            _insert_or_nothing(database, idempotency)
            .values(_given(idempotency))
            .returning(idempotency.c.job_id)
        )
        self._manifest = database.statement(
            _insert_or_nothing(database, manifests)
            .values(_given(manifests) | {"created_at": database.now})
            .returning(manifests.c.id)
        )
        self._body = database.statement(
            sa.select(manifests.c.body).where(manifests.c.id == sa.bindparam("id"))
        )
        known = {
            "created_at": database.now,
            "paused": NO,
            "cancelled_at": sa.null(),
            "reviewed_at": sa.null(),
        }
        self._job = database.statement(sa.insert(jobs).values(_given(jobs) | known))
        self._workers = database.statement(_insert_workers(database))
        self._edges = database.statement(_insert_rows(database, edges))
        self._needs = database.statement(_insert_rows(database, worker_needs))

    def find(self, driver: Driver, request: PlanRequest, key: str, asked: str) -> Submitted | None:
        """Return the job that a key has made; None when it is new.

        Raises:
            IdempotencyError: it was used for what has another digest than `asked`.
        """
        row = self._find.row(driver, {"owner": request.owner, "key": key})
        if row is None:
            return None
        digest, job_id, manifest_id = row
        if digest != asked:
            raise IdempotencyError(key, job_id)
        return Submitted(job_id=job_id, manifest_id=manifest_id, is_new=False)

    def claim(self, driver: Driver, owner: str, key: str, asked: str, job_id: str) -> bool:
        """Take the key for a job; False when it is taken. Waits for whoever is about to take it."""
        given = {"owner": owner, "key": key, "digest": asked, "job_id": job_id}
        return self._claim.row(driver, given) is not None

    def insert(self, driver: Driver, records: JobRecords) -> None:
        """Write everything of a job.

        Raises:
            ManifestError: the same manifest is there already, and damaged.
        """
        moment = self._database.moment()
        self._keep_manifest(driver, records, moment)
        self._job.run(driver, {**records.job, **moment})
        self._workers.run(driver, {"job": records.job_id, "rows": records.workers})
        for statement, more in ((self._edges, records.edges), (self._needs, records.worker_needs)):
            if more:
                statement.run(driver, {"rows": more})

    def _keep_manifest(
        self, driver: Driver, records: JobRecords, moment: Mapping[str, Any]
    ) -> None:
        """Insert a manifest if it is new, otherwise see that the kept one is sound."""
        named, text = records.manifest_id, records.manifest_text
        if self._manifest.row(driver, {"id": named, "body": text, **moment}) is not None:
            return
        ((kept,),) = self._body.rows(driver, {"id": named})
        if kept != text:
            read_manifest(kept, named)  # says what is wrong with it


def _given(table: sa.Table) -> dict[str, sa.ColumnElement[Any]]:
    """Return a parameter for each column, of its name."""
    return {column.name: sa.bindparam(column.name, type_=column.type) for column in table.columns}


def _insert_or_nothing(database: Database, table: sa.Table) -> Any:  # noqa: ANN401 - either engine's
    """Return an insert that does nothing where the row is there already."""
    insert: Any = postgresql.insert if database.is_postgresql else sqlite.insert
    return insert(table).on_conflict_do_nothing()


def _insert_workers(database: Database) -> sa.Insert:
    """Return what writes the workers of `job` from `rows`; what they share is the job's."""
    names = ("id", "position", "spec", "state", "waiting_for")
    table, cells = _rows(database, [workers.c[name] for name in names])
    is_ready = cells["state"] == WorkerState.READY.sql
    values = {
        **cells,
        "job_id": jobs.c.id,
        "owner": jobs.c.owner,
        "priority": jobs.c.priority,
        "created_at": jobs.c.created_at,
        "ready_at": sa.case((is_ready, jobs.c.created_at), else_=sa.null()),
        "paused": NO,
        "cancel_requested": NO,
        "fence": _NONE_YET,
        "deliveries": _NONE_YET,
    }
    of_job = sa.select(*values.values()).select_from(sa.join(jobs, table, sa.true()))
    return sa.insert(workers).from_select(
        list(values), of_job.where(jobs.c.id == sa.bindparam("job"))
    )


def _insert_rows(database: Database, table: sa.Table) -> sa.Insert:
    """Return what writes `rows`, each a row of `table`."""
    _, cells = _rows(database, list(table.columns))
    return sa.insert(table).from_select(list(cells), sa.select(*cells.values()))


def _rows(
    database: Database, columns: Sequence[sa.Column[Any]]
) -> tuple[sa.FromClause, dict[str, sa.ColumnElement[Any]]]:
    """Return the parameter `rows`, a JSON text of objects, as a table, and its cells by name."""
    given = sa.bindparam("rows", type_=sa.Text)
    if database.is_postgresql:
        typed = (
            # VARCHAR(n) would shorten what is too long; as a text it is refused.
            sa.column(c.name, sa.Integer if isinstance(c.type, sa.Integer) else sa.Text)
            for c in columns
        )
        listed = sa.func.json_to_recordset(sa.cast(given, postgresql.JSON)).table_valued(*typed)
        table = listed.render_derived(name="rows", with_types=True)
        return table, {c.name: table.c[c.name] for c in columns}
    table = sa.func.json_each(given).table_valued("value", name="rows")
    return table, {
        c.name: sa.func.json_extract(table.c.value, sa.literal_column(f"'$.{c.name}'"))
        for c in columns
    }
