"""Actions made ready, done and taken back, on real files."""

from __future__ import annotations

import sqlite3
import stat
import threading

import pytest

from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.setting import demo_setting
from iris_harness.contracts.actions import Action
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.reports import ActionState
from iris_harness.errors import (
    ActionError,
    AmbiguousItemError,
    ChangedOutsideError,
    NotUndoableError,
    RecordNotFoundError,
    StorageError,
    UnknownItemError,
)
from iris_harness.storage.records import EntryState
from tests.unit.actions.conftest import CALENDAR, NOW, TODO_TXT, VTODO, Home

EVERY_CHANGE: list[tuple[str, dict[str, Json]]] = [
    ("todo.add", {"summary": "prepare slides", "due": "2026-03-27", "priority": 2}),
    ("todo.add", {"summary": "butter", "list": "shopping"}),
    ("todo.done", {"item": "milk"}),
    ("todo.done", {"item": "Eggs"}),
    ("todo.move", {"item": "report", "due": "2026-03-30"}),
    ("todo.move", {"item": "call mum", "due": None}),
    ("todo.move", {"item": "bread", "to_list": "shopping"}),
    ("todo.rename", {"item": "bread", "title": "Rye: bread & rolls"}),
    ("todo.delete", {"item": "line 1"}),
    ("event.add", {"summary": "Lunch", "start": "2026-03-27T12:00+01:00",
                   "end": "2026-03-27T13:00+01:00", "location": "Café"}),
    ("event.add", {"summary": "Holiday", "start": "2026-04-01", "end": "2026-04-03"}),
    ("event.move", {"item": "dentist", "start": "2026-03-30T09:00+02:00"}),
    ("event.move", {"item": "dentist", "start": "2026-03-30"}),
    ("event.move", {"item": "dentist appointment", "start": "11:30"}),
    ("event.move", {"item": "stand-up", "start": "11:00", "on": "2026-03-27"}),
    ("event.delete", {"item": "dentist"}),
    ("event.delete", {"item": "stand", "on": "2026-03-28"}),
    ("plan.pin", {"item": "report", "start": "15:00"}),
    ("plan.pin", {"item": "report"}),
    ("plan.skip", {"item": "milk", "day": "2026-03-27"}),
]  # fmt: skip


def files(home: Home) -> tuple[str, str, str]:
    todo, shopping, work = (
        path.read_bytes().decode() for path in (home.todo, home.shopping, home.work)
    )
    return todo, shopping, work


def marks(home: Home) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(home.database)
    rows = connection.execute(
        "SELECT planned_for, source, locator, title, kind, spans FROM marks"
    ).fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize(
    ("kind", "arguments"), EVERY_CHANGE, ids=[f"{k} {i}" for i, (k, _) in enumerate(EVERY_CHANGE)]
)
def test_what_is_done_is_previewed_first_undone_to_the_byte_and_done_again(
    home: Home, kind: str, arguments: dict[str, Json]
) -> None:
    runner = home.runner()
    before = files(home)
    prepared = runner.prepare(Action(kind=kind, arguments=arguments), NOW)
    assert (files(home), marks(home)) == (before, [])
    report = runner.perform(prepared)
    assert report.state is ActionState.DONE
    done = (files(home), marks(home))
    assert done != (before, [])
    assert home.do("undo").is_taken_back
    assert (files(home), marks(home)) == (before, [])
    assert not home.do("undo").is_taken_back
    assert (files(home), marks(home)) == done
    states = [(entry.kind, entry.state) for entry in runner.history(10)]
    assert states == [
        ("undo", EntryState.DONE),
        ("undo", EntryState.UNDONE),
        (kind, EntryState.DONE),
    ]


def test_only_the_item_changes_and_all_else_stays_byte_for_byte(home: Home) -> None:
    home.do("todo.done", item="milk")
    home.do("todo.done", item="eggs")
    home.do("event.move", item="dentist", start="2026-03-27T16:00+01:00")
    todo, shopping, work = files(home)
    assert todo.splitlines()[0::2] == TODO_TXT.splitlines()[0::2]
    assert todo.splitlines()[1] == "x 2026-03-26 Buy milk"
    assert "X-COLOUR:red\r\n" in shopping
    assert shopping.startswith(VTODO.partition("BEGIN:VTODO")[0])
    assert work.startswith(CALENDAR.partition("UID:dentist")[0])
    assert "DTSTART:20260327T150000Z" in work


