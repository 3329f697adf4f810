"""Readings that what there is decides, and questions back."""

from __future__ import annotations

import pytest

from iris_harness.bootstrap.choices import OpenChoices
from iris_harness.bootstrap.evidence import FOUND, EvidenceReader, withdraw
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
from iris_harness.contracts.tasks import Intent, RoutingRule, Rule, TaskPlan
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
        Intent(name="book.move", description="", examples=("move a book",), kin=("box.move",)),
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


def settled(given: Route) -> Route:
    (found,) = READER.settle([given])
    return found


def plan_of(*routes: Route) -> TaskPlan:
    at = make_task("x").asked_at
    turn = TurnContext(id="1", session_id="s", asked_at=at, timezone="UTC", locale="en")
    return build_task_plan("x", routes, turn)


def result(task_id: str, found: HandlerResult | None) -> AgentResult:
    state = TaskState.FAILED if found is None else TaskState.OK
    return AgentResult(task_id=task_id, agent="shelf", state=state, result=found)


def test_what_is_out_of_scope_is_tried_where_an_agent_claims_it() -> None:
    tried = settled(route())
    assert (tried.intent, tried.agent, tried.confidence) == ("book.find", "shelf", FOUND)
    assert (tried.tier, tried.decision) == (Tier.EVIDENCE, Decision.ACCEPT)
    assert tried.slots == {"title": "the bank"}
    assert [one.intent for one in tried.alternatives] == [OUT_OF_SCOPE]
    (task,) = plan_of(tried).tasks
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


def test_a_doubtful_reading_gives_way_and_comes_back_when_nothing_is_found() -> None:
    doubtful = route("where is it", "chat", 0.5, Decision.ACCEPT)
    tried = settled(doubtful)
    plan = plan_of(tried)
    for found in (HandlerResult(declined=True), None):
        kept, routes, results = withdraw(plan, [doubtful], [tried], [result("t1", found)])
        assert (kept.tasks, routes, results) == ((), (doubtful,), ())
    answered = [result("t1", HandlerResult(text="here"))]
    assert withdraw(plan, [doubtful], [tried], answered) == (plan, (tried,), tuple(answered))


def test_a_reading_that_was_tried_and_not_found_is_out_of_scope() -> None:
    asked = route("where is it", "book.find", 0.5, Decision.ASK, (OUT_OF_SCOPE, 0.45))
    tried = settled(asked)
    found = [result("t1", HandlerResult(declined=True))]
    _, (back,), _ = withdraw(plan_of(tried), [asked], [tried], found)
    assert (back.intent, back.decision, back.alternatives) == (OUT_OF_SCOPE, Decision.REFUSE, ())


def test_what_needs_a_reading_that_was_withdrawn_needs_it_no_more() -> None:
    first = settled(route())
    second = route("move it", "book.move", 0.95, Decision.ACCEPT)
    plan = plan_of(first, second)
    results = [result("t1", HandlerResult(declined=True)), result("t2", HandlerResult(text="x"))]
    kept, routes, left = withdraw(plan, [route(), second], [first, second], results)
    assert [task.id for task in kept.tasks] == ["t2"]
    assert [one.intent for one in routes] == [OUT_OF_SCOPE, "book.move"]
    assert [one.task_id for one in left] == ["t2"]


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
    choices.remember("s", [given], plan_of(given), [result("t1", HandlerResult(choice=CHOICE))])
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
    choices.remember("", [given], plan_of(given), [result("t1", HandlerResult(choice=CHOICE))])
    assert choices.take("byron", "") is None
