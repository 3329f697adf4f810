"""Have the reader answer for what is stored: the one place where the index asks what is meant.

Importing the reader costs a tenth of the time of ``iris plan``, and most questions need it not.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.ical.counting import MAX_PER_DAY
from iris_harness.sources.ical.events import EventReader, GroupReading
from iris_harness.sources.ical.order import event_order
from iris_harness.sources.ical.screening import MARGIN_DAYS
from iris_harness.sources.ical.window_days import window_days
from iris_harness.sources.index.days import Days, days_touched
from iris_harness.sources.index.files import SourceFiles, reading_order
from iris_harness.sources.index.listing import Listed, dump_listing
from iris_harness.sources.index.tables import Piece, Tables

Placed = tuple[tuple[tuple[bool, float, float, str, SourceRef], str], Event]
"""An event with its place among others: `event_order`, then the folder of its file."""


class Asked(NamedTuple):
    """What the reader made of some components."""

    events: list[Placed]
    warnings: list[str]


class Asking:
    """Asks the reader about one calendar."""

    def __init__(self, name: str, files: SourceFiles, me: frozenset[str]) -> None:
        """Take the calendar's name, its files, and the user's addresses."""
        self._name = name
        self._files = files
        self._me = me

    def read(self, tables: Tables, pieces: Sequence[Piece], window: ReadWindow) -> Asked:
        """Have the reader answer for `window` from `pieces` alone."""
        reader = self._reader(tables, pieces, window)
        events = [
            ((event_order(event), _folder(group)), event)
            for group in reader.groups()
            for event in group.events
        ]
        return Asked(events, reader.warnings)

    def read_near(self, tables: Tables, window: ReadWindow) -> Asked:
        """Have the reader answer from all that may be in the window."""
        return self.read(tables, _pieces_near(tables, window), window)

    def list_stretch(
        self, tables: Tables, stretch: Days, generation: int, now: dt.datetime
    ) -> None:
        """Have the reader list the days of a stretch, and store what it said of each."""
        window = stretch.window(now)
        pieces = _pieces_near(tables, window)
        owners = {(self._files.label(piece.name), piece.line): piece.owner for piece in pieces}
        drafts = _Drafts(stretch)
        for group in self._reader(tables, pieces, window).groups():
            first = group.components[0]
            drafts.take(group, owners[first.file, first.line])
        for day, (events, open_owners) in drafts.days():
            payload, checksum = dump_listing(events, open_owners)
            tables.run(
                "write_listing",
                zone=stretch.zone,
                day=day,
                generation=generation,
                checksum=checksum,
                payload=payload,
            )

    def _reader(self, tables: Tables, pieces: Sequence[Piece], window: ReadWindow) -> EventReader:
        ordered = sorted(pieces, key=lambda piece: (reading_order(piece.name), piece.number))
        labels = {piece.name: self._files.label(piece.name) for piece in ordered}
        return EventReader(self._name, list(tables.streams(ordered, labels)), window, self._me)


class _Drafts:
    """The days of a stretch while the reader lists them."""

    def __init__(self, stretch: Days) -> None:
        self._stretch = stretch
        self._bounds = stretch.bounds()
        self._events: dict[int, list[Listed]] = {}
        self._open: dict[int, set[int]] = {}
        self._always_open: set[int] = set()

    def take(self, group: GroupReading, owner: int) -> None:
        if not group.is_bound_to_events:
            self._always_open.add(owner)
            return
        touched = [
            (event, days_touched(event, self._stretch.first, self._bounds))
            for event in group.events
        ]
        if group.warnings or _is_beyond_listing(touched):
            for day in {day for _, days in touched for day in days}:
                self._open.setdefault(day, set()).add(owner)
            return
        folder = _folder(group)
        for event, days in touched:
            for day in days:
                began_before = day != days[0] or self._was_there_before(event)
                listed = Listed(owner, folder, began_before, event)
                self._events.setdefault(day, []).append(listed)

    def _was_there_before(self, event: Event) -> bool:
        """Whether an event on the first day of the stretch was there the day before."""
        if isinstance(event.start, dt.datetime):
            return event.start.timestamp() < self._bounds[0]
        return event.start.toordinal() < self._stretch.first

    def days(self) -> Iterable[tuple[int, tuple[list[Listed], set[int]]]]:
        """Yield each day with its events and with the owners to be read for it."""
        for day in range(self._stretch.first, self._stretch.last + 1):
            open_owners = self._always_open | self._open.get(day, set())
            events = [
                listed for listed in self._events.get(day, []) if listed.owner not in open_owners
            ]
            yield day, (events, open_owners)


def _is_beyond_listing(touched: Sequence[tuple[Event, Sequence[int]]]) -> bool:
    """Whether what a window gives may not be what its days give, or hangs on lines of the file."""
    if any(event.source.locator != event.uid for event, _ in touched):
        return True
    times = Counter(day for _, days in touched for day in days)
    return max(times.values(), default=0) >= MAX_PER_DAY


def _pieces_near(tables: Tables, window: ReadWindow) -> list[Piece]:
    first, last = window_days(window)
    return tables.pieces_near(first.toordinal() - MARGIN_DAYS, last.toordinal() + MARGIN_DAYS)


def _folder(group: GroupReading) -> str:
    return group.components[0].file.rpartition("/")[0]
