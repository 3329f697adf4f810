"""Months, years and their parts, and days with a name: "next march", "q3 2026", "christmas"."""

from __future__ import annotations

import datetime as dt

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import Days
from iris_router.scopes_dates import DateReader
from iris_router.scopes_errors import counted
from iris_router.scopes_text import DayForms, DayText, Found

_LONG_YEAR = 4


class MonthReader(DayForms):
    """Reads names of the calendar."""

    def __init__(self, text: DayText, dates: DateReader) -> None:
        """Take the text and the reader of its dates."""
        super().__init__(text)
        self._dates = dates

    def holiday(self, at: int) -> Found | None:
        """Read "christmas", "new year's eve 2027"."""
        named = self._words.holidays.get(self._text(at))
        if named is None or not (self._ends(at + 1) or self._dates.year_after(at + 1)):
            return None
        return self._dates.date(named[1], named[0], at + 1)

    def month(self, at: int, *, sure: bool = False) -> Found | None:
        """Read "december", "may 2027", "2017 april", "next march"."""
        year = self._dates.year_after(at) if self._tokens[at].kind == "number" else None
        distance = self._words.which.get(self._text(at))
        place = at + (year is not None or distance is not None)
        month = self._words.months.get(self._text(place))
        if month is None:
            return None
        end = place + 1
        year = year or self._dates.year_after(end)
        if year:
            end = max(end, year[1])
            return counted(end, lambda: calendar.month_of(month, year[0], self._today)), end
        if distance is not None:
            return calendar.month_of(month, self._year_of(month, distance), self._today), end
        if not sure and not self._is_month(at, end):
            return None
        return calendar.month_of(month, None, self._today), end

    def _year_of(self, month: int, distance: int) -> int | None:
        if distance > 0 and month == self._today.month:
            return self._today.year + 1
        if distance < 0:
            return self._today.year - (month >= self._today.month)
        return None

    def _is_month(self, at: int, end: int) -> bool:
        """Return whether a word like "may" is a month here."""
        if self._tokens[end].kind in {"number", "fraction"}:
            return False
        if self._text(at) not in self._words.weak_months:
            return True
        if self._tokens.are_all(at, end):
            return True
        led = self._text(at - 1) in self._words.before_weak - self._words.on
        joined = self._text(end) in self._words.to and self._text(end + 1) in self._words.months
        return (led and (self._ends(end) or self._text(end) in self._words.to)) or joined

    def year(self, at: int, *, sure: bool = False) -> Found | None:
        """Read "in 2027", "q3 2026" and "2019 h2"."""
        year = self._plausible_year(at)
        place = at + (year is not None)
        part = self._words.year_parts.get(self._text(place))
        if part:
            after = self._dates.year_after(place + 1) if year is None else None
            of = after[0] if after else year or self._today.year
            end = after[1] if after else place + 1
            return counted(end, lambda: _part_of_year(of, *part)), end
        led = (
            self._text(at - 1)
            in self._words.before_weak - self._words.on - self._words.to - self._words.start
        )
        if year is None or not (sure or led) or not self._ends(at + 1):
            return None
        return self._unit_days("year", year - self._today.year, self._today), at + 1

    def _plausible_year(self, at: int) -> int | None:
        token = self._tokens[at]
        if token.kind != "number" or len(token.text) != _LONG_YEAR:
            return None
        return int(token.text) if 1900 <= int(token.text) < 2100 else None  # noqa: PLR2004 - a count else


def _part_of_year(year: int, month: int, months: int) -> Days:
    first = dt.date(year, month, 1)
    return Days(first, calendar.first_of_month(first, months), ScopeKind.DATE_RANGE)
