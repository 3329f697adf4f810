"""SQL by name: each ``-- name: some_name`` line in a ``.sql`` file begins one statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_FOLDER = Path(__file__).with_name("sql")
_HEADER = "-- name:"


def load_queries(file_name: str) -> Mapping[str, str]:
    """Return the statements of one file by name; text before the first header is a comment."""
    return MappingProxyType(parse_queries((_FOLDER / file_name).read_text(encoding="utf-8")))


def parse_queries(text: str) -> dict[str, str]:
    """Split named statements.

    Raises:
        ValueError: a name stands twice.
    """
    queries: dict[str, str] = {}
    _, *sections = ("\n" + text).split("\n" + _HEADER)
    for section in sections:
        name, _, body = section.partition("\n")
        if name.strip() in queries:
            raise ValueError(f"the statement {name.strip()!r} stands twice")
        queries[name.strip()] = body.strip()
    return queries


def split_script(script: str) -> list[str]:
    """Return the statements of a script in order.

    They can then run one by one in an open transaction, which `sqlite3.executescript` would
    commit first.
    """
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending.strip())
            pending = ""
    if pending.strip():
        statements.append(pending.strip())
    return statements


def load_migrations() -> tuple[str, ...]:
    """Return all migration scripts; the one at index 0 makes version 1.

    Raises:
        ValueError: the files are not numbered 0001, 0002, … without a gap.
    """
    files = sorted((_FOLDER / "migrations").glob("*.sql"))
    for number, file in enumerate(files, start=1):
        if not file.name.startswith(f"{number:04}_"):
            raise ValueError(f"migration {number} is missing before {file.name}")
    return tuple(file.read_text(encoding="utf-8") for file in files)