def test_words_that_fit_several_are_answered_with_candidates_and_nothing_is_done(
    home: Home,
) -> None:
    with pytest.raises(AmbiguousItemError) as caught:
        home.do("todo.done", item="buy")
    assert [one.split(",")[0] for one in caught.value.candidates] == [
        "“Buy bread @shop”",
        "“Buy milk”",
    ]
    assert files(home)[0] == TODO_TXT
    assert home.runner().history(5) == ()


def test_a_day_of_a_series_has_to_be_named(home: Home) -> None:
    with pytest.raises(AmbiguousItemError, match="“stand-up” fits 90 events") as caught:
        home.do("event.move", item="stand-up", start="11:00")
    assert "--on" in caught.value.hint


def test_words_that_fit_nothing_name_the_nearest(home: Home) -> None:
    with pytest.raises(UnknownItemError) as caught:
        home.do("todo.done", item="by milkk")
    assert caught.value.nearest[0].startswith("“Buy milk”")
    with pytest.raises(UnknownItemError, match="no todo list called “work”"):
        home.do("todo.add", summary="x", list="work")


def test_a_number_is_what_was_listed_under_it_wherever_its_line_has_gone(home: Home) -> None:
    rows = home.runner().list_todos(NOW).rows
    (bread,) = (row.number for row in rows if row.todo.summary.startswith("Buy bread"))
    home.todo.write_text("(A) Something new\n" + home.todo.read_text())
    home.do("todo.done", item=str(bread))
    assert "x 2026-03-26 Buy bread @shop" in home.todo.read_text().splitlines()
    with pytest.raises(UnknownItemError, match="not open any more"):
        home.do("todo.done", item=f"#{bread}")
    with pytest.raises(UnknownItemError, match="listed with the number 99"):
        home.do("todo.done", item="99")


def test_a_title_that_is_a_number_is_found_where_no_such_number_was_listed(home: Home) -> None:
    home.todo.write_text("2048\n")
    home.do("todo.done", item="2048")
    assert home.todo.read_text() == "x 2026-03-26 2048\n"


def test_what_somebody_else_has_changed_is_not_undone(home: Home) -> None:
    home.do("todo.done", item="milk")
    home.todo.write_text(home.todo.read_text().replace("Buy milk", "Buy oat milk"))
    with pytest.raises(ChangedOutsideError, match="has been changed since"):
        home.do("undo")
    assert "Buy oat milk" in home.todo.read_text()


def test_an_older_change_of_the_same_item_waits_for_the_newer_one(home: Home) -> None:
    first = home.do("event.move", item="dentist", start="2026-03-30T09:00+02:00").entry
    second = home.do("event.move", item="dentist", start="2026-03-31T09:00+02:00").entry
    with pytest.raises(NotUndoableError, match=f"change {second} came after it"):
        home.do("undo", entry=first)
    home.do("undo", entry=second)
    home.do("undo", entry=first)
    assert files(home)[2] == CALENDAR


def test_an_older_change_of_another_item_is_undone_by_its_number(home: Home) -> None:
    first = home.do("todo.done", item="milk").entry
    home.do("todo.done", item="bread")
    home.do("undo", entry=first)
    lines = home.todo.read_text().splitlines()
    assert lines[1:3] == ["Buy milk", "x 2026-03-26 Buy bread @shop"]


def test_undoing_again_and_again_goes_back_and_forth(home: Home) -> None:
    home.do("todo.done", item="milk")
    done = files(home)[0]
    for turn in range(6):
        home.do("undo")
        assert files(home)[0] == (TODO_TXT if turn % 2 == 0 else done)


def test_what_is_undone_or_was_never_done_cannot_be_undone(home: Home) -> None:
    with pytest.raises(NotUndoableError, match="nothing to undo"):
        home.do("undo")
    entry = home.do("todo.done", item="milk").entry
    home.do("undo", entry=entry)
    with pytest.raises(NotUndoableError, match="undone already"):
        home.do("undo", entry=entry)
    with pytest.raises(RecordNotFoundError):
        home.do("undo", entry=77)


def test_a_change_made_ready_is_refused_when_the_item_changes_before_it_is_made(
    home: Home,
) -> None:
    runner = home.runner()
    prepared = runner.prepare(Action(kind="todo.done", arguments={"item": "milk"}), NOW)
    home.todo.write_text(TODO_TXT.replace("Buy milk", "Buy milk now"))
    with pytest.raises(ChangedOutsideError):
        runner.perform(prepared)
    (entry,) = runner.history(5)
    assert entry.state is EntryState.FAILED
    assert "Buy milk now\n" in home.todo.read_text()


