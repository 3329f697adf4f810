"""What there is of an index, for people (`iris doctor`)."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from iris_harness.sources.index.database import FILE_NAME, index_files
from iris_harness.sources.index.stamp import reader_stamp
from iris_harness.storage.files import is_private

_PATIENCE_SECONDS = 0.5


class IndexFacts(NamedTuple):
    """The index in a folder."""

    file: Path
    size: int
    """Bytes on the disk, with those of SQLite's own files beside it; 0 where there is none."""
    state: str
    """In words, as the end of a sentence about it; empty where there is none."""


def describe_index(folder: Path) -> IndexFacts:
    """Return what there is of the index in `folder`; it is not changed, and not made."""
    file = folder / FILE_NAME
    size = sum(_size(part) for part in index_files(folder))
    return IndexFacts(file, size, _state(file) if file.is_file() else "")


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _state(file: Path) -> str:
    with contextlib.suppress(OSError):
        if not is_private(file):
            return "not used: another user may have written it; delete it to have a new one"
    address = f"file:{quote(str(file.absolute()))}?mode=ro"
    try:
        with contextlib.closing(
            sqlite3.connect(address, uri=True, timeout=_PATIENCE_SECONDS)
        ) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                return "damaged, and thrown away by the next plan"
            return _whose(connection)
    except sqlite3.OperationalError as error:
        return f"it cannot be looked into just now: {error}"
    except sqlite3.DatabaseError:
        return "damaged, and thrown away by the next plan"


def _whose(connection: sqlite3.Connection) -> str:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not {"stamp", "source"} <= tables:
        return "not in use yet"
    stamps = connection.execute("SELECT text FROM stamp").fetchall()
    if stamps != [(reader_stamp(),)]:
        return "of another version of the program, and made anew by the next plan"
    (calendars,) = connection.execute("SELECT count(*) FROM source").fetchone()
    return f"in order, of {calendars} calendar{'' if calendars == 1 else 's'}"
