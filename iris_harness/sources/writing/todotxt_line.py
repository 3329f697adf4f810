"""One line of a todo.txt: taken apart, changed, and put together again with the rest as it was.

The format is https://github.com/todotxt/todo.txt; ``pri:`` and ``rec:`` are what its programs
have agreed on besides (https://github.com/todotxt/todo.txt-cli/wiki, SimpleTask, sleek, topydo).
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple, Self

from iris_harness.contracts.unicode import well_formed

_HEAD = re.compile(r"(\s*)(?:\(([A-Z])\)(\s+))?(?:(\d{4}-\d\d-\d\d)(\s+))?(.*)", re.DOTALL)
_TAG = re.compile(r"([A-Za-z][\w-]*):(\S+)", re.ASCII)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:T.*)?", re.ASCII)
_REPEAT = re.compile(r"(\+?)(\d{1,4})([dwmyb])", re.ASCII | re.IGNORECASE)
_WORDS = re.compile(r"(\s+)")
_SATURDAY = 5
ACTING_TAGS = frozenset(
    {"due", "t", "est", "rec", "h", "pri", "after", "before", "energy", "split"}
)
"""Tags that a program acts on; in a title they would not be words but orders."""


class Line(NamedTuple):
    """A line of an open todo. `text` gives it back as it was."""

    indent: str
    priority: str
    """A letter; empty: none."""
    after_priority: str
    created: str
    """A date; empty: none."""
    after_created: str
    rest: str
    """Title and tags, with the spaces between them as they are."""

    @property
    def text(self) -> str:
        """The whole line."""
        priority = f"({self.priority}){self.after_priority}" if self.priority else ""
        return f"{self.indent}{priority}{self.created}{self.after_created}{self.rest}"

    def with_priority(self, letter: str) -> Self:
        """Return it with another priority; empty: with none."""
        space = (self.after_priority or " ") if letter else ""
        return self._replace(priority=letter, after_priority=space)

    def tag(self, name: str) -> str:
        """Return the value of the first tag of that name that makes sense; empty: none does."""
        return next((value for key, value in self._tags() if key == name), "")

    def with_tag(self, name: str, value: str) -> Self:
        """Return it with another value of a tag, in its place or at the end; empty: without it."""
        parts = _WORDS.split(self.rest)
        places = [
            place for place in range(0, len(parts), 2) if _understood(parts[place])[0] == name
        ]
        if value and places:
            parts[places[0]] = f"{name}:{value}"
        elif value:
            kept = self.rest.rstrip()
            return self._replace(rest=f"{kept} {name}:{value}{self.rest[len(kept) :]}".lstrip())
        else:
            for place in reversed(places):
                _take_out(parts, place)
        return self._replace(rest="".join(parts))

    def with_title(self, title: str, is_tag: Callable[[str], bool]) -> Self:
        """Return it with another title; the words that are tags follow, in their order."""
        return self._replace(rest=" ".join([title, *filter(is_tag, self.rest.split())]))

    def done(self, day: dt.date) -> str:
        """Return the line as done on `day`; its priority is kept as a tag."""
        line = self.with_tag("pri", self.priority) if self.priority else self
        created = f"{self.created} " if self.created else ""
        return f"{self.indent}x {day.isoformat()} {created}{line.rest}"

    def _tags(self) -> list[tuple[str, str]]:
        return [found for word in self.rest.split() if (found := _understood(word))[0]]


def parse_line(text: str) -> Line:
    """Take a line apart. Any text is a line."""
    found = _HEAD.fullmatch(text)
    if found is None:  # cannot be: the pattern takes everything
        return Line("", "", "", "", "", text)
    return Line(*(part or "" for part in found.groups()))


def _take_out(parts: list[str], place: int) -> None:
    """Remove a word and the space that set it off."""
    if place:
        del parts[place - 1 : place + 1]
    else:
        del parts[place : place + 2]


def _understood(word: str) -> tuple[str, str]:
    """Return name and value of a tag; empty names for words, and for dates that are none."""
    found = _TAG.fullmatch(word)
    if not found or found[1].lower() not in ACTING_TAGS:
        return "", ""
    name, value = found[1].lower(), found[2]
    if name in {"due", "t"} and _day_of(value) is None:
        return "", ""
    return name, value


def _day_of(value: str) -> dt.date | None:
    found = _DATE.fullmatch(value)
    try:
        return dt.date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def plain_title(title: str) -> str:
    """Return a title as one line of words that no program acts on.

    Line ends and other white space become spaces, control characters are left out, and what looks
    like an acting tag is set apart from its value: ``due:monday`` becomes ``due: monday``.
    """
    words = well_formed(title).split()
    return " ".join(filter(None, map(_plain_word, words)))


def _plain_word(word: str) -> str:
    word = "".join(letter for letter in word if unicodedata.category(letter) != "Cc")
    found = _TAG.fullmatch(word)
    return f"{found[1]}: {found[2]}" if found and found[1].lower() in ACTING_TAGS else word


class Repeat(NamedTuple):
    """How a todo comes again (``rec:``)."""

    strict: bool
    """Whether it is counted from when it was due, not from when it was done."""
    number: int
    unit: str
    """d, w, m, y, or b: days from Monday to Friday."""

    def after(self, day: dt.date) -> dt.date:
        """Return the day it comes again.

        Raises:
            OverflowError: there is no such day.
            ValueError: as above.
        """
        match self.unit:
            case "d":
                return day + dt.timedelta(days=self.number)
            case "w":
                return day + dt.timedelta(weeks=self.number)
            case "b":
                return _after_working_days(day, self.number)
            case unit:
                return _after_months(day, self.number * (12 if unit == "y" else 1))


def parse_repeat(value: str) -> Repeat | None:
    """Read the value of ``rec:``; None when it is none, or comes again at once."""
    found = _REPEAT.fullmatch(value)
    if not found or int(found[2]) == 0:
        return None
    return Repeat(strict=bool(found[1]), number=int(found[2]), unit=found[3].lower())


def _after_months(day: dt.date, months: int) -> dt.date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, min(day.day, last))


def _after_working_days(day: dt.date, count: int) -> dt.date:
    for _ in range(count):
        day += dt.timedelta(days=1)
        while day.weekday() >= _SATURDAY:
            day += dt.timedelta(days=1)
    return day


def next_line(line: Line, repeat: Repeat, today: dt.date) -> Line:
    """Return the line of the next time: due again, and with the same days of start before it.

    Raises:
        OverflowError: there is no such day.
        ValueError: as above.
    """
    due, start = line.tag("due"), line.tag("t")
    anchor = "due" if due or not start else "t"
    old = _day_of(due or start)
    base = old if repeat.strict and old is not None else today
    new = repeat.after(base)
    moved = line.with_tag(anchor, _on_day(due or start, new))
    first_start = _day_of(start)
    if anchor == "due" and first_start is not None and old is not None:
        moved = moved.with_tag("t", _on_day(start, new - (old - first_start)))
    moved = moved.with_tag("pri", "")
    return moved._replace(created=today.isoformat()) if line.created else moved


def _on_day(value: str, day: dt.date) -> str:
    """Return a date (with its time of day, where it has one) on another day."""
    return day.isoformat() + value[len("2026-04-16") :]
