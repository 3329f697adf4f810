"""A database that several threads of one process have open, beside another process."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from iris_harness.clock import SystemClock
from iris_harness.storage.database import FILE_NAME
from iris_harness.storage.store import IrisStore

_ANOTHER = """
import sys
from pathlib import Path
from iris_harness.clock import SystemClock
from iris_harness.storage.store import IrisStore
with IrisStore.open(Path(sys.argv[1]), SystemClock()) as store:
    store.list_turns()
"""


def test_opening_it_again_takes_no_lock_from_who_has_it_open(tmp_path: Path) -> None:
    """Who closes a database last removes its -wal file: that must be the last one indeed."""
    with IrisStore.open(tmp_path, SystemClock()) as first:
        first.list_turns()
        with IrisStore.open(tmp_path, SystemClock()) as second:
            second.list_turns()
        subprocess.run([sys.executable, "-c", _ANOTHER, tmp_path], check=True)
        assert (tmp_path / f"{FILE_NAME}-wal").exists()
        first.list_turns()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
