"""Dates and parts of days in an utterance: text and a reference instant give a scope.

A small grammar, anchored at whole words; the first scope of the text counts. Weeks run Monday
to Monday, a weekend Saturday to Monday. A bare weekday is its next occurrence after today,
"this X" also today itself, "next X" is X of the next ISO week, and a day without a year is its
next occurrence from today on. Instants are wall-clock times in the reference's zone.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_router.language import ScopeWords

_YEARS_AHEAD = 9
"""The longest wait for a date: 29 February after 2096 comes in 2104."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundScope:
    """A scope and where it stands in the text."""

    scope: Scope
    start: int
    """Where its first word begins."""
    end: int
    """Where its last word ends, a possessive included."""
    outer_start: int
    """Where its preposition begins; `start` when it has none."""


class ScopeGrammar:
    """Finds scopes with the words of one language. Pure and thread-safe."""

    def __init__(self, words: ScopeWords) -> None:
        """Compile the word tables into one pattern."""
        self._words = words
        self._pattern = re.compile(_pattern(words))

    def find(self, text: str, reference: dt.datetime) -> FoundScope | None:
        """Return the first scope in `text`, or None when it names no time that exists.

        Words are taken to stand one blank apart.
        `reference` is the turn's "now", aware, in the user's zone.
        """
        for match in self._pattern.finditer(_fold(text)):
            said = {name: word for name, word in match.groupdict().items() if word}
            try:
                window = self._window(said, reference)
            except (ValueError, OverflowError):  # 31 February; a day outside the calendar
                continue
            return _found(match, text, window, reference.tzinfo)
        return None

    def _window(self, said: Mapping[str, str], reference: dt.datetime) -> _Window:
        today = reference.date()
        if "unit" in said:
            distance = self._words.which.get(said["unit_which"], 0)
            return _unit_window(self._words.units[said["unit"]], distance, today)
        if "tonight" in said:
            return _part_window(today, self._words.tonight[said["tonight"]])
        if "lone_part" in said:
            return self._lone_part_window(said, reference)
        day = self._day(said, today)
        if "part" in said:
            return _part_window(day, self._words.parts[said["part"]])
        return _Window(day, 0, day + dt.timedelta(days=1), 0, ScopeKind.DATE)

    def _lone_part_window(self, said: Mapping[str, str], reference: dt.datetime) -> _Window:
        hours = self._words.parts[said["lone_part"]]
        days = self._words.which.get(said["part_which"], 0)
        if said["part_which"] in self._words.coming and reference.hour >= hours[1]:
            days = 1
        return _part_window(reference.date() + dt.timedelta(days=days), hours)

    def _day(self, said: Mapping[str, str], today: dt.date) -> dt.date:
        if "iso" in said:
            return dt.date.fromisoformat(said["iso"])
        if "relative" in said:
            return today + dt.timedelta(days=self._words.relative_days[said["relative"]])
        if "weekday" in said:
            return self._weekday(said, today)
        month = self._words.months[said.get("month_after") or said["month_before"]]
        number = int(said.get("number_before") or said["number_after"])
        year = said.get("year_after") or said.get("year_before")
        return _day_of_year(number, month, int(year) if year else None, today)

    def _weekday(self, said: Mapping[str, str], today: dt.date) -> dt.date:
        weekday = self._words.weekdays[said["weekday"]]
        ahead = (weekday - today.weekday()) % 7
        if "day_which" not in said:
            return today + dt.timedelta(days=ahead or 7)
        distance = self._words.which[said["day_which"]]
        if distance == 0:
            return today + dt.timedelta(days=ahead)
        if distance < 0:
            return today + dt.timedelta(days=ahead - 7)
        return _monday(today) + dt.timedelta(weeks=distance, days=weekday)


@dataclass(frozen=True, slots=True)
class _Window:
    """A span of wall-clock time between whole hours."""

    first: dt.date
    first_hour: int
    last: dt.date
    last_hour: int
    kind: ScopeKind


