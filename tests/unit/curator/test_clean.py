from __future__ import annotations

import itertools
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.curator.clean import clean, clean_lines, shorten, speakable

_BIDI_CONTROLS = set("\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

anything = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("\x1b[]0m;\x07\x9b\u202ea \n\t\x85\u2028"), max_size=30
)


@given(anything)
def test_clean_text_has_no_control_and_no_direction_override(text: str) -> None:
    result = clean(text)
    assert not {c for c in result if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}}
    assert not _BIDI_CONTROLS & set(result)


@given(anything)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_what_becomes_of_a_character_does_not_depend_on_its_neighbours() -> None:
    spaces_and_controls = (range(0x3001), range(0xD7F0, 0xE010), range(0xFDD0, 0x10000))
    for code in itertools.chain(*spaces_and_controls, range(0x10000, sys.maxunicode, 997)):
        character = chr(code)
        if character not in {"\x1b", "\x9b"}:  # these begin a sequence
            assert clean(f"a{character}b \a") == clean(f"a{character}b"), hex(code)


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=40))
def test_letters_digits_and_signs_are_kept(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jcleared", "cleared"),
        ("\x1b]8;;https://evil.example\x07link", "]8;;https://evil.example link".replace(" ", "")),
        ("two\r\nlines", "two lines"),
        ("gnp.\u202egpj", "gnp.gpj"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("👩\u200d💻 at work", "👩\u200d💻 at work"),
        ("\ud800", ""),
        ("  wide\u00a0\u2003gap ", "wide gap"),
    ],
    ids=["sgr", "c1-csi", "hyperlink", "newline", "rlo", "zwnj", "zwj", "surrogate", "spaces"],
)
def test_hostile_and_honest_titles(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_lines_keep_their_breaks_and_indentation() -> None:
    assert clean_lines("\nTodos\n  - milk\x07\n\x1b[1m  - eggs  \n\n") == (
        "Todos\n  - milk\n- eggs"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[work] Standup (Room 4)", "work Standup Room 4"),
        ("🎉 Party | drinks_and_food", "Party drinks and food"),
        ("Ship it - now", "Ship it now"),
        ("co-op, 5 €", "co-op, 5 €"),
        ("***", ""),
    ],
)
def test_symbols_are_not_said(text: str, expected: str) -> None:
    assert speakable(text) == expected


def test_shortening_keeps_whole_words() -> None:
    assert shorten("one two three four", 3) == "one two three"
    assert shorten("one", 3) == "one"
