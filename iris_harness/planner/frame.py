"""One day of one zone as a line of elapsed seconds.

A day is [00:00, 24:00) on the zone's clock and is measured by instants, so it has 23 or 25
hours where the clock is changed. Everything that is computed about a day is computed in whole
seconds since its first instant, and only turned back into instants for the plan.

Instants made here carry a fixed offset, the one of that moment. Two of them compare, subtract
and survive ISO 8601 exactly; two that share a `ZoneInfo` would be compared by their wall clock.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from iris_harness.contracts.day import TimeSpan
from iris_harness.errors import CanonicalError, UsageError

_SECOND = dt.timedelta(seconds=1)
_DAY = dt.timedelta(days=1)
_FIRST_DAY = dt.date(2, 1, 1)
_LAST_DAY = dt.date(9998, 12, 31)


class Span(NamedTuple):
    """[start, end) in seconds since the day's first instant."""

    start: int
    end: int


class Phase(enum.Enum):
    """Where a day lies, seen from a "now"."""

    PAST = "past"
    TODAY = "today"
    FUTURE = "future"


def load_zone(name: str) -> ZoneInfo:
    """Return the IANA zone called `name`.

    Raises:
        UsageError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"there is no time zone {name!r}", hint="use an IANA name such as Europe/Berlin"
        ) from error


def at_offset(instant: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return the same instant as `zone`'s clock shows it, with that moment's fixed offset.

    An instant at the very edge of the calendar, which has no date in `zone`, stays as it is.

    Raises:
        CanonicalError: the time is naive.
    """
    if instant.tzinfo is None:
        raise CanonicalError(f"the time {instant.isoformat()} has no offset")
    try:
        local = instant.astimezone(zone)
    except OverflowError:
        return instant
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta()), fold=0)


def first_instant(day: dt.date, time: dt.time, zone: ZoneInfo) -> dt.datetime:
    """Return the first instant at which the clock of `zone` shows `time` of `day` or later.

    A time that happens twice is the first of the two; one that the clock jumps over is the
    moment of the jump.
    """
    wanted = dt.datetime.combine(day, time)
    later = wanted.replace(tzinfo=zone).astimezone(dt.UTC)
    if later.astimezone(zone).replace(tzinfo=None) == wanted:
        return at_offset(later, zone)
    earlier = wanted.replace(tzinfo=zone, fold=1).astimezone(dt.UTC)
    while later - earlier > _SECOND:  # the clock reaches `wanted` in (earlier, later]
        middle = earlier + (later - earlier) // (2 * _SECOND) * _SECOND
        if middle.astimezone(zone).replace(tzinfo=None) < wanted:
            earlier = middle
        else:
            later = middle
    return at_offset(later, zone)


def is_on_the_clock(day: dt.date, time: dt.time, zone: ZoneInfo) -> bool:
    """Return whether the clock of `zone` shows `time` on that day at all."""
    shown = first_instant(day, time, zone).astimezone(zone)
    return shown.replace(tzinfo=None) == dt.datetime.combine(day, time)


class DayFrame(NamedTuple):
    """A calendar day of a zone: its bounds, and its instants as seconds since the first."""

    date: dt.date
    zone: ZoneInfo
    start: dt.datetime
    """First instant of the day."""
    end: dt.datetime
    """First instant after it; equal to `start` for a day that the zone left out."""

    @property
    def seconds(self) -> int:
        """Length of the day."""
        return (self.end - self.start) // _SECOND

    def second(self, instant: dt.datetime) -> int:
        """Return the whole seconds from the day's start to `instant`, rounded down."""
        return (instant - self.start) // _SECOND

    def instant(self, second: int) -> dt.datetime:
        """Return the instant `second` seconds after the day's start, in the day's zone."""
        return at_offset(self.start + second * _SECOND, self.zone)

    def span(self, start: dt.datetime, end: dt.datetime) -> Span:
        """Return the part of [start, end) inside the day, rounded outwards to whole seconds."""
        return Span(max(0, self.second(start)), min(self.seconds, -self._second_before(end)))

    def around(self, start: dt.datetime, end: dt.datetime, before: int, after: int) -> Span:
        """Return what of the day lies from `before` seconds before `start` to `after` after `end`.

        Rounded outwards to whole seconds. Empty where that lies outside the day.
        """
        first = max(0, self.second(start) - before)
        return Span(first, max(first, min(self.seconds, after - self._second_before(end))))

    def _second_before(self, instant: dt.datetime) -> int:
        return (self.start - instant) // _SECOND

    def phase(self, now: dt.datetime) -> Phase:
        """Return whether the day is over, running or still to come at `now`."""
        if now >= self.end:
            return Phase.PAST
        return Phase.TODAY if now >= self.start else Phase.FUTURE

    def working_spans(self, hours: Sequence[TimeSpan]) -> tuple[Span, ...]:
        """Return the spans of the day that `hours` of the wall clock are."""
        return tuple(
            Span(
                self.second(first_instant(self.date, span.start, self.zone)),
                self.seconds
                if span.end == dt.time(0)
                else self.second(first_instant(self.date, span.end, self.zone)),
            )
            for span in hours
        )


def build_frame(day: dt.date, zone: ZoneInfo) -> DayFrame:
    """Return the frame of `day` in `zone`.

    Raises:
        UsageError: a day at the very edge of the calendar, which has no neighbours.
    """
    if not _FIRST_DAY <= day <= _LAST_DAY:
        raise UsageError(f"{day.isoformat()} is too far away to be planned")
    midnight = dt.time(0)
    return DayFrame(
        date=day,
        zone=zone,
        start=first_instant(day, midnight, zone),
        end=first_instant(day + _DAY, midnight, zone),
    )
