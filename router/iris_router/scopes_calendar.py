"""Arithmetic of whole days: weeks, months, the next day of a name. Weeks run Monday to Monday."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from iris_harness.contracts.scopes import ScopeKind

_YEARS_AHEAD = 9
"""The longest wait for a date: 29 February after 2096 comes in 2104."""
_MONTHS_AHEAD = 12 * 28
"""The longest wait for a weekday with a number: 28 years, then the calendar repeats."""
_DAYS_OF_WEEK = 7
_FRIDAY = 4
_LONG_GONE = dt.timedelta(days=183)
"""A date further back than this is not meant, even if its weekday fits."""
_LONGEST_MONTH = 31
DAY = dt.timedelta(days=1)
WEEK = dt.timedelta(days=7)
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


class Days(NamedTuple):
    """Whole days, `last` exclusive."""

    first: dt.date
    last: dt.date
    kind: ScopeKind = ScopeKind.DATE
    cycle: str = ""
    """``week`` or ``year`` when it was said without one, and so comes again after that."""

    def later(self) -> Days | None:
        """Return it a cycle later; None when it was said exactly."""
        return self._moved(1)

    def earlier(self) -> Days | None:
        """Return it a cycle earlier; None when it was said exactly."""
        return self._moved(-1)

    def _moved(self, by: int) -> Days | None:
        if self.cycle == "week":
            step = by * WEEK
            return Days(self.first + step, self.last + step, self.kind, self.cycle)
        if self.cycle != "year" or (self.first.month, self.first.day) == (2, 29):
            return None
        first = self.first.replace(year=self.first.year + by)
        return Days(first, first + (self.last - self.first), self.kind, self.cycle)


def one_day(day: dt.date, cycle: str = "") -> Days:
    """Return a day as whole days."""
    return Days(day, day + DAY, ScopeKind.DATE, cycle)


def monday(day: dt.date) -> dt.date:
    """Return the Monday of a day's week."""
    return day - dt.timedelta(days=day.weekday())


def week_start(day: dt.date, first_weekday: int) -> dt.date:
    """Return the first day of a day's week, when weeks begin with that weekday."""
    return day - dt.timedelta(days=(day.weekday() - first_weekday) % 7)


