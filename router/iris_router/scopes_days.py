"""Whole days: "friday", "next week", "12 to 16 september", "the first monday in may"."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import TypeAlias

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import DAY, Days, one_day
from iris_router.scopes_clock import NoSuchTimeError
from iris_router.scopes_numbers import NumberReader
from iris_router.scopes_tokens import Tokens
from iris_router.scopes_words import ScopeWords

Found: TypeAlias = tuple[Days, int]
"""What was read, and the token after it."""

_LONG_YEAR = 4
_LEAST_YEAR = 1000
_COMPACT = 8
"""Digits of a date without marks."""
_SHORT = 2
"""Digits of a day or a month at most."""
_MOST_UNITS = 1000
_DEEPEST = 2
"""How often a day may stand in another ("two weeks from the week of 3 may")."""
_LAST_DAY = 31
_MONTHS = 12


class DayReader:
    """Reads whole days in one text. A miss is None; the longest reading counts."""

    def __init__(
        self,
        tokens: Tokens,
        words: ScopeWords,
        numbers: NumberReader,
        today: dt.date,
        *,
        month_first: bool,
    ) -> None:
        """Take the text, its language's words, and what its dates are read against."""
        self._tokens = tokens
        self._text = tokens.text
        self._words = words
        self._numbers = numbers
        self._today = today
        self._month_first = month_first
        self._depth = 0
        self._forms: tuple[Callable[[int], Found | None], ...] = (
            self._relative, self._week_of, self._counted_units, self._unit, self._nth, self._edge,
            self._weekday, self._plural_weekday, self._month_day, self._written, self._numbered,
            self._holiday, self._month, self._year,
        )  # fmt: skip

    def range(self, at: int) -> Found | None:
        """Read days, or a range from one to another.

        Raises:
            NoSuchTimeError: it names a day that does not exist.
        """
        opens = self._text(at) in self._words.start
        first = at + opens
        lengthy = self._lengthy(at)
        if lengthy:
            return lengthy
        joined = self._numbers_of_month(first) or self._joined(first)
        if joined:
            return joined
        return None if opens else self.days(at)

    def days(self, at: int) -> Found | None:
        """Read one day, week, month or other unit."""
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        try:
            best: Found | None = None
            for form in self._forms:
                found = form(at)
                if found and (best is None or found[1] > best[1]):
                    best = found
            return best
        finally:
            self._depth -= 1

    # Ranges.

    def _joined(self, at: int) -> Found | None:
        first = self.days(at)
        if first is None or not self._joins(at, first[1]):
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
        if self._names_hour(number[1], at) or not 1 <= number[0] <= _LAST_DAY:
            return None
        day = calendar.first_of_month(first.first) + (number[0] - 1) * DAY
        end, year = number[1], self._year_after(number[1])
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
        last = self._month_day(after + (self._text(after) in self._words.articles))
        if last is None or not 1 <= number[0] <= _LAST_DAY:
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
            counted = skip > at or self._text(length[2]) not in self._words.from_day
            return (_lasting(first[0], length), first[1]) if first and counted else None
        if self._text(at) not in self._words.starting:
            return None
        first = self.days(at + 1)
        if first is None or self._text(first[1]) not in self._words.span:
            return None
        length = self._whole_length(first[1] + 1)
        return (_lasting(first[0], length), length[2]) if length else None

    def _whole_length(self, at: int) -> tuple[int, str, int] | None:
        """Read a length in whole days or longer: how many, of what, the end."""
        length = self._numbers.length(at)
        if length is None or length[1] in {"hour", "minute"} or length[0] % 60:
            return None
        count = length[0] // 60
        return (count, length[1], length[2]) if 0 < count <= _MOST_UNITS else None

    # Days relative to today.

    def _relative(self, at: int) -> Found | None:
        distance = self._words.relative_days.get(self._text(at))
        return None if distance is None else (one_day(self._today + distance * DAY), at + 1)

    def _counted_units(self, at: int) -> Found | None:
        """Read "in 3 days", "3 days ago", "two weeks from friday", "next 3 days"."""
        return self._next_units(at) or self._within(at) or self._away(at)

    def _next_units(self, at: int) -> Found | None:
        distance = self._words.which.get(self._text(at))
        if not distance:
            return None
        count = self._numbers.amount(at + 1)
        if count is None or count[0] % 60 or not 0 < count[0] <= _MOST_UNITS * 60:
            return None
        number, end = count[0] // 60, count[1]
        business = self._text(end) in self._words.business
        unit = self._words.units.get(self._text(end + business), "hour")
        if unit in {"hour", "minute", "weekend"}:
            return None
        if business and distance > 0:
            return calendar.next_business_days(number, self._today), end + 2
        first = 1 if distance > 0 else -number
        days = calendar.unit_days(unit, first, self._today, number)
        return days, end + 1 + business

    def _within(self, at: int) -> Found | None:
        if self._text(at) not in self._words.within:
            return None
        length = self._whole_length(at + 1)
        if length is None:
            return None
        then = calendar.add_units(self._today, length[1], length[0])
        end = length[2] + (self._text(length[2]) == "'")
        end += self._text(end) in self._words.possessives
        end += self._text(end) in self._words.in_time
        end = end if end > length[2] + 1 or end == length[2] else length[2]
        weekday = self._words.weekdays.get(self._text(end + 1))
        if self._text(end) in self._words.on and weekday is not None:
            return one_day(self._weekday_near(then, length[1], weekday)), end + 2
        return one_day(then), end

    def _weekday_near(self, then: dt.date, unit: str, weekday: int) -> dt.date:
        """Return the weekday of a week that is weeks away; of days away, the next one."""
        if unit == "day":
            return calendar.weekday_from(self._today + DAY, weekday)
        return calendar.monday(then) + weekday * DAY

    def _away(self, at: int) -> Found | None:
        length = self._whole_length(at)
        if length is None:
            return None
        count, unit, end = length
        if self._text(end) in self._words.ago:
            return one_day(calendar.add_units(self._today, unit, -count)), end + 1
        if self._text(end) in self._words.from_now:
            return one_day(calendar.add_units(self._today, unit, count)), end + 1
        if self._text(end) not in self._words.from_day:
            return None
        start = self.days(end + 1)
        if start is None:
            return None
        return one_day(calendar.add_units(start[0].first, unit, count)), start[1]

    # Units of the calendar.

    def _unit(self, at: int) -> Found | None:
        """Read "next week", "the week after next", "the rest of the month", "this quarter"."""
        text = self._text(at)
        unit = self._words.units.get(self._text(at + 1))
        if text in self._words.all and unit in {"week", "month", "year"}:
            whole = calendar.unit_days(unit, 0, self._today)
            return Days(self._today, whole.last, ScopeKind.DATE_RANGE), at + 2
        skip = at + (text in self._words.whole)
        if (
            self._words.units.get(self._text(skip))
            and self._text(skip + 1) in self._words.after_next
        ):
            return self._of(self._words.units[self._text(skip)], 2, skip + 2)
        if unit is None:
            return self._lone_weekend(at)
        distance = self._words.which.get(text)
        if distance is None and text in self._words.whole:
            named = unit in {"week", "weekend", "fortnight", "month"}
            around = {self._text(at - 1), self._text(at + 2)}
            alone = around.isdisjoint(self._words.part_of) and self._ends(at + 2)
            distance = 0 if named and alone else None
        return None if distance is None else self._of(unit, distance, at + 2)

    def _of(self, unit: str, distance: int, end: int) -> Found | None:
        if unit in {"hour", "minute", "day"}:
            return None
        weekday = self._words.weekdays.get(self._text(end + (self._text(end) in self._words.on)))
        days = calendar.unit_days(unit, distance, self._today)
        if weekday is not None and unit == "week":
            return one_day(days.first + weekday * DAY), end + 1 + (
                self._text(end) in self._words.on
            )
        return days, end

    def _lone_weekend(self, at: int) -> Found | None:
        if self._words.units.get(self._text(at)) != "weekend":
            return None
        if self._tokens[at + 1].kind == "word" and self._text(at + 1) not in self._words.followers:
            return None
        return calendar.unit_days("weekend", 0, self._today), at + 1

    def _whole(self, at: int) -> Found | None:
        """Read the week, month or year that something is a part of."""
        at += self._text(at) in self._words.whole and self._text(at + 1) in self._words.which
        named = self._unit(at) or self._month(at, sure=True) or self._year(at, sure=True)
        if named:
            return named
        unit = self._words.units.get(self._text(at + (self._text(at) in self._words.whole)))
        if unit not in {"week", "month", "year"}:
            return None
        end = at + 1 + (self._text(at) in self._words.whole)
        return calendar.unit_days(unit, 0, self._today), end

    def _week_of(self, at: int) -> Found | None:
        skip = at + (self._text(at) in self._words.whole)
        if self._text(skip) not in self._words.weeks_of:
            return None
        after = skip + 1 + (self._text(skip + 1) in self._words.articles)
        day = self.days(skip + 1) or self._numbered(after - 1) or self.days(after)
        if day is None or day[0].kind is not ScopeKind.DATE:
            return None
        return calendar.unit_days("week", 0, day[0].first), day[1]

    def _edge(self, at: int) -> Found | None:
        edge = self._words.edges.get(self._text(at))
        if edge is None:
            return None
        joined = (
            self._text(at + 1) in self._words.of - self._words.start or self._text(at + 1) == "-"
        )
        after = at + 1 + joined
        after += self._text(after) in self._words.glue
        whole = self._whole(after)
        if whole is None or whole[0].kind is ScopeKind.WEEKEND:
            return None
        return calendar.edge_of(edge, whole[0]), whole[1]

    def _nth(self, at: int) -> Found | None:
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
            whole = self._whole(after + 1)
            return self._nth_in(number, None, "week", whole) if whole else None
        weekday = self._words.weekdays.get(self._text(after))
        unit = self._words.units.get(self._text(after))
        if self._text(after + 1) not in self._words.of or (weekday is None and unit is None):
            return None
        whole = self._whole(after + 2)
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
            return one_day(week.first + weekday * DAY), after + 2
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
        month = calendar.unit_days("month", distance, self._today)
        day = month.first + (number - 1) * DAY
        if not month.first <= day < month.last:
            raise NoSuchTimeError(at + 2)
        return one_day(day), at + 2

    # Weekdays.

    def _weekday(self, at: int) -> Found | None:
        distance = self._words.which.get(self._text(at))
        place = at + (distance is not None)
        if self._text(at) in self._words.nearest:
            distance = 0
        weekday = self._words.weekdays.get(self._text(place))
        if weekday is None:
            return None
        if distance is None:
            found = self._qualified(weekday, place + 1)
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

    def _qualified(self, weekday: int, at: int) -> Found | None:
        """Read what may follow a weekday and says which one it is."""
        if self._text(at) in self._words.after_next:
            ahead = calendar.weekday_from(self._today + DAY, weekday)
            return one_day(ahead + calendar.WEEK), at + 1
        if self._words.units.get(self._text(at)) == "week" and self._ends(at + 1):
            ahead = calendar.weekday_from(self._today + DAY, weekday)
            return one_day(ahead + calendar.WEEK), at + 1
        week = self._unit(at + (self._text(at) in self._words.of or self._text(at) == ","))
        if week and week[0].kind is ScopeKind.WEEK and self._text(week[1] - 1) in self._words.units:
            return one_day(week[0].first + weekday * DAY), week[1]
        if self._text(at) in self._words.within:
            length = self._whole_length(at + 1)
            if length and length[1] in {"week", "fortnight", "month"}:
                then = calendar.add_units(self._today, length[1], length[0])
                return one_day(calendar.monday(then) + weekday * DAY), length[2]
        away = self._away(at)
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
        dated = self._month_day(skip) or self._written(skip)
        if dated:
            return self._matched(dated, weekday)
        ordinal = self._numbers.ordinal(skip)
        number = ordinal or (self._numbers.cardinal(skip) if skip == at else None)
        if number is None or not 1 <= number[0] <= _LAST_DAY:
            return None
        if ordinal is None and (number[0] <= _MONTHS or self._is_counted(number[1])):
            return None
        return calendar.next_numbered(number[0], self._today, weekday), number[1]

    def _matched(self, dated: Found, weekday: int) -> Found:
        try:
            return calendar.date_on_weekday(dated[0], weekday, self._today), dated[1]
        except ValueError as error:
            raise NoSuchTimeError(dated[1]) from error

    def _is_counted(self, at: int) -> bool:
        """Return whether a number before this place counts something, and is no day."""
        token = self._tokens[at]
        known = token.text in self._words.followers or token.text in self._words.start
        return (
            token.kind in {"word", "number", "clock"}
            and not known
            and token.text not in self._words.parts
        )

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

    def _ends(self, at: int) -> bool:
        """Return whether a name may end before this place."""
        token = self._tokens[at]
        return (
            token.kind != "word"
            or token.text in self._words.followers
            or token.text in self._words.parts
        )

    def _plural_weekday(self, at: int) -> Found | None:
        """Read "two sundays from now" and "2 thursdays back"."""
        number = self._numbers.cardinal(at)
        weekday = self._words.weekdays_plural.get(self._text(number[1])) if number else None
        if number is None or weekday is None or not 0 < number[0] <= _MOST_UNITS:
            return None
        end = number[1] + 1
        if self._text(end) in self._words.ago:
            last = calendar.weekday_from(self._today, weekday) - calendar.WEEK
            return one_day(last - (number[0] - 1) * calendar.WEEK), end + 1
        if self._text(end) not in self._words.from_now:
            return None
        ahead = calendar.weekday_from(self._today + DAY, weekday)
        return one_day(ahead + (number[0] - 1) * calendar.WEEK), end + 1

    # Dates.

    def _month_day(self, at: int) -> Found | None:
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
            return self._date(number[0], month, after + 1)
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
        if ordinal is None and self._names_hour(number[1], after):
            return None
        return self._date(number[0], month, number[1])

    def _names_hour(self, end: int, at: int) -> bool:
        """Return whether a number after a month is the hour or year of something else."""
        words = self._words
        hour = self._text(end) in words.am | words.pm | words.oclock
        return hour or (self._tokens[at].kind == "number" and len(self._tokens[at].text) > _SHORT)

    def _may_be_day(self, at: int) -> bool:
        """Return whether a number beside a month is meant as a day, if an impossible one."""
        token = self._tokens[at]
        return token.kind == "word" or len(token.text) <= _SHORT

    def _date(self, number: int, month: int, end: int) -> Found:
        year = self._year_after(end)
        try:
            days = calendar.date_of(number, month, year[0] if year else None, self._today)
        except ValueError as error:
            raise NoSuchTimeError(year[1] if year else end) from error
        return days, year[1] if year else end

    def _year_after(self, at: int) -> tuple[int, int] | None:
        skip = at + (self._text(at) in {",", ".", "-"} or self._text(at) in self._words.of)
        token = self._tokens[skip]
        if token.kind != "number" or len(token.text) != _LONG_YEAR or int(token.text) < _LEAST_YEAR:
            return None
        if (
            self._text(skip + 1) in self._words.units
            or self._text(skip + 1) in self._words.am | self._words.pm
        ):
            return None
        return int(token.text), skip + 1

    def _written(self, at: int) -> Found | None:
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
        first, second, third = (int(each) for each in re.split(r"[-/.]", text))
        if first > _LAST_DAY:
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
        try:
            return one_day(dt.date(year, month, day)), end
        except ValueError as error:
            raise NoSuchTimeError(end) from error

    def _fraction(self, text: str, end: int) -> Found | None:
        left, _, right = text.partition("/")
        first, second = int(left), int(right)
        if len(right) == _LONG_YEAR:
            year_month = 1 <= first <= _MONTHS and 1900 <= second < 2100  # noqa: PLR2004 - no year
            return (calendar.month_of(first, second, self._today), end) if year_month else None
        if text in self._words.fractions and not self._ends(end):
            return None
        day, month = self._day_and_month(first, second, dotted=False)
        if len(right) > _SHORT or not 1 <= month <= _MONTHS or not 1 <= day <= _LAST_DAY:
            return None
        if self._text(end) in self._words.units or self._text(end) in self._words.part_of:
            return None
        return self._date(day, month, end)

    def _numbered(self, at: int) -> Found | None:
        """Read "the 3rd", "on the first"."""
        skip = at + (self._text(at) in self._words.articles)
        number = self._numbers.ordinal(skip)
        if number is None or not self._stands_alone(at, skip, number[1]):
            return None
        if not 1 <= number[0] <= _LAST_DAY:
            return None
        return calendar.next_numbered(number[0], self._today), number[1]

    def _stands_alone(self, at: int, place: int, end: int) -> bool:
        """Return whether an ordinal is the number of a day."""
        led = self._text(at - 1) in self._words.before_weak or self._text(at - 1) in self._words.at
        digits = self._tokens[place].kind == "number"
        if not led and not (digits and place > at):
            return False
        return self._ends(end)

    # Names.

    def _holiday(self, at: int) -> Found | None:
        named = self._words.holidays.get(self._text(at))
        if named is None or not (self._ends(at + 1) or self._year_after(at + 1)):
            return None
        return self._date(named[1], named[0], at + 1)

    def _month(self, at: int, *, sure: bool = False) -> Found | None:
        """Read "december", "may 2027", "2017 april", "next march"."""
        year = self._year_after(at) if self._tokens[at].kind == "number" else None
        distance = self._words.which.get(self._text(at))
        place = at + (year is not None or distance is not None)
        month = self._words.months.get(self._text(place))
        if month is None:
            return None
        end = place + 1
        year = year or self._year_after(end)
        if year:
            return calendar.month_of(month, year[0], self._today), max(end, year[1])
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

    def _year(self, at: int, *, sure: bool = False) -> Found | None:
        """Read "in 2027", "q3 2026" and "2019 h2"."""
        year = self._plausible_year(at)
        place = at + (year is not None)
        part = self._words.year_parts.get(self._text(place))
        if part:
            after = self._year_after(place + 1) if year is None else None
            of = after[0] if after else year or self._today.year
            first = dt.date(of, part[0], 1)
            end = after[1] if after else place + 1
            return Days(first, calendar.first_of_month(first, part[1]), ScopeKind.DATE_RANGE), end
        led = (
            self._text(at - 1)
            in self._words.before_weak - self._words.on - self._words.to - self._words.start
        )
        if year is None or not (sure or led) or not self._ends(at + 1):
            return None
        return calendar.unit_days("year", year - self._today.year, self._today), at + 1

    def _plausible_year(self, at: int) -> int | None:
        token = self._tokens[at]
        if token.kind != "number" or len(token.text) != _LONG_YEAR:
            return None
        return int(token.text) if 1900 <= int(token.text) < 2100 else None  # noqa: PLR2004 - a count else


def _lasting(first: Days, length: tuple[int, str, int]) -> Days:
    count, unit, _ = length
    return Days(first.first, calendar.add_units(first.first, unit, count), ScopeKind.DATE_RANGE)


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
