from __future__ import annotations

import datetime as dt
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.actions import Action
from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.reply import DayBlock, Reply, TextBlock
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskFailure, TaskState
from iris_harness.contracts.routing import OUT_OF_SCOPE, Alternative, Decision, Route, Tier
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState
from iris_harness.contracts.tasks import AgentTask, TaskPlan
from iris_harness.curator.compose import Curator
from iris_harness.curator.speech import day_speech
from iris_harness.curator.text import day_text, days_text
from tests.day_plans import busy_day, empty_day, planned_day, unreadable_day

ASKED_AT = dt.datetime(2026, 3, 12, 7, 15, tzinfo=dt.UTC)
CAPABILITIES = ("plan your day", "list your todos", "tell the time")


def task(task_id: str, agent: str, words: str, intent: str = "") -> AgentTask:
    return AgentTask(
        id=task_id,
        agent=agent,
        intent=intent or f"{agent}.query",
        utterance=words,
        asked_at=ASKED_AT,
    )


def route_of(made: AgentTask, confidence: float = 1.0, *others: str) -> Route:
    return Route(
        utterance=made.utterance,
        intent=made.intent,
        agent=made.agent,
        confidence=confidence,
        tier=Tier.RULE,
        alternatives=tuple(Alternative(intent=name, confidence=0.1) for name in others),
    )


def unanswered(words: str, intent: str = OUT_OF_SCOPE, agent: str | None = None) -> Route:
    return Route(utterance=words, intent=intent, agent=agent, confidence=1.0, tier=Tier.NONE)


def ok(
    made: AgentTask, *facts: Fact, text: str = "", warnings: tuple[str, ...] = ()
) -> AgentResult:
    found = HandlerResult(facts=facts, text=text, warnings=warnings)
    return AgentResult(task_id=made.id, agent=made.agent, state=TaskState.OK, result=found)


def failed(made: AgentTask, state: TaskState, message: str, hint: str = "") -> AgentResult:
    error = TaskFailure(kind="Boom", message=message, hint=hint, detail="Traceback: secret")
    return AgentResult(task_id=made.id, agent=made.agent, state=state, error=error)


def statement(text: str, *sources: SourceRef) -> Fact:
    return Fact(kind=FactKind.STATEMENT, text=text, sources=sources)


def day_fact(plan: DailyPlan) -> Fact:
    return Fact(kind=FactKind.DAY, text="The day.", value=planned_day(plan))


def compose(
    tasks: tuple[AgentTask, ...],
    results: tuple[AgentResult, ...],
    routes: tuple[Route, ...] | None = None,
) -> Reply:
    plan = TaskPlan(id="p", utterance=" and ".join(t.utterance for t in tasks), tasks=tasks)
    given_routes = tuple(map(route_of, tasks)) if routes is None else routes
    return Curator().compose(plan, given_routes, results, CAPABILITIES)


PLANNER = task("t1", "planner", "plan my day", "planner")
TODO = task("t2", "todo", "what do I have to do")
CLOCK = task("t3", "clock", "what time is it", "time.query")


def test_a_day_is_the_whole_reply() -> None:
    plan = busy_day()
    reply = compose((PLANNER,), (ok(PLANNER, day_fact(plan)),))
    assert reply.text == day_text(plan)
    assert reply.speech == day_speech(plan)
    assert reply.blocks == (DayBlock(plan=plan),)
    assert reply.plan_id == plan.plan_id
    assert not reply.degraded


def test_warnings_that_a_day_lists_itself_are_not_repeated() -> None:
    plan = busy_day()
    reply = compose((PLANNER,), (ok(PLANNER, day_fact(plan), warnings=(*plan.warnings, "extra")),))
    assert reply.warnings == (*plan.warnings, "extra")
    assert reply.text == day_text(plan) + "\n\nWarnings\n  extra"


def test_several_answers_come_in_spoken_order_under_the_users_words() -> None:
    results = (ok(CLOCK, text="It is 8:15."), ok(TODO, text="Milk"))
    reply = compose((CLOCK, TODO), tuple(reversed(results)))
    assert reply.text == ('"what time is it"\n\nIt is 8:15.\n\n"what do I have to do"\n\nMilk')
    assert reply.speech == "It is 8:15. Milk."


def test_one_answer_has_no_heading() -> None:
    assert compose((CLOCK,), (ok(CLOCK, text="It is 8:15."),)).text == "It is 8:15."


