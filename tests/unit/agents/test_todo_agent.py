from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.contracts.facts import FactKind
from iris_harness.contracts.sources import SourceState
from tests.unit.agents.world import TodoList, ask, texts, todo

REPORT = todo("Write report", dt.date(2026, 5, 11), on="work")
RENT = todo("Pay rent", dt.date(2026, 5, 14), on="home")
MILK = todo("Buy milk", on="shopping")
TODOS = TodoList("todo", (MILK, RENT, REPORT))
BROKEN = TodoList("phone", (MILK,), state=SourceState.FAILED)
BROKEN_TEXT = "The list phone could not be read: the file is gone."


def test_open_todos_come_by_rank_with_reason_and_source() -> None:
    result = ask("todo", "show my todos", TODOS)
    assert texts(result) == [
        "You have 3 open todos.",
        "Write report: overdue since Mon 11 May.",
        "Pay rent: due tomorrow.",
        "Buy milk: no due date.",
    ]
    assert [str(fact.sources[0]) for fact in result.facts[1:]] == [
        "todo: Write report",
        "todo: Pay rent",
        "todo: Buy milk",
    ]


@pytest.mark.parametrize("utterance", ["what's overdue", "which tasks are over due?"])
def test_only_what_is_late_is_overdue(utterance: str) -> None:
    assert texts(ask("todo", utterance, TODOS)) == [
        "You have 1 overdue todo.",
        "Write report: overdue since Mon 11 May.",
    ]


def test_due_in_a_scope_is_due_in_it_alone() -> None:
    assert texts(ask("todo", "which tasks are due tomorrow", TODOS)) == [
        "You have 1 todo due tomorrow.",
        "Pay rent: due tomorrow.",
    ]
    assert texts(ask("todo", "tasks due this week", TODOS))[0] == (
        "You have 2 todos due from Monday 11 May 2026 to Sunday 17 May 2026."
    )
    assert texts(ask("todo", "tasks due next friday", TODOS)) == [
        "You have no todos due on Friday 22 May 2026."
    ]


def test_a_list_that_is_named_is_told_alone() -> None:
    assert texts(ask("todo", "what's on my shopping list", TODOS)) == [
        "You have 1 open todo on the list shopping.",
        "Buy milk: no due date.",
    ]


def test_a_list_that_is_not_there_is_said_to_be_unknown() -> None:
    head = texts(ask("todo", "what's on my packing list", TODOS))[0]
    assert head == "I know no list called packing. You have 3 open todos."


@pytest.mark.parametrize(
    ("utterance", "answer"),
    [
        ("is milk on my shopping list", "Yes, \u201cmilk\u201d is on the list shopping."),
        ("is butter on my shopping list", "No, \u201cbutter\u201d is not on the list shopping."),
        ("do i have rent on my list", "Yes, \u201crent\u201d is on your lists."),
    ],
)
def test_an_item_is_looked_up(utterance: str, answer: str) -> None:
    assert texts(ask("todo", utterance, TODOS))[0] == answer


def test_a_list_that_failed_is_told_and_limits_what_is_said() -> None:
    result = ask("todo", "is butter on my list", TODOS, BROKEN)
    assert texts(result) == [
        "No, \u201cbutter\u201d is not on your lists that could be read.",
        BROKEN_TEXT,
    ]
    assert result.facts[1].kind is FactKind.SOURCE
    assert texts(ask("todo", "what is due on monday", TODOS, BROKEN)) == [
        "You have no todos due on Monday 18 May 2026 in what could be read.",
        BROKEN_TEXT,
    ]


def test_when_no_list_could_be_read_nothing_is_said_about_todos() -> None:
    assert texts(ask("todo", "my todos", BROKEN)) == [
        "None of your todo lists could be read, so I cannot say what is on them.",
        BROKEN_TEXT,
    ]


def test_without_any_list_it_says_how_to_set_one_up() -> None:
    (text,) = texts(ask("todo", "my todos"))
    assert text.startswith("No todo list is set up")


def test_an_empty_list_has_no_todos() -> None:
    empty = TodoList("todo", state=SourceState.EMPTY)
    assert texts(ask("todo", "my todos", empty)) == ["You have no open todos."]
