from __future__ import annotations

import pytest

from tests.unit.agents.world import ask, texts


@pytest.mark.parametrize(
    ("utterance", "words"),
    [
        ("hello iris", "Hello."),
        ("thanks a bunch", "You are welcome."),
        ("good night", "Goodbye."),
        ("Who are you?", "I am Iris"),
        ("are you a real human", "no person"),
        ("what else can you do", "iris agents"),
        ("help", "plan of your day"),
        ("how are you doing today", "All in order"),
        ("who made you", "free software"),
        ("how old are you", "no birthday"),
        ("tell me a joke", "overlaps"),
        ("what is the meaning of life", "cannot answer"),
        ("i'm so stressed", "sorry"),
        ("you're great", "kind"),
        ("qwertz", "not made for small talk"),
    ],
)
def test_small_talk_is_short_and_the_same_every_time(utterance: str, words: str) -> None:
    (text,) = texts(ask("chat", utterance))
    assert words in text
    assert len(text) < 400
    assert [text] == texts(ask("chat", utterance))
