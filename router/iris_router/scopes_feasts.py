"""Days that move from year to year, and seasons: "easter monday", "this summer"."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from dateutil.easter import easter

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import DAY, WEEK, Days, one_day
from iris_router.scopes_dates import DateReader
from iris_router.scopes_errors import counted
from iris_router.scopes_text import DayForms, DayText, Found

_IN_YEAR = Callable[[int], Days]


class FeastReader(DayForms):
    """Reads what has a name and another date each year."""

    def __init__(self, text: DayText, dates: DateReader) -> None:
        """Take the text and the reader of its dates."""
        super().__init__(text)
        self._dates = dates

    def feast(self, at: int) -> Found | None:
        """Read "easter", "next thanksgiving", "good friday 2027"."""
        distance = self._words.which.get(self._text(at))
        place = at + (distance is not None)
        in_year = self._feast_of(self._text(place))
        year = self._dates.year_after(place + 1)
        if in_year is None or not (year or self._ends(place + 1)):
            return None
        if year:
            return counted(year[1], lambda: in_year(year[0])), year[1]
        return self._nearest(in_year, distance), place + 1

    def season(self, at: int) -> Found | None:
        """Read "this summer", "next winter", "in the spring of 2027"."""
        distance = self._words.which.get(self._text(at))
        place = at + (distance is not None or self._text(at) in self._words.articles)
        edges = self._words.seasons.get(self._text(place))
        before = self._text(at - 1)
        led = before in self._words.before_weak or before in self._words.coming
        led = led or distance is not None
        if edges is None or not led or not self._ends(place + 1):
            return None
        first_month, first_day, last_month, last_day = edges

        def in_year(year: int) -> Days:
            first = dt.date(year, first_month, first_day)
            last = dt.date(year + (last_month < first_month), last_month, last_day)
            return Days(first, last, ScopeKind.DATE_RANGE)

        year = self._dates.year_after(place + 1)
        if year:
            return counted(year[1], lambda: in_year(year[0])), year[1]
        return self._nearest(in_year, distance), place + 1

    def _feast_of(self, name: str) -> _IN_YEAR | None:
        """Return what gives the day of a feast in a year."""
        offset = self._words.easter.get(name)
        if offset is not None:
            return lambda year: one_day(easter(year) + offset * DAY)
        rule = self._words.feasts.get(name)
        if rule is None:
            return None
        month, weekday, ordinal, later = rule
        return lambda year: _later(
            calendar.nth_of(ordinal, weekday, calendar.month_of(month, year, self._today)), later
        )

    def _nearest(self, in_year: _IN_YEAR, distance: int | None) -> Days:
        """Return the one that is not over yet; a later or earlier one where that was said."""
        years = range(self._today.year - 1, self._today.year + 3)
        coming = [days for days in map(in_year, years) if days.last > self._today]
        if distance is not None and distance < 0:
            gone = [days for days in map(in_year, years) if days.last <= self._today]
            return gone[-1]
        begun = coming[0].first <= self._today and coming[0].last - coming[0].first > WEEK
        return coming[1] if begun and distance else coming[0]


def _later(days: Days, by: int) -> Days:
    return Days(days.first + by * DAY, days.last + by * DAY, days.kind)
