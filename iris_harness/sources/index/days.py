"""Days as a listing knows them: whole days of the user's zone, in stretches read at once."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from typing import NamedTuple

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.ical.window_days import window_days

STRETCH_DAYS = 32
"""Days that are listed together: the reader opens a series once for all of them."""

_MOST_DAYS = 64
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_MARGIN_DAYS = 2


class Days(NamedTuple):
    """Whole days of a zone, as day numbers (`date.toordinal`)."""

    zone: str
    first: int
    last: int
    """Inclusive."""

    def bounds(self) -> list[float]:
        """Return the first instant of each day, and of the one after them, POSIX seconds."""
        zone = zoneinfo.ZoneInfo(self.zone)
        return [_midnight(day, zone).timestamp() for day in range(self.first, self.last + 2)]

    def stretches(self) -> list[Days]:
        """Return the stretches that these days lie in."""
        numbers = range(self.first // STRETCH_DAYS, self.last // STRETCH_DAYS + 1)
        return [
            Days(self.zone, number * STRETCH_DAYS, (number + 1) * STRETCH_DAYS - 1)
            for number in numbers
        ]

    def window(self, now: dt.datetime) -> ReadWindow:
        """Return the time to read so that everything that touches these days is found.

        It is a little longer, so that what is asked of a day does not depend on where the
        stretch ends.
        """
        zone = zoneinfo.ZoneInfo(self.zone)
        return ReadWindow(
            start=_midnight(self.first - _MARGIN_DAYS, zone),
            end=_midnight(self.last + 1 + _MARGIN_DAYS, zone),
            timezone=self.zone,
            now=now,
        )


def listed_days(window: ReadWindow) -> Days | None:
    """Return the days that a window is made of.

    None when it is not made of whole days, of too many, or of some beyond those that calendars
    are about: it is then read without listings.
    """
    first, last = window_days(window)
    days = Days(window.timezone, first.toordinal(), last.toordinal())
    usual = first.year >= _FIRST_YEAR and last.year <= _LAST_YEAR
    if not usual or days.last - days.first >= _MOST_DAYS:
        return None
    bounds = days.bounds()
    whole = (window.start.timestamp(), window.end.timestamp()) == (bounds[0], bounds[-1])
    return days if whole else None


def _midnight(day: int, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    return dt.datetime.combine(dt.date.fromordinal(day), dt.time(), zone)


def days_touched(event: Event, first: int, bounds: list[float]) -> list[int]:
    """Return which of the days an event is on, ascending; as `Span.holds` says of each.

    Args:
        event: all-day, or with aware times.
        first: number of the first day.
        bounds: `Days.bounds` of them.
    """
    numbers = range(len(bounds) - 1)
    if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
        begin, end = event.start.toordinal() - first, event.end.toordinal() - first
        return [first + number for number in numbers if begin <= number < end]
    begin_at, end_at = event.start.timestamp(), event.end.timestamp()
    return [
        first + number
        for number in numbers
        if begin_at < bounds[number + 1]
        and (end_at > bounds[number] or begin_at == end_at >= bounds[number])
    ]
