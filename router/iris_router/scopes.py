"""Dates and times in an utterance: text and a reference instant give a scope.

A small grammar, anchored at whole words; the first scope of the text counts. Weeks run Monday
to Monday (in some locales Sunday to Sunday), a weekend Saturday to Monday. A bare weekday is its
next occurrence after today, "this X" also today itself, "next X" is X of the next ISO week, and a
day without a year is its next occurrence from today on. Instants are wall-clock times in the
reference's zone; one that a clock change leaves out is as much later as the clock is put forward,
one that comes twice is the first. A time without a day is today's, or tomorrow's when it was over
an hour ago.

"Before" and "by" begin today, "since" ends today, "after" lasts a week (of a time:
the rest of its day). A length ("for 30 minutes") is no scope. What has the form of a date and
is none (31 February) is never read as another one; it is reported.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from iris_harness.contracts.scopes import Scope
from iris_router.scopes_clock import NoSuchTimeError
from iris_router.scopes_tokens import Lexer, Tokens
from iris_router.scopes_windows import Window, WindowReader
from iris_router.scopes_words import ScopeWords

_MOST_BEFORE_CORE = 4
"""Tokens of a scope before the first that is more than a preposition or an article."""
_MOST_PIECES = 4


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


@dataclass(frozen=True, kw_only=True, slots=True)
class ImpossibleTime:
    """What names a day or a time that does not exist, and where it stands in the text."""

    text: str
    """The user's words."""
    start: int
    end: int
    outer_start: int
    """Where its preposition begins; `start` when it has none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeReading:
    """What a text says of time."""

    found: FoundScope | None
    impossible: tuple[ImpossibleTime, ...]
    """In the order of the text, as far as it was read."""


class ScopeGrammar:
    """Finds scopes with the words of one language. Pure and thread-safe."""

    def __init__(self, words: ScopeWords) -> None:
        """Prepare the word tables."""
        self._words = words
        self._lexer = Lexer(words.phrases())
        self._heads = frozenset(_head_words(words))
        self._cores = frozenset(_core_words(words))

    def find(self, text: str, reference: dt.datetime, locale: str = "en") -> FoundScope | None:
        """Return the first scope in `text`, or None when it names no time that exists."""
        return self.read(text, reference, locale).found

    def read(self, text: str, reference: dt.datetime, locale: str = "en") -> ScopeReading:
        """Return the first scope in `text`, and what names none that exists.

        `reference` is the turn's "now", aware, in the user's zone; `locale`, a BCP 47 tag,
        decides on which side of 5/12 the month stands.
        """
        tokens = self._lexer.read(text)
        begins = self._beginnings(tokens)
        if not begins:
            return ScopeReading(found=None, impossible=())
        reader = WindowReader(tokens, self._words, self._heads, reference, locale)
        impossible: list[ImpossibleTime] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if at not in begins:
                at += 1
                continue
            try:
                read = reader.scope(at)
            except NoSuchTimeError as error:
                end = max(error.end, at + 1)
                impossible.append(self._impossible(tokens, text, at, end))
                at = end
                continue
            except (ValueError, OverflowError):  # a day outside the calendar
                read = None
            if read:
                if token.text in self._words.span and reader.scope(at + 1) == read:
                    at += 1  # a mere preposition here
                found = self._found(tokens, text, at, *read)
                return ScopeReading(found=found, impossible=tuple(impossible))
            at += 1
        return ScopeReading(found=None, impossible=tuple(impossible))

    def _beginnings(self, tokens: Tokens) -> frozenset[int]:
        """Return where a scope may begin: at a word for it that has one of its core near behind."""
        begins = []
        core = len(tokens) + _MOST_BEFORE_CORE + 1
        for at in range(len(tokens) - 1, -1, -1):
            token = tokens[at]
            counted = token.kind not in {"word", "mark"}
            if counted or token.text in self._cores:
                core = at
            if core - at <= _MOST_BEFORE_CORE and (counted or token.text in self._heads):
                begins.append(at)
        return frozenset(begins)

    def _found(self, tokens: Tokens, text: str, at: int, window: Window, end: int) -> FoundScope:
        start, stop = tokens[at].start, tokens[end - 1].end
        scope = Scope(start=window.start, end=window.end, kind=window.kind, text=text[start:stop])
        if tokens.text(end) == "'" and tokens.text(end + 1) in self._words.possessives:
            stop = tokens[end + 1].end
        outer = self._outer_start(tokens, at)
        return FoundScope(scope=scope, start=start, end=stop, outer_start=outer)

    def _impossible(self, tokens: Tokens, text: str, at: int, end: int) -> ImpossibleTime:
        start, stop = tokens[at].start, tokens[end - 1].end
        outer = self._outer_start(tokens, at)
        return ImpossibleTime(text=text[start:stop], start=start, end=stop, outer_start=outer)

    def _outer_start(self, tokens: Tokens, at: int) -> int:
        """Return where the preposition before a token begins, an article between included."""
        if tokens.text(at - 1) in self._words.articles:
            at -= 1
        if tokens.text(at - 1) in self._words.opening:
            at -= 1
        return tokens[at].start


def _core_words(words: ScopeWords) -> Iterator[str]:
    """Yield the words of which every scope has one, unless it has a number."""
    tables = (
        words.relative_days, words.weekdays, words.weekdays_plural, words.months, words.parts,
        words.lone_parts, words.tonight, words.units, words.edges, words.holidays, words.easter,
        words.feasts, words.seasons, words.clock, words.numbers, words.ordinals, words.amounts,
        words.year_parts, words.half, words.half_past, words.quarter, words.weeks_of,
        words.weekends_of,
    )  # fmt: skip
    for table in tables:
        yield from table


def _head_words(words: ScopeWords) -> Iterator[str]:
    """Yield the words that a scope can begin with."""
    yield from _core_words(words)
    tables = (
        words.which, words.whole, words.coming, words.start, words.span, words.articles,
        words.before, words.after, words.since, words.within, words.all, words.starting,
    )  # fmt: skip
    for table in tables:
        yield from table
