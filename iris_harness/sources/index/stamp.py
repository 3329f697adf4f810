"""Say which reader an index was made by: everything that can change what a calendar means."""

from __future__ import annotations

from pathlib import Path

from iris_harness.storage.stamp import program_stamp

FORMAT = 1
"""Grows when the tables or what stands in them change."""

_READER = Path(__file__).parent.parent


def reader_stamp() -> str:
    """Return a text that differs when the reader does, or anything it reads with."""
    return program_stamp(FORMAT, (_READER, _READER / "ical", _READER / "index"))
