from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.clock import FixedClock
from iris_harness.errors import DatabaseNewerError, StorageError
from iris_harness.storage.database import FILE_NAME, open_database, schema_version
from iris_harness.storage.health import check_database, check_permissions
from iris_harness.storage.queries import load_migrations, parse_queries, split_script
from iris_harness.storage.records import StoredPlan, StoredTurn
from iris_harness.storage.store import IrisStore

Make = Callable[..., StoredPlan]


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_files_and_folder_are_private_from_their_first_moment(
    folder: Path, clock: FixedClock, make_plan: Make
) -> None:
    before = os.umask(0)
    try:
        with IrisStore.open(folder, clock) as store:
            store.save_plan(make_plan())
            assert _modes(folder) == dict.fromkeys(["iris.db", "iris.db-wal", "iris.db-shm"], 0o600)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert check_permissions(folder) == ()
    assert check_database(folder) == ()


def test_what_other_users_can_reach_is_named_with_the_command_that_closes_it(
    folder: Path, clock: FixedClock
) -> None:
    IrisStore.open(folder, clock).close()
    (folder / FILE_NAME).chmod(0o644)
    folder.chmod(0o755)
    fixes = [problem.fix for problem in check_permissions(folder)]
    assert fixes == [f"chmod 700 '{folder}'", f"chmod 600 '{folder / FILE_NAME}'"]


def test_a_newer_database_is_refused_and_left_alone(folder: Path, clock: FixedClock) -> None:
    IrisStore.open(folder, clock).close()
    newer = (*load_migrations(), "CREATE TABLE future (x);")
    open_database(folder / FILE_NAME, newer, "stamp").close()
    content = (folder / FILE_NAME).read_bytes()
    with pytest.raises(DatabaseNewerError, match=f"of version {len(newer)}"):
        IrisStore.open(folder, clock)
    assert (folder / FILE_NAME).read_bytes() == content
    (problem,) = check_database(folder)
    assert "upgrade Iris" in problem.fix


def test_a_backup_is_made_before_a_migration_and_nothing_is_lost(
    folder: Path, clock: FixedClock, make_turn: Callable[..., StoredTurn]
) -> None:
    turn = make_turn()
    with IrisStore.open(folder, clock) as store:
        store.save_turn(turn)
    newer = (*load_migrations(), "ALTER TABLE turns ADD COLUMN mood TEXT;\nCREATE TABLE t2 (x);")
    open_database(folder / FILE_NAME, newer, "STAMP").close()
    backup = folder / "backups" / f"iris-v{len(load_migrations())}-STAMP.db"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    (folder / FILE_NAME).unlink()
    backup.rename(folder / FILE_NAME)
    with IrisStore.open(folder, clock) as store:
        assert store.list_turns() == (turn,)


def test_a_migration_that_fails_changes_nothing(folder: Path, clock: FixedClock) -> None:
    IrisStore.open(folder, clock).close()
    broken = (*load_migrations(), "CREATE TABLE half (x);\nCREATE TABLE plans (x);")
    with pytest.raises(StorageError, match="already exists"):
        open_database(folder / FILE_NAME, broken, "STAMP")
    connection = sqlite3.connect(folder / FILE_NAME)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert schema_version(connection) == len(load_migrations())
    connection.close()
    assert "half" not in names
    IrisStore.open(folder, clock).close()


def test_migrating_step_by_step_gives_the_schema_of_migrating_at_once(tmp_path: Path) -> None:
    scripts = (*load_migrations(), "CREATE TABLE one (x);", "CREATE INDEX two ON one (x);")
    for number in range(1, len(scripts) + 1):
        open_database(tmp_path / "steps.db", scripts[:number], f"{number}").close()
    open_database(tmp_path / "once.db", scripts, "x").close()
    schemas = []
    for name in ("steps.db", "once.db"):
        connection = sqlite3.connect(tmp_path / name)
        schemas.append(connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall())
        connection.close()
    assert schemas[0] == schemas[1]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"no database at all, but long enough to be looked at" * 10,
        lambda content: content[:100] + os.urandom(len(content) - 100),
        lambda content: content[: len(content) // 2 + 17],
    ],
    ids=["other content", "noise", "cut off"],
)
def test_a_damaged_database_is_said_and_never_recreated(
    folder: Path, clock: FixedClock, make_plan: Make, damage: Callable[[bytes], bytes]
) -> None:
    with IrisStore.open(folder, clock) as store:
        for number in range(40):
            store.save_plan(make_plan(str(number), marker="x" * 500))
    file = folder / FILE_NAME
    file.write_bytes(damage(file.read_bytes()))
    content = file.read_bytes()
    with (
        pytest.raises(StorageError, match="damaged") as caught,
        IrisStore.open(folder, clock) as store,
    ):
        list(store.export())
    assert "restore" in caught.value.hint
    assert file.read_bytes() == content
    assert check_database(folder) != ()


