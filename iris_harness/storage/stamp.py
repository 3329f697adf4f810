"""Say which program made what is kept in the cache."""

from __future__ import annotations

import os
import sys
import zoneinfo
from collections.abc import Iterable, Iterator
from pathlib import Path

_LIBRARIES = ("site-packages", "dist-packages")
_ZONE_FILES = ("", "tzdata.zi", "zone1970.tab", "zone.tab", "+VERSION")


def program_stamp(format_number: int, folders: Iterable[Path]) -> str:
    """Return a text that differs when the program, Python, a library or the zones differ.

    Files are told by size and time of change, installed libraries by the folder they are in,
    which every installation and removal touches. Too many differences cost one making anew of
    what is kept; a missed one would cost a right answer.

    Args:
        format_number: grows when the form of what is kept changes.
        folders: those whose modules and statements decide what is kept.
    """
    facts = [str(format_number), sys.version, sys.byteorder]
    return "\n".join([*facts, *_modules(folders), *_libraries(), *_zones()])


def _modules(folders: Iterable[Path]) -> Iterator[str]:
    for folder in folders:
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