def test_facts_without_words_are_listed_with_their_sources() -> None:
    line = SourceRef(source="todo.txt", locator="line 3")
    reply = compose((TODO,), (ok(TODO, statement("Buy milk.", line), statement("Rest.")),))
    assert reply.text == "Buy milk. [todo.txt: line 3]\nRest."
    assert reply.speech == "Buy milk. Rest."


def test_words_of_an_agent_are_followed_by_their_sources() -> None:
    work = SourceRef(source="work", locator="uid@example.org")
    reply = compose((TODO,), (ok(TODO, statement("Standup.", work), text="One event:\n  Standup"),))
    assert reply.text == "One event:\n  Standup\nSources: work"


def test_the_same_fact_from_two_agents_is_said_once_with_both_sources() -> None:
    work, home = SourceRef(source="work"), SourceRef(source="home")
    other = task("t4", "calendar", "any bills")
    reply = compose(
        (TODO, other),
        (
            ok(TODO, statement("Rent is due.", work)),
            ok(other, statement("Rent is due.", home), statement("Gas is due.", home)),
        ),
    )
    assert reply.text.count("Rent is due.") == 1
    assert "Rent is due. [home, work]" in reply.text
    assert "Gas is due. [home]" in reply.text
    assert reply.citations == (home, work)


def test_a_clause_whose_facts_were_all_said_points_back() -> None:
    again = task("t5", "planner", "what's on today", "planner")
    plan = empty_day()
    reply = compose((PLANNER, again), (ok(PLANNER, day_fact(plan)), ok(again, day_fact(plan))))
    assert reply.text.count("Your calendar is clear.") == 1
    assert reply.text.endswith('"what\'s on today"\n\nAs above.')
    assert reply.plan_id == plan.plan_id


def test_several_days_are_said_briefly_and_have_no_single_id() -> None:
    today = empty_day()
    tomorrow = replace(today, date=dt.date(2026, 3, 13), plan_id="1" * 64)
    reply = compose((PLANNER,), (ok(PLANNER, day_fact(today), day_fact(tomorrow)),))
    assert reply.text == days_text((today, tomorrow))
    assert reply.text.startswith(day_text(today))
    assert "Friday 13 March 2026\ntomorrow" in reply.text
    assert reply.text.count("Read: calendars") == 1
    assert reply.speech == "Today: your calendar is clear. Tomorrow: your calendar is clear."
    assert reply.plan_id is None


def test_more_than_two_days_are_shown_in_brief() -> None:
    dates = [dt.date(2026, 3, number) for number in (12, 13, 16)]
    plans = tuple(replace(busy_day(), date=d, plan_id=f"{n}" * 64) for n, d in enumerate(dates))
    reply = compose((PLANNER,), (ok(PLANNER, *map(day_fact, plans)),))
    assert reply.text == days_text(plans, brief=True)
    assert reply.blocks == tuple(DayBlock(plan=plan) for plan in plans)
    assert reply.text.count("iris plan --replay") == 1


def test_days_of_two_clauses_are_two_answers_in_full() -> None:
    again = task("t5", "planner", "plan the weekend", "planner")
    first, *rest = (replace(empty_day(), plan_id=f"{n}" * 64) for n in range(3))
    reply = compose(
        (PLANNER, again), (ok(PLANNER, day_fact(first)), ok(again, *map(day_fact, rest)))
    )
    assert reply.text.count("iris plan --replay") == 3


@pytest.mark.parametrize(
    ("state", "message", "said"),
    [
        (TaskState.FAILED, "no such folder.", "The todo agent failed: no such folder (check it)."),
        (
            TaskState.FAILED,
            "the todo agent failed: ValueError: 3",
            "The todo agent failed: ValueError: 3 (check it).",
        ),
        (
            TaskState.TIMED_OUT,
            "nothing in 30 s",
            "The todo agent took too long: nothing in 30 s (check it).",
        ),
        (
            TaskState.SKIPPED,
            "the plan was over",
            "The todo agent was not asked: the plan was over (check it).",
        ),
        (
            TaskState.CANCELLED,
            "you stopped it",
            "The todo agent was cancelled: you stopped it (check it).",
        ),
    ],
)
def test_a_failure_is_said_plainly_and_takes_nothing_with_it(
    state: TaskState, message: str, said: str
) -> None:
    reply = compose(
        (TODO, CLOCK), (failed(TODO, state, message, "check it"), ok(CLOCK, text="It is 8:15."))
    )
    assert said in reply.text
    assert "It is 8:15." in reply.text
    assert "Traceback" not in reply.text
    assert reply.degraded


