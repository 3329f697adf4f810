"""Statements for what a queue does all day: put into the driver's words once, and run by it.

SQLAlchemy writes the same statement for both databases, but to run one through it costs more than
the database needs for it. Here it only writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler


class Cursor(Protocol):
    """What has been run; of `sqlite3` or `psycopg`."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""
        ...


class Driver(Protocol):
    """A connection of `sqlite3` or `psycopg`."""

    def execute(self, text: str, given: Any = (), /) -> Cursor:  # noqa: ANN401 - the drivers differ
        """Run one statement."""
        ...


class Statement:
    """A statement in the words of one database. Thread-safe."""

    def __init__(self, dialect: Dialect, element: sa.sql.ClauseElement) -> None:
        """Compile `element`; every parameter without a value of its own is given when it is run."""
        compiled = element.compile(dialect=dialect)
        assert isinstance(compiled, SQLCompiler)  # noqa: S101 - what is compiled is no DDL
        self._text = compiled.string
        self._names = compiled.positiontup
        """The parameters in their order; None where the driver takes them by name."""
        self._fixed = {
            name: bound.value for bound, name in compiled.bind_names.items() if not bound.required
        }

    def rows(self, driver: Driver, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it and return its rows, plain values of the database: SQLite's booleans are 0 and 1.

        All are fetched: SQLite ends a statement only then.
        """
        return self._run(driver, given).fetchall()

    def row(self, driver: Driver, given: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Run it and return its first row; None when there is none."""
        found = self.rows(driver, given)
        return found[0] if found else None

    def run(self, driver: Driver, given: Mapping[str, Any]) -> None:
        """Run it where it has no rows."""
        self._run(driver, given)

    def _run(self, driver: Driver, given: Mapping[str, Any]) -> Cursor:
        values = {**self._fixed, **given}
        if self._names is None:
            return driver.execute(self._text, values)
        return driver.execute(self._text, [values[name] for name in self._names])
