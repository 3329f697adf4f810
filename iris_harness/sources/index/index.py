"""Answer for a window from what is stored, and have the reader answer for what is not."""

from __future__ import annotations

import datetime as dt
import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.ical.order import event_order
from iris_harness.sources.index.database import CacheFile, read_transaction
from iris_harness.sources.index.days import Days, listed_days
from iris_harness.sources.index.files import SourceFiles, Sweep, reading_order
from iris_harness.sources.index.listing import Listing, load_listing
from iris_harness.sources.index.manifest import Manifest, dump_manifest, load_manifest
from iris_harness.sources.index.tables import Tables
from iris_harness.storage.database import write_transaction

if TYPE_CHECKING:
    from iris_harness.sources.index.asking import Asking, Placed

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
        self.name = name
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

    @functools.cached_property
    def _asking(self) -> Asking:
        from iris_harness.sources.index.asking import Asking

        return Asking(self.name, self._files, self._me)

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
        from iris_harness.sources.index.refresh import refresh

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
            return self._read_near(source, manifest, window)
        listings = self._listings(source, days)
        if len(listings) != days.last - days.first + 1:
            return None
        oldest = min(listing.generation for listing in listings)
        changed = {
            owner for (owner,) in source.tables.run("list_changes", generation=oldest).fetchall()
        }
        owners = changed.union(*(listing.open for listing in listings))
        known = [
            listed
            for number, listing in enumerate(listings)
            for listed in listing.events
            if listed.owner not in owners and not (number and listed.goes_on)
        ]
        pieces = source.tables.pieces_of(sorted(owners))
        found = [((event_order(one.event), one.folder), one.event) for one in known]
        if not pieces:
            return _assembled(found, (), manifest)
        asked = self._asking.read(source.tables, pieces, window)
        # Of what looks the same on a day the reader lists first what comes first in the files.
        places = {place for place, _ in asked.events}
        if any(place in places for place, _ in found):
            return self._read_near(source, manifest, window)
        return _assembled([*found, *asked.events], asked.warnings, manifest)

    def _read_near(self, source: _Source, manifest: Manifest, window: ReadWindow) -> Answer:
        asked = self._asking.read_near(source.tables, window)
        return _assembled(asked.events, asked.warnings, manifest)

    def _listings(self, source: _Source, days: Days) -> list[Listing]:
        rows = source.tables.run(
            "list_listings", zone=days.zone, first_on=days.first, last_on=days.last
        )
        return [load_listing(self.name, *row) for row in rows]

    def _list(self, source: _Source, days: Days, now: dt.datetime) -> None:
        """Have the reader list the stretches of `days` that are not listed."""
        for stretch in days.stretches():
            wanted = Days(days.zone, max(days.first, stretch.first), min(days.last, stretch.last))
            if len(self._listings(source, wanted)) == wanted.last - wanted.first + 1:
                continue
            if source.tables.number("count_listed_bytes") > _MOST_LISTED_BYTES:
                source.tables.run("forget_listings")
            self._asking.list_stretch(source.tables, stretch, source.generation, now)


def _assembled(found: list[Placed], warnings: Sequence[str], manifest: Manifest) -> Answer:
    found.sort(key=operator.itemgetter(0))
    unread = [manifest.notes[name].unread for name in sorted(manifest.notes, key=reading_order)]
    said = (*(text for note in unread for text in note), *warnings)
    return Answer(tuple(event for _, event in found), said, manifest)
