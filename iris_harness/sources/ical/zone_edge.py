"""The edge between instants and the user's zone."""

from __future__ import annotations

import datetime as dt
import zoneinfo

from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.ical.recurrence import Span


def user_span(window: ReadWindow) -> tuple[zoneinfo.ZoneInfo, Span]:
    """Return the user's zone, and the window as instants and days."""
    zone = zoneinfo.ZoneInfo(window.timezone)
    start, end = window.start.astimezone(zone), window.end.astimezone(zone)
    last = end - dt.timedelta(microseconds=1) if end > start else start
    return zone, Span(
        start=start.astimezone(dt.UTC),
        end=end.astimezone(dt.UTC),
        first_day=start.date(),
        last_day=last.date(),
    )


def in_zone(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """Return an instant with the offset that `zone` has then.

    The offset is fixed: two times of one `ZoneInfo` are compared and subtracted by Python as
    wall clocks, which is wrong across a clock change.
    """
    local = instant.astimezone(zone)
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta(0)), fold=0)
