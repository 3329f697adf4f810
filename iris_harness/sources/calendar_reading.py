"""What a calendar gave, as a reading with its state."""

from __future__ import annotations

from typing import NamedTuple

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind
from iris_harness.sources.status import age_at, failed, read_status
from iris_harness.sources.streams import Loaded, bounded


class Found(NamedTuple):
    """What the readable files of a calendar gave for a window."""

    events: tuple[Event, ...]
    warnings: tuple[str, ...]
    holds_anything: bool
    """Whether there is any event at all, of whatever time."""


def reading_of(
    name: str, loaded: Loaded, found: Found, window: ReadWindow, stale_after_hours: float | None
) -> Reading[Event]:
    """Return what a calendar gave as a reading, with its state."""
    if loaded.failures:
        status = failed(name, SourceKind.CALENDAR, "; ".join(loaded.failures))
    else:
        status = read_status(
            name,
            SourceKind.CALENDAR,
            empty=not (found.holds_anything or loaded.unread),
            age=age_at(window.now, loaded.modified_at),
            stale_after_hours=stale_after_hours,
            detail=loaded.detail,
        )
    warnings = bounded((*loaded.warnings, *found.warnings))
    return Reading(status=status, items=found.events, warnings=warnings)
