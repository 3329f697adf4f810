from __future__ import annotations

import json
import os
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.clock import FixedClock
from iris_harness.errors import DatabaseNewerError, StorageError
from iris_harness.storage.backup import restore_backup, write_backup
from iris_harness.storage.database import FILE_NAME, open_database
from iris_harness.storage.files import write_atomically
from iris_harness.storage.queries import load_migrations
from iris_harness.storage.records import StoredTurn
from iris_harness.storage.store import IrisStore

MakeTurn = Callable[..., StoredTurn]


@pytest.fixture
def backup(folder: Path, clock: FixedClock, make_turn: MakeTurn, tmp_path: Path) -> Path:
    """A backup of a store with the turn t1 and of settings; the store then also has t2."""
    config = tmp_path / "config.yaml"
    config.write_text("locale: de\n", encoding="utf-8")
    with IrisStore.open(folder, clock) as store:
        store.save_turn(make_turn("t1"))
        # The store stays open and its log unmerged: a backup must hold what is only there.
        target = write_backup(folder, tmp_path / "iris.zip", clock, config)
        store.save_turn(make_turn("t2"))
    return target


def _turns(folder: Path, clock: FixedClock) -> list[str]:
    with IrisStore.open(folder, clock) as store:
        return [turn.trace_id for turn in store.list_turns()]


def test_a_backup_is_one_private_zip_that_can_be_read_without_iris(
    backup: Path, tmp_path: Path
) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with zipfile.ZipFile(backup) as archive:
        assert sorted(archive.namelist()) == ["config.yaml", "iris.db", "manifest.json"]
        archive.extract("iris.db", tmp_path / "out")
        assert archive.read("config.yaml") == b"locale: de\n"
    connection = sqlite3.connect(tmp_path / "out" / "iris.db")
    assert connection.execute("SELECT trace_id FROM turns").fetchall() == [("t1",)]
    connection.close()


def test_a_backup_never_overwrites_a_file(folder: Path, clock: FixedClock, backup: Path) -> None:
    content = backup.read_bytes()
    with pytest.raises(StorageError, match="exists already"):
        write_backup(folder, backup, clock)
    assert backup.read_bytes() == content


def test_without_a_database_there_is_nothing_to_back_up(
    folder: Path, clock: FixedClock, tmp_path: Path
) -> None:
    with pytest.raises(StorageError, match="no database"):
        write_backup(folder, tmp_path / "x.zip", clock)
    assert not (tmp_path / "x.zip").exists()