def _part_window(day: dt.date, hours: tuple[int, int]) -> _Window:
    start, end = hours
    last = day + dt.timedelta(days=end // 24)
    return _Window(day, start, last, end % 24, ScopeKind.DAY_PART)


def _unit_window(unit: str, distance: int, today: dt.date) -> _Window:
    if unit == "month":
        index = today.year * 12 + today.month - 1 + distance
        first, last = (dt.date(i // 12, i % 12 + 1, 1) for i in (index, index + 1))
        return _Window(first, 0, last, 0, ScopeKind.MONTH)
    monday = _monday(today) + dt.timedelta(weeks=distance)
    end = monday + dt.timedelta(days=7)
    if unit == "weekend":
        return _Window(monday + dt.timedelta(days=5), 0, end, 0, ScopeKind.WEEKEND)
    return _Window(monday, 0, end, 0, ScopeKind.WEEK)


def _monday(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=day.weekday())


def _day_of_year(number: int, month: int, year: int | None, today: dt.date) -> dt.date:
    """Return that day; without a year the next one from `today` on.

    Raises:
        ValueError: there is no such day.
    """
    if year is not None:
        return dt.date(year, month, number)
    for candidate in range(today.year, today.year + _YEARS_AHEAD):
        try:
            day = dt.date(candidate, month, number)
        except ValueError:
            continue
        if day >= today:
            return day
    raise ValueError(f"no day {number} in month {month}")


def _found(match: re.Match[str], text: str, window: _Window, zone: dt.tzinfo | None) -> FoundScope:
    first = dt.datetime.combine(window.first, dt.time(window.first_hour), tzinfo=zone)
    last = dt.datetime.combine(window.last, dt.time(window.last_hour), tzinfo=zone)
    start, end = match.span("scope")
    scope = Scope(start=first, end=last, kind=window.kind, text=text[start:end])
    return FoundScope(scope=scope, start=start, end=match.end(), outer_start=match.start())


def _fold(text: str) -> str:
    """Return `text` in lower case and of the same length.

    U+0130 is the one character whose lower case is longer than itself.
    """
    return text.replace("\u0130", "I").lower()


def _pattern(words: ScopeWords) -> str:
    """One pattern for all the forms; a form is told from the others by the groups it fills."""
    which, parts = _any(words.which), _any(words.parts)
    current = (*words.which, *words.whole)
    day = "|".join(
        (
            r"(?P<iso>\d{4}-\d\d-\d\d)",
            rf"(?P<relative>{_any(words.relative_days)})",
            rf"(?:(?P<day_which>{which}) )?(?P<weekday>{_any(words.weekdays)})",
            f"{_number('before', words)} (?:{words.of} )?{_month('after', words)}{_year('after')}",
            f"{_month('before', words)} {_number('after', words)}{_year('before')}",
        )
    )
    forms = "|".join(
        (
            rf"(?:{day})(?: (?:(?:{_any(words.coming)}) )?(?P<part>{parts}))?",
            rf"(?P<tonight>{_any(words.tonight)})",
            rf"(?P<part_which>{_any((*current, *words.coming))}) (?P<lone_part>{parts})",
            rf"(?P<unit_which>{_any(current)}) (?P<unit>{_any(words.units)})",
        )
    )
    preposition = rf"(?:(?:{_any(words.prepositions)}) (?:{_any(words.articles)} )?)?"
    ending = rf"(?:{_any(words.possessives)})?"
    return rf"(?<!\w){preposition}(?P<scope>{forms}){ending}(?!\w)"


def _number(side: str, words: ScopeWords) -> str:
    return rf"(?P<number_{side}>\d\d?)(?:{_any(words.ordinals)})?"


def _month(side: str, words: ScopeWords) -> str:
    return rf"(?P<month_{side}>{_any(words.months)})"


def _year(side: str) -> str:
    return rf"(?:,? (?P<year_{side}>\d{{4}}))?"


def _any(words: Iterable[str]) -> str:
    """Return an alternation, longest word first, so that no word hides a longer one."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
