"""Who delivers at this moment: the process that holds a lock, and what it wrote beside it.

The lock goes with the process however that ends.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import NamedTuple

from iris_harness.storage.locks import is_held

LOCK_FILE = "ticking.lock"
SERVE, WATCH, RUN_ONCE = "iris serve", "iris briefing watch", "iris briefing run"
_LONGEST_NOTE = 4096


class RunningTicker(NamedTuple):
    """Who delivers."""

    place: str
    """`SERVE`, `WATCH` or `RUN_ONCE`."""
    settings: str
    """A digest of the settings it runs by; empty: not known."""

    @property
    def stays(self) -> bool:
        """Whether it goes on, rather than ending when what is due now is said."""
        return self.place != RUN_ONCE


def find_ticker(folder: Path) -> RunningTicker | None:
    """Return who delivers for the database in `folder`; None: nobody does."""
    file = folder / LOCK_FILE
    if not is_held(file):
        return None
    try:
        with file.open(encoding="utf-8") as stream:
            note = json.loads(stream.read(_LONGEST_NOTE))
        return RunningTicker(str(note["place"]), str(note["settings"]))
    except (OSError, ValueError, KeyError, TypeError):  # it has just begun
        return RunningTicker("iris", "")


def note_ticker(lock: Path, ticker: RunningTicker) -> None:
    """Write into the lock's own file who holds it."""
    with contextlib.suppress(OSError):  # a full disk: only the name of the place is missing
        lock.write_text(json.dumps(ticker._asdict()), encoding="utf-8")
