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
import re
from typing import NamedTuple

from iris_harness.contracts.scopes import Scope
from iris_router.scopes_errors import NoSuchTimeError
from iris_router.scopes_heads import build_heads
from iris_router.scopes_tokens import Lexer, Tokens
from iris_router.scopes_windows import Window, WindowReader
from iris_router.scopes_words import ScopeWords

_MOST_BEFORE_CORE = 4
"""Tokens of a scope before the first that is more than a preposition or an article."""
_MOST_PIECES = 4
_MOST_TO_UNIT = 2
"""Tokens from the beginning of an amount of units to the unit, "business" between included."""
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]\w*")


class FoundScope(NamedTuple):
    """A scope and where it stands in the text."""

    scope: Scope
    start: int
    """Where its first word begins."""
    end: int
    """Where its last word ends, a possessive included."""
    outer_start: int
    """Where its preposition begins; `start` when it has none."""
    left_out: str = ""
    """The time it names, where its day's clock leaves that out, ISO 8601; the scope is later."""


class ImpossibleTime(NamedTuple):
    """What names a day or a time that does not exist, and where it stands in the text."""

    text: str
    """The user's words."""
    start: int
    end: int
    outer_start: int
    """Where its preposition begins; `start` when it has none."""


class ScopeReading(NamedTuple):
    """What a text says of time."""

    found: FoundScope | None
    impossible: tuple[ImpossibleTime, ...]
    """In the order of the text, as far as it was read."""


_NOTHING = ScopeReading(found=None, impossible=())


class ScopeGrammar:
    """Finds scopes with the words of one language. Pure and thread-safe."""

    def __init__(self, words: ScopeWords) -> None:
        """Prepare the word tables."""
        self._words = words
        self._lexer = Lexer(words.phrases())
        self._heads = build_heads(words, self._lexer)

    def find(self, text: str, reference: dt.datetime, locale: str = "en") -> FoundScope | None:
        """Return the first scope in `text`, or None when it names no time that exists."""
        return self.read(text, reference, locale).found

    def read(self, text: str, reference: dt.datetime, locale: str = "en") -> ScopeReading:
        """Return the first scope in `text`, and what names none that exists.

        `reference` is the turn's "now", aware, in the user's zone; `locale`, a BCP 47 tag,
        decides on which side of 5/12 the month stands.
        """
        folded = self._lexer.fold(text)
        if not self._tells(folded):
            return _NOTHING
        tokens = self._lexer.read(folded)
        begins = self._beginnings(tokens)
        if not begins:
            return _NOTHING
        reader = WindowReader(tokens, self._words, self._heads, reference, locale)
        impossible: list[ImpossibleTime] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if at not in begins:
                at += 1
                continue
            reader.left_out = ""
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
                found = self._found(tokens, text, at, *read)._replace(left_out=reader.left_out)
                return ScopeReading(found=found, impossible=tuple(impossible))
            at += 1
        return ScopeReading(found=None, impossible=tuple(impossible))

    def _tells(self, folded: str) -> bool:
        """Return whether a text may have a scope, by its words alone: most have none."""
        telling = self._heads.telling
        return bool(_DIGIT.search(folded)) or not telling.isdisjoint(_WORD.findall(folded))

    def _beginnings(self, tokens: Tokens) -> set[int]:
        """Return where a scope may begin: at a word for it that has one of its core near behind."""
        begins = set()
        units, amounts = self._words.units, self._words.amounts
        cores, scopes = self._heads.cores, self._heads.scopes
        core = unit = len(tokens) + _MOST_BEFORE_CORE + 1
        for at, token in reversed(tokens.items()):
            text, is_counted = token.text, token.is_counted()
            if text in units:
                unit = at
            # "A" is a word of many texts, and a core only in "a week".
            is_amount = unit - at <= _MOST_TO_UNIT and text in amounts
            if is_counted or text in cores or is_amount:
                core = at
            if core - at <= _MOST_BEFORE_CORE and (is_counted or text in scopes):
                begins.add(at)
        return begins

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
