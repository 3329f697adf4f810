"""Whole days, and ranges of them: "friday", "next week", "12 to 16 september"."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import DAY, Days, one_day
from iris_router.scopes_dates import DateReader
from iris_router.scopes_distances import DistanceReader
from iris_router.scopes_errors import counted
from iris_router.scopes_feasts import FeastReader
from iris_router.scopes_months import MonthReader
from iris_router.scopes_ordinals import OrdinalReader
from iris_router.scopes_text import LAST_DAY, DayForms, DayText, Found, ReadDays
from iris_router.scopes_units import UnitReader
from iris_router.scopes_weekdays import WeekdayReader

_DEEPEST = 2
"""How often a day may stand in another ("two weeks from the week of 3 may")."""


class DayReader(DayForms):
    """Reads whole days in one text. A miss is None; the longest reading counts."""

    def __init__(self, text: DayText) -> None:
        """Take the text."""
        super().__init__(text)
        self._dates = DateReader(text)
        self._months = MonthReader(text, self._dates)
        feasts = FeastReader(text, self._dates)
        units = UnitReader(text, self._months)
        self._distances = DistanceReader(text)
        self._weekdays = WeekdayReader(text, self._dates, units, self._distances)
        self._head = text.tokens.head
        self._heads = text.heads
        self._depth = 0
        self._known: dict[tuple[int, int], Found | None] = {}
        """What was read at a place and a depth: several readings ask for the same days."""
        self._forms: Mapping[str, ReadDays] = {
            "relative": self._distances.relative, "unit": units.unit,
            "nth": OrdinalReader(text, units).nth, "edge": units.edge,
            "plural_weekday": self._weekdays.plural_weekday, "month_day": self._dates.month_day,
            "written": self._dates.written, "numbered": self._dates.numbered,
            "holiday": self._months.holiday, "month": self._months.month,
            "year": self._months.year, "feast": feasts.feast, "season": feasts.season,
        }  # fmt: skip

    def range(self, at: int) -> Found | None:
        """Read days, or a range from one to another.

        Raises:
            NoSuchTimeError: it names a day that does not exist.
        """
        if self._head(at) not in self._heads.day_ranges:
            return None
        opens = self._text(at) in self._words.start
        first = at + opens
        lengthy = self._lengthy(at)
        if lengthy:
            return lengthy
        numbered = self._numbers_of_month(first)
        day = None if numbered else self.days(first)
        if day is None:
            return numbered
        return self._joined(first, day) or self._pair(day) or (None if opens else day)

    def days(self, at: int) -> Found | None:
        """Read one day, week, month or other unit."""
        if self._depth > _DEEPEST or self._head(at) not in self._heads.day_forms:
            return None
        place = at, self._depth
        if place not in self._known:
            self._depth += 1
            try:
                self._known[place] = self._longest(at)
            finally:
                self._depth -= 1
        return self._known[place]

    def _longest(self, at: int) -> Found | None:
        best: Found | None = None
        for form in self._forms_at(at):
            found = self._form(form, at)
            if found and (best is None or found[1] > best[1]):
                best = found
        return best

    def _forms_at(self, at: int) -> tuple[str, ...]:
        """Return the forms that may begin here."""
        if self._head(at) != "number":
            return self._heads.day_forms[self._head(at)]
        return self._heads.number_forms.get(self._text(at + 1), self._heads.lone_number_forms)

    def _form(self, form: str, at: int) -> Found | None:
        if form == "week_of":
            return self._week_of(at)
        if form == "counted_units":
            return self._distances.counted_units(at, self.days)
        if form == "weekday":
            return self._weekdays.weekday(at, self.days)
        return self._forms[form](at)

    def _joined(self, at: int, first: Found) -> Found | None:
        if not self._joins(at, first[1]):
            return None
        after = first[1] + 1
        if self._text(after) in self._words.now:
            begun = _begun(first[0], self._today)
            return (begun, after + 1) if begun else None
        last, numbered = self.days(after), self._day_in_month(after, first[0])
        if numbered and (last is None or numbered[1] >= last[1]):
            last = numbered
        if last is None:
            return None
        days = _ordered(first[0], last[0], self._today)
        return (days, last[1]) if days else None

    def _pair(self, first: Found) -> Found | None:
        """Read two days that follow each other: "saturday and sunday", "today or tomorrow"."""
        if first[0].kind is not ScopeKind.DATE:
            return None
        joint = self._text(first[1])
        if joint not in self._words.and_ and joint not in self._words.or_:
            return None
        last = self.days(first[1] + 1)
        if last is None or last[0].kind is not ScopeKind.DATE:
            return None
        follows = first[0].last == last[0].first
        return (
            (Days(first[0].first, last[0].last, ScopeKind.DATE_RANGE), last[1]) if follows else None
        )

    def _joins(self, at: int, end: int) -> bool:
        text = self._text(end)
        both = text in self._words.and_ and self._text(at - 1) in self._words.both
        return both or text in self._words.to

    def _day_in_month(self, at: int, first: Days) -> Found | None:
        """Read the second number of "september 12 to 16"."""
        at += self._text(at) in self._words.articles
        number = self._numbers.ordinal(at)
        if number is None and first.cycle == "year":
            number = self._numbers.cardinal(at)
        if number is None or first.kind is not ScopeKind.DATE or first.cycle == "week":
            return None
        if self._dates.names_hour(number[1], at) or not 1 <= number[0] <= LAST_DAY:
            return None
        day = calendar.first_of_month(first.first) + (number[0] - 1) * DAY
        end, year = number[1], self._dates.year_after(number[1])
        if year:
            return one_day(day.replace(year=year[0])), year[1]
        return (one_day(day, first.cycle), end) if day.month == first.first.month else None

    def _numbers_of_month(self, at: int) -> Found | None:
        """Read "12 to 16 september"."""
        skip = at + (self._text(at) in self._words.articles)
        number = self._numbers.ordinal(skip) or self._numbers.cardinal(skip)
        if number is None or not self._joins(at, number[1]):
            return None
        after = number[1] + 1
        last = self._dates.month_day(after + (self._text(after) in self._words.articles))
        if last is None or not 1 <= number[0] <= LAST_DAY:
            return None
        end = last[0].first
        if number[0] >= end.day:
            return None
        return Days(end.replace(day=number[0]), last[0].last, ScopeKind.DATE_RANGE), last[1]

    def _lengthy(self, at: int) -> Found | None:
        """Read "3 days from monday" and "from monday for 3 days"."""
        skip = at + (self._text(at) in self._words.span)
        length = self._whole_length(skip)
        if length and self._text(length[2]) in self._words.starting:
            first = self.days(length[2] + 1)
            is_counted = skip > at or self._text(length[2]) not in self._words.from_day
            return _lasting(first[0], length, first[1]) if first and is_counted else None
        if self._text(at) not in self._words.starting:
            return None
        first = self.days(at + 1)
        if first is None or self._text(first[1]) not in self._words.span:
            return None
        length = self._whole_length(first[1] + 1)
        return _lasting(first[0], length, length[2]) if length else None

    def _week_of(self, at: int) -> Found | None:
        skip = at + (self._text(at) in self._words.whole)
        unit = "weekend" if self._text(skip) in self._words.weekends_of else "week"
        if unit == "week" and self._text(skip) not in self._words.weeks_of:
            return None
        after = skip + 1 + (self._text(skip + 1) in self._words.articles)
        day = self.days(skip + 1) or self._dates.numbered(after - 1) or self.days(after)
        if day is None or day[0].kind is not ScopeKind.DATE:
            return None
        return self._unit_days(unit, 0, day[0].first), day[1]


def _lasting(first: Days, length: tuple[int, str, int], end: int) -> Found:
    count, unit, _ = length
    last = counted(end, lambda: calendar.add_units(first.first, unit, count))
    return Days(first.first, last, ScopeKind.DATE_RANGE), end


def _begun(first: Days, today: dt.date) -> Days | None:
    """Return the range from the last such day until today; None when it is yet to come."""
    start: Days | None = first
    while start is not None and start.first > today:
        start = start.earlier()
    return Days(start.first, today + DAY, ScopeKind.DATE_RANGE) if start else None


def _ordered(first: Days, last: Days, today: dt.date) -> Days | None:
    """Return the range between, its ends moved on by a week or a year where they may be."""
    if first.cycle == last.cycle == "year":
        before = first.earlier()
        if before and first.first > last.first and before.first <= today < last.last:
            first = before
    if last.first < first.first and not last.cycle and first.cycle == "year":
        fits = first.first.replace(year=last.first.year)
        first = Days(fits, fits + (first.last - first.first), first.kind)
    if last.first < first.first:
        later = last.later()
        if later is None or later.first < first.first:
            return None
        last = later
    return Days(first.first, max(first.last, last.last), ScopeKind.DATE_RANGE)
