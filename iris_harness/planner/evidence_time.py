"""Stretches of time, for the verifier only. Everything is a UTC instant."""

from __future__ import annotations

import bisect
import datetime as dt
from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import Event

Stretch = tuple[dt.datetime, dt.datetime]
"""[start, end), both UTC."""

SECOND = dt.timedelta(seconds=1)
MINUTE = dt.timedelta(minutes=1)


def utc(instant: dt.datetime) -> dt.datetime:
    """Return the same instant in UTC; one at the very edge of the calendar as it is."""
    try:
        return instant.astimezone(dt.UTC)
    except OverflowError:
        return instant


def reached(zone: ZoneInfo, day: dt.date, time: dt.time) -> dt.datetime:
    """Return when the clock of `zone` first shows `time` of `day`, or jumps over it."""
    wall = dt.datetime.combine(day, time)
    before, after = (utc(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if before <= after:  # once, or twice: the first of the two
        return before
    seconds = range((before - after) // SECOND)
    jump = bisect.bisect_left(seconds, wall, key=lambda second: _wall(after, second, zone))
    return after + jump * SECOND


def _wall(instant: dt.datetime, seconds: int, zone: ZoneInfo) -> dt.datetime:
    return (instant + seconds * SECOND).astimezone(zone).replace(tzinfo=None, fold=0)


def takes_time(event: Event) -> bool:
    """Return whether an event takes hours of the day."""
    return event.busy and not event.all_day


def taken_by(event: Event) -> Stretch:
    """Return the time that a timed event takes, rounded outwards to whole seconds."""
    if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
        raise TypeError(f"{event.summary!r} has no times of day")
    start, end = utc(event.start), utc(event.end)
    whole = end.replace(microsecond=0)
    return start.replace(microsecond=0), whole if whole == end else whole + SECOND


def share(one: Stretch, other: Stretch) -> Stretch | None:
    """Return the time that two stretches have in common; None when they have none."""
    start, end = max(one[0], other[0]), min(one[1], other[1])
    return (start, end) if start < end else None


def common(stretches: Iterable[Stretch], other: Stretch) -> list[Stretch]:
    """Return what of `stretches` lies in `other`."""
    return [both for one in stretches if (both := share(one, other))]


def length(stretches: Iterable[Stretch]) -> dt.timedelta:
    """Return how long stretches are together."""
    return sum((end - start for start, end in stretches), dt.timedelta())


def merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return what any of the stretches covers, by start; those that touch become one."""
    result: list[Stretch] = []
    for start, end in sorted(stretches):
        if start >= end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def without(stretches: Sequence[Stretch], taken: Sequence[Stretch]) -> list[Stretch]:
    """Return what `taken` leaves of `stretches`; both by start and without overlap."""
    result: list[Stretch] = []
    for start, end in stretches:
        edge = start
        for first, last in taken:
            if last <= edge or first >= end:
                continue
            if edge < first:
                result.append((edge, first))
            edge = last
        if edge < end:
            result.append((edge, end))
    return result
