from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from pathlib import Path

import pytest

from iris_harness.contracts.routing import (
    IMPOSSIBLE_TIME,
    OUT_OF_SCOPE,
    AgentIntents,
    Decision,
    IntentRouter,
    Route,
    Tier,
)
from iris_harness.contracts.tasks import Intent, RoutingRule, Rule
from iris_harness.registry import Registry
from iris_router import load_router
from iris_router.builtin import KNOWN_INTENTS

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)


def ask(router: IntentRouter, text: str) -> Route:
    (route,) = router.route(text, NOW, "en")
    return route


@pytest.mark.parametrize(
    "text",
    [
        "plan my day",
        "Hey Iris, could you please plan my day?",
        "time to plan my day",
        "what's on today",
        "Whats on friday?",
        "what\u2019s on on thursday",
        "what should I focus on",
        "what should i focus on this morning",
        "priorities",
        "what do I have to do today",
        "brief me",
        "brief me on tomorrow",
        "plan tomorrow",
        "plan next week",
        "how does tomorrow look",
    ],
)
def test_commands_about_the_day_reach_the_planner_for_certain(
    router: IntentRouter, text: str
) -> None:
    route = ask(router, text)
    assert (route.intent, route.agent, route.tier) == ("planner", "planner", Tier.RULE)
    assert route.confidence == 1.0


@pytest.mark.parametrize(
    ("text", "intent", "agent"),
    [
        ("what time is it", "time.query", "clock"),
        ("what's the date on friday", "time.query", "clock"),
        ("what time is the meeting", "calendar.query", "calendar"),
        ("do i have anything on saturday", "calendar.query", "calendar"),
        ("what is on my shopping list", "todo.query", "todo"),
        ("tell me a joke", "chat", "chat"),
        ("remind me to call mom at 5", "reminder.set", "reminder"),
        ("will it rain tomorrow", "weather.query", None),
        ("add milk to my shopping list", "todo.add", "todo"),
        ("tick off milk on my list", "todo.change", "todo"),
        ("put lunch with Sam on my calendar", "calendar.create", "calendar"),
        ("cancel my meeting with Anna", "calendar.change", "calendar"),
        ("any unread mail", "email.query", None),
        ("write an email to Peter", "email.send", None),
        ("when is the gas bill due", "finance.query", None),
        ("fix the failing test in repo iris", "job.submit", "job"),
    ],
)
def test_intents_go_to_their_agent_and_to_none_where_it_is_not_installed(
    router: IntentRouter, text: str, intent: str, agent: str | None
) -> None:
    route = ask(router, text)
    assert (route.intent, route.agent) == (intent, agent)


@pytest.mark.parametrize(
    "text",
    [
        "plan a wedding",
        "fix a tap",
        "how do i fix a leaking tap",
        "book a flight to rome",
        "play some jazz",
        "what time does the museum open",
        "what does due diligence mean",
        "how do i plan a wedding",
    ],
)
def test_what_only_sounds_like_a_command_is_out_of_scope(router: IntentRouter, text: str) -> None:
    route = ask(router, text)
    assert (route.intent, route.agent) == (OUT_OF_SCOPE, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "?!",
        "asdf ghjk",
        "'; drop table plans; --",
        "\u0645\u0631\u062d\u0628\u0627",
        "\x00\x1b[2J",
    ],
)
def test_nonsense_is_refused(router: IntentRouter, text: str) -> None:
    route = ask(router, text)
    assert (route.intent, route.agent) == (OUT_OF_SCOPE, None)
    assert route.decision is Decision.REFUSE
    assert route.utterance == text


@pytest.mark.parametrize("text", ["", " ", "?!", "\U0001f44d"])
def test_without_a_word_no_tier_is_asked(router: IntentRouter, text: str) -> None:
    route = ask(router, text)
    assert (route.tier, route.confidence, route.alternatives) == (Tier.NONE, 0.0, ())


def test_every_example_of_every_agent_routes_to_its_intent(
    router: IntentRouter, registry: Registry
) -> None:
    for each in registry.intents():
        for intent in each.intents:
            assert intent.examples
            for example in intent.examples:
                route = ask(router, example)
                assert (route.intent, route.agent) == (intent.name, each.agent), example
                assert route.confidence == 1.0


def test_the_agents_that_come_with_iris_answer_the_intents_named_for_them(
    registry: Registry,
) -> None:
    nominal = KNOWN_INTENTS
    for each in registry.intents():
        extra = {
            "change.undo", "plan.change", "plan.explain", "reminder.query", "reminder.change",
            "job.query", "job.cancel", "job.steer",
        }  # fmt: skip
        own = {intent.name for intent in each.intents} - extra
        assert all(nominal[name] == each.agent for name in own)


def test_without_its_agent_the_planner_is_still_understood() -> None:
    route = ask(load_router(()), "plan my day")
    assert (route.intent, route.agent) == ("planner", None)


@pytest.mark.parametrize(
    "text",
    ["tomorrow", "next week", "what do I have today", "anything on on friday",
     "what is on at the weekend", "plan the weekend", "what have I got tomorrow afternoon"],
)  # fmt: skip
def test_a_time_and_little_more_asks_for_what_it_brings(router: IntentRouter, text: str) -> None:
    route = ask(router, text)
    assert (route.intent, route.confidence) == ("planner", 1.0)
    assert route.scope is not None


def test_a_day_that_does_not_exist_is_told_to_the_agent(router: IntentRouter) -> None:
    route = ask(router, "plan 31 february")
    assert (route.intent, route.scope) == ("planner", None)
    assert route.slots == {IMPOSSIBLE_TIME: "31 february"}


