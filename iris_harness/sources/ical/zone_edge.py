"""The edge between instants and the user's zone."""

from __future__ import annotations

import datetime as dt
import zoneinfo

from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.ical.recurrence import Span
from iris_harness.sources.ical.window_days import window_days


def user_span(window: ReadWindow) -> tuple[zoneinfo.ZoneInfo, Span]:
    """Return the user's zone, and the window as instants and days."""
    first_day, last_day = window_days(window)
    return zoneinfo.ZoneInfo(window.timezone), Span(
        start=window.start.astimezone(dt.UTC),
        end=window.end.astimezone(dt.UTC),
        first_day=first_day,
        last_day=last_day,
    )


def in_zone(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """Return an instant with the offset that `zone` has then.

    The offset is fixed: two times of one `ZoneInfo` are compared and subtracted by Python as
    wall clocks, which is wrong across a clock change.
    """
    local = instant.astimezone(zone)
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta(0)), fold=0)
