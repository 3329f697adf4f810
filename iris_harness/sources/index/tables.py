"""The rows of one calendar in the index."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from iris_harness.sources.ical.components import Component, Stream
from iris_harness.sources.index.database import DamagedError


class Piece(NamedTuple):
    """One stored VEVENT."""

    name: str
    """Of its file."""
    context: int
    number: int
    """Its place in the file."""
    owner: int
    line: int
    calendar: int
    closed: int
    checksum: int
    body: bytes


class Tables:
    """Runs the named statements for one source. Needs a transaction around it."""

    def __init__(
        self, connection: sqlite3.Connection, queries: Mapping[str, str], source: int
    ) -> None:
        """Take the open index, its statements, and the number of the calendar in it."""
        self._connection = connection
        self._queries = queries
        self.source = source
        self._contexts: dict[int, str] | None = None

    def run(self, query: str, **values: object) -> sqlite3.Cursor:
        """Run a statement for this source."""
        return self._connection.execute(self._queries[query], {"source": self.source, **values})

    def run_many(self, query: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Run a statement once for each row."""
        self._connection.executemany(self._queries[query], rows)

    def number(self, query: str) -> int:
        """Return the one number that a statement finds."""
        return int(self.run(query).fetchone()[0])

    def context_of(self, stream: Stream) -> int:
        """Return the number of what the components of a file have around them; it is kept."""
        payload = dump_context(stream)
        found = self.run("find_context", payload=payload).fetchone()
        if found:
            return int(found[0])
        self._contexts = None
        return int(
            self.run("add_context", payload=payload, checksum=_text_checksum(payload)).lastrowid
            or 0
        )

    def pieces_near(self, first_on: int, last_on: int) -> list[Piece]:
        """Return the components of all owners that may be in these days, inclusive."""
        found = self.run("list_components_near", first_on=first_on, last_on=last_on)
        return [_checked(row) for row in found]

    def pieces_of(self, owners: Iterable[int]) -> list[Piece]:
        """Return the components of these owners."""
        return [
            _checked(row)
            for owner in owners
            for row in self.run("list_components_of_owner", owner=owner)
        ]

    def streams(self, pieces: Sequence[Piece], labels: Mapping[str, str]) -> Iterator[Stream]:
        """Yield the files that `pieces` come from, in the order given, with these alone in them.

        Args:
            pieces: in reading order.
            labels: how warnings name each file.
        """
        by_file: dict[str, list[Piece]] = {}
        for piece in pieces:
            by_file.setdefault(piece.name, []).append(piece)
        for name, own in by_file.items():
            zones, methods = self._load_context(own[0].context, labels[name])
            events = [_component(piece, labels[name]) for piece in own]
            yield Stream(
                file=labels[name],
                components=(*zones, *events),
                calendars=0,
                methods=methods,
                closed=True,
            )

    def _load_context(self, number: int, label: str) -> tuple[list[Component], dict[int, str]]:
        if self._contexts is None:
            self._contexts = {
                number: payload
                for number, payload, stated in self.run("list_contexts")
                if _text_checksum(payload) == stated
            }
        if number not in self._contexts:
            raise DamagedError("what is around a component is damaged or missing")
        return load_context(self._contexts[number], label)


def _component(piece: Piece, label: str) -> Component:
    return Component(
        kind="VEVENT",
        body=piece.body,
        file=label,
        line=piece.line,
        closed=bool(piece.closed),
        calendar=piece.calendar,
    )


def checksum(component: Component) -> int:
    """Return the checksum of what is stored of a component."""
    head = f"{component.line} {component.calendar} {component.closed:d}"
    return zlib.crc32(component.body, zlib.crc32(head.encode()))


def _text_checksum(text: str) -> int:
    return zlib.crc32(text.encode())


def _checked(row: tuple[object, ...]) -> Piece:
    piece = Piece._make(row)
    if checksum(_component(piece, "")) != piece.checksum:
        raise DamagedError("a component is damaged")
    return piece


def dump_context(stream: Stream) -> str:
    """Write what the events of a file need of it: zone definitions and METHODs."""
    zones = [
        [item.calendar, item.closed, item.body.decode("latin-1")]
        for item in stream.components
        if item.kind == "VTIMEZONE"
    ]
    return json.dumps([zones, list(stream.methods.items())])


def load_context(payload: str, label: str) -> tuple[list[Component], dict[int, str]]:
    """Read the zone definitions and the METHOD of each VCALENDAR of the file called `label`."""
    zones, methods = json.loads(payload)
    definitions = [
        Component(
            kind="VTIMEZONE",
            body=body.encode("latin-1"),
            file=label,
            line=0,  # no warning names the line of a zone definition
            closed=closed,
            calendar=calendar,
        )
        for calendar, closed, body in zones
    ]
    return definitions, dict(methods)
