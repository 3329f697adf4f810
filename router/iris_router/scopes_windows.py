"""From words to a span of time: a day, a part of it and a time, in any order, and open ends."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from iris_harness.contracts.scopes import ScopeKind
from iris_router.scopes_calendar import DAY, Days, one_day
from iris_router.scopes_clock import MIDNIGHT, NOON, Clock, ClockReader, ClockSpan
from iris_router.scopes_days import DayReader
from iris_router.scopes_errors import counted
from iris_router.scopes_heads import Heads
from iris_router.scopes_numbers import NumberReader
from iris_router.scopes_text import DayText
from iris_router.scopes_tokens import Tokens
from iris_router.scopes_words import ScopeWords

OPEN_DAYS = 7
"""How far "after friday" goes."""
_JUST_GONE = dt.timedelta(hours=1)
_MINUTE = dt.timedelta(minutes=1)
_MONDAY, _SUNDAY = 0, 6
_MOST_GLUE = 3
_MOST_PIECES = 4


class Window(NamedTuple):
    """A span of time and its shape."""

    start: dt.datetime
    end: dt.datetime
    kind: ScopeKind


class _Part(NamedTuple):
    """A part of a day."""

    hours: tuple[int, int]
    days: int = 0
    """Of which day, from today."""
    coming: bool = False
    """Whether it is tomorrow's when today's is over."""
    named: bool = False
    """Whether its day is said with it ("tonight")."""


class _Point(NamedTuple):
    """What was said of one time so far; a time needs at least one of these."""

    days: Days | None = None
    part: _Part | None = None
    clock: ClockSpan | None = None


_NOTHING = _Point()


class WindowReader:
    """Reads the scopes of one text: days, parts of a day and times put together."""

    def __init__(
        self,
        tokens: Tokens,
        words: ScopeWords,
        heads: Heads,
        now: dt.datetime,
        locale: str,
    ) -> None:
        """Take the text, the words of its language, the first ones of scopes, and "now"."""
        self._tokens = tokens
        self._text = tokens.text
        self._head = tokens.head
        self._words = words
        self._heads = heads
        self._now = now
        self._today = now.date()
        self.left_out = ""
        """The last time that was read and its day's clock leaves out, ISO 8601; empty: none."""
        self._numbers = NumberReader(tokens, words)
        self._clocks = ClockReader(tokens, words, self._numbers, heads)
        self._days = DayReader(
            DayText(
                tokens=tokens,
                words=words,
                numbers=self._numbers,
                today=self._today,
                heads=heads,
                month_first=locale.lower() in words.month_first,
                first_weekday=_SUNDAY if locale.lower() in words.sunday_first else _MONDAY,
            )
        )

    def scope(self, at: int) -> tuple[Window, int] | None:
        """Read the scope that begins here: a window and the token after it."""
        moment = self._moment(at) if self._head(at) in self._heads.lengths else None
        return moment or self._bounded(at) or self._plain(at)

    def _plain(self, at: int) -> tuple[Window, int] | None:
        found = self._point(at)
        if found is None:
            return None
        first, end = found
        window = counted(end, lambda: self._window(first))
        if self._text(end + 1) in self._words.now:
            window = self._gone(first, window)
        joins = self._text(end) in self._words.to or (
            self._text(end) in self._words.and_
            and not self._words.both.isdisjoint({self._text(at), self._text(at - 1)})
        )
        if joins and first.clock and first.clock.last is None:
            last = self._ending(end + 1, window)
            if last:
                return Window(window.start, last[0], ScopeKind.TIME_RANGE), last[1]
        return window, end

    def _gone(self, point: _Point, window: Window) -> Window:
        """Return a time that lasts until now: the last one like it."""
        if point.days is not None or point.clock is None or window.start <= self._now:
            return window
        minutes = point.clock.first.before(self._now.hour * 60 + self._now.minute)
        return self._instant(self._at(self._today, minutes))

    def _ending(self, at: int, window: Window) -> tuple[dt.datetime, int] | None:
        """Read the second end of a range whose first is an instant."""
        if self._text(at) in self._words.now:
            return (self._now, at + 1) if window.start < self._now else None
        last = self._point(at)
        if last is None or last[0].clock is None or last[0].clock.last or not last[0].days:
            return None
        start = counted(last[1], lambda: self._window(last[0])).start
        return (start, last[1]) if start > window.start else None

    # Instants at some distance from now, and times with one end.

    def _moment(self, at: int) -> tuple[Window, int] | None:
        """Read "in 2 hours", "10 minutes ago", "the next 3 hours"."""
        text = self._text(at)
        at += text in self._words.within or text in self._words.which
        length = self._hours(at)
        if length is None and self._words.which.get(text) and self._is_hour(at):
            length = 60, at + 1
        if length is None:
            return None
        minutes, end = length
        distance = self._words.which.get(text)
        if distance:
            ends = sorted((self._now, self._later(distance * minutes, end)))
            return Window(ends[0], ends[1], ScopeKind.TIME_RANGE), end
        if text in self._words.within:
            end += self._text(end) in self._words.in_time
            return self._instant(self._later(minutes, end)), end
        if self._text(end) in self._words.ago:
            return self._instant(self._later(-minutes, end + 1)), end + 1
        if self._text(end) in self._words.from_now:
            return self._instant(self._later(minutes, end + 1)), end + 1
        return None

    def _is_hour(self, at: int) -> bool:
        return self._words.units.get(self._text(at)) == "hour"

    def _hours(self, at: int) -> tuple[int, int] | None:
        """Read a length in hours or minutes: the minutes and the end."""
        length = self._numbers.length(at)
        if length is None or length[1] not in {"hour", "minute"}:
            return None
        amount, unit, end = length
        if unit == "hour" and self._text(end) in self._words.later_ends:
            amount, end = amount + 30, end + 1
        return (amount if unit == "hour" else amount // 60), end

    def _later(self, minutes: int, end: int) -> dt.datetime:
        """Return an instant that was said up to the token `end`.

        Raises:
            NoSuchTimeError: it is outside the calendar.
        """
        now, zone = self._now.astimezone(dt.UTC), self._now.tzinfo
        return counted(end, lambda: (now + minutes * _MINUTE).astimezone(zone))

    def _instant(self, start: dt.datetime) -> Window:
        end = (start.astimezone(dt.UTC) + _MINUTE).astimezone(start.tzinfo)
        return Window(start, end, ScopeKind.DATETIME)

    def _bounded(self, at: int) -> tuple[Window, int] | None:
        """Read "before friday", "by 5pm", "after 3pm", "since monday"."""
        text, words = self._text(at), self._words
        if text not in words.before and text not in words.after and text not in words.since:
            return None
        before = self._text(at - 1)
        found = self._point(at + 1, bare=True)
        if found is None or before in words.units or before in words.how_long:
            return None
        point, end = found
        if text in words.since:
            return counted(end, lambda: self._since(point)), end
        window = counted(end, lambda: self._window(point))
        if text in words.after:
            return counted(end, lambda: self._after(point, window)), end
        stop = window.end if text in words.before_inclusive and not point.clock else window.start
        until = self._until(stop, window.kind)
        return (until, end) if until else None

    def _until(self, stop: dt.datetime, kind: ScopeKind) -> Window | None:
        """Return the time that is left until `stop`; None when it is over."""
        today = self._at(self._today, 0)
        if stop <= today:
            return None
        timed = kind in {ScopeKind.DATETIME, ScopeKind.TIME}
        start = self._now if timed and self._now < stop else today
        return Window(start, stop, ScopeKind.TIME_RANGE if timed else ScopeKind.DATE_RANGE)

    def _after(self, point: _Point, window: Window) -> Window:
        if point.clock or point.part:
            start = window.start if point.clock else window.end
            end = self._at(start.date() + DAY, 0)
            return Window(start, end, ScopeKind.TIME_RANGE)
        last = self._at(window.end.date() + OPEN_DAYS * DAY, 0)
        return Window(window.end, last, ScopeKind.DATE_RANGE)

    def _since(self, point: _Point) -> Window:
        days = point.days
        while days is not None and days.first > self._today:
            days = days.earlier()
        start = self._window(
            point._replace(days=days or (None if point.clock else point.days))
        ).start
        if start > self._now:
            start = self._at(start.date() - DAY, start.hour * 60 + start.minute)
        return Window(
            start,
            self._at(self._today + DAY, 0),
            ScopeKind.TIME_RANGE if point.clock else ScopeKind.DATE_RANGE,
        )

    # A day, a part of it and a time, in any order.

    def _point(self, at: int, *, bare: bool = False) -> tuple[_Point, int] | None:
        point, end = _NOTHING, at
        for _ in range(_MOST_PIECES):
            found = self._piece(point, end, bare=bare and end == at)
            if found is None:
                break
            point, end = found
        if end == at or not self._is_sound(point):
            return None
        return point, end

    def _piece(self, point: _Point, at: int, *, bare: bool) -> tuple[_Point, int] | None:
        """Read the next piece, over the words that join it to the ones before."""
        begun = point is not _NOTHING
        place = at
        for _ in range(_MOST_GLUE if begun else 1):
            found = self._next(point, place, bare=bare)
            if found:
                return found
            if not begun or self._text(place) not in self._words.glue:
                return None
            place += 1
        return None

    def _next(self, point: _Point, at: int, *, bare: bool) -> tuple[_Point, int] | None:
        if self._head(at) not in self._heads.pieces:
            return None
        clock = self._clock(point, at, bare=bare) if point.clock is None else None
        if point.days is None:
            days = self._days.range(at)
            if days and (clock is None or days[1] >= clock[1]):
                return _Point(days[0], point.part, point.clock), days[1]
        if clock:
            return _Point(point.days, point.part, clock[0]), clock[1]
        if point.part is None:
            part = self._part(point, at)
            if part:
                return _Point(point.days, part[0], point.clock), part[1]
        return None

    def _clock(self, point: _Point, at: int, *, bare: bool) -> tuple[ClockSpan, int] | None:
        if self._head(at) not in self._heads.clock_leads:
            return None
        words, text, before = self._words, self._text(at), self._text(at - 1)
        said = text in words.at and text not in words.start
        led = before in words.at and before not in words.span
        after_day = point.days is not None or point.part is not None
        found = self._clocks.span(at + 1, bare=not self._is_for_some(at)) if said else None
        if found is None:
            ranged = self._is_range_after(point, at)
            found = self._clocks.span(at, bare=bare or led or ranged)
        if found is None and (after_day or point == _NOTHING):
            return self._hour_before_part(at)
        return found

    def _is_for_some(self, at: int) -> bool:
        """Return whether a number after "for" is how many, as in "a table for 3 at Luigi's"."""
        number = self._numbers.cardinal(at + 1) if self._text(at) in self._words.span else None
        words, after = self._words, self._text(number[1]) if number else ""
        return after in words.at or (after in words.coming and after not in words.of)

    def _is_range_after(self, point: _Point, at: int) -> bool:
        """Return whether bare numbers here may be a range, as in "monday 11-4"."""
        if self._numbers.cardinal(at) is None or self._text(at + 1) not in self._words.to:
            return False
        return (
            point.days is not None
            or point.part is not None
            or self._text(at + 3) in self._words.coming
            or self._text(at + 3) in self._words.relative_days
            or self._text(at + 3) in self._words.weekdays
        )

    def _hour_before_part(self, at: int) -> tuple[ClockSpan, int] | None:
        """Read an hour that only what follows makes one ("9 tomorrow evening")."""
        found = self._clocks.clock(at, bare=True)
        if found is None or not found[0].open:
            return None
        after = found[1] + (self._text(found[1]) == ",")
        if self._part(_NOTHING, after):
            return ClockSpan(found[0]), found[1]
        days = self._days.range(after)
        if days and self._part(_Point(days=days[0]), days[1]):
            return ClockSpan(found[0]), found[1]
        return None

    def _part(self, point: _Point, at: int) -> tuple[_Part, int] | None:
        text, words = self._text(at), self._words
        if text in words.tonight:
            return _Part(words.tonight[text], named=True), at + 1
        if text in words.lone_parts:
            return _Part(words.lone_parts[text]), at + 1
        if text in words.parts:
            alone = self._tokens.are_all(at, at + 1) or self._days_follow(at + 1)
            whole = point.days is not None or alone
            return (_Part(words.parts[text]), at + 1) if whole else None
        return self._led_part(point, at)

    def _led_part(self, point: _Point, at: int) -> tuple[_Part, int] | None:
        """Read a part with a word before it: "this morning", "in the evening"."""
        text, words = self._text(at), self._words
        hours = words.parts.get(self._text(at + 1))
        if hours is None:
            return None
        if text in words.which:
            return _Part(hours, words.which[text], named=True), at + 2
        if text in words.coming:
            alone = point.days is None and point.clock is None
            return _Part(hours, coming=alone), at + 2
        loose = text in words.glue and not self._days_follow(at + 2)  # "the morning shift"
        return (_Part(hours), at + 2) if text in words.whole and not loose else None

    def _days_follow(self, at: int) -> bool:
        return self._text(at) in self._words.of and self._days.days(at + 1) is not None

    @staticmethod
    def _is_sound(point: _Point) -> bool:
        """Return whether the pieces make one time: an hour or a part belongs to one day."""
        alone = point.clock is None and point.part is None
        return point.days is None or alone or point.days.last - point.days.first == DAY

    # From what was said to instants.

    def _window(self, point: _Point) -> Window:
        if point.clock:
            return self._timed(point, point.clock)
        if point.part:
            return self._parted(point, point.part)
        days = point.days or one_day(self._today)
        start, end = self._at(days.first, 0), self._at(days.last, 0)
        if start.astimezone(dt.UTC) >= end.astimezone(dt.UTC):
            raise ValueError("a day that the zone leaves out")
        return Window(start, end, days.kind)

    def _parted(self, point: _Point, part: _Part) -> Window:
        day = point.days.first if point.days else self._today + part.days * DAY
        first, last = (hour * 60 for hour in part.hours)
        if part.coming and point.days is None and self._at(day, last) <= self._now:
            day += DAY
        return Window(self._at(day, first), self._at(day, last), ScopeKind.DAY_PART)

    def _timed(self, point: _Point, clock: ClockSpan) -> Window:
        named = point.days is not None or (point.part is not None and point.part.named)
        days = point.part.days if point.part else 0
        day = point.days.first if point.days else self._today + days * DAY
        first = clock.first.within(point.part.hours) if point.part else clock.first.usual()
        if point.part and point.part.hours[1] * 60 == MIDNIGHT and first < NOON // 2:
            first += MIDNIGHT  # the small hours after that night
        if clock.last or clock.minutes:
            return self._clock_range(point, clock, day, first)
        if first == MIDNIGHT and named:
            first = 0 if point.days else MIDNIGHT
        start = self._at(day, first)
        if not named:
            start = self._coming(start, clock.first, point)
        kind = ScopeKind.DATETIME if named else ScopeKind.TIME
        return self._instant(start)._replace(kind=kind)

    def _coming(self, start: dt.datetime, clock: Clock, point: _Point) -> dt.datetime:
        """Return the next such time, unless the one today is only just gone."""
        if start > self._now:
            return start
        minutes = start.hour * 60 + start.minute
        if clock.open and point.part is None and minutes < NOON:
            later = self._at(self._today, minutes + NOON)
            if later > self._now:
                return later
        if self._now - start <= _JUST_GONE:
            return start
        return self._at(self._today + DAY, minutes)

    def _clock_range(self, point: _Point, clock: ClockSpan, day: dt.date, first: int) -> Window:
        if clock.last is None:
            start = self._at(day, first)
            end = (start.astimezone(dt.UTC) + clock.minutes * _MINUTE).astimezone(start.tzinfo)
            return Window(start, end, ScopeKind.TIME_RANGE)
        last = clock.last.after(first)
        if point.part and clock.first.open and clock.last.open:
            last = clock.last.within(point.part.hours)
            first = clock.first.before(last) if first >= last else first
        start, end = self._at(day, first), self._at(day, last if last > first else last + MIDNIGHT)
        if start.astimezone(dt.UTC) >= end.astimezone(dt.UTC):
            end = self._instant(start).end
        return Window(start, end, ScopeKind.TIME_RANGE)

    def _at(self, day: dt.date, minutes: int) -> dt.datetime:
        """Return a wall-clock time as an instant that exists."""
        then = day + (minutes // MIDNIGHT) * DAY
        time = dt.time(minutes % MIDNIGHT // 60, minutes % 60)
        wall = dt.datetime.combine(then, time, tzinfo=self._now.tzinfo)
        found = wall.astimezone(dt.UTC).astimezone(self._now.tzinfo)
        if found.minute != time.minute or found.hour != time.hour:
            self.left_out = f"{wall:%Y-%m-%dT%H:%M}"
        return found