def first_of_month(day: dt.date, months: int = 0) -> dt.date:
    """Return the first of the month that is `months` after a day's."""
    index = day.year * 12 + day.month - 1 + months
    return dt.date(index // 12, index % 12 + 1, 1)


def add_months(day: dt.date, months: int) -> dt.date:
    """Return the same day of another month, or that month's last when it is shorter."""
    first = first_of_month(day, months)
    return min(first + dt.timedelta(days=day.day - 1), first_of_month(first, 1) - DAY)


def unit_days(
    unit: str, distance: int, today: dt.date, count: int = 1, *, first_weekday: int = 0
) -> Days:
    """Return `count` units of the calendar, the first of them `distance` units from today's.

    Weeks begin with `first_weekday` (Monday 0); work weeks and weekends are those of ISO weeks.
    """
    if unit == "day":
        first = today + distance * DAY
        return Days(
            first, first + count * DAY, ScopeKind.DATE_RANGE if count > 1 else ScopeKind.DATE
        )
    if unit in _MONTHS:
        return _month_days(unit, distance, today, count)
    start = monday(today) + distance * WEEK
    if unit == "workweek" and count == 1:
        return Days(start, start + 5 * DAY, ScopeKind.WEEK)
    if unit == "weekend":
        return Days(start + 5 * DAY, start + count * WEEK, ScopeKind.WEEKEND)
    if unit == "fortnight":
        return Days(start, start + 2 * count * WEEK, ScopeKind.DATE_RANGE)
    if unit == "week":
        start = week_start(today, first_weekday) + distance * WEEK
    return Days(start, start + count * WEEK, ScopeKind.WEEK if count == 1 else ScopeKind.DATE_RANGE)


def _month_days(unit: str, distance: int, today: dt.date, count: int) -> Days:
    length = _MONTHS[unit]
    first = first_of_month(today, -((today.month - 1) % length) + distance * length)
    one = unit == "month" and count == 1
    return Days(
        first,
        first_of_month(first, length * count),
        ScopeKind.MONTH if one else ScopeKind.DATE_RANGE,
    )


def add_units(day: dt.date, unit: str, count: int) -> dt.date:
    """Return the day that many whole units later; a month later is the same day of the month."""
    if unit in _MONTHS:
        return add_months(day, count * _MONTHS[unit])
    days = {"day": 1, "fortnight": 14}.get(unit, 7)
    return day + dt.timedelta(days=days * count)


def next_business_days(count: int, today: dt.date) -> Days:
    """Return the days from tomorrow, or the next Monday to Friday, until `count` such days."""
    first = today + DAY
    while first.weekday() > _FRIDAY:
        first += DAY
    weeks, rest = divmod(first.weekday() + count - 1, 5)
    last = monday(first) + weeks * WEEK + rest * DAY
    return Days(first, last + DAY, ScopeKind.DATE_RANGE)


def weekday_from(day: dt.date, weekday: int) -> dt.date:
    """Return the first such weekday on or after a day."""
    return day + dt.timedelta(days=(weekday - day.weekday()) % 7)


def date_of(number: int, month: int, year: int | None, today: dt.date) -> Days:
    """Return that day; without a year the next one from today on.

    Raises:
        ValueError: there is no such day.
    """
    if year is not None:
        return one_day(dt.date(year, month, number))
    for candidate in range(today.year, today.year + _YEARS_AHEAD):
        try:
            day = dt.date(candidate, month, number)
        except ValueError:
            continue
        if day >= today:
            return one_day(day, "year")
    raise ValueError(f"no day {number} in month {month}")


def date_on_weekday(days: Days, weekday: int, today: dt.date) -> Days:
    """Return a date of the weekday said with it: itself, a year later, or not long before today.

    Raises:
        ValueError: it is on that weekday in none of these years.
    """
    before = days.earlier()
    if before is not None and today - before.first > _LONG_GONE:
        before = None
    for candidate in (days, days.later(), before):
        if candidate is not None and candidate.first.weekday() == weekday:
            return candidate
    raise ValueError(f"{days.first} is on another weekday")


def month_of(month: int, year: int | None, today: dt.date) -> Days:
    """Return that month; without a year the next one, today's included."""
    after = year if year is not None else today.year + (month < today.month)
    first = dt.date(after, month, 1)
    cycle = "year" if year is None else ""
    return Days(first, first_of_month(first, 1), ScopeKind.MONTH, cycle)


def next_numbered(number: int, today: dt.date, weekday: int | None = None) -> Days:
    """Return the next day of a month with that number, and on that weekday if one is given.

    Raises:
        ValueError: there is no such day.
    """
    for ahead in range(_MONTHS_AHEAD):
        first = first_of_month(today, ahead)
        day = first + dt.timedelta(days=number - 1)
        if day < today or day.month != first.month:
            continue
        if weekday is None or day.weekday() == weekday:
            return one_day(day)
    raise ValueError(f"no day {number}")


def nth_of(ordinal: int, weekday: int, whole: Days) -> Days:
    """Return the first, second … weekday of a month or year; -1 is the last one.

    Raises:
        ValueError: it has not that many.
    """
    day = weekday_from(whole.first, weekday) + (ordinal - 1) * WEEK
    if ordinal < 0:
        day = weekday_from(whole.last - WEEK, weekday)
    if not whole.first <= day < whole.last:
        raise ValueError(f"no weekday {ordinal}")
    return one_day(day)


def nth_week_of(ordinal: int, whole: Days) -> Days:
    """Return the first, second … week of a month or year; a week belongs to its Thursday's.

    Raises:
        ValueError: it has not that many.
    """
    thursday = nth_of(ordinal, 3, whole).first
    return unit_days("week", 0, thursday)


def edge_of(edge: str, whole: Days) -> Days:
    """Return the ``start``, ``middle`` or ``end``: 3 days of a week, 10 of a month, 4 months.

    The end of a month goes from its 21st to its last day.
    """
    length = (whole.last - whole.first).days
    if length > _LONGEST_MONTH:
        months = {"start": 0, "middle": 4, "end": 8}[edge]
        first = first_of_month(whole.first, months)
        return Days(first, first_of_month(first, 4), ScopeKind.DATE_RANGE)
    third, middle = (3, 1) if length <= _DAYS_OF_WEEK else (10, 10)
    first = whole.first + {"start": 0, "middle": middle, "end": 2 * third}[edge] * DAY
    if edge == "end":
        first = whole.last - third * DAY if length <= _DAYS_OF_WEEK else first
        return Days(first, whole.last, ScopeKind.DATE_RANGE)
    return Days(first, first + third * DAY, ScopeKind.DATE_RANGE)
