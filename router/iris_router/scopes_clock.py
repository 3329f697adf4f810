"""Times of the clock: "at 4pm", "half past 7", "from 2 to 4", "quarter to nine".

An hour without "am" or "pm" is taken for one of the working day: 1 to 6 after noon, 7 to 12 as
said. In a range, the second end is the next such hour after the first.
"""

from __future__ import annotations

from typing import NamedTuple

from iris_router.scopes_errors import NoSuchTimeError
from iris_router.scopes_heads import Heads
from iris_router.scopes_numbers import NumberReader
from iris_router.scopes_tokens import Tokens
from iris_router.scopes_words import ScopeWords

NOON = 12 * 60
MIDNIGHT = 24 * 60
_EARLIEST = 7
"""An hour below this one is after noon, unless something says otherwise."""
_HALF = 12
_WHOLE = 24
"""Hours of half a day, and of a whole one."""
_COUNTED_MARKS = frozenset("%$\u20ac\u00a3")
_PLAIN_DIGITS = 2
"""Digits of an hour; more are an hour and its minutes, as in "1530"."""
_LEAST_SPOKEN = 10
"""The fewest minutes said after an hour ("ten fifteen"); below it is a count."""
_HOUR = 60


class Clock(NamedTuple):
    """A time of day."""

    minutes: int
    """From midnight; 1440 is the next midnight."""
    open: bool = False
    """Whether it may be meant after noon instead."""

    def usual(self) -> int:
        """Return the minutes it stands for when nothing else says which half of the day."""
        early = self.open and self.minutes < _EARLIEST * _HOUR
        return self.minutes + NOON if early else self.minutes

    def within(self, hours: tuple[int, int]) -> int:
        """Return the minutes it stands for in a part of the day."""
        if not self.open:
            return self.minutes
        first, last = (hour * _HOUR for hour in hours)
        for minutes in (self.minutes, self.minutes + NOON, self.minutes % NOON):
            if first <= minutes <= last:
                return minutes
        late = first >= NOON and self.minutes >= _EARLIEST * _HOUR
        return self.minutes + NOON if late else self.minutes % NOON

    def after(self, minutes: int) -> int:
        """Return the minutes it stands for next after a time."""
        mine = self.minutes % NOON if self.open else self.minutes
        step = NOON if self.open else MIDNIGHT
        while mine <= minutes:
            mine += step
        return mine

    def before(self, minutes: int) -> int:
        """Return the minutes it stands for last before a time."""
        mine = self.minutes % NOON if self.open else self.minutes
        return mine + NOON if self.open and mine + NOON < minutes else mine


class ClockSpan(NamedTuple):
    """A time, or two."""

    first: Clock
    last: Clock | None = None
    minutes: int = 0
    """The length, where it was said instead of `last`."""


