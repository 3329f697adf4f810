from __future__ import annotations

import pytest

from iris_router.english import build_english
from iris_router.normalise import Normaliser

NORMALISER = Normaliser(build_english().normal)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("PLAN my   day!!!", "plan my day"),
        ("What\u2019s on today?", "what is on today"),
        ("whats on today", "what is on today"),
        ("I'm late, don't wait", "i am late do not wait"),
        ("can't stop", "can not stop"),
        ("they won't", "they will not"),
        ("today's agenda", "todays agenda"),
        ("tick off my to-do list", "tick off my todo list"),
        ("a state-of-the-art plan", "a state of the art plan"),
        ("fix parser.py at 10:30", "fix parser.py at 10:30"),
        ("on 2026-05-13", "on 2026-05-13"),
        ("\u201cplan my day\u201d", "plan my day"),
    ],
)
def test_spellings_of_the_same_words_become_equal(said: str, words: str) -> None:
    assert NORMALISER.words(said) == words


@pytest.mark.parametrize(
    "said",
    [
        "hey iris, plan my day",
        "Could you please plan my day?",
        "ok iris can you plan my day for me please",
        "I'd like you to plan my day, thanks",
        "would you mind plan my day",
        "plan my day please iris",
    ],
)
def test_politeness_is_removed(said: str) -> None:
    assert NORMALISER.words(said) == "plan my day"


@pytest.mark.parametrize("said", ["thanks", "please", "thank you", "can you", "iris"])
def test_what_is_nothing_but_politeness_stays(said: str) -> None:
    assert NORMALISER.words(said) == said


@pytest.mark.parametrize("said", ["", "  \t", "?!...", "\u200b\x00", "\N{GRINNING FACE}"])
def test_what_holds_no_word_becomes_empty(said: str) -> None:
    assert not NORMALISER.words(said)
