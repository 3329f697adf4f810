from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.routing import OUT_OF_SCOPE, Alternative, Decision, IntentRouter
from iris_router.decision import decide
from iris_router.statistical import with_evidence

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)
SHARES = st.floats(0.0, 1.0)


def readings(*pairs: tuple[str, float]) -> tuple[Alternative, ...]:
    return tuple(Alternative(intent=intent, confidence=share) for intent, share in pairs)


@pytest.mark.parametrize(
    ("found", "decision"),
    [
        (readings(("a", 1.0)), Decision.ACCEPT),
        (readings(("a", 0.6), ("b", 0.3)), Decision.ACCEPT),
        (readings(("a", 0.45), ("b", 0.4)), Decision.ASK),
        (readings((OUT_OF_SCOPE, 0.9), ("a", 0.1)), Decision.REFUSE),
        (readings((OUT_OF_SCOPE, 0.5), ("a", 0.45)), Decision.ASK),
        (readings((OUT_OF_SCOPE, 0.1), ("a", 0.1)), Decision.REFUSE),
    ],
)
def test_two_close_readings_are_a_question(
    found: tuple[Alternative, ...], decision: Decision
) -> None:
    assert decide(found, {"a", "b"}) is decision


def test_between_two_readings_that_nothing_answers_there_is_nothing_to_ask() -> None:
    close = readings(("a", 0.45), ("b", 0.4))
    assert decide(close, {"b"}) is Decision.ASK
    assert decide(close, ()) is Decision.ACCEPT


@given(shares=st.lists(SHARES, min_size=2, max_size=5), strengths=st.lists(SHARES, max_size=3))
def test_evidence_moves_likelihood_and_makes_none(
    shares: list[float], strengths: list[float]
) -> None:
    total = sum(shares) or 1.0
    known = {f"known{n}": share / total for n, share in enumerate(shares[1:])}
    known[OUT_OF_SCOPE] = 1.0 - sum(known.values())
    evidence = {f"new{n}": strength for n, strength in enumerate(strengths)}
    found = with_evidence(known, evidence)
    assert set(found) == {*known, *evidence}
    assert sum(found.values()) == pytest.approx(1.0)
    assert all(share >= -1e-9 for share in found.values())


def test_a_doubtful_question_offers_its_two_readings(router: IntentRouter) -> None:
    texts = ("reminders for the meeting", "change it to friday", "schedule tasks", "time for lunch",
             "note the meeting", "the plan of the meeting", "did anna answer", "note dentist",
             "tests tomorrow", "tasks in my calendar", "is lunch on", "friday meeting or todo",
             "you want to know about current time now")  # fmt: skip
    asked = [
        route
        for text in texts
        for route in router.route(text, NOW, "en")
        if route.decision is Decision.ASK
    ]
    assert asked
    for route in asked:
        assert route.alternatives
        assert route.confidence - route.alternatives[0].confidence < 0.2