def test_of_several_changes_all_are_made_or_none(home: Home) -> None:
    runner = home.runner()
    arguments: dict[str, Json] = {"item": "bread", "to_list": "shopping"}
    prepared = runner.prepare(Action(kind="todo.move", arguments=arguments), NOW)
    home.todo.write_text(TODO_TXT.replace("Buy bread", "Buy good bread"))
    with pytest.raises(ChangedOutsideError):
        runner.perform(prepared)
    assert files(home)[1] == VTODO
    assert runner.history(1)[0].state is EntryState.FAILED


def test_what_is_so_already_is_neither_changed_nor_journaled(home: Home) -> None:
    assert home.do("todo.move", item="mum", due="2026-03-26").state is ActionState.UNCHANGED
    home.do("plan.skip", item="milk")
    assert home.do("plan.skip", item="milk").state is ActionState.UNCHANGED
    assert [entry.kind for entry in home.runner().history(5)] == ["plan.skip"]


def test_one_todo_has_one_mark_a_day(home: Home) -> None:
    home.do("plan.pin", item="report", start="15:00")
    home.do("plan.skip", item="report")
    home.do("plan.skip", item="report", day="2026-03-27")
    assert sorted((row[0], row[4]) for row in marks(home)) == [
        ("2026-03-26", "skip"),
        ("2026-03-27", "skip"),
    ]
    with pytest.raises(NotUndoableError, match="change 2 came after it"):
        home.do("undo", entry=1)
    home.do("undo", entry=2)
    assert ("2026-03-26", "pin") in [(row[0], row[4]) for row in marks(home)]


def test_a_mark_follows_its_todo_to_another_line(home: Home) -> None:
    home.do("plan.pin", item="report", start="15:00")
    home.todo.write_text("First\n" + home.todo.read_text())
    home.do("plan.unpin", item="report")
    assert marks(home) == []
    with pytest.raises(ActionError, match="is not pinned"):
        home.do("plan.unpin", item="report")


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("todo.add", {"summary": ""}),
        ("todo.add", {"summary": "x" * 5000}),
        ("todo.add", {"summary": "x", "priority": 0}),
        ("todo.add", {"summary": "x", "priority": 10}),
        ("todo.add", {"summary": "x", "priority": True}),
        ("todo.add", {"summary": "x", "estimate_minutes": 10**9}),
        ("todo.add", {"summary": "x", "due": "tomorrow"}),
        ("todo.add", {"summary": "x", "due": "2026-03-27T10:00"}),
        ("todo.add", {"summary": 7}),
        ("todo.done", {"item": ""}),
        ("todo.move", {"item": "milk"}),
        ("event.add", {"summary": "x"}),
        ("event.add", {"summary": "x", "start": "2026-03-27", "end": "2026-03-27"}),
        ("event.add", {"summary": "x", "start": "2026-03-27", "end": "2026-03-28T10:00+01:00"}),
        ("event.move", {"item": "dentist"}),
        ("no.such.thing", {}),
        ("blocks.write", {}),
    ],
)
def test_arguments_that_mean_nothing_are_said_and_nothing_is_done(
    home: Home, kind: str, arguments: dict[str, Json]
) -> None:
    before = files(home)
    with pytest.raises(ActionError):
        home.do(kind, **arguments)
    assert files(home) == before
    assert home.runner().history(5) == ()


def test_text_of_the_user_is_one_item_whatever_it_says(home: Home) -> None:
    home.do("todo.add", summary="x done\n(A) second due:2020-01-01 \r\n", list="todo")
    assert len(home.todo.read_text().splitlines()) == len(TODO_TXT.splitlines()) + 1
    home.do(
        "event.add", summary="A\nEND:VEVENT\nBEGIN:VEVENT", start="2026-04-01", end="2026-04-02"
    )
    assert files(home)[2].count("\r\nBEGIN:VEVENT") == CALENDAR.count("\r\nBEGIN:VEVENT") + 1


def test_the_demonstration_is_not_changed() -> None:
    runner = ActionRunner(demo_setting())
    with pytest.raises(ActionError, match="only your own"):
        runner.prepare(Action(kind="todo.done", arguments={"item": "x"}), NOW)


def test_without_its_journal_nothing_is_changed(home: Home) -> None:
    runner = home.runner()
    prepared = runner.prepare(Action(kind="todo.done", arguments={"item": "milk"}), NOW)
    connection = sqlite3.connect(home.database, isolation_level=None)
    connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    connection.close()
    with pytest.raises(StorageError, match="full"):
        runner.perform(prepared)
    assert files(home)[0] == TODO_TXT