def test_a_restore_brings_the_old_content_back_and_keeps_the_newer(
    folder: Path, clock: FixedClock, backup: Path, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("locale: fr\n", encoding="utf-8")
    restored = restore_backup(backup, folder, clock, config)
    assert _turns(folder, clock) == ["t1"]
    assert config.read_text(encoding="utf-8") == "locale: de\n"
    kept_config, kept_database = restored.kept
    assert kept_config.read_text(encoding="utf-8") == "locale: fr\n"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept_database.rename(elsewhere / FILE_NAME)
    assert _turns(elsewhere, clock) == ["t2", "t1"]


def test_a_restore_on_a_new_machine_creates_everything_private(
    clock: FixedClock, backup: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "iris"
    config = tmp_path / "new-config" / "config.yaml"
    restored = restore_backup(backup, folder, clock, config)
    assert restored.kept == ()
    assert restored.config == config
    assert _turns(folder, clock) == ["t1"]
    for path in (folder / FILE_NAME, config):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["backups", FILE_NAME]


def test_a_restore_reaches_a_store_that_is_open_meanwhile(
    folder: Path, clock: FixedClock, backup: Path, make_turn: MakeTurn
) -> None:
    with IrisStore.open(folder, clock) as store:
        store.save_turn(make_turn("t3"))
        restore_backup(backup, folder, clock)
        assert [turn.trace_id for turn in store.list_turns()] == ["t1"]
        store.save_turn(make_turn("t4"))
        assert store.check() == ()
    assert _turns(folder, clock) == ["t4", "t1"]


def test_a_restore_takes_the_place_of_a_damaged_database_and_keeps_it(
    folder: Path, clock: FixedClock, backup: Path
) -> None:
    damaged = b"damaged" * 1000
    (folder / FILE_NAME).write_bytes(damaged)
    (folder / f"{FILE_NAME}-wal").write_bytes(b"a stale log that must not be replayed")
    restored = restore_backup(backup, folder, clock)
    assert _turns(folder, clock) == ["t1"]
    assert damaged in [path.read_bytes() for path in restored.kept]
    assert len(restored.kept) == 2


def test_a_restore_gives_up_when_another_process_never_stops_writing(
    folder: Path, clock: FixedClock, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iris_harness.storage.database.BUSY_TIMEOUT_SECONDS", 0.05)
    other = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="in use by another process"):
        restore_backup(backup, folder, clock)
    other.execute("ROLLBACK")
    other.close()
    assert _turns(folder, clock) == ["t2", "t1"]


def test_a_log_without_its_database_is_not_replayed_into_a_restored_one(
    folder: Path, clock: FixedClock, backup: Path
) -> None:
    (folder / FILE_NAME).unlink()
    (folder / f"{FILE_NAME}-wal").write_bytes(b"left behind")
    (kept,) = restore_backup(backup, folder, clock).kept
    assert kept.read_bytes() == b"left behind"
    assert _turns(folder, clock) == ["t1"]


def _repacked(backup: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(backup) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    target = backup.with_name("changed.zip")
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target


def _flip_a_byte(members: dict[str, bytes]) -> None:
    data = bytearray(members["iris.db"])
    data[5000] ^= 1
    members["iris.db"] = bytes(data)


def _other_manifest(members: dict[str, bytes]) -> None:
    members["manifest.json"] = b"[]"


@pytest.mark.parametrize(
    "change",
    [
        _flip_a_byte,
        _other_manifest,
        lambda members: members.pop("manifest.json"),
        lambda members: members.pop("iris.db"),
    ],
    ids=["flipped byte", "other manifest", "no manifest", "no database"],
)
def test_a_changed_backup_is_refused_and_nothing_changes(
    folder: Path,
    clock: FixedClock,
    backup: Path,
    change: Callable[[dict[str, bytes]], None],
) -> None:
    with pytest.raises(StorageError, match="damaged"):
        restore_backup(_repacked(backup, change), folder, clock)
    assert _turns(folder, clock) == ["t2", "t1"]
    assert list((folder / "backups").glob("*")) == []


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.99])
def test_a_backup_that_was_cut_off_is_refused(
    folder: Path, clock: FixedClock, backup: Path, part: float
) -> None:
    content = backup.read_bytes()
    backup.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(StorageError):
        restore_backup(backup, folder, clock)
    assert _turns(folder, clock) == ["t2", "t1"]


def test_a_backup_of_a_newer_iris_is_refused(
    folder: Path, clock: FixedClock, backup: Path, tmp_path: Path
) -> None:
    def newer_format(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"])
        members["manifest.json"] = json.dumps({**manifest, "format": 2}).encode()

    with pytest.raises(DatabaseNewerError):
        restore_backup(_repacked(backup, newer_format), folder, clock)
    newer = tmp_path / "newer"
    scripts = (*load_migrations(), "CREATE TABLE future (x);")
    open_database(newer / FILE_NAME, scripts, "x").close()
    write_backup_of_anything(newer, tmp_path / "newer.zip")
    with pytest.raises(DatabaseNewerError):
        restore_backup(tmp_path / "newer.zip", folder, clock)
    assert _turns(folder, clock) == ["t2", "t1"]


def write_backup_of_anything(folder: Path, target: Path) -> None:
    import hashlib

    connection = sqlite3.connect(folder / FILE_NAME)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    data = (folder / FILE_NAME).read_bytes()
    manifest = {"format": 1, "sha256": {"iris.db": hashlib.sha256(data).hexdigest()}}
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("iris.db", data)


def test_another_programs_database_is_never_restored_over(
    folder: Path, clock: FixedClock, backup: Path
) -> None:
    (folder / FILE_NAME).unlink()
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    content = (folder / FILE_NAME).read_bytes()
    with pytest.raises(StorageError, match="another program's"):
        restore_backup(backup, folder, clock)
    assert (folder / FILE_NAME).read_bytes() == content


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
