"""Answer for a window from what is stored, and have the reader answer for what is not."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.ical.counting import MAX_PER_DAY
from iris_harness.sources.ical.events import EventReader, GroupReading, event_order
from iris_harness.sources.ical.screening import MARGIN_DAYS
from iris_harness.sources.ical.zone_edge import user_span
from iris_harness.sources.index.database import CacheFile, read_transaction
from iris_harness.sources.index.days import Days, days_touched, listed_days
from iris_harness.sources.index.files import SourceFiles, Sweep, reading_order
from iris_harness.sources.index.listing import (
    Listed,
    Listing,
    dump_listing,
    load_listing,
)
from iris_harness.sources.index.manifest import Manifest, dump_manifest, load_manifest
from iris_harness.sources.index.refresh import refresh
from iris_harness.sources.index.tables import Piece, Tables
from iris_harness.storage.database import write_transaction

_KEPT_DAYS = 60
"""A calendar that was not asked about for so long is forgotten."""
_MOST_LISTED_BYTES = 32_000_000
_MOST_PENDING_CHANGES = 1_000


class Answer(NamedTuple):
    """What the index knows of a window."""

    events: tuple[Event, ...]
    warnings: tuple[str, ...]
    """Of the reader; those about whole files are in the manifest."""
    manifest: Manifest


class _Source(NamedTuple):
    """The calendar as it is stored."""

    tables: Tables
    generation: int
    manifest: Manifest | None


class CalendarIndex:
    """The index of one calendar. Not thread-safe."""

    def __init__(self, name: str, files: SourceFiles, me: frozenset[str], cache: CacheFile) -> None:
        """Take the calendar's name, its files, the user's addresses, and the index file."""
        self._name = name
        self._files = files
        self._me = me
        self._cache = cache
        self._loaded: tuple[bytes, Manifest | None] = (b"", None)

    def answer(self, window: ReadWindow, sweep: Sweep, now_ns: int) -> Answer:
        """Return what a reading of the files gives; see `EventReader.read`.

        Args:
            window: the time asked for.
            sweep: how the files look.
            now_ns: the machine's time before `sweep`, POSIX nanoseconds.

        Raises:
            sqlite3.Error: the index cannot be used just now, or is damaged.
            DamagedError: it is damaged.
        """
        connection = self._cache.connection()
        days = listed_days(window)
        with read_transaction(connection):
            self._cache.check_stamp()
            source = self._find_source()
            if source and source.manifest and source.manifest.describes(sweep):
                answer = self._answer(source, source.manifest, window, days)
                if answer is not None:
                    return answer
        with write_transaction(connection):
            self._cache.check_stamp()
            source = self._find_source() or self._add_source()
            source, manifest = self._refresh(source, sweep, now_ns)
            if days is not None:
                self._list(source, days, window.now)
            answer = self._answer(source, manifest, window, days)
        if answer is None:
            raise LookupError("a day that was just listed is not listed")
        return answer

    def _find_source(self) -> _Source | None:
        connection, queries = self._cache.connection(), self._cache.queries
        row = connection.execute(queries["find_source"], {"key": self._files.key}).fetchone()
        if row is None:
            return None
        number, generation, stored = row
        if stored and stored != self._loaded[0]:
            self._loaded = (stored, load_manifest(stored))
        manifest = self._loaded[1] if stored else None
        return _Source(Tables(connection, queries, number), generation, manifest)

    def _add_source(self) -> _Source:
        connection, queries = self._cache.connection(), self._cache.queries
        added = connection.execute(queries["add_source"], {"key": self._files.key})
        return _Source(Tables(connection, queries, added.lastrowid or 0), 0, None)

    def _refresh(self, source: _Source, sweep: Sweep, now_ns: int) -> tuple[_Source, Manifest]:
        """Bring the source up to the files; write only what is not so yet."""
        if source.manifest and source.manifest.describes(sweep):
            return source, source.manifest
        tables = source.tables
        manifest, owners = refresh(tables, self._files, sweep, source.manifest, now_ns)
        if manifest == source.manifest and not owners and owners is not None:
            return source, manifest
        generation = source.generation + 1
        pending = tables.number("count_changes")
        if owners is None or len(owners) + pending > _MOST_PENDING_CHANGES:
            tables.run("forget_listings")
            tables.run("forget_changes")
        else:
            for owner in sorted(owners):
                tables.run("add_change", generation=generation, owner=owner)
        today = now_ns // 86_400_000_000_000
        stored = dump_manifest(manifest)
        tables.run("write_source", generation=generation, used_on=today, manifest=stored)
        self._forget_unused(tables, today - _KEPT_DAYS)
        return _Source(tables, generation, manifest), manifest

    def _forget_unused(self, tables: Tables, used_before: int) -> None:
        for (unused,) in tables.run("find_unused_sources", used_before=used_before).fetchall():
            for part in ("listings", "changes", "components", "files", "source"):
                tables.run(f"forget_{part}", source=unused)

    def _answer(
        self, source: _Source, manifest: Manifest, window: ReadWindow, days: Days | None
    ) -> Answer | None:
        """Return the answer; None when a day of it is not listed yet."""
        if days is None:
            return self._read(source, manifest, window)
        listings = self._listings(source, days)
        if len(listings) != days.last - days.first + 1:
            return None
        oldest = min(listing.generation for listing in listings)
        changed = {
            owner for (owner,) in source.tables.run("list_changes", generation=oldest).fetchall()
        }
        asked = changed.union(*(listing.open for listing in listings))
        known = [
            listed
            for number, listing in enumerate(listings)
            for listed in listing.events
            if listed.owner not in asked and not (number and listed.goes_on)
        ]
        pieces = source.tables.pieces_of(sorted(asked))
        return self._assembled(known, pieces, window, source, manifest) or self._read(
            source, manifest, window
        )

    def _read(self, source: _Source, manifest: Manifest, window: ReadWindow) -> Answer | None:
        """Have the reader answer from all that may be in the window."""
        return self._assembled((), _pieces_near(source, window), window, source, manifest)

    def _listings(self, source: _Source, days: Days) -> list[Listing]:
        rows = source.tables.run(
            "list_listings", zone=days.zone, first_on=days.first, last_on=days.last
        )
        return [load_listing(self._name, *row) for row in rows]

    def _assembled(
        self,
        known: Sequence[Listed],
        pieces: Sequence[Piece],
        window: ReadWindow,
        source: _Source,
        manifest: Manifest,
    ) -> Answer | None:
        """Put together what is known and what the reader makes of `pieces`.

        None when the order of the two cannot be told: of what looks the same on a day the reader
        lists first what comes first in the files.
        """
        found = [(event_order(listed.event), listed.folder, listed.event) for listed in known]
        warnings = [text for note in self._notes(manifest) for text in note]
        if pieces:
            reader = self._reader(source, pieces, window)
            asked = [
                (event_order(event), _folder(group), event)
                for group in reader.groups()
                for event in group.events
            ]
            places = {item[:2] for item in asked}
            if any(item[:2] in places for item in found):
                return None
            found += asked
            warnings += reader.warnings
        found.sort(key=lambda item: item[:2])
        return Answer(tuple(event for *_, event in found), tuple(warnings), manifest)

    def _notes(self, manifest: Manifest) -> list[tuple[str, ...]]:
        return [manifest.notes[name].unread for name in sorted(manifest.notes, key=reading_order)]

    def _reader(self, source: _Source, pieces: Sequence[Piece], window: ReadWindow) -> EventReader:
        ordered = sorted(pieces, key=lambda piece: (reading_order(piece.name), piece.number))
        labels = {piece.name: self._files.label(piece.name) for piece in ordered}
        streams = list(source.tables.streams(ordered, labels))
        return EventReader(self._name, streams, window, self._me)

    def _list(self, source: _Source, days: Days, now: dt.datetime) -> None:
        """Have the reader list the stretches of `days` that are not listed."""
        for stretch in days.stretches():
            wanted = Days(days.zone, max(days.first, stretch.first), min(days.last, stretch.last))
            if len(self._listings(source, wanted)) == wanted.last - wanted.first + 1:
                continue
            if source.tables.number("count_listed_bytes") > _MOST_LISTED_BYTES:
                source.tables.run("forget_listings")
            self._list_stretch(source, stretch, now)

    def _list_stretch(self, source: _Source, stretch: Days, now: dt.datetime) -> None:
        window = stretch.window(now)
        pieces = _pieces_near(source, window)
        owners = {(self._files.label(piece.name), piece.line): piece.owner for piece in pieces}
        drafts = _Drafts(stretch)
        for group in self._reader(source, pieces, window).groups():
            first = group.components[0]
            drafts.take(group, owners[first.file, first.line])
        for day, (events, open_owners) in drafts.days():
            payload, checksum = dump_listing(events, open_owners)
            source.tables.run(
                "write_listing",
                zone=stretch.zone,
                day=day,
                generation=source.generation,
                checksum=checksum,
                payload=payload,
            )


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


def _pieces_near(source: _Source, window: ReadWindow) -> list[Piece]:
    _, span = user_span(window)
    return source.tables.pieces_near(
        span.first_day.toordinal() - MARGIN_DAYS, span.last_day.toordinal() + MARGIN_DAYS
    )


def _folder(group: GroupReading) -> str:
    return group.components[0].file.rpartition("/")[0]
