"""Actions on an item that was pointed at: a place and a title, as they were shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from iris_harness.bootstrap.assistant import Iris
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.reports import ActionState
from iris_harness.contracts.sources import SourceRef
from tests.unit.actions.conftest import TODO_TXT, Home
from tests.writing_support import window


@pytest.fixture
def iris(home: Home) -> Iterator[Iris]:
    with Iris(home.setting()) as opened:
        yield opened


def done(title: str, locator: str, source: str = "todo") -> Action:
    return Action(
        kind=ActionKind.TODO_DONE,
        target=SourceRef(source=source, locator=locator),
        arguments={"item": title},
    )


def test_what_is_pointed_at_is_done_though_its_title_fits_others_too(
    iris: Iris, home: Home
) -> None:
    home.todo.write_text("Buy milk\nBuy milk and eggs\nBuy milk\n")
    turn = iris.act(done("Buy milk", "line 3"), "done", "s")
    assert turn.reply.actions[0].state is ActionState.DONE
    first, second, third = home.todo.read_text().splitlines()
    assert (first, second) == ("Buy milk", "Buy milk and eggs")
    assert third.startswith("x ")


def test_of_twins_that_have_moved_none_is_guessed(iris: Iris, home: Home) -> None:
    home.todo.write_text("Pay rent\nBuy milk\nBuy milk\n")
    before = home.todo.read_text()
    turn = iris.act(done("Buy milk", "line 1"), "done", "s")
    assert turn.reply.actions[0].state is ActionState.REFUSED
    assert "not open any more" in turn.reply.text
    assert home.todo.read_text() == before


@pytest.mark.parametrize(
    ("title", "locator", "source"),
    [
        ("Buy tea", "line 2", "todo"),  # another todo stands there now
        ("Buy milk", "line 2", "shopping"),  # on another list
        ("Buy", "line 2", "todo"),  # a part of a title is not what was shown
    ],
)
def test_what_is_not_there_any_more_is_not_mistaken_for_something_else(
    iris: Iris, home: Home, title: str, locator: str, source: str
) -> None:
    turn = iris.act(done(title, locator, source), "done", "s")
    assert turn.reply.actions[0].state is ActionState.REFUSED
    assert home.todo.read_text() == TODO_TXT


def test_a_title_with_odd_spaces_is_found_again(iris: Iris, home: Home) -> None:
    home.todo.write_text("Buy   much\u00a0 milk\n")
    (todo,) = iris.setting.sources.todos[0].read(window("2026-03-26")).items
    action = Action(kind=ActionKind.TODO_DONE, target=todo.source, arguments={"item": todo.summary})
    assert iris.act(action, "done", "s").reply.actions[0].state is ActionState.DONE


def test_a_button_is_a_turn_that_is_kept_and_can_be_undone_in_words(iris: Iris, home: Home) -> None:
    turn = iris.act(done("Buy milk", "line 2"), "“Buy milk” is done", "s")
    assert turn.reply.trace_id
    assert turn.trace.utterance == "“Buy milk” is done"
    assert turn.trace.session_id == "s"
    iris.ask("undo that", "s")
    assert home.todo.read_text() == TODO_TXT


def test_nothing_waits_for_a_yes_after_a_button(iris: Iris) -> None:
    iris.ask("report is finished", "s")
    was_asking = iris.is_asking("s")
    iris.act(done("Buy milk", "line 2"), "done", "s")
    assert was_asking
    assert not iris.is_asking("s")
    assert not iris.is_asking("")
