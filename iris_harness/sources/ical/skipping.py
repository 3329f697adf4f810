"""Rules whose missing days move to a neighbour instead of being left out (RFC 7529 §4.1)."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterator

from iris_harness.sources.ical.rules import YEARLY, Rule

_COUNTABLE = frozenset({"BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYHOUR", "BYMINUTE", "BYSECOND"})
_DAY = dt.timedelta(days=1)


def expand_skipping(rule: Rule, start: dt.datetime, last: dt.datetime) -> list[dt.datetime]:
    """Return the wall-clock starts in [start, last] of a yearly or monthly rule with SKIP.

    Raises:
        ValueError: it names weekdays, weeks or positions: what then moves is not counted out.
    """
    if rule.by_day or rule.by.keys() - _COUNTABLE:
        raise ValueError(f"SKIP={rule.skip} with weekdays or positions is not counted out")
    found = {
        wall
        for day in _days(rule, start, last)
        for wall in _times(rule, day)
        if start <= wall <= last
    }
    return sorted(found)[: rule.count]


def _days(rule: Rule, start: dt.datetime, last: dt.datetime) -> Iterator[dt.date]:
    """Yield the days of each period; a day that moved may fall on another one."""
    months = rule.interval * (12 if rule.frequency == YEARLY else 1)
    # One month more: its missing days may move back before `last`.
    for number in range(start.year * 12 + start.month - 1, last.year * 12 + last.month + 1, months):
        year, month = divmod(number, 12)
        if year > dt.MAXYEAR - 1:
            return
        for number_in_year in rule.by.get("BYYEARDAY", ()):
            yield from _place(rule, dt.date(year, 1, 1), dt.date(year + 1, 1, 1), number_in_year)
        allowed = rule.by.get("BYMONTH", range(1, 13))
        for chosen in allowed if rule.frequency == YEARLY else {month + 1}.intersection(allowed):
            first = dt.date(year, chosen, 1)
            end = first + dt.timedelta(days=calendar.monthrange(year, chosen)[1])
            for number_in_month in rule.by.get("BYMONTHDAY", ()):
                yield from _place(rule, first, end, number_in_month)


def _place(rule: Rule, first: dt.date, end: dt.date, number: int) -> Iterator[dt.date]:
    """Yield the day of that number in [first, end), or where the rule moves it."""
    day = first + (number - 1) * _DAY if number > 0 else end + number * _DAY
    if first <= day < end:
        yield day
    elif rule.skip == "BACKWARD":
        yield (end if number > 0 else first) - _DAY
    else:
        yield end if number > 0 else first


def _times(rule: Rule, day: dt.date) -> Iterator[dt.datetime]:
    for hour in rule.by["BYHOUR"]:
        for minute in rule.by["BYMINUTE"]:
            for second in rule.by["BYSECOND"]:
                yield dt.datetime.combine(day, dt.time(hour, minute, second))
