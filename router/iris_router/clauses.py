"""A clause: what every tier of the router is given to read."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from iris_harness.contracts.routing import Alternative, Tier
from iris_harness.contracts.scopes import Scope
from iris_router.language import Language
from iris_router.normalise import Normaliser
from iris_router.quotations import QUOTATION, may_quote
from iris_router.scopes import ScopeGrammar
from iris_router.slots import Span

_LONGEST = 1000
"""Characters of an utterance that are read; nobody says more to ask one thing."""
_EXAMPLE_REFERENCE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""Any instant will do: of an example only the place and kind of its scope count."""
_SOMETHING = "something"
_SOME_TIME = "sometime"
"""Stands for any scope in `Clause.template`; a word, so that normalising keeps it."""


class Clause(NamedTuple):
    """One clause of an utterance, prepared for matching."""

    text: str
    """What was said, single blanks."""
    words: str
    """Normalised, scope words included; empty when nothing was said."""
    cores: tuple[str, ...]
    """What an exact rule may match: `words`; then without the scope; then without the scope and
    its preposition ("what is on friday" has both readings)."""
    templates: tuple[str, ...]
    """`words` with "sometime" in place of the scope; then, where the scope has a preposition, in
    place of both. Clauses that differ in their scope alone share one of these."""
    scope: Scope | None
    scope_span: Span | None = None
    """Where the scope, or what names none that exists, stands in `text`, with its preposition."""
    impossible: tuple[str, ...] = ()
    """What names a day or a time that does not exist, in the user's words."""
    left_out: str = ""
    """The time of the scope where its day's clock leaves it out, ISO 8601."""


_LENGTH = re.compile(r"\b[0-4]h\d\d\b")
_NO_SCOPE = re.compile(rf"(?:{QUOTATION.pattern})|{_LENGTH.pattern}")
"""Words of time in these are none: a text of the user's, and a length ("1h30", but not "9h30")."""


def _without_quotations(text: str) -> str:
    return QUOTATION.sub(_something, text) if may_quote(text) else text


def _without_lengths(text: str) -> str:
    """Return `text` with blanks in place of what names no time."""
    may = may_quote(text) or _LENGTH.search(text)
    return _NO_SCOPE.sub(_blank, text) if may else text


def _something(match: re.Match[str]) -> str:
    """Return a quotation of several words as one word of the same length: what it says is text."""
    if match.start() == 0 or " " not in match[0]:
        return match[0]
    return _SOMETHING.ljust(len(match[0]))[: len(match[0])]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


class RoutingTier(Protocol):
    """One way to understand a clause. Pure and thread-safe."""

    @property
    def tier(self) -> Tier:
        """What a route it decides is marked with."""
        ...

    def read(self, clause: Clause) -> tuple[Alternative, ...]:
        """Return its readings, most likely first, one per intent; () leaves it to the next."""
        ...


class ClauseReader:
    """Turns text into a clause, with the words of the utterance's language."""

    def __init__(self, languages: Mapping[str, Language], default: str) -> None:
        """Compile each language's tables; `default` serves every other language."""
        self._tools = {
            name: (Normaliser(language.normal), ScopeGrammar(language.scopes))
            for name, language in languages.items()
        }
        self._default = default

    def read_example(self, text: str) -> Clause:
        """Return an agent's example, in the language that all of them are written in."""
        return self.read(text, _EXAMPLE_REFERENCE, self._default)

    def read(self, utterance: str, reference: dt.datetime, locale: str) -> Clause:
        """Return `utterance` as a clause; `locale` is a BCP 47 tag."""
        language = locale.partition("-")[0].lower()
        normaliser, grammar = self._tools.get(language) or self._tools[self._default]
        text = " ".join(utterance[:_LONGEST].split())
        said = _without_quotations(text)
        words = normaliser.words(said)
        reading = grammar.read(_without_lengths(said), reference, locale)
        place = reading.found or next(iter(reading.impossible), None)
        if place is None:
            return Clause(text=text, words=words, cores=(words,), templates=(words,), scope=None)
        outer, start, end = place.outer_start, place.start, place.end
        before, after = normaliser.tokens(said[:outer]), normaliser.tokens(said[end:])
        befores = [[*before, *normaliser.tokens(said[outer:start])]]
        if outer < start:
            befores.append(before)
        templates = (normaliser.joined([*each, _SOME_TIME, *after]) for each in befores)
        without = (normaliser.joined([*each, *after]) for each in befores)
        return Clause(
            text=text,
            words=words,
            cores=tuple(dict.fromkeys((words, *without))),
            templates=tuple(dict.fromkeys(templates)),
            scope=reading.found.scope if reading.found else None,
            scope_span=Span(place.outer_start, place.end),
            impossible=tuple(one.text for one in reading.impossible),
            left_out=reading.found.left_out if reading.found else "",
        )


class Understood(NamedTuple):
    """One request and its readings; what it carries besides is not looked for yet."""

    utterance: str
    clause: Clause
    tier: Tier
    readings: tuple[Alternative, ...]
    """Most likely first, at least one."""

    @property
    def intent(self) -> str:
        """The intent of the best reading."""
        return self.readings[0].intent

    @property
    def confidence(self) -> float:
        """How sure that is."""
        return self.readings[0].confidence

    @property
    def scope(self) -> Scope | None:
        """The time it is about."""
        return self.clause.scope
