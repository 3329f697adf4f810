"""Counted parts of something longer: "the first monday in may", "the 20th of next month"."""

from __future__ import annotations

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import DAY, Days, one_day
from iris_router.scopes_errors import NoSuchTimeError
from iris_router.scopes_text import DayForms, DayText, Found
from iris_router.scopes_units import UnitReader


class OrdinalReader(DayForms):
    """Reads the first, second or last of a month or year."""

    def __init__(self, text: DayText, units: UnitReader) -> None:
        """Take the text and the reader of its units."""
        super().__init__(text)
        self._units = units

    def nth(self, at: int) -> Found | None:
        """Read "first monday in may", "last week of july", "20th of next month"."""
        skip = at + (self._text(at) in self._words.articles)
        last = (
            self._words.which.get(self._text(skip)) == -1
            or self._words.which.get(self._text(at)) == -1
        )
        ordinal = (
            (-1, skip + 1 if self._text(skip) in self._words.which else at + 1)
            if last
            else self._numbers.ordinal(skip)
        )
        if ordinal is None:
            return None
        number, after = ordinal
        if number > 0 and self._text(after) in self._words.of:
            return self._numbered_in(number, after + 1)
        if self._text(after) in self._words.weeks_of:
            whole = self._units.whole(after + 1)
            return self._nth_in(number, None, "week", whole) if whole else None
        weekday = self._words.weekdays.get(self._text(after))
        unit = self._words.units.get(self._text(after))
        if self._text(after + 1) not in self._words.of or (weekday is None and unit is None):
            return None
        whole = self._units.whole(after + 2)
        if whole is None:
            return None
        return self._nth_in(number, weekday, unit, whole)

    def _nth_in(
        self, number: int, weekday: int | None, unit: str | None, whole: Found
    ) -> Found | None:
        days, end = whole
        try:
            if weekday is not None:
                return calendar.nth_of(number, weekday, days), end
            if unit == "week":
                week = calendar.nth_week_of(number, days)
                return self._weekday_of(week, end)
            if unit == "weekend":
                saturday = calendar.nth_of(number, 5, days).first
                return Days(saturday, saturday + 2 * DAY, ScopeKind.WEEKEND), end
            if unit == "day":
                day = days.last - DAY if number < 0 else days.first + (number - 1) * DAY
                return (one_day(day), end) if day < days.last else None
        except ValueError as error:
            raise NoSuchTimeError(end) from error
        return None

    def _weekday_of(self, week: Days, end: int) -> Found:
        after = end + (self._text(end) == ".")
        weekday = self._words.weekdays.get(self._text(after + 1))
        if weekday is not None and self._text(after) in self._words.on:
            return one_day(self._in_week(week, weekday)), after + 2
        return week, end

    def _numbered_in(self, number: int, at: int) -> Found | None:
        """Read the month after "20th of"; a named month is another form's."""
        at += self._text(at) in self._words.whole and self._text(at + 1) in self._words.which
        unit = self._words.units.get(self._text(at + 1))
        distance = self._words.which.get(
            self._text(at), 0 if self._text(at) in self._words.whole else None
        )
        if unit != "month" or distance is None:
            return None
        month = self._unit_days("month", distance, self._today)
        day = month.first + (number - 1) * DAY
        if not month.first <= day < month.last:
            raise NoSuchTimeError(at + 2)
        return one_day(day), at + 2
