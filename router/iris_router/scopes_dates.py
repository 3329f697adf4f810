"""Dates: "12 june", "the third of march 2027", "2026-06-03", "5/12", "the 3rd"."""

from __future__ import annotations

import datetime as dt
import re

from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import one_day
from iris_router.scopes_errors import counted
from iris_router.scopes_text import LAST_DAY, DayForms, DayText, Found

_LONG_YEAR = 4
_LEAST_YEAR = 1000
_COMPACT = 8
"""Digits of a date without marks."""
_SHORT = 2
"""Digits of a day or a month at most."""
_MONTHS = 12


class DateReader(DayForms):
    """Reads dates with a number."""

    def __init__(self, text: DayText) -> None:
        """Take the text."""
        super().__init__(text)
        self._month_first = text.month_first

    def month_day(self, at: int) -> Found | None:
        """Read "12 june", "the third of march 2027", "june 3rd, 2028"."""
        skip = at + (self._text(at) in self._words.articles)
        number = self._numbers.ordinal(skip) or self._numbers.cardinal(skip)
        if number:
            after = number[1] + (
                self._text(number[1]) in self._words.of or self._text(number[1]) == "-"
            )
            month = self._words.months.get(self._text(after))
            if month is None or not self._may_be_day(skip):
                return None
            return self.date(number[0], month, after + 1)
        return self._day_of_month(at)

    def _day_of_month(self, at: int) -> Found | None:
        month = self._words.months.get(self._text(at))
        if month is None:
            return None
        after = at + 1
        after += self._text(after) in {"-", "/", "."}
        after += self._text(after) in self._words.articles
        ordinal = self._numbers.ordinal(after)
        number = ordinal or self._numbers.cardinal(after)
        if number is None or not self._may_be_day(after):
            return None
        if ordinal is None and self.names_hour(number[1], after):
            return None
        return self.date(number[0], month, number[1])

    def names_hour(self, end: int, at: int) -> bool:
        """Return whether a number after a month is the hour or year of something else."""
        hour = self._is_half_of_day(end) or self._text(end) in self._words.oclock
        return hour or (self._tokens[at].kind == "number" and len(self._tokens[at].text) > _SHORT)

    def _is_half_of_day(self, at: int) -> bool:
        return self._text(at) in self._words.am or self._text(at) in self._words.pm

    def _may_be_day(self, at: int) -> bool:
        """Return whether a number beside a month is meant as a day, if an impossible one."""
        token = self._tokens[at]
        return token.kind == "word" or len(token.text) <= _SHORT

    def date(self, number: int, month: int, end: int) -> Found:
        """Read the rest of a date of which day and month are known: perhaps its year.

        Raises:
            NoSuchTimeError: no such day exists.
        """
        year = self.year_after(end)
        end = year[1] if year else end
        in_year = year[0] if year else None
        return counted(end, lambda: calendar.date_of(number, month, in_year, self._today)), end

    def year_after(self, at: int) -> tuple[int, int] | None:
        """Read a year, over the mark before it."""
        skip = at + (self._text(at) in {",", ".", "-"} or self._text(at) in self._words.of)
        token = self._tokens[skip]
        if token.kind != "number" or len(token.text) < _LONG_YEAR or int(token.text) < _LEAST_YEAR:
            return None
        if len(token.text) > _LONG_YEAR and not self._ends(skip + 1):
            return None  # so many of something
        if self._text(skip + 1) in self._words.units or self._is_half_of_day(skip + 1):
            return None
        return int(token.text), skip + 1

    def written(self, at: int) -> Found | None:
        """Read ``2026-06-03``, ``3/6/2026``, ``3.6.2026``, ``20260603``, ``5/12``, ``2/2026``."""
        token = self._tokens[at]
        if token.kind == "date":
            return self._in_digits(token.text, at + 1)
        if token.text in self._words.not_dates:
            return None
        if token.kind == "fraction":
            return self._fraction(token.text, at + 1)
        if token.kind != "number":
            return None
        if len(token.text) == _COMPACT:
            return self._compact(token.text, at + 1)
        return self._spelt_month(at) if len(token.text) == _LONG_YEAR else None

    def _spelt_month(self, at: int) -> Found | None:
        """Read ``2019/aug/01``."""
        month, number = self._words.months.get(self._text(at + 2)), self._numbers.cardinal(at + 4)
        marks = {self._text(at + 1), self._text(at + 3)}
        if month is None or number is None or not marks <= {"/", "-"}:
            return None
        return self._exact(int(self._text(at)), month, number[0], at + 5)

    def _in_digits(self, text: str, end: int) -> Found:
        parts = re.split(r"[-/.]", text)
        first, second, third = map(int, parts)
        if len(parts[0]) >= _LONG_YEAR:
            return self._exact(first, second, third, end)
        day, month = self._day_and_month(first, second, dotted="." in text)
        return self._exact(third, month, day, end)

    def _day_and_month(self, first: int, second: int, *, dotted: bool) -> tuple[int, int]:
        """Return day and month, in the locale's order unless only the other one is a date."""
        swapped = self._month_first and not dotted
        if swapped and first > _MONTHS:
            swapped = False
        elif not swapped and not dotted and second > _MONTHS:
            swapped = True
        return (second, first) if swapped else (first, second)

    def _compact(self, text: str, end: int) -> Found | None:
        try:
            day = dt.date(int(text[:4]), int(text[4:6]), int(text[6:]))
        except ValueError:
            return None
        return (one_day(day), end) if 1900 <= day.year < 2100 else None  # noqa: PLR2004 - a number else

    def _exact(self, year: int, month: int, day: int, end: int) -> Found:
        return counted(end, lambda: one_day(dt.date(year, month, day))), end

    def _fraction(self, text: str, end: int) -> Found | None:
        left, _, right = text.partition("/")
        first, second = int(left), int(right)
        if len(right) == _LONG_YEAR:
            year_month = 1 <= first <= _MONTHS and 1900 <= second < 2100  # noqa: PLR2004 - no year
            return (calendar.month_of(first, second, self._today), end) if year_month else None
        if text in self._words.fractions and not self._ends(end):
            return None
        day, month = self._day_and_month(first, second, dotted=False)
        if len(right) > _SHORT or not 1 <= month <= _MONTHS or not 1 <= day <= LAST_DAY:
            return None
        if self._text(end) in self._words.units or self._text(end) in self._words.part_of:
            return None
        return self.date(day, month, end)

    def numbered(self, at: int) -> Found | None:
        """Read "the 3rd", "on the first"."""
        skip = at + (self._text(at) in self._words.articles)
        number = self._numbers.ordinal(skip)
        if number is None or not self._stands_alone(at, skip, number[1]):
            return None
        if not 1 <= number[0] <= LAST_DAY:
            return None
        return calendar.next_numbered(number[0], self._today), number[1]

    def _stands_alone(self, at: int, place: int, end: int) -> bool:
        """Return whether an ordinal is the number of a day."""
        led = self._text(at - 1) in self._words.before_weak or self._text(at - 1) in self._words.at
        digits = self._tokens[place].kind == "number"
        if not led and not (digits and place > at):
            return False
        return self._ends(end)