def test_another_programs_database_is_not_touched(folder: Path, clock: FixedClock) -> None:
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.execute("CREATE TABLE theirs (x)")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    content = (folder / FILE_NAME).read_bytes()
    with pytest.raises(StorageError, match="another program's database"):
        IrisStore.open(folder, clock)
    assert (folder / FILE_NAME).read_bytes() == content


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be created"):
        IrisStore.open(tmp_path / "file" / "iris", clock)


WRITER = """
import datetime as dt, sys
from pathlib import Path
from iris_harness.clock import SystemClock
from iris_harness.storage.records import StoredTurn
from iris_harness.storage.store import IrisStore
number = sys.argv[2]
sys.stdin.readline()
for step in range(20):
    with IrisStore.open(Path(sys.argv[1]), SystemClock()) as store:
        store.save_turn(StoredTurn(
            trace_id=f"{number}-{step}", session=number, utterance="x", trace="{}", reply="y",
            asked_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
        ))
"""


def test_processes_that_create_and_write_at_once_lose_nothing(
    folder: Path, clock: FixedClock
) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(number)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    assert [writer.communicate()[1] for writer in writers] == [""] * 4
    with IrisStore.open(folder, clock) as store:
        assert len(store.list_turns(limit=1000)) == 80
        assert store.check() == ()


def test_a_writer_that_waits_too_long_is_told_why(
    folder: Path, clock: FixedClock, make_plan: Make
) -> None:
    with IrisStore.open(folder, clock) as store:
        other = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        store._connection.execute("PRAGMA busy_timeout = 50")
        with pytest.raises(StorageError, match="in use by another process"):
            store.save_plan(make_plan())
        other.execute("ROLLBACK")
        other.close()
        store.save_plan(make_plan())


def test_statements_are_found_by_name_and_a_name_stands_once() -> None:
    text = "words\n-- name: one\n-- why\nSELECT 1;\n\n-- name: two\nSELECT 2;\n"
    assert parse_queries(text) == {"one": "-- why\nSELECT 1;", "two": "SELECT 2;"}
    with pytest.raises(ValueError, match="stands twice"):
        parse_queries("-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n")


def test_a_script_is_split_at_the_ends_of_its_statements() -> None:
    script = "CREATE TABLE a (x); -- one; not two\nINSERT INTO a VALUES (';');\nSELECT\n1;"
    assert len(split_script(script)) == 3


def test_a_table_that_was_taken_away_is_named(folder: Path, clock: FixedClock) -> None:
    IrisStore.open(folder, clock).close()
    with contextlib.closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute("DROP TABLE turns")
    (problem,) = check_database(folder)
    assert problem.title == "damaged database"
    assert "it lacks turns" in problem.detail


def test_a_link_that_leads_nowhere_is_a_problem(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True)
    (folder / FILE_NAME).symlink_to(FILE_NAME)
    (problem,) = check_database(folder)
    assert problem.title == "unusable database"


@pytest.mark.parametrize("column", ["planned_for", "made_at"])
def test_a_record_that_was_tampered_with_is_an_error_in_words(
    folder: Path, clock: FixedClock, make_plan: Make, column: str
) -> None:
    with IrisStore.open(folder, clock) as store:
        store.save_plan(make_plan())
    with contextlib.closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute(f"UPDATE plans SET {column} = x'00ff'")  # noqa: S608 - a name of ours
    with IrisStore.open(folder, clock) as store:
        with pytest.raises(StorageError, match="holds a record that cannot be read"):
            store.list_plans()
        with pytest.raises(StorageError, match="holds a record that cannot be read"):
            list(store.export())
