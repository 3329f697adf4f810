"""The days of the user that a window touches."""

from __future__ import annotations

import datetime as dt
import zoneinfo

from iris_harness.contracts.ports import ReadWindow


def window_days(window: ReadWindow) -> tuple[dt.date, dt.date]:
    """Return the first and the last day, inclusive, in the user's zone."""
    zone = zoneinfo.ZoneInfo(window.timezone)
    start, end = window.start.astimezone(zone), window.end.astimezone(zone)
    last = end - dt.timedelta(microseconds=1) if end > start else start
    return start.date(), last.date()
