"""What the router knows about a language, apart from intents: a table of words per language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class NormalWords:
    """How different spellings of the same words are made equal. Keys and values are lower case."""

    tokens: Mapping[str, str]
    """A word as people write it, to the words it stands for (``whats`` to ``what is``)."""
    endings: Mapping[str, str]
    """What stands behind an apostrophe, to the word it stands for (``m`` to ``am``)."""
    fillers: frozenset[str]
    """Words that never change what is asked, wherever they stand."""
    openings: tuple[str, ...]
    """Patterns of polite beginnings; removed while something follows."""
    closings: tuple[str, ...]
    """Patterns of polite ends; removed while something stands before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeWords:
    """The words that name days and times. Keys are lower case."""

    relative_days: Mapping[str, int]
    """A day, to its distance from today in days."""
    weekdays: Mapping[str, int]
    """A weekday, to its number, Monday 0."""
    months: Mapping[str, int]
    """A month, to its number, January 1."""
    parts: Mapping[str, tuple[int, int]]
    """A part of a day, to the hours it begins and ends at (24 is midnight)."""
    tonight: Mapping[str, tuple[int, int]]
    """A word for a part of today, to its hours."""
    units: Mapping[str, str]
    """``week``, ``weekend`` or ``month`` in this language, to that name."""
    which: Mapping[str, int]
    """"This", "next" and "last", to how many weeks or months away that is."""
    whole: tuple[str, ...]
    """Words before a unit or a part of the day that mean the current one (``my week``)."""
    coming: tuple[str, ...]
    """Words before a part of a day that mean the one that ends next (``in the morning``)."""
    prepositions: tuple[str, ...]
    """Words before a scope that belong to it (``on``, ``for``)."""
    articles: tuple[str, ...]
    """Words that may stand between a preposition and a scope."""
    ordinals: tuple[str, ...]
    """What may follow the number of a day (``th``)."""
    of: str
    """Word that may stand between a day's number and its month."""
    possessives: tuple[str, ...]
    """Endings that a scope may take (``'s``)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Language:
    """One language."""

    normal: NormalWords
    scopes: ScopeWords
