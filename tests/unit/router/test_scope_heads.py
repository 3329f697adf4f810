"""The tables of first words leave nothing out: with all words in them, the same is read."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_router.english import build_english
from iris_router.scopes_errors import NoSuchTimeError
from iris_router.scopes_heads import Heads, build_heads
from iris_router.scopes_tokens import Lexer
from iris_router.scopes_windows import Window, WindowReader
from tests.support import examples

NOW = dt.datetime(2026, 5, 13, 9, 20, tzinfo=dt.UTC)
WORDS = build_english().scopes
LEXER = Lexer(WORDS.phrases())
HEADS = build_heads(WORDS, LEXER)
NUMBERS = ("2", "5", "12", "17", "30", "45", "530", "2026", "20260603", "2026-06-03", "3/6",
           "1/2", "9:30", "17.30", "2.5", "3rd", "21st", "9am", "12:99")  # fmt: skip
OTHERS = ("table", "adults", "remind", "me", "call", "'", ",", "-", ".", "s")

pieces = st.one_of(
    st.sampled_from(sorted(WORDS.phrases())), st.sampled_from(NUMBERS), st.sampled_from(OTHERS)
)
texts = st.lists(pieces, min_size=1, max_size=7).map(" ".join)


class Everything(frozenset[str]):
    """Has all words."""

    def __contains__(self, word: object) -> bool:
        return True


class AllForms(dict[str, tuple[str, ...]]):
    """Lets every form begin with every word."""

    def __contains__(self, word: object) -> bool:
        return True

    def __missing__(self, word: str) -> tuple[str, ...]:
        return FORMS


FORMS = (
    "relative", "week_of", "counted_units", "unit", "nth", "edge", "weekday", "plural_weekday",
    "month_day", "written", "numbered", "holiday", "month", "year", "feast", "season",
)  # fmt: skip
OPEN = replace(
    HEADS,
    pieces=Everything(),
    clocks=Everything(),
    clock_spans=Everything(),
    day_ranges=Everything(),
    day_forms=AllForms(),
    number_forms=AllForms(),
    lone_number_forms=FORMS,
)


def scope_at(text: str, at: int, heads: Heads) -> tuple[Window, int] | str | None:
    reader = WindowReader(LEXER.read(Lexer.fold(text)), WORDS, heads, NOW, "en")
    try:
        return reader.scope(at)
    except (NoSuchTimeError, ValueError, OverflowError) as error:
        return str(error)


def test_every_form_of_days_has_its_first_words() -> None:
    assert {form for forms in HEADS.day_forms.values() for form in forms} == set(FORMS)


@settings(max_examples=examples(400), deadline=None)
@given(text=texts)
def test_a_scope_begins_only_with_what_the_tables_name(text: str) -> None:
    for at in range(len(LEXER.read(Lexer.fold(text)))):
        assert scope_at(text, at, HEADS) == scope_at(text, at, OPEN)


@settings(max_examples=examples(400), deadline=None)
@given(text=st.lists(st.sampled_from(sorted(WORDS.phrases())), min_size=1, max_size=4))
def test_a_text_without_a_telling_word_has_no_scope(text: list[str]) -> None:
    folded = Lexer.fold(" ".join(text))
    tokens = LEXER.read(folded)
    if not HEADS.telling.isdisjoint(re.findall(r"\w+", folded)):
        return
    if any(token.is_counted() for token in tokens.values()):
        return
    assert all(scope_at(folded, at, OPEN) is None for at in tokens)
