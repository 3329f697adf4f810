"""What all readers of whole days know: the text, its language, and what today is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import Days
from iris_router.scopes_heads import Heads
from iris_router.scopes_numbers import NumberReader
from iris_router.scopes_tokens import Tokens
from iris_router.scopes_words import ScopeWords

Found: TypeAlias = tuple[Days, int]
"""What was read, and the token after it."""

ReadDays: TypeAlias = Callable[[int], Found | None]
"""Reads the days at a place. Handed on and never kept: what is kept in a circle stays in memory
until Python looks for circles, in the midst of another text."""

MOST_UNITS = 1000
"""More of the weekdays to come than this are nobody's plan."""
LAST_DAY = 31


class DayText(NamedTuple):
    """One text, and what its days are read against."""

    tokens: Tokens
    words: ScopeWords
    numbers: NumberReader
    today: dt.date
    month_first: bool
    """Whether 5/12 is a day in May."""
    heads: Heads
    first_weekday: int = 0
    """The day that weeks begin with, Monday 0."""


class DayForms:
    """Forms of days in one text. A miss is None."""

    def __init__(self, text: DayText) -> None:
        """Take the text."""
        self._tokens = text.tokens
        self._text = text.tokens.text
        self._words = text.words
        self._numbers = text.numbers
        self._today = text.today
        self._first_weekday = text.first_weekday

    def _unit_days(self, unit: str, distance: int, day: dt.date, count: int = 1) -> Days:
        """Return units of the calendar near a day, weeks as the user's locale has them."""
        return calendar.unit_days(unit, distance, day, count, first_weekday=self._first_weekday)

    def _in_week(self, week: Days, weekday: int) -> dt.date:
        """Return the day of a week that is this weekday."""
        return calendar.weekday_from(week.first, weekday)

    def _ends(self, at: int) -> bool:
        """Return whether a name may end before this place."""
        token = self._tokens[at]
        return (
            token.kind != "word"
            or token.text in self._words.followers
            or token.text in self._words.parts
        )

    def _is_counted(self, at: int) -> bool:
        """Return whether a number before this place counts something, and is no day."""
        token = self._tokens[at]
        known = token.text in self._words.followers or token.text in self._words.start
        return (
            token.kind in {"word", "number", "clock"}
            and not known
            and token.text not in self._words.parts
        )

    def _whole_length(self, at: int) -> tuple[int, str, int] | None:
        """Read a length in whole days or longer: how many, of what, the end."""
        length = self._numbers.length(at)
        if length is None or length[1] in {"hour", "minute"} or length[0] % 60:
            return None
        count = length[0] // 60
        return (count, length[1], length[2]) if count > 0 else None
