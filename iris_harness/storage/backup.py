"""Backups: one zip file with the database, the settings and a manifest that proves them.

``iris.db`` is a self-contained SQLite file and ``config.yaml`` the user's own, so a backup can be
read without Iris. Restoring goes through SQLite's backup API where the present database is sound:
readers and writers in other processes stay safe, and a crash leaves the old or the new content.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.clock import Clock
from iris_harness.errors import DatabaseNewerError, StorageError
from iris_harness.files import is_file, is_folder
from iris_harness.storage.database import (
    BACKUP_FOLDER,
    FILE_NAME,
    check_identity,
    check_version,
    connect,
    copy_database,
    copy_pages,
    pragma,
    schema_version,
    translated_errors,
)
from iris_harness.storage.files import (
    make_private_folder,
    new_private_file,
    replace_durably,
    sync_folder,
    write_atomically,
)
from iris_harness.storage.queries import load_migrations
from iris_harness.storage.store import stamp

ARCHIVE_FORMAT = 1
CONFIG_NAME = "config.yaml"
_MANIFEST_NAME = "manifest.json"
_HEADER = b"SQLite format 3\x00"
_SIDE_FILES = ("", "-wal", "-shm")


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored:
    """What a restore did."""

    database: Path
    config: Path | None
    """The settings file that was written; None when the backup holds none or none was wanted."""
    kept: tuple[Path, ...]
    """Where what was replaced is now; sorted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Contents:
    """A backup that was read and found whole."""

    database: bytes
    config: bytes | None


def write_backup(folder: Path, target: Path, clock: Clock, config_file: Path | None = None) -> Path:
    """Write the data in `folder`, and the settings, into one private zip file; return `target`.

    Args:
        folder: where ``iris.db`` is; other processes may be using it.
        target: the file to create.
        clock: dates the backup.
        config_file: the user's settings; None, or a file that is not there, leaves them out.

    Raises:
        StorageError: there is no sound database, `target` exists, or cannot be written.
    """
    if target.exists():
        raise StorageError(f"{target} exists already", hint="give another name")
    if not (folder / FILE_NAME).is_file():
        raise StorageError(f"there is no database in {folder} yet")
    with translated_errors(folder / FILE_NAME):
        members = {FILE_NAME: _database_bytes(folder)}
    with translated_errors(target):
        if config_file is not None and config_file.is_file():
            members[CONFIG_NAME] = config_file.read_bytes()
        scratch = new_private_file(target.absolute().parent, ".iris-backup-")
        try:
            _write_zip(scratch, members, clock)
            replace_durably(scratch, target)
        finally:
            scratch.unlink(missing_ok=True)
    return target


def _database_bytes(folder: Path) -> bytes:
    with _scratch_file(folder) as scratch:
        copy_database(folder / FILE_NAME, scratch)
        _check_database(scratch, folder / FILE_NAME)
        return scratch.read_bytes()


def _write_zip(file: Path, members: dict[str, bytes], clock: Clock) -> None:
    made_at = clock.now()
    manifest = {
        "format": ARCHIVE_FORMAT,
        "schema_version": len(load_migrations()),
        "made_at": made_at.isoformat(),
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {_MANIFEST_NAME: text.encode(), **members}.items():
            info = zipfile.ZipInfo(name, made_at.timetuple()[:6])
            info.external_attr = 0o600 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)


def restore_backup(
    source: Path, folder: Path, clock: Clock, config_file: Path | None = None
) -> Restored:
    """Put the content of a backup in place of what is in `folder`, which is kept beside it.

    Args:
        source: a file that `write_backup` made.
        folder: where ``iris.db`` is or will be.
        clock: names what is kept.
        config_file: where to put the settings of the backup; None leaves the settings alone.

    Raises:
        DatabaseNewerError: a newer program made the backup; nothing was changed.
        StorageError: it is damaged, or something cannot be written; nothing was changed.
    """
    contents = _read_zip(source)
    make_private_folder(folder / BACKUP_FOLDER)
    with translated_errors(folder / FILE_NAME), _scratch_file(folder) as scratch:
        scratch.write_bytes(contents.database)
        _check_database(scratch, source)
        kept = _put_database(scratch, folder / FILE_NAME, stamp(clock))
    written: Path | None = None
    if config_file is not None and contents.config is not None:
        kept += _put_config(contents.config, config_file, folder, stamp(clock))
        written = config_file
    return Restored(database=folder / FILE_NAME, config=written, kept=tuple(sorted(kept)))