class ClockReader:
    """Reads times in one text."""

    def __init__(
        self, tokens: Tokens, words: ScopeWords, numbers: NumberReader, heads: Heads
    ) -> None:
        """Take the text, its language's words and first words, and the reader of its numbers."""
        self._tokens = tokens
        self._head = tokens.head
        self._words = words
        self._numbers = numbers
        self._heads = heads
        self._known: dict[tuple[int, bool], tuple[Clock, int] | None] = {}
        """What was read where: several readings ask for the same time."""

    def span(self, at: int, *, bare: bool) -> tuple[ClockSpan, int] | None:
        """Read a time or a range; `bare` lets a number alone be an hour."""
        if self._head(at) not in self._heads.clock_spans:
            return None
        timed = self._timed(at)
        if timed:
            return timed
        opens = self._tokens.text(at) in self._words.start
        first = at + opens
        return self._range(first, opens=opens, bare=bare) or (
            None if opens and not bare else self._single(first, bare=bare)
        )

    def _range(self, at: int, *, opens: bool, bare: bool) -> tuple[ClockSpan, int] | None:
        first = self.clock(at, bare=True)
        if first is None:
            return None
        joins = self._tokens.text(first[1])
        both = joins in self._words.and_ and self._tokens.text(at - 1) in self._words.both
        if not both and joins not in self._words.to:
            return None
        last = self.clock(first[1] + 1, bare=True)
        if last is None:
            return None
        sure = self._is_sure(at, first[1]) or self._is_sure(first[1] + 1, last[1])
        if not (sure or bare or (opens and self._may_end(last[1]))):
            return None
        if self._is_minutes_to(at, first[1], last[1]) and not opens:
            return None
        return ClockSpan(*_halves(first[0], last[0])), last[1]

    def _is_minutes_to(self, at: int, end: int, last: int) -> bool:
        """Return whether a range is rather an hour with its minutes ("20 to 6")."""
        if end - at != 1 or self._tokens.text(end) not in self._words.till_hour:
            return False
        value = self._numbers.cardinal(at)
        said_at = self._tokens.text(at - 1) in self._words.at
        minutes = value[0] if value else 0
        plain = self._numbers.cardinal(end + 1) or self._tokens.text(end + 1) in self._words.clock
        return bool(plain) and (minutes > _HALF or (said_at and minutes in {5, 10})) and last > 0

    def _timed(self, at: int) -> tuple[ClockSpan, int] | None:
        """Read "for 2 hours from 9" and "from 9 for 2 hours"."""
        if self._tokens.text(at) in self._words.span:
            length = self._hours(at + 1)
            if length and self._tokens.text(length[1]) in self._words.starting:
                first = self.clock(length[1] + 1, bare=True)
                if first:
                    return ClockSpan(first[0], minutes=length[0]), first[1]
            return None
        first = self.clock(at + (self._tokens.text(at) in self._words.starting), bare=True)
        if first and self._tokens.text(first[1]) in self._words.span:
            length = self._hours(first[1] + 1)
            if length and (
                self._is_sure(at, first[1]) or self._tokens.text(at) in self._words.starting
            ):
                return ClockSpan(first[0], minutes=length[0]), length[1]
        return None

    def _hours(self, at: int) -> tuple[int, int] | None:
        length = self._numbers.length(at)
        if length is None or length[1] not in {"hour", "minute"}:
            return None
        return length[0] if length[1] == "hour" else length[0] // 60, length[2]

    def _single(self, at: int, *, bare: bool) -> tuple[ClockSpan, int] | None:
        found = self.clock(at, bare=bare)
        if found is None:
            return None
        end = found[1]
        if not self._is_sure(at, end) and not self._may_end(end):
            return None
        return ClockSpan(found[0]), end

    def _is_sure(self, at: int, end: int) -> bool:
        """Return whether a time is more than a bare number."""
        return (
            end - at > 1
            or self._tokens[at].kind == "clock"
            or self._tokens.text(at) in self._words.clock
        )

    def _may_end(self, end: int) -> bool:
        """Return whether a number may be an hour, by what follows it."""
        token, words = self._tokens[end], self._words
        text = token.text
        if token.kind in {"end", "mark"}:
            return text not in _COUNTED_MARKS
        named = text in words.weekdays or text in words.relative_days
        return named or text in words.followers or text in words.coming

    def clock(self, at: int, *, bare: bool) -> tuple[Clock, int] | None:
        """Read one time.

        Raises:
            NoSuchTimeError: it has a form of a time, and no clock shows it.
        """
        if self._head(at) not in self._heads.clocks:
            return None
        if (at, bare) not in self._known:
            self._known[at, bare] = self._clock(at, bare=bare)
        return self._known[at, bare]

    def _clock(self, at: int, *, bare: bool) -> tuple[Clock, int] | None:
        found = self._relative(at) or self._said(at, bare=bare)
        if found is None:
            return None
        clock, end = self._half_of_day(*found)
        if self._tokens.text(end) in self._words.about:
            end += 1
            clock, end = self._half_of_day(clock, end)
        return clock, end

    def _half_of_day(self, clock: Clock, end: int) -> tuple[Clock, int]:
        """Read what follows a time: "o'clock", "am", "pm"."""
        if self._tokens.text(end) in self._words.oclock:
            end += 1
        dot = (
            self._tokens.text(end) == "."
            and self._tokens.touch(end)
            and self._tokens.touch(end + 1)
        )
        word = self._tokens.text(end + dot)
        if len(word) == 1 and not self._tokens.touch(end + dot):
            return clock, end
        hour = clock.minutes // _HOUR
        if word in self._words.am and hour <= _HALF:
            return Clock(
                clock.minutes % NOON or (MIDNIGHT if hour == _HALF and clock.open else 0)
            ), end + dot + 1
        if word in self._words.pm and (clock.open or hour <= _HALF):
            return Clock(clock.minutes % NOON + NOON), end + dot + 1
        return clock, end

    def _relative(self, at: int) -> tuple[Clock, int] | None:
        """Read "half past 7", "half seven", "quarter to nine", "20 minutes past 3"."""
        words, text = self._words, self._tokens.text
        if text(at) in words.half_past or (
            text(at) in words.half and text(at + 1) not in words.units
        ):
            hour = self._hour(at + 1)
            return self._shifted(hour, 30) if hour else None
        minutes = (15, at + 1) if text(at) in words.quarter else self._numbers.cardinal(at)
        if minutes is None or minutes[0] >= _HOUR:
            return None
        end = minutes[1] + (words.units.get(text(minutes[1])) == "minute")
        joined = text(end)
        sign = 1 if joined in words.past else -1 if joined in words.till_hour else 0
        hour = self._hour(end + 1) if sign else None
        if hour is None or not self._reads_as_minutes(at, minutes[0], end, joined):
            return None
        return self._shifted(hour, sign * minutes[0])

    def _reads_as_minutes(self, at: int, minutes: int, end: int, joined: str) -> bool:
        quarter = self._tokens.text(at) in self._words.quarter
        named = quarter or self._words.units.get(self._tokens.text(end - 1)) == "minute"
        if joined in self._words.starting:  # "15 minutes from 1pm", but not "3 from 1"
            return named
        if named or joined not in self._words.to:
            return True
        said_at = (
            self._tokens.text(at - 1) in self._words.at
            and self._tokens.text(at - 1) not in self._words.start
        )
        return minutes > _HALF or (said_at and minutes in {5, 10})

    def _hour(self, at: int) -> tuple[Clock, int] | None:
        found = self._said(at, bare=True)
        if found is None:
            return None
        clock, end = self._half_of_day(*found)
        return (clock, end) if clock.minutes % _HOUR == 0 else None

    def _shifted(self, hour: tuple[Clock, int], minutes: int) -> tuple[Clock, int]:
        clock, end = hour
        return clock._replace(minutes=(clock.minutes + minutes) % MIDNIGHT), end

    def _said(self, at: int, *, bare: bool) -> tuple[Clock, int] | None:
        token, words = self._tokens[at], self._words
        if token.text in words.clock:
            return Clock(words.clock[token.text]), at + 1
        if token.kind == "clock":
            return self._written(token.text, at + 1), at + 1
        after = self._tokens.text(at + 1)
        if (
            token.kind == "number"
            and len(token.text) <= _PLAIN_DIGITS
            and after in words.hundreds
            and self._tokens.touch(at + 1)
        ):
            return self._checked(int(token.text), 0, at + 2, exact=True), at + 2
        half = self._is_half_of_day(at + 1)
        if token.kind == "decimal":
            return self._decimal(token.text, at + 1, bare=bare or half)
        found = self._numbers.cardinal(at)
        if found is None:
            return None
        return self._counted(found, at, bare=bare)

    def _counted(self, found: tuple[int, int], at: int, *, bare: bool) -> tuple[Clock, int] | None:
        value, end = found
        digits = self._tokens[at].kind == "number"
        if digits and len(self._tokens[at].text) > _PLAIN_DIGITS:
            hour, minute = divmod(value, 100)
            marked = self._is_half_of_day(end) or (
                bare and self._tokens.text(end) in self._words.about
            )
            fits = hour <= _WHOLE and minute < _HOUR
            return (self._checked(hour, minute, end), end) if marked and fits else None
        named = self._tokens.text(end) in self._words.oclock or self._is_half_of_day(end)
        if not digits and value <= _HALF:
            minutes = self._numbers.cardinal(end)
            if minutes and self._tokens[end].kind == "word" and _LEAST_SPOKEN <= minutes[0] < _HOUR:
                return Clock(value % _WHOLE * _HOUR + minutes[0], open=True), minutes[1]
        if not named and not bare:
            return None
        exact = value > _HALF or (digits and self._tokens[at].text[0] == "0")
        if value > _WHOLE:
            return None
        return Clock(value * _HOUR, open=not exact and value > 0), end

    def _is_half_of_day(self, at: int) -> bool:
        dot = self._tokens.text(at) == "." and self._tokens.touch(at) and self._tokens.touch(at + 1)
        word = self._tokens.text(at + dot)
        if self._tokens.text(at) in self._words.about:
            word, dot, at = self._tokens.text(at + 1), False, at + 1
        known = word in self._words.am or word in self._words.pm
        return known and (len(word) > 1 or self._tokens.touch(at + dot))

    def _written(self, text: str, end: int) -> Clock:
        hour, minute, *_ = (int(part) for part in text.replace("h", ":").split(":"))
        return self._checked(hour, minute, end, exact=text[0] == "0" or "h" in text)

    def _decimal(self, text: str, end: int, *, bare: bool) -> tuple[Clock, int] | None:
        hour, _, minute = text.partition(".")
        if not bare or len(minute) != _PLAIN_DIGITS or int(hour) > _WHOLE or int(minute) >= _HOUR:
            return None
        return self._checked(int(hour), int(minute), end), end

    def _checked(self, hour: int, minute: int, end: int, *, exact: bool = False) -> Clock:
        if hour > _WHOLE or minute >= _HOUR or (hour == _WHOLE and minute):
            raise NoSuchTimeError(end)
        return Clock(hour * _HOUR + minute, open=not exact and 1 <= hour <= _HALF)


def _halves(first: Clock, last: Clock) -> tuple[Clock, Clock]:
    """Return both ends, with the half of the day of the second carried to the first."""
    if first.open and not last.open:
        return Clock(first.before(last.minutes)), last
    return first, last
