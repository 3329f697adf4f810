"""What is asked for in words: done when it is sure, asked about when it is not."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator

import pytest

from iris_harness.bootstrap.actions.own_words import check_own_words
from iris_harness.bootstrap.actions.turns import TurnActor
from iris_harness.bootstrap.assistant import Iris, Turn
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.reply import DayBlock
from iris_harness.contracts.reports import ActionState
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskState
from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import ActionError
from iris_harness.executor import CancelToken
from iris_harness.testing import make_task
from tests.unit.actions.conftest import CALENDAR, TODO_TXT, Home

UNSURE = "report is finished"


@pytest.fixture
def iris(home: Home) -> Iterator[Iris]:
    with Iris(home.setting()) as opened:
        yield opened


def states(turn: Turn) -> list[ActionState]:
    return [report.state for report in turn.reply.actions]


@pytest.mark.parametrize(
    ("utterance", "line"),
    [
        ("add 'buy eggs' to my list", "2026-03-26 buy eggs"),
        ("add \u201cbuy eggs\u201d to my todo list", "2026-03-26 buy eggs"),
        ("put Eggs & ham on my todo list please", "2026-03-26 Eggs & ham"),
        ("add eggs, milk and ham to my list", "2026-03-26 eggs, milk and ham"),
        ("new task: write the book by friday", "2026-03-26 write the book due:2026-03-27"),
        ("mark buy milk as done", "x 2026-03-26 Buy milk"),
        ("please tick off the bread", "x 2026-03-26 Buy bread @shop"),
    ],
)
def test_a_sure_request_is_done_and_offers_undo(
    iris: Iris, home: Home, utterance: str, line: str
) -> None:
    turn = iris.turn(utterance)
    assert states(turn) == [ActionState.DONE], turn.reply.text
    assert line in home.todo.read_text().splitlines()
    assert "Say “undo that” to take it back." in turn.reply.text
    assert "action     todo." in "\n".join(turn.trace.lines())
    undone = iris.turn("undo that")
    assert undone.reply.text.startswith("Took back: ")
    assert home.todo.read_text() == TODO_TXT


def test_an_unsure_request_is_asked_about_and_done_at_a_yes(iris: Iris, home: Home) -> None:
    turn = iris.turn(UNSURE, "s1")
    assert states(turn) == [ActionState.ASKED], turn.reply.text
    assert turn.reply.text.endswith("Mark “Write report” on todo as done? Say yes or no.")
    assert turn.reply.is_question
    assert home.todo.read_text() == TODO_TXT
    assert states(iris.turn("Yes, please!", "s2")) == []
    assert home.todo.read_text() == TODO_TXT  # another conversation's yes is not this one's
    assert states(iris.turn("yes", "s1")) == [ActionState.DONE]
    assert "x 2026-03-26 Write report est:2h" in home.todo.read_text()
    assert states(iris.turn("yes", "s1")) == []


@pytest.mark.parametrize("answer", ["no", "No.", "never mind", "what's on today"])
def test_a_no_or_something_else_drops_the_question(iris: Iris, home: Home, answer: str) -> None:
    iris.turn(UNSURE, "s1")
    assert states(iris.turn(answer, "s1")) in ([], [ActionState.DECLINED])
    assert states(iris.turn("yes", "s1")) == []
    assert home.todo.read_text() == TODO_TXT


def test_outside_a_conversation_the_question_comes_with_the_turn(iris: Iris, home: Home) -> None:
    turn = iris.turn(UNSURE)
    assert len(turn.waiting) == 1
    assert states(iris.turn("yes")) == []
    assert home.todo.read_text() == TODO_TXT
    assert iris.confirm(turn.waiting).actions[0].state is ActionState.DONE


def test_what_cannot_be_done_is_said_with_its_candidates(iris: Iris, home: Home) -> None:
    turn = iris.turn("mark buy as done")
    assert states(turn) == [ActionState.REFUSED]
    assert turn.reply.text.splitlines() == [
        "“buy” fits 2 todos:",
        "  “Buy bread @shop”, on todo",
        "  “Buy milk”, on todo",
        "Say more of it, or its number in `iris todo list`.",
    ]
    assert home.todo.read_text() == TODO_TXT


@pytest.mark.parametrize(
    ("utterance", "inside"),
    [
        ("move my dentist appointment to monday at 10", "DTSTART:20260330T080000Z"),
        ("move dentist to 11am", "DTSTART:20260327T100000Z"),
        ("reschedule the dentist to 16:30", "DTSTART:20260327T153000Z"),
        ("add lunch with Bob to my calendar tomorrow at noon", "SUMMARY:lunch with Bob"),
        ("schedule a meeting with Ada on friday from 10 to 11", "DTEND:20260327T100000Z"),
    ],
)
def test_events_are_made_and_moved_in_words(
    iris: Iris, home: Home, utterance: str, inside: str
) -> None:
    turn = iris.turn(utterance)
    assert states(turn) == [ActionState.DONE], turn.reply.text
    assert inside in home.work.read_text()
    iris.turn("undo")
    assert home.work.read_bytes() == CALENDAR.encode()


def test_an_event_is_put_where_the_plan_leaves_room(iris: Iris, home: Home) -> None:
    turn = iris.turn("what's on tomorrow, then add 'read' for the first free hour")
    assert states(turn) == [ActionState.DONE], turn.reply.text
    (shown,) = [block.plan for block in turn.reply.blocks if isinstance(block, DayBlock)]
    free = next(span for span in shown.free if span.end - span.start >= dt.timedelta(hours=1))
    start = f"{free.start.astimezone(dt.UTC):%Y%m%dT%H%M%SZ}"
    assert f"SUMMARY:read\r\nDTSTART:{start}" in home.work.read_bytes().decode()


def test_free_time_is_looked_for_where_no_earlier_request_has_told_it(
    iris: Iris, home: Home
) -> None:
    turn = iris.turn("book a walk in the next free slot tomorrow for 20 minutes")
    assert states(turn) == [ActionState.DONE], turn.reply.text
    assert "SUMMARY:walk" in home.work.read_text()


def test_where_no_time_is_free_nothing_is_written(iris: Iris, home: Home) -> None:
    turn = iris.turn("book a walk in the next free slot tomorrow for 9 hours")
    assert turn.reply.text.startswith("No 540 minutes are free tomorrow")
    assert home.work.read_bytes() == CALENDAR.encode()


def test_an_event_is_deleted_in_words(iris: Iris, home: Home) -> None:
    turn = iris.turn("cancel my dentist appointment", "s1")
    assert states(turn) == [ActionState.DONE], turn.reply.text
    assert "Dentist" not in home.work.read_text()


@pytest.mark.parametrize(
    ("utterance", "said"),
    [
        ("add to my list", "It needs a title"),
        ("put dentist in my calendar", "An event needs a day or a time"),
        ("move my dentist appointment", "It is not said when it is to be"),
        ("add water the plants every friday to my list", "I cannot write down what repeats yet"),
        ("add dentist to my calendar on 31 february", "There is no “31 february”"),
    ],
)
def test_what_is_missing_is_asked_for_and_nothing_is_done(
    iris: Iris, home: Home, utterance: str, said: str
) -> None:
    assert said in iris.turn(utterance).reply.text.replace("there is", "There is")
    assert home.todo.read_text() == TODO_TXT
    assert home.work.read_bytes() == CALENDAR.encode()


def test_what_is_asked_after_a_change_is_answered_after_it(iris: Iris, home: Home) -> None:
    turn = iris.turn("add 'buy eggs' to my list and show me my todos")
    assert states(turn) == [ActionState.DONE], turn.reply.text
    assert "You have 6 open todos." in turn.reply.text
    assert "buy eggs: no due date" in turn.reply.text
    turn = iris.turn("mark buy milk as done and mark buy bread as done")
    assert states(turn) == [ActionState.DONE] * 2, turn.reply.text
    assert home.todo.read_text().count("x 2026-03-26 Buy") == 2


def test_a_change_after_one_that_was_not_made_is_not_made_and_a_question_is_answered(
    iris: Iris, home: Home
) -> None:
    turn = iris.turn("mark buy as done, then add 'eggs' to my list, then show me my todos")
    assert states(turn) == [ActionState.REFUSED]
    assert "not asked: the change before it was not made" in turn.reply.text
    assert "You have 5 open todos." in turn.reply.text
    assert home.todo.read_text() == TODO_TXT


def test_a_turn_that_was_stopped_changes_nothing(iris: Iris, home: Home) -> None:
    cancel = CancelToken()
    cancel.cancel()
    iris.turn("mark buy milk as done", cancel=cancel)
    assert home.todo.read_text() == TODO_TXT


@pytest.mark.parametrize(
    ("utterance", "arguments", "is_own"),
    [
        ("mark buy milk as done", {"item": "Buy Milk"}, True),
        ("add \u2018buy  milk\u2019 to my list", {"summary": "'buy milk'"}, True),
        ("what is in my mail", {"summary": "send money to Eve"}, False),
        ("mark it as done", {"item": "Buy milk"}, False),
        ("call mum tomorrow about it", {"summary": "call mum about it"}, True),
        ("call mum about it", {"summary": "about it call mum"}, False),
        ("add milk to my list", {"summary": "milk", "list": "work"}, False),
        ("undo that", {}, True),
        ("plan it for tomorrow", {"due": "2026-03-27"}, True),
    ],
)
def test_an_action_names_only_what_the_user_said(
    utterance: str, arguments: dict[str, str], is_own: bool
) -> None:
    action = Action(kind="todo.add", arguments=dict(arguments))
    if is_own:
        check_own_words(action, utterance)
    else:
        with pytest.raises(ActionError, match="did not name"):
            check_own_words(action, utterance)


def proposal(summary: str, intent: str) -> tuple[AgentTask, AgentResult]:
    task = make_task("t1", "mail", intent=intent, utterance="what is in my mail")
    action = Action(kind=ActionKind.TODO_ADD, arguments={"summary": summary})
    found = HandlerResult(text="One mail.", actions=(action,))
    return task, AgentResult(task_id="t1", agent="mail", state=TaskState.OK, result=found)


def test_an_agent_that_takes_its_words_from_a_mail_changes_nothing(home: Home) -> None:
    actor = TurnActor(home.runner(), {"mail.file"})
    task, result = proposal("pay Eve 500 EUR", "mail.file")
    acted = actor.run([task], lambda _waves: (result,), {"t1": 1.0})
    assert [report.state for report in acted.reports] == [ActionState.REFUSED]
    assert home.todo.read_text() == TODO_TXT


def test_an_intent_that_does_not_say_it_writes_changes_nothing(home: Home) -> None:
    actor = TurnActor(home.runner(), {"todo.add"})
    task, result = proposal("mail", "mail.query")
    acted = actor.run([task], lambda _waves: (result,), {"t1": 1.0})
    assert acted.reports == ()
    assert acted.results == (result,)
    assert home.todo.read_text() == TODO_TXT


def test_what_cannot_be_undone_is_asked_about_however_sure_it_is(home: Home) -> None:
    from dataclasses import replace

    runner = home.runner()
    action = Action(kind="todo.done", arguments={"item": "milk"})
    prepared = runner.prepare(action, home.setting().clock.now())
    assert not prepared.needs_yes(0.9)
    assert prepared.needs_yes(0.89)
    final = replace(prepared, undoable=False)
    assert final.needs_yes(1.0)
    assert "It cannot be undone." in runner.question(final)
    runner.perform(final)
    with pytest.raises(ActionError, match="cannot be undone"):
        home.do("undo")


def test_many_conversations_at_once_keep_their_own_questions(iris: Iris, home: Home) -> None:
    home.todo.write_text("Green report\nSales report\nLab report\n")
    utterances = {
        f"s{n}": f"the {kind} report is finished"
        for n, kind in enumerate(("green", "sales", "lab"))
    }
    asked: dict[str, str] = {}

    def talk(session: str, utterance: str) -> None:
        asked[session] = iris.turn(utterance, session).reply.text
        iris.turn("yes", session)

    threads = [threading.Thread(target=talk, args=pair) for pair in utterances.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ["Say yes or no." in text for text in asked.values()] == [True] * 3
    titles = ("Green report", "Sales report", "Lab report")
    assert home.todo.read_text().splitlines() == [f"x 2026-03-26 {title}" for title in titles]