def test_a_skipped_agent_says_whose_answer_it_needs() -> None:
    later = replace(CLOCK, depends_on=(TODO.id, PLANNER.id))
    reply = compose(
        (PLANNER, TODO, later),
        (
            ok(PLANNER, text="Fine."),
            failed(TODO, TaskState.FAILED, "no such folder"),
            failed(later, TaskState.SKIPPED, "not started: it needs 't2', which failed"),
        ),
    )
    assert reply.text.endswith("The clock agent was not asked: it needs an answer of todo.")


def test_items_stand_under_their_sentence() -> None:
    item = Fact(kind=FactKind.TODO, text="Milk: due today.", sources=(SourceRef(source="list"),))
    reply = compose((TODO,), (ok(TODO, statement("You have 1 todo."), item),))
    assert reply.text == "You have 1 todo.\n  Milk: due today. [list]"


def test_a_task_without_a_report_is_a_failure() -> None:
    reply = compose((CLOCK,), ())
    assert reply.text == "The clock agent gave no answer."
    assert reply.degraded


def test_an_agent_with_nothing_to_say_does_not_leave_a_hole() -> None:
    reply = compose((CLOCK,), (ok(CLOCK),))
    assert reply.text == "The clock agent found nothing to say."
    assert not reply.degraded


def test_what_iris_cannot_do_is_said_with_what_it_can() -> None:
    reply = compose((), (), (unanswered("sing me a song"),))
    said = "I can't do that yet. I can plan your day, list your todos and tell the time."
    assert reply.text == reply.speech == said
    assert not reply.degraded


def test_a_request_of_which_nothing_was_understood_gets_the_same_answer() -> None:
    assert compose((), (), ()).text.startswith("I can't do that yet. I can plan your day")


def test_without_capabilities_nothing_is_promised() -> None:
    plan = TaskPlan(id="p", utterance="sing", tasks=())
    reply = Curator().compose(plan, (unanswered("sing"),), (), ())
    assert reply.text == "I can't do that yet."


@pytest.mark.parametrize(
    ("intent", "about"),
    [("email.send", "sending mail"), ("lights.turn_on", "lights turn on")],
)
def test_an_intent_nobody_answers_is_understood_but_not_set_up(intent: str, about: str) -> None:
    reply = compose((), (), (unanswered("do it", intent),))
    assert reply.text.startswith(f"I understood that ({about}), but it is not set up: ")


def test_a_clause_out_of_scope_leaves_the_others_their_answers() -> None:
    routes = (unanswered("sing me a song"), route_of(CLOCK))
    reply = compose((CLOCK,), (ok(CLOCK, text="It is 8:15."),), routes)
    assert reply.text.startswith('"sing me a song"\n\nI can\'t do that yet.')
    assert reply.text.endswith('"what time is it"\n\nIt is 8:15.')


def test_a_low_confidence_is_admitted_with_the_other_readings() -> None:
    routes = (route_of(TODO, 0.5, "planner", OUT_OF_SCOPE, "time.query"),)
    reply = compose((TODO,), (ok(TODO, text="Milk"),), routes)
    assert reply.text == (
        'I took "what do I have to do" to be about looking up todos.'
        " It may also be about planning a day or telling the time.\n\nMilk"
    )


def test_a_sure_route_is_answered_without_ado() -> None:
    reply = compose((TODO,), (ok(TODO, text="Milk"),), (route_of(TODO, 0.7, "planner"),))
    assert reply.text == "Milk"


def test_two_close_readings_become_one_question_that_offers_both() -> None:
    close = replace(route_of(TODO, 0.4, "planner", "chat"), decision=Decision.ASK)
    reply = compose((), (), (close,))
    assert reply.text == (
        'I am not sure what "what do I have to do" means.'
        " Is it about looking up todos or planning a day?"
    )


def test_a_question_never_offers_to_do_nothing() -> None:
    close = replace(unanswered("note dentist"), decision=Decision.ASK)
    close = replace(close, alternatives=(Alternative(intent="todo.add", confidence=0.9),))
    assert compose((), (), (close,)).text.endswith("Is it about adding a todo?")


