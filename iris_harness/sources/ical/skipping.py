"""Rules whose missing days move to a neighbour instead of being left out (RFC 7529 §4.1)."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterable, Iterator

from iris_harness.sources.ical.rules import YEARLY, Rule

_COUNTABLE = frozenset({
    "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS",
})  # fmt: skip
_DAY = dt.timedelta(days=1)


def expand_skipping(rule: Rule, start: dt.datetime, last: dt.datetime) -> list[dt.datetime]:
    """Return the wall-clock starts in [start, last] of a yearly or monthly rule with SKIP.

    Missing days move first; weekdays, then positions choose among what there is after that.

    Raises:
        ValueError: it names weeks or the weekdays of a month: what then moves is not counted out.
    """
    if any(which for _, which in rule.by_day) or rule.by.keys() - _COUNTABLE:
        raise ValueError(f"SKIP={rule.skip} with weeks or numbered weekdays is not counted out")
    found = {
        wall
        for days in _periods(rule, start, last)
        for wall in _chosen(rule, days)
        if start <= wall <= last
    }
    return sorted(found)[: rule.count]


def _periods(rule: Rule, start: dt.datetime, last: dt.datetime) -> Iterator[Iterable[dt.date]]:
    """Yield the days of each period; a day that moved may fall on another one."""
    months = rule.interval * (12 if rule.frequency == YEARLY else 1)
    # One month more: its missing days may move back before `last`.
    for number in range(start.year * 12 + start.month - 1, last.year * 12 + last.month + 1, months):
        year, month = divmod(number, 12)
        if year > dt.MAXYEAR - 1:
            return
        yield _days(rule, year, range(1, 13) if rule.frequency == YEARLY else (month + 1,))


def _days(rule: Rule, year: int, months: Iterable[int]) -> Iterator[dt.date]:
    for number_in_year in rule.by.get("BYYEARDAY", ()):
        yield from _place(rule, dt.date(year, 1, 1), dt.date(year + 1, 1, 1), number_in_year)
    allowed = rule.by.get("BYMONTH", range(1, 13))
    for month in (month for month in months if month in allowed):
        first = dt.date(year, month, 1)
        end = first + dt.timedelta(days=calendar.monthrange(year, month)[1])
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


def _chosen(rule: Rule, days: Iterable[dt.date]) -> set[dt.datetime]:
    """Return what of a period remains when weekdays and positions have chosen."""
    weekdays = {weekday for weekday, _ in rule.by_day} or range(7)
    kept = {day for day in days if day.weekday() in weekdays}
    walls = sorted(wall for day in kept for wall in _times(rule, day))
    positions = rule.by.get("BYSETPOS")
    if positions is None:
        return set(walls)
    places = {place - 1 if place > 0 else len(walls) + place for place in positions}
    return {walls[place] for place in places if 0 <= place < len(walls)}


def _times(rule: Rule, day: dt.date) -> Iterator[dt.datetime]:
    for hour in rule.by["BYHOUR"]:
        for minute in rule.by["BYMINUTE"]:
            for second in rule.by["BYSECOND"]:
                yield dt.datetime.combine(day, dt.time(hour, minute, second))