def test_the_scope_is_in_the_users_zone_and_words(router: IntentRouter) -> None:
    scope = ask(router, "What meetings do I have   Tomorrow Morning?").scope
    assert scope is not None
    assert scope.text == "Tomorrow Morning"
    assert scope.start == dt.datetime(2026, 5, 14, 6, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("plan my dey", "planner"),
        ("paln my day", "planner"),
        ("whats on to day", "planner"),
        ("what shoud i fokus on", "planner"),
        ("ad milk to my list", "todo.add"),
        ("wat time is it", "time.query"),
        ("remnd me to call mum at five", "reminder.set"),
        ("wil it rain tomorow", "weather.query"),
        ("fix the failling test", "job.submit"),
    ],
)
def test_slips_of_the_finger_and_of_the_ear_are_survived(
    router: IntentRouter, text: str, intent: str
) -> None:
    assert ask(router, text).intent == intent


def test_readings_come_most_likely_first_and_share_what_is_certain(router: IntentRouter) -> None:
    route = ask(router, "is paying the gas bill on my todo list")
    shares = [route.confidence, *(one.confidence for one in route.alternatives)]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) > 1
    assert sum(shares) <= 1.0 + 0.01 * len(shares)
    assert route.tier is Tier.STATISTICAL


def test_only_an_exact_rule_is_certain(router: IntentRouter) -> None:
    route = ask(router, "will it rain in Oslo tomorrow")
    assert (route.intent, route.tier) == ("weather.query", Tier.STATISTICAL)
    assert 0.9 <= route.confidence < 1.0


def coffee(*, rules: tuple[RoutingRule, ...] = (), priority: int = 0) -> AgentIntents:
    intent = Intent(
        name="coffee.brew",
        description="brew coffee",
        examples=("how do I get coffee tomorrow", "espresso"),
        rules=rules,
        priority=priority,
    )
    return AgentIntents(agent="barista", intents=(intent,))


@pytest.mark.parametrize("text", ["How do I get coffee tomorrow?", "how do i get coffee on friday"])
def test_an_example_of_a_new_agent_routes_for_any_day(text: str) -> None:
    route = ask(load_router([coffee()]), text)
    assert (route.intent, route.agent, route.confidence) == ("coffee.brew", "barista", 1.0)


def test_a_hint_of_a_new_agent_counts_against_what_iris_takes_for_out_of_scope() -> None:
    text = "how do i clean a moka pot"
    assert ask(load_router([coffee()]), text).intent == OUT_OF_SCOPE
    hint = RoutingRule(pattern=r"\bmoka\b")
    route = ask(load_router([coffee(rules=(hint,))]), text)
    assert (route.intent, route.agent) == ("coffee.brew", "barista")


def test_a_hint_of_a_new_agent_cannot_take_a_command_of_the_planner(registry: Registry) -> None:
    greedy = coffee(rules=(RoutingRule(pattern="."),), priority=100)
    route = ask(load_router([greedy, *registry.intents()]), "plan my day")
    assert (route.intent, route.confidence) == ("planner", 1.0)


def test_of_two_exact_rules_the_higher_priority_wins_then_the_first() -> None:
    exact = (RoutingRule(pattern="go", kind=Rule.EXACT),)

    def agent(name: str, priority: int) -> AgentIntents:
        intent = Intent(name=name, description="", examples=(), rules=exact, priority=priority)
        return AgentIntents(agent=name, intents=(intent,))

    assert ask(load_router([agent("a", 0), agent("b", 1)]), "go").intent == "b"
    assert ask(load_router([agent("b", 0), agent("a", 0)]), "go").intent == "b"


def test_a_rule_means_the_same_beside_any_other() -> None:
    """Most rules are tried as one; groups and flags would change there."""
    patterns = ("(ab)c", r"(ha)\1", "(?P<word>go) (?P=word)", "(?i)UP|DOWN", "a|b", "(?P<word>no)")
    agents = [
        AgentIntents(
            agent=f"agent{number}",
            intents=(
                Intent(
                    name=f"intent{number}",
                    description="",
                    examples=(),
                    rules=(RoutingRule(pattern=pattern, kind=Rule.EXACT),),
                ),
            ),
        )
        for number, pattern in enumerate(patterns)
    ]
    router = load_router(agents)
    for number, text in enumerate(("abc", "haha", "go go", "down", "b", "no")):
        assert (ask(router, text).intent, ask(router, text).tier) == (f"intent{number}", Tier.RULE)
    for text in ("c", "ha", "ab", "go", "a b", "noup"):
        assert ask(router, text).tier is not Tier.RULE


def test_an_exact_rule_must_match_the_whole_clause() -> None:
    exact = coffee(rules=(RoutingRule(pattern="brew coffee", kind=Rule.EXACT),))
    router = load_router([exact])
    assert ask(router, "Brew coffee, please!").confidence == 1.0
    assert ask(router, "brew coffee on monday").confidence == 1.0
    assert ask(router, "brew coffee beans").confidence < 1.0


def test_only_the_beginning_of_a_very_long_utterance_is_read(router: IntentRouter) -> None:
    assert ask(router, "plan my day" + " " * 100_000).intent == "planner"
    assert ask(router, "x" * 100_000 + " plan my day").intent != "planner"


@pytest.mark.corpus
def test_the_collected_utterances_are_understood(router: IntentRouter, corpus: Path) -> None:
    """The arrays that ship have learnt these rows; `docs/routing.md` has figures of others."""
    lines = (corpus / "intents" / "dev.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        intent = ask(router, row["text"]).intent
        total[row["intent"]] += 1
        right[row["intent"]] += intent in {row["intent"], *row.get("ok", ())}
    assert right.total() / total.total() >= 0.95
    assert right[OUT_OF_SCOPE] / total[OUT_OF_SCOPE] >= 0.95
    assert right["planner"] / total["planner"] >= 0.9
