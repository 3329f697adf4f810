"""Vectors of jobs: the same neighbours in the same order, whatever compares them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from numpy.typing import NDArray

from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.finished import MOST_LOOKED_AT
from iris_harness.jobs.meaning import find_neighbours
from iris_harness.jobs.tables import WorkerState, jobs, manifests, workers
from iris_harness.jobs.vectors import BlobVectors, PgVectors, open_vectors
from iris_harness.testing import ManualClock
from tests.jobs_support import administer, dag, make_database, make_place, row_counts, submit
from tests.postgres_server import PostgresServer

MODEL, DIMENSION = "numbers/1", 16


@pytest.fixture(params=["sqlite", "postgres", "pgvector"], ids=["sqlite", "postgresql", "pgvector"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the database is; one of the servers has pgvector."""
    return make_place(request.param, request, tmp_path)


class Numbers:
    """An embedder that makes any vector of a text, and the same one of the same."""

    model_id = MODEL
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([list(hashlib.sha256(text.encode()).digest()) for text in texts])
        numbers = (rows.reshape(len(texts), 32)[:, :DIMENSION] - 128).astype(np.float32)
        return np.asarray(numbers / np.linalg.norm(numbers, axis=1, keepdims=True), np.float32)


def finish(database: Database, clock: ManualClock, task: str) -> str:
    """Return the id of a job that counts as done."""
    job = submit(database, dag(a=[]), task=task).job_id
    with database.writing() as connection:
        of_job = sa.update(workers).where(workers.c.job_id == job)
        connection.execute(of_job.values(state=WorkerState.SUCCEEDED.value))
    clock.advance(1)
    return job


def test_neighbours_are_those_of_a_plain_computation(
    database: Database, clock: ManualClock
) -> None:
    tasks = [f"task {number % 40}" for number in range(60)]  # some of them equal
    made = [finish(database, clock, task) for task in tasks]
    embedder = Numbers()
    asked = embedder.embed(["task 7"])[0].astype(float)
    rows = embedder.embed(tasks).astype(float)
    order = sorted(range(60), key=lambda at: (-round(float(rows[at] @ asked), 9), -at))
    found = find_neighbours(database, "local", "task 7", embedder, 12)
    assert [one.job_id for one in found.nearest] == [made[at] for at in order[:12]]
    assert [one.cosine for one in found.nearest] == pytest.approx(
        [float(rows[at] @ asked) for at in order[:12]]
    )
    assert found.nearest[0].cosine == pytest.approx(1.0)


def test_the_server_compares_where_it_can_and_this_program_elsewhere(
    database: Database, clock: ManualClock, request: pytest.FixtureRequest
) -> None:
    finish(database, clock, "a")
    offered = sa.text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
    with database.reading() as connection:
        has_pgvector = database.is_postgresql and connection.scalar(offered) == 1
    if request.node.callspec.params["place"] == "pgvector":
        assert has_pgvector
    for _ in range(2):
        vectors = open_vectors(database, MODEL, DIMENSION)
        assert type(vectors) is (PgVectors if has_pgvector else BlobVectors)
    find_neighbours(database, "local", "a", Numbers(), 1)
    assert row_counts(database)["job_vectors"] == (0 if has_pgvector else 1)


def test_who_may_not_add_pgvector_compares_without_it(
    pgvector: PostgresServer, clock: ManualClock
) -> None:
    url = make_database(pgvector)
    name = str(sa.make_url(url).database)
    administer(pgvector, f"CREATE ROLE {name} LOGIN")
    administer(pgvector, f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
    administer(pgvector, f"GRANT CONNECT ON DATABASE {name} TO {name}")
    owned = open_database(url, clock)
    with owned.writing() as connection:
        connection.execute(sa.text(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}"))
    owned.close()
    opened = open_database(url.replace("postgres@", f"{name}@"), clock)
    job = finish(opened, clock, "a")
    assert type(open_vectors(opened, MODEL, DIMENSION)) is BlobVectors
    assert find_neighbours(opened, "local", "a", Numbers(), 1).nearest[0].job_id == job
    opened.close()


def test_pgvector_may_be_taken_away_and_come_back(
    pgvector: PostgresServer, clock: ManualClock
) -> None:
    url = make_database(pgvector)
    opened = open_database(url, clock)
    job = finish(opened, clock, "a")
    for _ in range(2):
        found = find_neighbours(opened, "local", "a", Numbers(), 1).nearest
        assert [one.job_id for one in found] == [job]
        with opened.writing() as connection:
            connection.execute(sa.text("DROP EXTENSION vector CASCADE"))
    opened.close()


def test_the_newest_of_very_many_jobs_are_compared(database: Database, clock: ManualClock) -> None:
    job = finish(database, clock, "a")
    with database.writing() as connection:
        for table, copied in ((jobs, _job_copy), (workers, _worker_copy)):
            row = dict(connection.execute(sa.select(table)).mappings().one())
            rows = [copied(row, number) for number in range(MOST_LOOKED_AT)]
            connection.execute(sa.insert(table), rows)
    unread = open_vectors(database, MODEL, DIMENSION).unread("local", MOST_LOOKED_AT + 5)
    assert len(unread) == MOST_LOOKED_AT
    assert job not in {one.job_id for one in unread}


def _job_copy(row: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a later job of the same manifest."""
    return {**row, "id": f"copy{number}", "created_at": row["created_at"] + number + 1}


def _worker_copy(row: dict[str, Any], number: int) -> dict[str, Any]:
    return {**row, "id": f"copy{number}-a", "job_id": f"copy{number}"}


def test_a_manifest_that_several_jobs_share_is_read_for_each(
    database: Database, clock: ManualClock
) -> None:
    made = {finish(database, clock, "the same") for _ in range(2)}
    with database.reading() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(manifests)).scalar_one()
    assert count == 1
    found = find_neighbours(database, "local", "the same", Numbers(), 5).nearest
    assert {one.job_id for one in found} == made
