"""Which words scopes can begin with, and which they cannot do without.

Most words of most texts are neither, and are passed over without trying to read anything there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from iris_router.scopes_tokens import Lexer
from iris_router.scopes_words import ScopeWords


@dataclass(frozen=True, kw_only=True, slots=True)
class Heads:
    """The first words of what is read; a number stands there by the kind of its token."""

    scopes: frozenset[str]
    """The words that a scope can begin with, unless it begins with a number."""
    cores: frozenset[str]
    """Words of which every scope has one, unless it has a number or a length."""
    telling: frozenset[str]
    """Words of which a text without digits has one if it has a scope."""
    pieces: frozenset[str]
    """What a day, a part of one and a time can begin with."""
    lengths: frozenset[str]
    """What a length in hours or minutes from now can begin with."""
    clocks: frozenset[str]
    """What a time can begin with."""
    clock_leads: frozenset[str]
    """What a time, a range of them or a word before one can begin with."""
    clock_spans: frozenset[str]
    """What a range of times can begin with."""
    day_ranges: frozenset[str]
    """What a range of days can begin with, a day included."""
    day_forms: Mapping[str, tuple[str, ...]]
    """What a day can begin with, to its forms that can: names of methods of readers of days."""
    number_forms: Mapping[str, tuple[str, ...]]
    """What follows a number in digits, to the forms that can begin with such a number."""
    lone_number_forms: tuple[str, ...]
    """The forms that can begin with a number in digits before any other word."""


def build_heads(words: ScopeWords, lexer: Lexer) -> Heads:
    """Return the first words of a language."""
    cores = _core_words(words)
    number = {"number", *words.numbers}
    clocks = {*number, "clock", "decimal", *words.clock, *words.half, *words.half_past,
              *words.quarter}  # fmt: skip
    forms = _day_forms(words)
    parts = (words.parts, words.lone_parts, words.tonight, words.which, words.coming, words.whole)
    starts = words.start | words.span | words.starting
    return Heads(
        scopes=cores | _scope_words(words),
        cores=cores,
        telling=frozenset(_telling(cores, lexer)),
        pieces=frozenset().union(words.at, starts, words.articles, clocks, forms, *parts),
        lengths=frozenset().union(
            number, words.amounts, words.within, words.which, ("decimal", "fraction")
        ),
        clocks=frozenset(clocks),
        clock_leads=starts | clocks | words.at,
        clock_spans=starts | clocks,
        day_ranges=starts | words.articles | set(forms),
        day_forms=forms,
        number_forms=_number_forms(words),
        lone_number_forms=tuple(_AFTER_ANY_NUMBER),
    )


def _core_words(words: ScopeWords) -> frozenset[str]:
    tables: tuple[Iterable[str], ...] = (
        words.relative_days, words.weekdays, words.weekdays_plural, words.months, words.parts,
        words.lone_parts, words.tonight, words.units, words.edges, words.holidays, words.easter,
        words.feasts, words.seasons, words.clock, words.numbers, words.ordinals, words.year_parts,
        words.half, words.half_past, words.quarter, words.weeks_of, words.weekends_of,
    )  # fmt: skip
    return frozenset().union(*tables)


def _scope_words(words: ScopeWords) -> frozenset[str]:
    """Return the words besides its core that a scope can begin with."""
    tables: tuple[Iterable[str], ...] = (
        words.amounts, words.which, words.whole, words.coming, words.start, words.span,
        words.articles, words.before, words.after, words.since, words.within, words.all,
        words.starting,
    )  # fmt: skip
    return frozenset().union(*tables)


def _telling(cores: frozenset[str], lexer: Lexer) -> Iterable[str]:
    """Yield a word of each core: the whole of it, or one that tells more than the others do."""
    for core in cores:
        parts = [token.text for token in lexer.cut(core) if token.kind == "word"]
        if parts:
            yield min(parts, key=lambda part: (part not in cores, -len(part), part))


def _day_forms(words: ScopeWords) -> Mapping[str, tuple[str, ...]]:
    """Return which forms of days can begin with a word, in the order they are to be tried in."""
    number = ("number", *words.numbers)
    ordinal = (*number, *words.ordinals)
    amount = (*number, "decimal", "fraction", *words.amounts)
    first: Mapping[str, Iterable[str]] = {
        "relative": words.relative_days,
        "week_of": words.whole | words.weeks_of | words.weekends_of,
        "counted_units": (*words.which, *words.within, *amount),
        "unit": (*words.all, *words.whole, *words.units, *words.which),
        "nth": (*words.articles, *words.which, *ordinal),
        "edge": words.edges,
        "weekday": (*words.which, *words.nearest, *words.weekdays),
        "plural_weekday": number,
        "month_day": (*words.articles, *ordinal, *words.months),
        "written": ("date", "fraction", "number"),
        "numbered": (*words.articles, *ordinal),
        "holiday": words.holidays,
        "month": ("number", *words.which, *words.months),
        "year": ("number", *words.year_parts),
        "feast": (*words.which, *words.easter, *words.feasts),
        "season": (*words.which, *words.articles, *words.seasons),
    }
    return _by_word(first)


_AFTER_ANY_NUMBER = ("written", "year")


def _number_forms(words: ScopeWords) -> Mapping[str, tuple[str, ...]]:
    """Return which forms can begin with a number that stands before a word, as above."""
    after: Mapping[str, Iterable[str]] = {
        "counted_units": words.units,
        "nth": words.suffixes,
        "plural_weekday": words.weekdays_plural,
        "month_day": (*words.suffixes, *words.of, "-", *words.months),
        "written": (),
        "numbered": words.suffixes,
        "month": words.months,
        "year": (),
    }
    known = frozenset().union(*after.values())
    return _by_word({form: known if form in _AFTER_ANY_NUMBER else after[form] for form in after})


def _by_word(forms: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[str, ...]]:
    """Return the forms of each word, in the order given."""
    found: dict[str, list[str]] = defaultdict(list)
    for form, heads in forms.items():
        for word in dict.fromkeys(heads):
            found[word].append(form)
    return {word: tuple(forms) for word, forms in found.items()}
