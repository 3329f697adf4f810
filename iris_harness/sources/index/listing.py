"""What the reader said of one day: the events it found, and whom it must be asked about again.

Only an owner of whom it said nothing but events is remembered by them. One with a warning, or
whose events are named by their line in the file, is read again for each day it may be on.
"""

from __future__ import annotations

import datetime as dt
import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from iris_harness.contracts.day import Event, EventStatus
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.index.database import DamagedError


class Listed(NamedTuple):
    """An event on a day."""

    owner: int
    folder: str
    """Of its file; orders what is otherwise equal, as the reader does."""
    goes_on: bool
    """Whether it was there the day before."""
    event: Event


class Listing(NamedTuple):
    """One day."""

    events: tuple[Listed, ...]
    open: frozenset[int]
    """Owners that must be read for this day."""
    generation: int
    """Of the source, when it was made."""


def dump_listing(events: Iterable[Listed], open_owners: Iterable[int]) -> tuple[str, int]:
    """Write a day as text, with its checksum."""
    rows = [(item.owner, item.folder, item.goes_on, *_dump_event(item.event)) for item in events]
    payload = json.dumps([rows, sorted(open_owners)], separators=(",", ":"))
    return payload, zlib.crc32(payload.encode())


def load_listing(calendar: str, generation: int, checksum: int, payload: str) -> Listing:
    """Read a day of the source called `calendar`.

    Raises:
        DamagedError: this is not the text that was written.
    """
    if zlib.crc32(payload.encode()) != checksum:
        raise DamagedError("a listing is damaged")
    rows, open_owners = json.loads(payload)
    return Listing(
        events=tuple(_load_listed(calendar, row) for row in rows),
        open=frozenset(open_owners),
        generation=generation,
    )


def _load_listed(calendar: str, row: list[Any]) -> Listed:
    owner, folder, goes_on, *event = row
    return Listed(owner, folder, goes_on, _load_event(calendar, event))


def _dump_event(event: Event) -> tuple[object, ...]:
    return (
        event.uid,
        event.recurrence_id,
        event.sequence,
        event.revised_at and event.revised_at.isoformat(),
        event.summary,
        event.start.isoformat(),
        event.end.isoformat(),
        event.all_day,
        event.busy,
        event.status.value,
        event.location,
        event.source.locator,
        event.travel_minutes,
    )


def _load_event(calendar: str, row: list[Any]) -> Event:
    uid, recurrence_id, sequence, revised, summary, start, end, all_day, busy, *rest = row
    status, location, locator, travel_minutes = rest
    kind = dt.date if all_day else dt.datetime
    return Event(
        uid=uid,
        recurrence_id=recurrence_id,
        sequence=sequence,
        revised_at=dt.datetime.fromisoformat(revised) if revised else None,
        summary=summary,
        start=kind.fromisoformat(start),
        end=kind.fromisoformat(end),
        all_day=all_day,
        busy=busy,
        status=EventStatus(status),
        calendar=calendar,
        location=location,
        source=SourceRef(source=calendar, locator=locator),
        travel_minutes=travel_minutes,
    )
