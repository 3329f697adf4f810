"""Submitting, on both databases: all or nothing, once per key, and never changed again."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.errors import (
    AmbiguousIdError,
    DatabaseNewerError,
    IdempotencyError,
    JobPlanError,
    ManifestError,
    StorageError,
    UnknownJobError,
)
from iris_harness.jobs import migrations
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.manifest import manifest_id
from iris_harness.jobs.migrating import HEAD, revision, upgrade
from iris_harness.jobs.submit import Submission
from iris_harness.jobs.values import PlanRequest, SubmitOptions, WorkerSpec
from iris_harness.testing import ManualClock
from tests.jobs_support import (
    REPO,
    dag,
    empty_engine,
    make_database,
    reader,
    row_counts,
    submit,
    submitter,
)

KEYED = SubmitOptions(idempotency_key="monday")


def test_a_job_is_kept_with_its_manifest_its_workers_and_their_edges(database: Database) -> None:
    done = submit(database, dag(a=[], b=["a"], c=["a", "b"]))
    assert done.is_new
    assert row_counts(database) == {
        "manifests": 1, "jobs": 1, "workers": 3, "edges": 3,
        "worker_needs": 0, "idempotency": 0, "daemons": 0, "tokens": 0, "worker_logs": 0,
            "job_vectors": 0,
        "job_steps": 0,
    }  # fmt: skip
    view = reader(database).get(done.job_id)
    assert [worker.name for worker in view.workers] == ["a", "b", "c"]
    assert [worker.state.value for worker in view.workers] == ["ready", "blocked", "blocked"]


def test_a_worker_is_told_exactly_what_the_design_lists(database: Database) -> None:
    request = PlanRequest(
        task="tidy up", repo_url=REPO, ref="main", worker_model="m", test_cmd="make test"
    )
    done = submitter(database).submit(Submission(request, plan=dag(a=[], b=["a"])))
    spec = reader(database).get(done.job_id).workers[1].spec
    assert spec == WorkerSpec(
        id=f"{done.job_id}-b", task="do b", job_task="tidy up", file="b.py", files=(), model="m",
        test_cmd="make test", depends_on=(f"{done.job_id}-a",), repo_url=REPO, ref="main",
        job_id=done.job_id,
    )  # fmt: skip


def test_the_same_work_has_one_manifest_however_often_it_is_asked_for(database: Database) -> None:
    first, second = submit(database, dag(a=[])), submit(database, dag(a=[]))
    assert first.manifest_id == second.manifest_id
    assert first.job_id != second.job_id
    assert row_counts(database)["manifests"] == 1


def test_a_manifest_is_kept_as_the_canonical_bytes_its_id_is_the_digest_of(
    database: Database,
) -> None:
    done = submit(database, dag(a=[], b=[]))
    named, manifest = reader(database).manifest(done.job_id)
    assert named == done.manifest_id == manifest_id(manifest)
    assert json.loads(canonical_bytes(manifest)).keys() == {
        "task", "repo_url", "ref", "summary", "workers",
    }  # fmt: skip
    assert reader(database).manifest(named[:10]) == (named, manifest)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE manifests SET body = '{}'",
        "UPDATE manifests SET id = 'other'",
        "DELETE FROM manifests",
        "UPDATE workers SET spec = '{}'",
        "UPDATE edges SET depends_on = worker_id",
    ],
)
def test_the_database_itself_refuses_to_change_what_is_to_be_done(
    database: Database, statement: str
) -> None:
    submit(database, dag(a=[], b=["a"]))
    with pytest.raises(StorageError, match="never"), database.writing() as connection:
        connection.execute(sa.text(statement))


def test_a_manifest_that_was_tampered_with_is_never_used(database: Database) -> None:
    done = submit(database, dag(a=[]))
    drop = "DROP TRIGGER manifests_no_update"
    with database.writing() as connection:
        on_table = " ON manifests" if database.is_postgresql else ""
        connection.execute(sa.text(drop + on_table))
        connection.execute(sa.text("UPDATE manifests SET body = replace(body, 'do a', 'do b')"))
    with pytest.raises(ManifestError, match="another digest") as caught:
        reader(database).manifest(done.job_id)
    assert caught.value.manifest_id == done.manifest_id
    with pytest.raises(ManifestError):
        submit(database, dag(a=[]))
    assert row_counts(database)["jobs"] == 1


def test_a_plan_that_is_refused_leaves_nothing(database: Database) -> None:
    with pytest.raises(JobPlanError):
        submit(database, dag(a=["b"], b=["a"]), options=KEYED)
    assert set(row_counts(database).values()) == {0}


@pytest.mark.parametrize("table", ["manifests", "jobs", "workers", "edges", "worker_needs"])
def test_a_failure_at_any_table_leaves_nothing(database: Database, table: str) -> None:
    with database.writing() as connection:
        connection.execute(sa.text(f"ALTER TABLE {table} RENAME TO elsewhere"))
    options = SubmitOptions(idempotency_key="k", needs=("label:gpu",))
    with pytest.raises(StorageError):
        submit(database, dag(a=[], b=["a"]), options=options)
    with database.writing() as connection:
        connection.execute(sa.text(f"ALTER TABLE elsewhere RENAME TO {table}"))
    assert set(row_counts(database).values()) == {0}


# Idempotency


def test_the_same_key_and_request_give_the_first_job(database: Database) -> None:
    first = submit(database, dag(a=[]), options=KEYED)
    again = submit(database, dag(a=[]), options=KEYED)
    assert (again.job_id, again.manifest_id, again.is_new) == (
        first.job_id, first.manifest_id, False,
    )  # fmt: skip
    assert row_counts(database)["jobs"] == 1


@pytest.mark.parametrize("other", ["task", "plan", "priority"])
def test_the_same_key_with_another_request_is_refused(database: Database, other: str) -> None:
    first = submit(database, dag(a=[]), options=KEYED)
    priority = SubmitOptions(idempotency_key="monday", priority=5)
    with pytest.raises(IdempotencyError) as caught:
        submit(
            database,
            dag(b=[]) if other == "plan" else dag(a=[]),
            task="something else" if other == "task" else "tidy up",
            options=priority if other == "priority" else KEYED,
        )
    assert (caught.value.key, caught.value.job_id) == ("monday", first.job_id)
    assert row_counts(database)["jobs"] == 1


def test_owners_do_not_share_keys(database: Database) -> None:
    mine = submit(database, dag(a=[]), options=KEYED)
    theirs = submit(database, dag(b=[]), owner="ada", options=KEYED)
    assert theirs.is_new
    assert mine.job_id != theirs.job_id


def test_a_known_key_is_answered_without_planning_again(database: Database) -> None:
    request = PlanRequest(task="tidy up", repo_url=REPO)
    asks = submitter(database)
    first = asks.submit(Submission(request, KEYED))

    def refuse(_request: PlanRequest, _context: object) -> None:
        raise AssertionError("it was planned twice")

    asks._plans = refuse  # type: ignore[assignment]
    assert asks.submit(Submission(request, KEYED)).job_id == first.job_id


def test_fifty_submissions_at_once_with_one_key_make_one_job(database: Database) -> None:
    gate = threading.Barrier(10)

    def ask(_: int) -> str:
        gate.wait()
        return submit(database, dag(a=[], b=["a"]), options=KEYED).job_id

    with ThreadPoolExecutor(10) as pool:
        found = set(pool.map(ask, range(50)))
    assert len(found) == 1
    counts = row_counts(database)
    kept = ("manifests", "jobs", "workers", "edges", "idempotency")
    assert [counts[table] for table in kept] == [1, 1, 2, 1, 1]


# Reading


def test_an_owner_sees_only_their_own_jobs(database: Database) -> None:
    theirs = submit(database, dag(a=[]), owner="ada")
    assert reader(database).list() == ()
    for ask in (reader(database).get, reader(database).manifest):
        with pytest.raises(UnknownJobError):
            ask(theirs.job_id)
    with pytest.raises(UnknownJobError):
        reader(database).manifest(theirs.manifest_id)


def test_jobs_are_listed_newest_first(database: Database, clock: ManualClock) -> None:
    made = []
    for task in ("one", "two", "three"):
        made.append(submit(database, dag(a=[]), task=task).job_id)
        clock.advance(1)
    assert [job.id for job in reader(database).list()] == made[::-1]
    assert [job.task for job in reader(database).list(limit=1)] == ["three"]


def test_the_start_of_an_id_is_enough_unless_it_fits_several(database: Database) -> None:
    asks = submitter(database)
    asks._new_id = iter(("ab01", "ab02")).__next__
    for plan in (dag(a=[]), dag(b=[])):
        asks.submit(Submission(PlanRequest(task="t", repo_url=REPO), plan=plan))
    assert reader(database).get("ab02").summary.id == "ab02"
    with pytest.raises(AmbiguousIdError) as caught:
        reader(database).get("ab")
    assert caught.value.candidates == ("ab01", "ab02")
    for nothing in ("", "%", "_b01", "zz"):
        with pytest.raises(UnknownJobError):
            reader(database).get(nothing)


# The schema


def test_the_tables_are_what_the_migrations_make(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from iris_harness.jobs.tables import metadata

    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_a_database_of_the_first_version_is_brought_up_to_date_with_all_it_holds(
    place: Path | str, clock: ManualClock, request: pytest.FixtureRequest
) -> None:
    if isinstance(place, str):
        server = request.getfixturevalue("postgres")
        place = make_database(server)
    engine = empty_engine(place)
    with engine.begin() as connection:
        upgrade(connection, "0001")
        connection.execute(sa.text("INSERT INTO manifests VALUES ('m', '{}', 7)"))
        assert revision(connection) == "0001"
    engine.dispose()
    opened = open_database(place, clock)
    with opened.reading() as connection:
        assert revision(connection) == HEAD
        assert connection.execute(sa.text("SELECT created_at FROM manifests")).scalar() == 7
        assert connection.execute(sa.text("SELECT count(*) FROM worker_logs")).scalar() == 0
    opened.close()


def test_this_program_knows_the_last_migration() -> None:
    folder = Path(migrations.__file__).parent / "versions"
    assert max(file.name[1:5] for file in folder.glob("v*.py")) == HEAD


def test_a_database_of_a_newer_program_is_refused(
    place: Path | str, database: Database, clock: ManualClock
) -> None:
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseNewerError, match="9999"):
        open_database(place, clock)


def test_many_processes_may_open_a_new_database_at_once(
    place: Path | str, clock: ManualClock
) -> None:
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: open_database(place, clock), range(6)))
    assert submit(opened[0], dag(a=[])).is_new
    for one in opened:
        one.close()
