"""Weekdays: "friday", "next monday", "tuesday of next week", "friday the 13th"."""

from __future__ import annotations

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import DAY, Days, one_day
from iris_router.scopes_dates import DateReader
from iris_router.scopes_distances import DistanceReader
from iris_router.scopes_errors import counted
from iris_router.scopes_text import LAST_DAY, MOST_UNITS, DayForms, DayText, Found, ReadDays
from iris_router.scopes_units import UnitReader

_MONTHS = 12


class WeekdayReader(DayForms):
    """Reads weekdays and what says which one is meant."""

    def __init__(
        self, text: DayText, dates: DateReader, units: UnitReader, distances: DistanceReader
    ) -> None:
        """Take the text and the readers of what may stand beside a weekday."""
        super().__init__(text)
        self._dates = dates
        self._units = units
        self._distances = distances

    def weekday(self, at: int, days: ReadDays) -> Found | None:
        """Read "friday", "next monday", "tuesday week", "friday the 13th".

        `days` reads the day that a distance is counted from.
        """
        distance = self._words.which.get(self._text(at))
        place = at + (distance is not None)
        if self._text(at) in self._words.nearest:
            distance = 0
        weekday = self._words.weekdays.get(self._text(place))
        if weekday is None:
            return None
        if distance is None:
            found = self._qualified(weekday, place + 1, days)
            if found:
                return found
        if not self._is_weekday(at, place):
            return None
        if distance is None:
            ahead = calendar.weekday_from(self._today + DAY, weekday)
            return one_day(ahead, "week"), place + 1
        dated = self._dated(weekday, place + 1) if distance == 0 else None
        return dated or (self._which_weekday(weekday, distance), place + 1)

    def _which_weekday(self, weekday: int, distance: int) -> Days:
        ahead = calendar.weekday_from(self._today, weekday)
        if distance == 0:
            return one_day(ahead)
        if distance < 0:
            return one_day(ahead - calendar.WEEK)
        return one_day(calendar.monday(self._today) + distance * calendar.WEEK + weekday * DAY)

    def _qualified(self, weekday: int, at: int, days: ReadDays) -> Found | None:
        """Read what may follow a weekday and says which one it is."""
        if self._text(at) in self._words.after_next:
            ahead = calendar.weekday_from(self._today + DAY, weekday)
            return one_day(ahead + calendar.WEEK), at + 1
        if self._words.units.get(self._text(at)) == "week" and self._ends(at + 1):
            ahead = calendar.weekday_from(self._today + DAY, weekday)
            return one_day(ahead + calendar.WEEK), at + 1
        week = self._units.unit(at + (self._text(at) in self._words.of or self._text(at) == ","))
        if week and week[0].kind is ScopeKind.WEEK and self._text(week[1] - 1) in self._words.units:
            return one_day(self._in_week(week[0], weekday)), week[1]
        if self._text(at) in self._words.within:
            length = self._whole_length(at + 1)
            if length and length[1] in {"week", "fortnight", "month"}:
                count, unit, end = length
                then = counted(end, lambda: calendar.add_units(self._today, unit, count))
                return one_day(calendar.monday(then) + weekday * DAY), length[2]
        away = self._distances.away(at, days)
        if away:
            return one_day(calendar.weekday_from(self._today + DAY, weekday)), away[1]
        return self._dated(weekday, at)

    def _dated(self, weekday: int, at: int) -> Found | None:
        """Read the date or the day's number after a weekday."""
        skip = at
        while skip < at + 2 and (
            self._text(skip) in {",", ".", "-"} or self._text(skip) in self._words.articles
        ):
            skip += 1
        dated = self._dates.month_day(skip) or self._dates.written(skip)
        if dated:
            return self._matched(dated, weekday)
        ordinal = self._numbers.ordinal(skip)
        number = ordinal or (self._numbers.cardinal(skip) if skip == at else None)
        if number is None or not 1 <= number[0] <= LAST_DAY:
            return None
        if ordinal is None and (number[0] <= _MONTHS or self._is_counted(number[1])):
            return None
        return calendar.next_numbered(number[0], self._today, weekday), number[1]

    def _matched(self, dated: Found, weekday: int) -> Found:
        days, end = dated
        return counted(end, lambda: calendar.date_on_weekday(days, weekday, self._today)), end

    def _is_weekday(self, at: int, place: int) -> bool:
        """Return whether a word like "sun" is a weekday here."""
        if self._text(place) not in self._words.weak_weekdays:
            return True
        if self._tokens.are_all(at, place + 1) or (at < place and self._ends(place + 1)):
            return True
        led = self._text(at - 1) in self._words.before_weak_weekday
        words, after = self._words, self._text(place + 1)
        timed = self._tokens[place + 1].kind == "clock" or after in words.parts
        timed = timed or self._text(place + 2) in words.am | words.pm
        joined = after in words.at and at == 0
        return (led and self._ends(place + 1)) or timed or joined

    def plural_weekday(self, at: int) -> Found | None:
        """Read "two sundays from now" and "2 thursdays back"."""
        number = self._numbers.cardinal(at)
        weekday = self._words.weekdays_plural.get(self._text(number[1])) if number else None
        if number is None or weekday is None or not 0 < number[0] <= MOST_UNITS:
            return None
        end = number[1] + 1
        if self._text(end) in self._words.ago:
            last = calendar.weekday_from(self._today, weekday) - calendar.WEEK
            return one_day(last - (number[0] - 1) * calendar.WEEK), end + 1
        if self._text(end) not in self._words.from_now:
            return None
        ahead = calendar.weekday_from(self._today + DAY, weekday)
        return one_day(ahead + (number[0] - 1) * calendar.WEEK), end + 1
