"""The words that name days and times, read from a data file per language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeWords:
    """The tables of ``data/scopes_<language>.toml``. Words are lower case, phrases allowed."""

    # How the parts of a scope are joined.
    articles: frozenset[str]
    """Words that may stand before the number of a day."""
    glue: frozenset[str]
    """What may stand between a day, a part of it and a time."""
    opening: frozenset[str]
    """Prepositions before a scope that belong to it and change nothing."""
    of: frozenset[str]
    """What joins a part to its whole ("thursday of next week")."""
    part_of: frozenset[str]
    """Of these, the one before which no unit stands for itself ("day of the week")."""
    how_long: frozenset[str]
    """Words that make "until" ask for a length ("how long until friday")."""
    at: frozenset[str]
    """Words that make a bare number after them an hour."""
    start: frozenset[str]
    """Words that begin a range."""
    both: frozenset[str]
    """Of these, the ones whose ends are joined by `and_` too."""
    to: frozenset[str]
    """Words that join the ends of a range."""
    and_: frozenset[str]
    or_: frozenset[str]
    """Words that, like `and_`, make two days that follow each other one time."""
    on: frozenset[str]
    """What joins a weekday to its week or to a distance ("the first week of may on friday")."""
    span: frozenset[str]
    """Words before the length of a range ("for 3 days from monday")."""
    starting: frozenset[str]
    """Words before the beginning of a range of a given length."""
    weeks_of: frozenset[str]
    """Phrases before a day that mean its week."""
    weekends_of: frozenset[str]
    """Phrases before a day that mean the weekend of its week."""
    before: frozenset[str]
    """Words for the time until something."""
    before_inclusive: frozenset[str]
    """Of these, the ones that include it."""
    after: frozenset[str]
    since: frozenset[str]
    from_now: frozenset[str]
    """Words after a length that count it from now."""
    from_day: frozenset[str]
    """Words after a length that count it from the day that follows."""
    ago: frozenset[str]
    within: frozenset[str]
    """Words before a length that count it from now."""
    in_time: frozenset[str]
    """What may follow such a length ("in two days' time")."""
    after_next: frozenset[str]
    """What follows a unit or weekday to mean the second next."""
    now: frozenset[str]
    """Words for this instant, as the end of a range."""
    all: frozenset[str]
    """Words before a unit that mean what is left of it."""
    business: frozenset[str]
    """Words before "days" that leave out Saturdays and Sundays."""
    # Times of the clock.
    oclock: frozenset[str]
    am: frozenset[str]
    pm: frozenset[str]
    past: frozenset[str]
    """Words between minutes and the hour they come after."""
    till_hour: frozenset[str]
    """Words between minutes and the hour they come before."""
    half: frozenset[str]
    """A word that makes the hour after it half past."""
    half_past: frozenset[str]
    quarter: frozenset[str]
    about: frozenset[str]
    """Words after a time that make it less exact, and are ignored."""
    later_ends: frozenset[str]
    """Half a unit more, after it ("an hour and a half")."""
    hundreds: frozenset[str]
    """What makes the number before it an hour of 24."""
    # What tells a time from something else.
    followers: frozenset[str]
    """Words that a day's number or an hour may stand before."""
    before_weak: frozenset[str]
    """Words that make a month of a word that mostly means something else."""
    before_weak_weekday: frozenset[str]
    """Words that make a weekday of one."""
    weak_months: frozenset[str]
    weak_weekdays: frozenset[str]
    possessives: frozenset[str]
    """What may follow a scope's apostrophe."""
    suffixes: frozenset[str]
    """What follows the digits of an ordinal number."""
    month_first: frozenset[str]
    """Locales in which 5/12 is a day in May."""
    sunday_first: frozenset[str]
    """Locales in which weeks begin with Sunday."""
    not_dates: frozenset[str]
    """What looks like a date in digits and is none."""
    nearest: frozenset[str]
    """Words before a weekday that mean the first one from today."""
    fractions: frozenset[str]
    """What is a date only when nothing follows that it may be a part of."""
    # What words mean.
    relative_days: Mapping[str, int]
    """A day, to its distance from today."""
    weekdays: Mapping[str, int]
    """A weekday, to its number, Monday 0."""
    weekdays_plural: Mapping[str, int]
    months: Mapping[str, int]
    """A month, to its number, January 1."""
    parts: Mapping[str, tuple[int, int]]
    """A part of a day, to the hours it begins and ends at (24 is midnight)."""
    lone_parts: Mapping[str, tuple[int, int]]
    """A part that needs no other word to be one."""
    tonight: Mapping[str, tuple[int, int]]
    """A word for a part of today, to its hours."""
    units: Mapping[str, str]
    """A length of time, to its English singular."""
    which: Mapping[str, int]
    """"This", "next" and "last", to how many units away that is."""
    whole: frozenset[str]
    """Words before a unit that mean the current one."""
    coming: frozenset[str]
    """Words before a part of the day that mean the one that ends next."""
    edges: Mapping[str, str]
    """A part of a longer time, to ``start``, ``middle`` or ``end``."""
    holidays: Mapping[str, tuple[int, int]]
    """A day with the same date each year, to its month and day."""
    easter: Mapping[str, int]
    """A day that moves with Easter, to its distance from Easter Sunday."""
    feasts: Mapping[str, tuple[int, int, int, int]]
    """A day with a weekday of its own, to its month, the weekday, which of the month's it is (-1
    is the last), and how many days after that."""
    seasons: Mapping[str, tuple[int, int, int, int]]
    """A season, to the month and day it begins and the next one begins."""
    clock: Mapping[str, int]
    """A time, to its minutes from midnight."""
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    amounts: Mapping[str, int]
    """A quantity, in 60ths."""
    year_parts: Mapping[str, tuple[int, int]]
    """A part of a year, to its first month and how many it has."""

    def phrases(self) -> frozenset[str]:
        """Return every word and phrase of every table."""
        return frozenset(word for one in fields(self) for word in getattr(self, one.name))


def load_scope_words(language: str) -> ScopeWords:
    """Return the tables of a language (``en``)."""
    path = resources.files("iris_router").joinpath("data", f"scopes_{language}.toml")
    tables = tomllib.loads(path.read_text("utf-8"))
    given: dict[str, Any] = {
        one.name: _table(tables[one.name.rstrip("_")]) for one in fields(ScopeWords)
    }
    return ScopeWords(**given)


def _table(raw: list[str] | dict[str, int | str | list[int]]) -> object:
    if isinstance(raw, list):
        return frozenset(raw)
    return {word: tuple(v) if isinstance(v, list) else v for word, v in raw.items()}
