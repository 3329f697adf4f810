"""Readings that what there is decides, and questions back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iris_harness.bootstrap.choices import OpenChoices
from iris_harness.bootstrap.evidence import FOUND, EvidenceReader, is_borne_out
from iris_harness.bootstrap.turns import TurnContext, build_task_plan
from iris_harness.contracts.results import AgentResult, Choice, HandlerResult, Option, TaskState
from iris_harness.contracts.routing import (
    OUT_OF_SCOPE,
    AgentIntents,
    Alternative,
    Decision,
    Route,
    Tier,
)
from iris_harness.contracts.tasks import Intent, RoutingRule, Rule
from iris_harness.testing import make_task

SHELF = AgentIntents(
    agent="shelf",
    intents=(
        Intent(
            name="book.find",
            description="find books",
            examples=("find a book",),
            rules=(RoutingRule(pattern="where is (?P<title>.+)", kind=Rule.EVIDENCE),),
        ),
        Intent(
            name="book.move", description="move books", examples=("move a book",), kin=("box.move",)
        ),
    ),
)
READER = EvidenceReader([SHELF])


def route(
    utterance: str = "Where is the bank?",
    intent: str = OUT_OF_SCOPE,
    confidence: float = 0.9,
    decision: Decision = Decision.REFUSE,
    *others: tuple[str, float],
) -> Route:
    return Route(
        utterance=utterance,
        intent=intent,
        agent=None if intent == OUT_OF_SCOPE else "shelf",
        confidence=confidence,
        tier=Tier.STATISTICAL,
        decision=decision,
        alternatives=tuple(Alternative(intent=name, confidence=sure) for name, sure in others),
    )


def settled(given: Route, *, known: bool = True) -> Route:
    (found,) = READER.settle([given], lambda _route: known)
    return found


def result(found: HandlerResult | None) -> AgentResult:
    state = TaskState.FAILED if found is None else TaskState.OK
    return AgentResult(task_id="t1", agent="shelf", state=state, result=found)


def test_what_is_out_of_scope_is_tried_where_an_agent_claims_it() -> None:
    tried = settled(route())
    assert (tried.intent, tried.agent, tried.confidence) == ("book.find", "shelf", FOUND)
    assert (tried.tier, tried.decision) == (Tier.EVIDENCE, Decision.ACCEPT)
    assert tried.slots == {"title": "the bank"}
    assert [one.intent for one in tried.alternatives] == [OUT_OF_SCOPE]
    at = make_task("x").asked_at
    turn = TurnContext(id="1", session_id="s", asked_at=at, timezone="UTC", locale="en")
    (task,) = build_task_plan("x", (tried,), turn).tasks
    assert task.is_tried


@pytest.mark.parametrize(
    "given",
    [
        route(utterance="who is there"),
        route("where is it", "chat", 0.95, Decision.ACCEPT),
        route("where is it", "book.move", 0.8, Decision.ACCEPT),
    ],
)
def test_what_is_not_claimed_or_sure_enough_stays_as_it_is(given: Route) -> None:
    assert settled(given) == given


def test_what_nobody_answers_gives_way_to_who_does() -> None:
    unset = replace(route("where is it", "chat", 0.95, Decision.ACCEPT), agent=None)
    assert settled(unset).intent == "book.find"
    assert settled(unset, known=False) == unset


def test_a_doubtful_reading_stands_when_nothing_is_found() -> None:
    doubtful = route("where is it", "chat", 0.5, Decision.ACCEPT)
    assert settled(doubtful).intent == "book.find"
    assert settled(doubtful, known=False) == doubtful


def test_the_first_claim_that_is_borne_out_is_the_reading() -> None:
    cellar = replace(SHELF, agent="cellar")
    reader = EvidenceReader([SHELF, cellar])
    (found,) = reader.settle([route()], lambda tried: tried.agent == "cellar")
    assert found.agent == "cellar"


def test_a_reading_that_was_tried_and_not_found_is_out_of_scope() -> None:
    asked = route("where is it", "book.find", 0.5, Decision.ASK, (OUT_OF_SCOPE, 0.45))
    back = settled(asked, known=False)
    assert (back.intent, back.decision, back.alternatives) == (OUT_OF_SCOPE, Decision.REFUSE, ())


@pytest.mark.parametrize(
    ("found", "known"),
    [(HandlerResult(text="here"), True), (HandlerResult(declined=True), False), (None, False)],
)
def test_an_agent_knows_what_it_answers(found: HandlerResult | None, known: bool) -> None:
    assert is_borne_out(result(found)) is known


def test_kin_are_one_request_and_as_sure_as_both() -> None:
    near = route("move it", "book.move", 0.45, Decision.ASK, ("box.move", 0.4), ("chat", 0.1))
    one = settled(near)
    assert (one.decision, round(one.confidence, 2)) == (Decision.ACCEPT, 0.85)
    assert [reading.intent for reading in one.alternatives] == ["chat"]
    close = route("move it", "book.move", 0.3, Decision.ASK, ("chat", 0.28), ("box.move", 0.1))
    assert settled(close).decision is Decision.ASK


# Questions back

CHOICE = Choice(
    options=(
        Option(label="Ada Byron", slots={"person": "Ada Byron"}),
        Option(label="Ada Lovelace", slots={"person": "Ada Lovelace"}),
    )
)


def asked() -> OpenChoices:
    choices = OpenChoices()
    given = route("call ada", "book.find", 0.8, Decision.ACCEPT)
    choices.remember("s", [given], [result(HandlerResult(choice=CHOICE))])
    return choices


@pytest.mark.parametrize(
    ("answer", "person"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("byron", "Ada Byron"),
        ("I mean Lovelace.", "Ada Lovelace"),
        ("the first one", "Ada Byron"),
        ("2", "Ada Lovelace"),
        ("number two", "Ada Lovelace"),
        ("The second, please", "Ada Lovelace"),
    ],
)
def test_an_answer_settles_the_question_and_is_in_the_users_words(answer: str, person: str) -> None:
    found = asked().take(answer, "s")
    assert found is not None
    assert found.slots == {"person": person}
    assert found.utterance == f"call ada, {person}"
    assert found.confidence == 1


@pytest.mark.parametrize("answer", ["ada", "yes", "plan my day", "the third", ""])
def test_anything_else_drops_the_question(answer: str) -> None:
    choices = asked()
    assert choices.take(answer, "s") is None
    assert choices.take("byron", "s") is None


def test_a_question_belongs_to_its_conversation() -> None:
    choices = asked()
    assert choices.take("byron", "other") is None
    assert choices.take("byron", "s") is not None
    given = route("call ada", "book.find", 0.8, Decision.ACCEPT)
    choices.remember("", [given], [result(HandlerResult(choice=CHOICE))])
    assert choices.take("byron", "") is None


def test_small_talk_gives_way_to_what_there_is_unless_it_is_exact() -> None:
    chatting = AgentIntents(
        agent="chat", intents=(Intent(name="chat", description="", examples=("hello",)),)
    )
    reader = EvidenceReader([SHELF, chatting])
    talk = route("where is it", "chat", 0.95, Decision.ACCEPT)
    assert reader.settle([talk], lambda _: True)[0].intent == "book.find"
    exact = replace(talk, tier=Tier.RULE)
    assert reader.settle([exact], lambda _: True) == (exact,)


def test_misspelt_words_are_put_right_where_nothing_is_written_down() -> None:
    typed = replace(route("wher is it", "book.find", 0.95, Decision.ACCEPT), spelt="where is it")
    turn = TurnContext(
        id="1", session_id="s", asked_at=make_task("x").asked_at, timezone="UTC", locale="en"
    )
    assert build_task_plan("x", (typed,), turn).tasks[0].utterance == "where is it"
    (task,) = build_task_plan("x", (typed,), turn, {"book.find"}).tasks
    assert task.utterance == "wher is it"
