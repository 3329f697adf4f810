from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.routing import OUT_OF_SCOPE, Alternative, IntentRouter, Route, Tier
from iris_router.clauses import Clause, Understood
from iris_router.compound import JointFinder, load_compound_words
from iris_router.requests import MOST_REQUESTS, RequestRouter
from tests.support import examples

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)
MOST_DIVIDED = 0.002
"""Most of those do ask two things ("add eggs and remove cheese")."""


class CountingRouter:
    """Routes every text to one intent, and counts what it is asked."""

    def __init__(self, intent: str) -> None:
        self._intent = intent
        self.asked: list[str] = []

    def understand(self, text: str, reference: dt.datetime, locale: str) -> Understood:
        del reference, locale
        self.asked.append(text)
        clause = Clause(text=text, words=text, cores=(text,), templates=(text,), scope=None)
        reading = Alternative(intent=self._intent, confidence=0.9)
        return Understood(text, clause, Tier.STATISTICAL, (reading,))

    def route_of(self, understood: Understood) -> Route:
        return Route(
            utterance=understood.utterance,
            intent=understood.intent,
            agent=None,
            confidence=understood.confidence,
            tier=understood.tier,
        )


@pytest.mark.parametrize("intent", ["todo.query", "todo.add", OUT_OF_SCOPE])
def test_no_part_of_an_utterance_is_routed_twice(intent: str) -> None:
    counting = CountingRouter(intent)
    finders = {"en": JointFinder(load_compound_words("en"))}
    text = "what is on today, show my todos and then plan friday; add milk and call Anna"
    RequestRouter(counting, finders, "en").route(text, NOW, "en")
    assert sorted(set(counting.asked)) == sorted(counting.asked)


def requests(router: IntentRouter, text: str) -> list[tuple[str, str]]:
    return [(route.utterance, route.intent) for route in router.route(text, NOW, "en")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "plan my day and tell me what is overdue",
            [("plan my day", "planner"), ("tell me what is overdue", "todo.query")],
        ),
        (
            "Plan my day. What's overdue?",
            [("Plan my day", "planner"), ("What's overdue?", "todo.query")],
        ),
        (
            "what is overdue; what is on today; plan tomorrow",
            [
                ("what is overdue", "todo.query"),
                ("what is on today", "planner"),
                ("plan tomorrow", "planner"),
            ],
        ),
        (
            "what time is it, what's on friday and show my todos",
            [
                ("what time is it", "time.query"),
                ("what's on friday", "planner"),
                ("show my todos", "todo.query"),
            ],
        ),
        (
            "add 'milk and eggs' to my list and plan my day",
            [("add 'milk and eggs' to my list", "todo.add"), ("plan my day", "planner")],
        ),
        (
            "plan my day and remind me at five to call Anna",
            [("plan my day", "planner"), ("remind me at five to call Anna", "reminder.set")],
        ),
    ],
)
def test_each_request_of_an_utterance_has_a_route_of_its_own(
    router: IntentRouter, text: str, expected: list[tuple[str, str]]
) -> None:
    assert requests(router, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "remind me to buy milk and send the letter",
        "remind me to call mum then dad",
        "add milk, then eggs to my list",
        "add check email and plan the week to my list",
        "add 'milk and tell me what to cook' to my list",
        "on my shopping list, remove bread and add milk",
        "set an alarm for 9 am and another one for 11 am",
        "what's on my schedule between 10:00 and 11:00 and who's there",
        "tomorrow, what's the plan",
        "for friday, add a doctor's appointment to my calendar",
        "hello, how are you",
        "will it be colder then now",
        "is it legal to breed and sell rabbits",
        "and",
        "then then then",
        "plan my day and",
        ", plan my day",
    ],
)
def test_what_is_one_request_stays_whole(router: IntentRouter, text: str) -> None:
    assert [words for words, _ in requests(router, text)] == [text]


def test_then_and_words_for_it_make_a_request_depend_on_the_one_before(
    router: IntentRouter,
) -> None:
    for text in (
        "what's on tomorrow, then show my todos",
        "plan my day and then show my todos",
        "plan my day, after that tell me the time",
        "plan my day and mail it to me",
    ):
        first, second = router.route(text, NOW, "en")
        assert (first.depends_on, second.depends_on) == ((), (0,)), text


def test_requests_joined_by_and_do_not_depend_on_each_other(router: IntentRouter) -> None:
    routes = router.route("plan my day and tell me what is overdue", NOW, "en")
    assert [route.depends_on for route in routes] == [(), ()]


def test_a_request_without_a_time_is_about_that_of_the_question_before_it(
    router: IntentRouter,
) -> None:
    first, second = router.route("what's on tomorrow and which todos are due", NOW, "en")
    assert first.scope is not None
    assert second.scope == first.scope
    _, clock = router.route("what's on tomorrow and what time is it", NOW, "en")
    assert clock.scope is None  # the time is that of now


def test_what_is_not_understood_is_asked_about_and_stops_nothing(router: IntentRouter) -> None:
    assert requests(router, "plan my day, then dim the lights") == [
        ("plan my day", "planner"),
        ("dim the lights", OUT_OF_SCOPE),
    ]


def test_a_quotation_is_never_divided_and_says_nothing_of_time(router: IntentRouter) -> None:
    text = "add \u201cplan my day tomorrow and tell me what is overdue\u201d to my list"
    (route,) = router.route(text, NOW, "en")
    assert route.scope is None
    assert route.slots["title"] == "plan my day tomorrow and tell me what is overdue"


def test_nobody_asks_for_more_than_a_few_things(router: IntentRouter) -> None:
    routes = router.route(" and ".join(["show my todos"] * 50), NOW, "en")
    assert len(routes) == MOST_REQUESTS


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["plan my day", "and", "then", ", ", "; ", "'", '"', "what is due", "it", "add",
             "\u0600", "to my list", "tell me", "\x00", "remind me to", "eggs", ". "]
        ),
        max_size=30,
    )
)  # fmt: skip
def test_the_requests_are_parts_of_the_utterance_in_order(
    router: IntentRouter, parts: list[str]
) -> None:
    text = " ".join(parts)
    at = 0
    for index, route in enumerate(router.route(text, NOW, "en")):
        at = text.index(route.utterance, at) + len(route.utterance)
        assert all(needed < index for needed in route.depends_on)


def test_utterances_that_ask_one_thing_are_hardly_ever_divided(
    router: IntentRouter, corpus: Path
) -> None:
    lines = [
        line
        for name in ("train", "dev")
        for line in (corpus / "intents" / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    texts = [json.loads(line)["text"] for line in lines]
    divided = [text for text in texts if len(router.route(text, NOW, "en")) > 1]
    assert len(divided) <= MOST_DIVIDED * len(texts), divided


def test_joints_are_looked_for_in_linear_time() -> None:
    finder = JointFinder(load_compound_words("en"))
    hostile = "add " * 250  # every "add" might hold a text together
    assert list(finder.joints(hostile)) == []
