"""Texts alike by their words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_harness.jobs.likeness import likeness


def test_rare_words_say_more_than_common_ones() -> None:
    others = ["add a page about cats", "add a page about dogs", "add the invoice export"]
    scores = likeness("add invoice", others)
    assert scores[2] > max(scores[0], scores[1])


@given(st.text(), st.lists(st.text(), max_size=5))
def test_likeness_is_a_share_and_a_text_is_most_like_itself(text: str, others: list[str]) -> None:
    scores = likeness(text, [*others, text])
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores)
    assert scores[-1] >= max(scores) - 1e-9


def test_texts_without_words_are_like_nothing() -> None:
    assert likeness("", ["a", ""]) == (0.0, 0.0)