def test_a_route_that_was_not_run_is_asked_about() -> None:
    unsure = replace(route_of(TODO, 0.3, "planner"), utterance="stuff")
    reply = compose((), (), (unsure,))
    assert reply.text == (
        'I am not sure what "stuff" means. Is it about looking up todos or planning a day?'
    )


def test_two_clauses_with_one_intent_keep_their_own_answers() -> None:
    first, second = task("a", "clock", "time in Rome"), task("b", "clock", "time in Oslo")
    results = (ok(first, text="8:15"), ok(second, text="8:16"))
    reply = compose((first, second), results, (route_of(second), route_of(first)))
    assert reply.text == '"time in Oslo"\n\n8:16\n\n"time in Rome"\n\n8:15'


def test_a_task_that_nobody_routed_is_answered_too() -> None:
    assert compose((CLOCK,), (ok(CLOCK, text="It is 8:15."),), ()).text == "It is 8:15."


def test_a_proposed_write_is_shown_before_it_happens() -> None:
    action = Action(
        kind="todo.add", preview="Adds milk\x1b[2J to todo.txt", target=SourceRef(source="todo.txt")
    )
    made = ok(TODO, text="Shall I?")
    assert made.result is not None
    result = replace(made, result=replace(made.result, actions=(action,)))
    reply = compose((TODO,), (result,))
    assert reply.text == "Shall I?\nProposed: Adds milk to todo.txt"
    assert "Adds milk to todo.txt" in reply.speech


def test_a_source_that_was_not_read_degrades_the_reply() -> None:
    assert compose((PLANNER,), (ok(PLANNER, day_fact(unreadable_day())),)).degraded
    for state, degraded in ((SourceState.FAILED, True), (SourceState.STALE, False)):
        fact = Fact(
            kind=FactKind.SOURCE,
            text="work: see above.",
            value={"name": "work", "kind": SourceKind.CALENDAR.value, "state": state.value},
        )
        assert compose((TODO,), (ok(TODO, fact),)).degraded is degraded


def test_every_source_of_a_day_is_cited_once_in_order() -> None:
    plan = busy_day()
    citations = compose((PLANNER,), (ok(PLANNER, day_fact(plan)),)).citations
    assert list(citations) == sorted(set(citations))
    assert {event.source for event in plan.events} <= set(citations)
    assert {planned.todo.source for planned in (*plan.todos, *plan.backlog)} <= set(citations)


def test_warnings_of_all_results_are_merged() -> None:
    results = (
        ok(TODO, text="a", warnings=("line 3 is odd", "cut")),
        ok(CLOCK, text="b", warnings=("cut", "  ")),
    )
    reply = compose((TODO, CLOCK), results)
    assert reply.warnings == ("line 3 is odd", "cut")
    assert reply.text.endswith("\n\nWarnings\n  line 3 is odd\n  cut")
    assert reply.blocks[-1] == TextBlock(text="  line 3 is odd\n  cut", heading="Warnings")


def test_untrusted_text_is_neutralised_everywhere_in_a_reply() -> None:
    evil = "\x1b[2J\x07evil\u202e\r\nnext"
    made = task("t1", evil, evil, evil)
    source = SourceRef(source=evil, locator="line 1\x1b[0m")
    results = (ok(made, statement(evil, source), text=evil, warnings=(evil,)),)
    reply = compose((made,), results, (route_of(made, 0.1, evil), unanswered(evil, evil)))
    shown = [reply.text, reply.speech, *reply.warnings]
    shown += [block.text + block.heading for block in reply.blocks if isinstance(block, TextBlock)]
    assert not set("\x1b\x07\r\u202e") & set("".join(shown))


@given(st.randoms(use_true_random=False))
def test_the_order_of_results_makes_no_difference(shuffler: random.Random) -> None:
    results = [
        ok(PLANNER, day_fact(busy_day()), warnings=("w1",)),
        ok(TODO, statement("Milk."), warnings=("w2",)),
        failed(CLOCK, TaskState.FAILED, "broken"),
    ]
    expected = compose((PLANNER, TODO, CLOCK), tuple(results))
    shuffler.shuffle(results)
    assert compose((PLANNER, TODO, CLOCK), tuple(results)) == expected