def _read_zip(source: Path) -> _Contents:
    with translated_errors(source):
        if not is_file(source) and source.exists() and not is_folder(source):
            raise _damaged(source)  # a pipe or a device, which could be read for ever
        try:
            with zipfile.ZipFile(source) as archive:
                return _checked_contents(archive, source)
        except (zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError) as error:
            raise _damaged(source) from error


def _checked_contents(archive: zipfile.ZipFile, source: Path) -> _Contents:
    manifest = json.loads(archive.read(_MANIFEST_NAME))
    digests = manifest.get("sha256") if isinstance(manifest, dict) else None
    if not isinstance(digests, dict) or not isinstance(manifest.get("format"), int):
        raise _damaged(source)
    if manifest["format"] > ARCHIVE_FORMAT:
        raise DatabaseNewerError(f"{source} was made by a newer Iris", hint="upgrade Iris")
    members = {name: archive.read(name) for name in (FILE_NAME, CONFIG_NAME) if name in digests}
    for name, data in members.items():
        if hashlib.sha256(data).hexdigest() != digests[name]:
            raise _damaged(source)
    return _Contents(database=members[FILE_NAME], config=members.get(CONFIG_NAME))


def _damaged(source: Path) -> StorageError:
    return StorageError(
        f"{source} is no Iris backup, or is damaged",
        hint="nothing was changed; try another backup",
    )


def _check_database(file: Path, named: Path) -> None:
    """Raise unless `file` is a sound database of Iris that this program can read.

    `named` is the file that messages name.
    """
    with contextlib.closing(connect(file)) as connection:
        if pragma(connection, "integrity_check") != "ok":
            raise _damaged(named)
        check_identity(connection, named)
        check_version(schema_version(connection), len(load_migrations()), named)


def _put_database(new: Path, file: Path, when: str) -> list[Path]:
    if not _looks_like_sqlite(file):  # SQLite would throw its log away when it gives up on it
        return _replace_unusable(new, file, when)
    kept = file.parent / BACKUP_FOLDER / f"{file.stem}-before-restore-{when}.db"
    try:
        _overwrite_sound(new, file, kept)
    except BaseException as error:
        kept.unlink(missing_ok=True)
        # Exactly this type means damaged; in use, read-only or full are kinds of it.
        if type(error) is not sqlite3.DatabaseError:
            raise
        return _replace_unusable(new, file, when)
    return [kept]


def _looks_like_sqlite(file: Path) -> bool:
    if not file.exists():
        return False
    with file.open("rb") as stream:
        return stream.read(len(_HEADER)) in {_HEADER, b""}  # an empty file is an empty database


def _overwrite_sound(new: Path, file: Path, kept: Path) -> None:
    with contextlib.closing(connect(new)) as reader, contextlib.closing(connect(file)) as writer:
        check_identity(writer, file)
        copy_database(file, kept)
        copy_pages(reader, writer, file)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _replace_unusable(new: Path, file: Path, when: str) -> list[Path]:
    """Move what no program can read out of the way: the database, if any, and its side files.

    A write-ahead log must not stay: SQLite would play it into the new file.
    """
    kept = []
    for suffix in reversed(_SIDE_FILES):  # the database last: until then nothing looks new
        part = file.with_name(file.name + suffix)
        if part.exists():
            target = file.parent / BACKUP_FOLDER / f"{file.stem}-damaged-{when}.db{suffix}"
            part.replace(target)
            kept.append(target)
    sync_folder(file.parent / BACKUP_FOLDER)
    replace_durably(new, file)
    return kept


def _put_config(content: bytes, file: Path, folder: Path, when: str) -> list[Path]:
    make_private_folder(file.parent)
    kept: list[Path] = []
    with translated_errors(file):
        before = file.read_bytes() if file.is_file() else None
        if before not in {None, content}:
            copy = folder / BACKUP_FOLDER / f"config-before-restore-{when}.yaml"
            write_atomically(copy, before or b"")
            kept.append(copy)
        write_atomically(file, content)
    return kept


@contextlib.contextmanager
def _scratch_file(folder: Path) -> Iterator[Path]:
    scratch = new_private_file(folder, ".iris-scratch-")
    try:
        yield scratch
    finally:
        for suffix in (*_SIDE_FILES, "-journal"):
            scratch.with_name(scratch.name + suffix).unlink(missing_ok=True)
