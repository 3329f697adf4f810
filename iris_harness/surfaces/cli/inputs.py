"""Dates, times and zones as they are typed on the command line."""

from __future__ import annotations

import calendar
import datetime as dt
import re
import zoneinfo

from iris_harness.errors import UsageError

_ISO_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_OFFSET = re.compile(r"[+-]\d{1,4}")
_NAMED_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LENGTH = re.compile(
    r"(?:(?P<hours>\d{1,3}(?:\.\d{1,2})?) ?h(?:ours?|rs?)?)? ?"
    r"(?:(?P<minutes>\d{1,4}) ?(?:m|mins?|minutes?)?)?"
)
_PRIORITIES = {
    **{str(number): number for number in range(1, 10)},
    **{letter: number for number, letter in enumerate("abcdefghi", start=1)},
    "high": 1,
    "medium": 5,
    "low": 9,
}
_SHORTEST_NAME = 3  # letters of a weekday
LONGEST_RANGE_DAYS = 31

# A year from either end of the calendar, so that every zone and every neighbouring day exists.
_FIRST_DAY = dt.date(dt.MINYEAR + 1, 1, 1)
_LAST_DAY = dt.date(dt.MAXYEAR - 1, 12, 31)


def parse_day(text: str, today: dt.date) -> dt.date:
    """Return the day meant by ``YYYY-MM-DD``, ``tomorrow``, ``fri`` or ``+3``.

    A weekday is its next occurrence after `today`; ``+3`` and ``-1`` count days from `today`.

    Raises:
        UsageError: it names no day; the message says what is wrong with it.
    """
    word = text.strip().lower()
    away = _days_away(word, today)
    if away is not None:
        return _shifted(today, away, text)
    match = _ISO_DAY.fullmatch(word)
    if match is None:
        raise UsageError(
            f"{text!r} is not a day", hint="use YYYY-MM-DD, today, tomorrow, friday or +3"
        )
    year, month, day = (int(part) for part in match.groups())
    try:
        return dt.date(year, month, day)
    except ValueError as error:
        raise UsageError(f"there is no day {text!r}", hint=_day_hint(year, month)) from error


def _shifted(today: dt.date, days: int, text: str) -> dt.date:
    try:
        return today + dt.timedelta(days=days)
    except OverflowError as error:
        raise _too_far(text) from error


def within_reach(day: dt.date, text: str) -> dt.date:
    """Return `day`, which the user typed as `text`, where every zone and its neighbours have it.

    Raises:
        UsageError: it lies at the edge of the calendar.
    """
    if not _FIRST_DAY <= day <= _LAST_DAY:
        raise _too_far(text)
    return day


def _too_far(text: str) -> UsageError:
    years = f"{_FIRST_DAY.year:04} to {_LAST_DAY.year}"
    return UsageError(f"{text!r} is too far away", hint=f"use the years {years}")


def _days_away(word: str, today: dt.date) -> int | None:
    if word in _NAMED_DAYS:
        return _NAMED_DAYS[word]
    if _OFFSET.fullmatch(word):
        return int(word)
    if len(word) >= _SHORTEST_NAME:
        for number, name in enumerate(_WEEKDAYS):
            if name.startswith(word):
                return (number - today.weekday() - 1) % 7 + 1
    return None


def _day_hint(year: int, month: int) -> str:
    if not (1 <= month <= len(calendar.month_name) - 1 and dt.MINYEAR <= year <= dt.MAXYEAR):
        return "use YYYY-MM-DD"
    last = calendar.monthrange(year, month)[1]
    return f"{year:04}-{month:02} ends on day {last}"


def parse_now(text: str, day: dt.date, timezone: str) -> dt.datetime:
    """Return the instant meant by ISO 8601 text or ``HH:MM`` on `day` in `timezone`.

    Text without an offset is read in `timezone`.

    Raises:
        UsageError: it names no instant.
    """
    zone = zoneinfo.ZoneInfo(timezone)
    match = _CLOCK.fullmatch(text.strip())
    try:
        if match is not None:
            clock = dt.time(int(match[1]), int(match[2]))
            return dt.datetime.combine(within_reach(day, text), clock, tzinfo=zone)
        moment = dt.datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a time",
            hint="use HH:MM or YYYY-MM-DDTHH:MM, with an offset or without",
        ) from error
    within_reach(moment.date(), text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def says_its_day(now: str) -> bool:
    """Return whether what `parse_now` reads has a day of its own, so that days count from it."""
    return _CLOCK.fullmatch(now.strip()) is None


def parse_clock(text: str) -> dt.time:
    """Return the time of day meant by ``HH:MM``.

    Raises:
        UsageError: it is none.
    """
    match = _CLOCK.fullmatch(text.strip())
    try:
        if match is not None:
            return dt.time(int(match[1]), int(match[2]))
    except ValueError:
        pass
    raise UsageError(f"{text!r} is not a time of day", hint="use HH:MM, as in 15:00")


def parse_minutes(text: str) -> int:
    """Return the minutes meant by ``45``, ``45m``, ``1h30``, ``1.5h`` or ``2 hours``.

    Raises:
        UsageError: it is no length, or none above zero.
    """
    match = _LENGTH.fullmatch(text.strip().lower())
    if match is not None and (match["hours"] or match["minutes"]):
        minutes = round(float(match["hours"] or 0) * 60) + int(match["minutes"] or 0)
        if minutes:
            return minutes
    raise UsageError(f"{text!r} is no length of time", hint="use 45m, 1h30 or 2h")


def parse_priority(text: str) -> int:
    """Return 1 (highest) to 9, as typed or as a letter A to I, or high, medium, low (1, 5, 9).

    Raises:
        UsageError: it is none of them.
    """
    word = text.strip().lower()
    if word in _PRIORITIES:
        return _PRIORITIES[word]
    raise UsageError(
        f"{text!r} is no priority", hint="use 1 (highest) to 9, A to I, high, medium or low"
    )


def week_of(day: dt.date) -> tuple[dt.date, ...]:
    """Return the seven days, Monday to Sunday, of the week that `day` lies in."""
    monday = day - dt.timedelta(days=day.weekday())
    return tuple(monday + dt.timedelta(days=n) for n in range(7))


def days_between(first: dt.date, last: dt.date) -> tuple[dt.date, ...]:
    """Return every day from `first` to `last`, both included.

    Raises:
        UsageError: `last` is before `first`, or the range is longer than a month.
    """
    count = (last - first).days + 1
    if count < 1:
        raise UsageError(f"the range ends ({last}) before it begins ({first})")
    if count > LONGEST_RANGE_DAYS:
        raise UsageError(
            f"a range of {count} days is too long", hint=f"plan {LONGEST_RANGE_DAYS} at most"
        )
    return tuple(first + dt.timedelta(days=n) for n in range(count))