def test_a_change_whose_end_cannot_be_noted_is_found_at_the_next_start(home: Home) -> None:
    home.runner().history(1)
    connection = sqlite3.connect(home.database, isolation_level=None)
    connection.execute(
        "CREATE TRIGGER full BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    report = home.do("todo.done", item="milk")
    assert report.state is ActionState.DONE
    assert "could not be noted" in report.notes[0]
    connection.execute("DROP TRIGGER full")
    connection.close()
    (note,) = home.runner().settle()
    assert "It had been made, and stands" in note
    assert home.runner().settle() == ()
    home.do("undo")
    assert files(home)[0] == TODO_TXT


def test_many_threads_lose_nothing(home: Home) -> None:
    runner = home.runner()
    failures: list[BaseException] = []

    def add(number: int) -> None:
        try:
            action = Action(kind="todo.add", arguments={"summary": f"thing {number}"})
            runner.perform(runner.prepare(action, NOW))
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            failures.append(error)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    added = [line.partition(" ")[2] for line in home.todo.read_text().splitlines()[4:]]
    assert sorted(added) == sorted(f"thing {number}" for number in range(16))
    entries = runner.history(50)
    assert [entry.entry_id for entry in entries] == list(range(16, 0, -1))
    assert {entry.state for entry in entries} == {EntryState.DONE}


def test_one_entry_is_undone_once_however_many_try(home: Home) -> None:
    home.do("todo.done", item="milk")
    runner = home.runner()
    prepared = [runner.prepare(Action(kind="undo", arguments={"entry": 1}), NOW) for _ in range(2)]
    runner.perform(prepared[0])
    with pytest.raises(NotUndoableError):
        runner.perform(prepared[1])
    assert files(home)[0] == TODO_TXT


def test_what_is_kept_is_for_the_user_alone(home: Home) -> None:
    home.do("todo.done", item="milk")
    data = home.folder / "data"
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()}
    assert set(modes.values()) == {0o600}
    assert set(modes) == {"iris.db", "changing.lock"}


WORDS: list[tuple[str, dict[str, Json], str]] = [
    ("todo.add", {"summary": "prepare slides", "due": "2026-03-27", "priority": 2,
                  "estimate_minutes": 45},
     "Added “prepare slides” to todo, due Fri 27 Mar, priority 2, takes 45 min."),
    ("event.add", {"summary": "Lunch", "start": "2026-03-27T12:00+01:00",
                   "end": "2026-03-27T13:00+01:00", "location": "Café"},
     "Put “Lunch” into work: Fri 27 Mar 12:00 to 13:00, at Café."),
    ("event.move", {"item": "dentist", "start": "11:30"},
     "Moved “Dentist” from Fri 27 Mar 15:00 to 15:45 to Fri 27 Mar 11:30 to 12:15."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "arguments", "outcome"), WORDS)
def test_the_words_of_a_change_have_plain_dates(
    home: Home, kind: str, arguments: dict[str, Json], outcome: str
) -> None:
    assert home.do(kind, **arguments).text == outcome
    assert f"{home.runner().history(1)[0].outcome}." == outcome


def _with_todo(home: Home, *lines: str) -> None:
    todo = "".join(f"{line}\r\n" for line in ("BEGIN:VTODO", *lines, "END:VTODO"))
    text = home.shopping.read_bytes().decode()
    home.shopping.write_text(text.replace("END:VCALENDAR", f"{todo}END:VCALENDAR"), newline="")


def test_a_todo_that_is_due_at_an_hour_keeps_it_when_its_day_is_moved(home: Home) -> None:
    _with_todo(
        home, "UID:parcel", "DTSTAMP:20260101T000000Z", "SUMMARY:Fetch parcel",
        "DUE;TZID=Europe/Berlin:20260326T173000",
    )  # fmt: skip
    moved = home.do("todo.move", item="parcel", due="2026-03-30")
    assert moved.text == "Made “Fetch parcel” due Mon 30 Mar 17:30."
    assert "DUE;TZID=Europe/Berlin:20260330T173000" in home.shopping.read_bytes().decode()
    timed = home.do("todo.move", item="parcel", due="2026-03-31T09:00:00+02:00")
    assert timed.text == "Made “Fetch parcel” due Tue 31 Mar 09:00."


def test_when_a_todo_comes_again_is_said_as_every_other_day(home: Home) -> None:
    _with_todo(
        home, "UID:bins", "DTSTAMP:20260101T000000Z", "SUMMARY:Bins out",
        "DTSTART;VALUE=DATE:20260323", "DUE;VALUE=DATE:20260326", "RRULE:FREQ=WEEKLY",
    )  # fmt: skip
    done = home.do("todo.done", item="bins")
    assert "2026-" not in done.text
    assert "; comes again on Thu 2 Apr." in done.text
