"""Misspelt words of requests, and what is not one of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_router.spelling import load_speller, put_right, right_place, typed_place
from tests.support import examples

SPELLER = load_speller("en")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("am i fre on firday", "am i free on friday"),
        ("wen is my nxt meeting", "when is my next meeting"),
        ("waht is overdu", "what is overdue"),
        ("cancle the appointmnt", "cancel the appointment"),
        ("shedule it for wensday mornign", "schedule it for wednesday morning"),
        ("Firday", "friday"),
    ],
)
def test_words_that_are_nearly_those_of_requests_are_put_right(typed: str, meant: str) -> None:
    assert put_right(typed, SPELLER.repairs(typed)) == meant


@pytest.mark.parametrize(
    "text",
    [
        "call frida about the sundae", "ask Sundar and sundar", "march along the marsh",
        "the matching pair", "email marcy about the canvas", "mourning and moaning",
        "lunch with Mondal", "where were there", "sunny days", "a wonderful house",
    ],
)  # fmt: skip
def test_other_words_and_names_stay(text: str) -> None:
    assert SPELLER.repairs(text) == ()


@given(words=st.lists(st.sampled_from(["firday", "fre", "overdu", "milk", "the", "2day"])))
@settings(max_examples=examples(100))
def test_places_in_what_was_put_right_are_those_of_the_same_words(words: list[str]) -> None:
    typed = " ".join(words)
    repairs = SPELLER.repairs(typed)
    meant = put_right(typed, repairs).split(" ")
    at_typed = at_meant = 0
    for word, right in zip(words, meant, strict=False):
        assert typed_place(at_meant, repairs) == at_typed
        assert right_place(at_typed, repairs) == at_meant
        at_typed, at_meant = at_typed + len(word), at_meant + len(right)
        assert typed_place(at_meant, repairs) == at_typed
        at_typed, at_meant = at_typed + 1, at_meant + 1
