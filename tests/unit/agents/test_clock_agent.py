from __future__ import annotations

import pytest

from iris_harness.contracts.facts import FactKind
from iris_harness.errors import UsageError
from tests.unit.agents.world import ask, texts


@pytest.mark.parametrize(
    ("utterance", "answer"),
    [
        ("what time is it", "It is 08:40 on Wednesday 13 May 2026 (Europe/Berlin)."),
        ("What's the date?", "It is Wednesday 13 May 2026 (Europe/Berlin)."),
        ("what day of the week is it", "It is Wednesday 13 May 2026 (Europe/Berlin)."),
        ("what day is it today", "Today is Wednesday 13 May 2026."),
        ("what's the date tomorrow", "Tomorrow is Thursday 14 May 2026."),
        (
            "how many days until 24 december",
            "24 december is Thursday 24 December 2026, in 225 days.",
        ),
        ("which date was last friday", "Last friday is Friday 8 May 2026, 5 days ago."),
        ("which week are we in", "It is week 20 of 2026, Wednesday 13 May 2026."),
        (
            "what time is it in Tokyo right now?",
            "It is 15:40 on Wednesday 13 May 2026 in Tokyo (Asia/Tokyo).",
        ),
        (
            "what's the time in new york",
            "It is 02:40 on Wednesday 13 May 2026 in New York (America/New_York).",
        ),
        ("what is the UTC time", "It is 06:40 on Wednesday 13 May 2026 in UTC (UTC)."),
        ("time in the UK", "It is 07:40 on Wednesday 13 May 2026 in UK (Europe/London)."),
        (
            "what timezone is Kathmandu in",
            "The time zone in Kathmandu is Asia/Kathmandu (UTC+05:45); it is 12:25 there.",
        ),
        ("what time is it in the US", "US has several time zones; name a city."),
        (
            "what time is it in Springfield",
            "I do not know the time zone of Springfield; name a large city near it.",
        ),
    ],
)
def test_time_and_date_are_told_here_and_elsewhere(utterance: str, answer: str) -> None:
    assert texts(ask("clock", utterance)) == [answer]


def test_the_answer_carries_the_instant_and_the_zone() -> None:
    (fact,) = ask("clock", "what time is it").facts
    assert fact.kind is FactKind.TIME
    assert fact.value == {"now": "2026-05-13T08:40:00+02:00", "timezone": "Europe/Berlin"}


def test_an_unknown_zone_of_the_user_is_an_error() -> None:
    with pytest.raises(UsageError, match="no time zone"):
        ask("clock", "what time is it", timezone="Mars/Base")
