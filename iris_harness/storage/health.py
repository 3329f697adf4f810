"""What is wrong with the stored data, and how to put it right (`iris doctor`)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iris_harness.errors import IrisError
from iris_harness.storage.database import (
    FILE_NAME,
    check_identity,
    check_version,
    connect,
    pragma,
    schema_version,
    translated_errors,
)
from iris_harness.storage.queries import load_migrations

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One thing that is wrong with an installation."""

    title: str
    """What is wrong, in a few words."""
    detail: str
    """Where, and what it means."""
    fix: str
    """What to type or change; empty when there is nothing to do."""


def check_permissions(folder: Path) -> tuple[Problem, ...]:
    """Return what lets other users of this machine in; sorted by path. Nothing on Windows."""
    if os.name == "nt" or not folder.exists():
        return ()
    paths = [folder, *sorted(path for path in folder.rglob("*") if not path.is_symlink())]
    return tuple(problem for path in paths for problem in _permission_problems(path))


def _permission_problems(path: Path) -> Iterator[Problem]:
    facts = path.stat()
    mode = stat.S_IMODE(facts.st_mode)
    if facts.st_uid != os.getuid():
        yield Problem(
            title="not yours",
            detail=f"{path} belongs to the user with the number {facts.st_uid}",
            fix=f"sudo chown {os.getuid()} '{path}'",
        )
    if mode & _OTHERS:
        wanted = "700" if path.is_dir() else "600"
        yield Problem(
            title="open to other users",
            detail=f"{path} has the mode {mode:04o}: others on this machine can get at it",
            fix=f"chmod {wanted} '{path}'",
        )


def check_database(folder: Path) -> tuple[Problem, ...]:
    """Return what is wrong with the database in `folder`; no database yet is fine."""
    file = folder / FILE_NAME
    if not os.path.lexists(file):
        return ()
    try:
        with translated_errors(file), contextlib.closing(connect(file)) as connection:
            check_identity(connection, file)
            check_version(schema_version(connection), len(load_migrations()), file)
            lost = _lost_tables(connection)
            found = f"it lacks {', '.join(lost)}" if lost else ""
            found = found or str(pragma(connection, "quick_check"))
    except IrisError as error:
        return (Problem(title="unusable database", detail=error.message, fix=error.hint),)
    if found == "ok":
        return ()
    restore = "`iris restore FILE` puts a backup in its place and keeps the damaged file"
    return (Problem(title="damaged database", detail=f"{file}: {found}", fix=restore),)


def _lost_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables and indexes of the schema's version that are not there, sorted."""
    with contextlib.closing(sqlite3.connect(":memory:")) as model:
        for script in load_migrations()[: schema_version(connection)]:
            model.executescript(script)
        return sorted(_names(model) - _names(connection))


def _names(connection: sqlite3.Connection) -> set[str]:
    return {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
