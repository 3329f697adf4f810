"""What it costs to find earlier jobs by what they mean, and what that finds that words do not.

Run it with ``make bench`` or ``python benchmarks/job_context.py``. 10,000 finished jobs of one
owner and 10,000 of another, with vectors of MiniLM's length. "Nearest" is the statement, decoding,
comparing and the exact order; a whole search is what `--context auto` does once all vectors are
kept. Blobs are compared by numpy, pgvector compares in the server. Recall is over paraphrased tasks
that were written for it (`tests/job_paraphrases.py`): whether the finished job that means the same
is among the three that a planner is shown. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from _support import describe_machine, measure_ms, print_table
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from iris_harness.clock import SystemClock
from iris_harness.jobs.context import find_context
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.embedding import Embedder, MiniLmEmbedder
from iris_harness.jobs.heuristic import HeuristicPlanner
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.tables import WorkerState, jobs, workers
from iris_harness.jobs.values import ContextMode, PlanRequest
from iris_harness.jobs.vectors import open_vectors
from tests.job_paraphrases import PARAPHRASES
from tests.postgres_server import find_programs, programs_with_pgvector, run_postgres

JOBS = 10_000
ROUNDS = 15
SEARCH_BAR_MS = 1000.0
RECALL_BAR = 0.85
OWNERS = ("local", "another")
_REPO = "https://example.org/r.git"


def main() -> int:
    """Measure, print, and return 1 when a bar is missed."""
    print(describe_machine())
    embedder = MiniLmEmbedder()
    one_ms = measure_ms(lambda: embedder.embed([PARAPHRASES[0].asked]), 50)
    rows, worst = [], 0.0
    with _databases() as databases:
        for name, database in databases:
            fill(database, embedder)
            vectors = open_vectors(database, embedder.model_id, embedder.dimension)
            asked = embedder.embed([PARAPHRASES[0].asked])[0]
            near_ms = measure_ms(lambda: vectors.nearest("local", asked, 3), ROUNDS)  # noqa: B023
            whole_ms = measure_ms(lambda: search(database, embedder), ROUNDS)  # noqa: B023 - in turn
            worst = max(worst, whole_ms)
            rows.append((name, f"{near_ms:.0f} ms", f"{whole_ms:.0f} ms"))
    print_table(("one of 10,000 jobs, 3 wanted", "nearest", "whole search"), rows)
    print(f"one sentence to its vector: {one_ms:.1f} ms")
    with _databases() as databases:
        name, database = next(iter(databases))
        by_meaning, by_words = recall(database, embedder), recall(database, None)
    shares = f"by meaning {by_meaning:.2f}, by words {by_words:.2f}"
    print(f"recall of {len(PARAPHRASES)} paraphrases, 3 shown: {shares}")
    return int(worst > SEARCH_BAR_MS or by_meaning < RECALL_BAR)


@contextlib.contextmanager
def _databases() -> Iterator[Iterator[tuple[str, Database]]]:
    """Lend empty databases, each opened when it is its turn."""
    with contextlib.ExitStack() as stack:

        def opened() -> Iterator[tuple[str, Database]]:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            places: list[tuple[str, Path | str]] = [("SQLite, numpy", folder / "jobs.db")]
            if programs := find_programs():
                server = stack.enter_context(run_postgres(programs, durable=True))
                places.append(("PostgreSQL, numpy", server.url("postgres")))
            if programs := stack.enter_context(programs_with_pgvector()):
                server = stack.enter_context(run_postgres(programs, durable=True))
                places.append(("PostgreSQL, pgvector", server.url("postgres")))
            for name, place in places:
                database = open_database(place, SystemClock())
                stack.callback(database.close)
                yield name, database

        yield opened()


def fill(database: Database, embedder: Embedder) -> None:
    """Keep finished jobs of both owners, with vectors in any direction."""
    chance = np.random.default_rng(1)
    for owner in OWNERS:
        made = _finish(database, owner, "a task")
        names = [f"{owner}{number}" for number in range(JOBS - 1)]
        with database.writing() as connection:
            _copy(connection, jobs, made, names, "")
            _copy(connection, workers, made, names, "-w1")
        found = _directions(chance, JOBS, embedder.dimension)
        vectors = open_vectors(database, embedder.model_id, embedder.dimension)
        vectors.add(dict(zip((made, *names), found, strict=True)))
    if database.is_postgresql:
        with database.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(sa.text("ANALYZE"))


def _directions(chance: np.random.Generator, count: int, dimension: int) -> NDArray[np.float32]:
    rows = chance.standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _finish(database: Database, owner: str, task: str) -> str:
    submitter = Submitter(database, plans=HeuristicPlanner().plan, host="bench")
    request = PlanRequest(task=task, repo_url=_REPO, owner=owner)
    job = submitter.submit(Submission(request)).job_id
    with database.writing() as connection:
        of_job = sa.update(workers).where(workers.c.job_id == job)
        connection.execute(of_job.values(state=WorkerState.SUCCEEDED.value))
    return job


def _copy(
    connection: sa.Connection, table: sa.Table, job: str, names: Sequence[str], suffix: str
) -> None:
    """Write a row of a job once more for each name."""
    key = table.c.job_id if suffix else table.c.id
    row: dict[str, Any] = dict(
        connection.execute(sa.select(table).where(key == job)).mappings().one()
    )
    of_job = "job_id" if suffix else "id"
    rows = [{**row, "id": f"{name}{suffix}", of_job: name} for name in names]
    connection.execute(sa.insert(table), rows)


def search(database: Database, embedder: Embedder | None, task: str = "a task") -> list[str]:
    """Return the jobs that a planner would be shown."""
    request = PlanRequest(task=task, repo_url=_REPO, context=ContextMode.AUTO)
    return [job.task for job in find_context(database, request, embedder).jobs]


def recall(database: Database, embedder: Embedder | None) -> float:
    """Return for what share of paraphrased tasks the one that means the same is shown."""
    with database.reading() as connection:
        is_empty = connection.scalar(sa.select(sa.func.count()).select_from(jobs)) == 0
    if is_empty:
        for pair in PARAPHRASES:
            _finish(database, "local", pair.done)
    found = sum(pair.done in search(database, embedder, pair.asked) for pair in PARAPHRASES)
    return found / len(PARAPHRASES)


if __name__ == "__main__":
    sys.exit(main())
