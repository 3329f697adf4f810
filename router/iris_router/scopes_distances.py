"""Days at a distance: "tomorrow", "in 3 days", "two weeks from friday", "the next 3 days"."""

from __future__ import annotations

import datetime as dt

from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import DAY, one_day
from iris_router.scopes_errors import counted
from iris_router.scopes_text import DayForms, Found, ReadDays


class DistanceReader(DayForms):
    """Reads how far days are away."""

    def relative(self, at: int) -> Found | None:
        """Read "tomorrow"."""
        distance = self._words.relative_days.get(self._text(at))
        return None if distance is None else (one_day(self._today + distance * DAY), at + 1)

    def counted_units(self, at: int, days: ReadDays) -> Found | None:
        """Read "in 3 days", "3 days ago", "two weeks from friday", "next 3 days".

        `days` reads the day that a distance is counted from.
        """
        return self._next_units(at) or self._within(at) or self.away(at, days)

    def _next_units(self, at: int) -> Found | None:
        distance = self._words.which.get(self._text(at))
        if not distance:
            return None
        count = self._numbers.amount(at + 1)
        if count is None or count[0] % 60 or not count[0]:
            return None
        number, end = count[0] // 60, count[1]
        business = self._text(end) in self._words.business
        unit = self._words.units.get(self._text(end + business), "hour")
        if unit in {"hour", "minute", "weekend"}:
            return None
        end += 1 + business
        if business and distance > 0:
            return counted(end, lambda: calendar.next_business_days(number, self._today)), end
        first = 1 if distance > 0 else -number
        return counted(end, lambda: self._unit_days(unit, first, self._today, number)), end

    def _within(self, at: int) -> Found | None:
        if self._text(at) not in self._words.within:
            return None
        length = self._whole_length(at + 1)
        if length is None:
            return None
        then = self._then(length[0], length[1], length[2])
        end = length[2] + (self._text(length[2]) == "'")
        end += self._text(end) in self._words.possessives
        end += self._text(end) in self._words.in_time
        end = end if end > length[2] + 1 or end == length[2] else length[2]
        weekday = self._words.weekdays.get(self._text(end + 1))
        if self._text(end) in self._words.on and weekday is not None:
            return one_day(self._weekday_near(then, length[1], weekday)), end + 2
        return one_day(then), end

    def _then(self, count: int, unit: str, end: int, day: dt.date | None = None) -> dt.date:
        """Return the day so far from another, today when it is None.

        Raises:
            NoSuchTimeError: it is outside the calendar.
        """
        start = day or self._today
        return counted(end, lambda: calendar.add_units(start, unit, count))

    def _weekday_near(self, then: dt.date, unit: str, weekday: int) -> dt.date:
        """Return the weekday of a week that is weeks away; of days away, the next one."""
        if unit == "day":
            return calendar.weekday_from(self._today + DAY, weekday)
        return calendar.monday(then) + weekday * DAY

    def away(self, at: int, days: ReadDays) -> Found | None:
        """Read "3 days ago", "a week from now", "two weeks from friday"."""
        length = self._whole_length(at)
        if length is None:
            return None
        count, unit, end = length
        if self._text(end) in self._words.ago:
            return one_day(self._then(-count, unit, end + 1)), end + 1
        if self._text(end) in self._words.from_now:
            return one_day(self._then(count, unit, end + 1)), end + 1
        if self._text(end) not in self._words.from_day:
            return None
        start = days(end + 1)
        if start is None:
            return None
        return one_day(self._then(count, unit, start[1], start[0].first)), start[1]
