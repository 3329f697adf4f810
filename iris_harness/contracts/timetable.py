"""When something is to be said: "weekdays 07:00", in the user's zone, and what is due of it.

Pure: what is due follows from the timetable, the zone, "now" and what was said already, never
from a timer. So nothing is lost while the machine sleeps, and nothing is said twice when two
programs look at once.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.errors import UsageError

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMED = {
    "daily": frozenset(range(7)),
    "everyday": frozenset(range(7)),
    "weekdays": frozenset(range(5)),
    "weekends": frozenset({5, 6}),
}
_TIME = re.compile(r"(\d{1,2}):(\d\d)")
_LOOK_BACK_DAYS = 8
"""Every timetable has a time in each week, so one more day than that holds the last one."""
ON_TIME = dt.timedelta(minutes=5)
"""What is said within this of its time is not called late."""


class Timetable(NamedTuple):
    """Days of the week, and a time of their wall clock."""

    weekdays: frozenset[int]
    """Monday is 0; at least one."""
    time: dt.time

    def instant(self, day: dt.date, zone: ZoneInfo) -> dt.datetime:
        """Return the instant on `day`, aware, UTC.

        A time that a clock change leaves out is as much later as the clock is put forward; of
        one that comes twice the first is meant (RFC 5545 §3.3.5).
        """
        return dt.datetime.combine(day, self.time, zone).astimezone(dt.UTC)


class Due(NamedTuple):
    """Something that is to be said now."""

    day: dt.date
    """The day it is for; with its name it is said once."""
    at: dt.datetime
    """When it was to be said, aware, UTC."""
    is_late: bool


def parse_timetable(text: str) -> Timetable:
    """Read "weekdays 07:00", "daily 8:30", "mon, wed fri 07:00", "mon-thu 07:00".

    Raises:
        UsageError: it is none of these; the message says what is wrong.
    """
    words = text.lower().replace(",", " ").split()
    if not words:
        raise UsageError("no time is given", hint='write it as "weekdays 07:00"')
    *days, time = words
    weekdays = frozenset(number for word in days for number in _weekdays(word))
    return Timetable(weekdays or _NAMED["daily"], parse_time(time))


def _weekdays(word: str) -> Iterator[int]:
    if word in _NAMED:
        yield from sorted(_NAMED[word])
        return
    first, dash, last = word.partition("-")
    start = _weekday(first)
    end = _weekday(last) if dash else start
    yield from ((start + n) % 7 for n in range((end - start) % 7 + 1))


def _weekday(word: str) -> int:
    if word[:3] in _DAYS and _is_beginning(word):
        return _DAYS.index(word[:3])
    raise UsageError(
        f"{word!r} is no day of the week", hint='days are mon to sun, "weekdays" or "daily"'
    )


_FULL = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _is_beginning(word: str) -> bool:
    return any(name.startswith(word.removesuffix("s")) for name in _FULL)


def parse_time(word: str) -> dt.time:
    """Read "7:00" or "07:00".

    Raises:
        UsageError: it is no time of the day.
    """
    match = _TIME.fullmatch(word)
    try:
        if match:
            return dt.time(int(match[1]), int(match[2]))
    except ValueError:
        pass
    raise UsageError(f"{word!r} is no time of the day", hint="write it as 07:00")


def find_due(
    timetable: Timetable,
    zone: ZoneInfo,
    now: dt.datetime,
    said_for: frozenset[dt.date],
    since: dt.datetime,
) -> Due | None:
    """Return what is to be said now; None when nothing is.

    Only what belongs to the day of "now" in `zone` is said: a briefing for yesterday helps
    nobody, so what was slept through until the next day is only named as missed.

    Args:
        timetable: when it is to be said.
        zone: the user's zone.
        now: aware.
        said_for: days for which it was said already, or found to be missed.
        since: when the user asked for it, aware; what lies before was never to be said.
    """
    today = now.astimezone(zone).date()
    at = timetable.instant(today, zone)
    if today.weekday() not in timetable.weekdays or today in said_for or not since <= at <= now:
        return None
    return Due(today, at, now - at > ON_TIME)


def find_missed(
    timetable: Timetable,
    zone: ZoneInfo,
    now: dt.datetime,
    said_for: frozenset[dt.date],
    since: dt.datetime,
) -> tuple[dt.date, ...]:
    """Return the days of the week before today, by date, whose time passed without a word.

    They are told, and not made up for. Arguments as for `find_due`.
    """
    today = now.astimezone(zone).date()
    return tuple(
        day
        for day in _days_until(timetable, today)
        if day < today and day not in said_for and timetable.instant(day, zone) >= since
    )


def next_time(timetable: Timetable, zone: ZoneInfo, now: dt.datetime) -> dt.datetime:
    """Return the next instant after `now`, aware, in `zone`."""
    today = now.astimezone(zone).date()
    days = (today + dt.timedelta(days=n) for n in range(_LOOK_BACK_DAYS + 1))
    instants = (timetable.instant(day, zone) for day in days if day.weekday() in timetable.weekdays)
    return next(instant for instant in instants if instant > now).astimezone(zone)


def _days_until(timetable: Timetable, today: dt.date) -> Iterator[dt.date]:
    for back in range(_LOOK_BACK_DAYS - 1, -1, -1):
        day = today - dt.timedelta(days=back)
        if day.weekday() in timetable.weekdays:
            yield day
