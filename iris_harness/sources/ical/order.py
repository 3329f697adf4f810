"""The order in which a calendar lists its events."""

from __future__ import annotations

import datetime as dt

from iris_harness.contracts.day import Event
from iris_harness.contracts.sources import SourceRef


def event_order(event: Event) -> tuple[bool, float, float, str, SourceRef]:
    """Sort key: all-day ones by start date and summary, then by instants, summary, source."""
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return True, event.start.timestamp(), event.end.timestamp(), event.summary, event.source
    return False, event.start.toordinal(), 0.0, event.summary, event.source
