"""Say which program an index was made by: everything that can change what a calendar means."""

from __future__ import annotations

import os
import sys
import zoneinfo
from collections.abc import Iterator
from pathlib import Path

FORMAT = 1
"""Grows when the tables or what stands in them change."""

_READER = Path(__file__).parent.parent
_LIBRARIES = ("site-packages", "dist-packages")
_ZONE_FILES = ("", "tzdata.zi", "zone1970.tab", "zone.tab", "+VERSION")


def reader_stamp() -> str:
    """Return a text that differs when the reader, Python, a library or the zones differ.

    Files are told by size and time of change, installed libraries by the folder they are in,
    which every installation and removal touches. Too many differences cost one rebuilding of
    the index; a missed one would cost a right answer.
    """
    facts = [str(FORMAT), sys.version, sys.byteorder, *_reader(), *_libraries(), *_zones()]
    return "\n".join(facts)


def _reader() -> Iterator[str]:
    for folder in (_READER, _READER / "ical", _READER / "index"):
        for name in sorted(os.listdir(folder)):  # noqa: PTH208 - on the path of every plan
            if name.endswith((".py", ".sql")):
                yield _facts(f"{folder}/{name}")


def _libraries() -> Iterator[str]:
    for entry in sys.path:
        if entry.endswith(_LIBRARIES):
            yield _facts(entry)


def _zones() -> Iterator[str]:
    for folder in zoneinfo.TZPATH:
        for name in _ZONE_FILES:
            yield _facts(f"{folder}/{name}")


def _facts(path: str) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - on the path of every plan
    except OSError:
        return f"{path} -"
    return f"{path} {found.st_size} {found.st_mtime_ns}"
