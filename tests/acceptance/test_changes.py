"""Changing things, and undoing that, as a user does it at the command line."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.acceptance.test_chat import Terminal
from tests.support import RunIris

NOW = ("--now", "2026-03-26T08:00")
LATER = ("--now", "2026-03-26T11:10")
TODO_TXT = (
    "(A) Call mum due:2026-03-26\nBuy milk\nBuy bread @shop\nWrite report due:2026-03-26 est:2h\n"
)
CALENDAR = """\
BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//test//EN\r
BEGIN:VEVENT\r
UID:standup\r
DTSTAMP:20260101T000000Z\r
DTSTART:20260326T090000Z\r
DTEND:20260326T091500Z\r
SUMMARY:Stand-up\r
END:VEVENT\r
END:VCALENDAR\r
"""
SETTINGS = """\
timezone: Europe/Berlin
todos: [~/todo.txt]
calendars: [~/work.ics, ~/blocks]
"""
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "action.schema.json"


@pytest.fixture
def todo(home: Path) -> Path:
    """A home with a list and two calendars; the list is returned."""
    (home / ".config" / "iris").mkdir(parents=True)
    (home / ".config" / "iris" / "config.yaml").write_text(SETTINGS)
    (home / "work.ics").write_bytes(CALENDAR.encode())
    (home / "blocks").mkdir()
    file = home / "todo.txt"
    file.write_text(TODO_TXT)
    return file


def database(home: Path) -> Path:
    return home / ".local" / "share" / "iris" / "iris.db"


def checked(printed: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(printed)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(value)
    return value


def test_a_todo_is_added_listed_done_and_brought_back(iris: RunIris, todo: Path) -> None:
    added = iris(
        "todo", "add", "prepare slides", "--due", "tomorrow", "--priority", "2",
        "--estimate", "45m", *NOW,
    )  # fmt: skip
    assert (added.returncode, added.stderr) == (0, "")
    assert added.stdout == (
        "Added “prepare slides” to todo, due Fri 27 Mar, priority 2, takes 45 min."
        " `iris undo` takes it back.\n"
    )
    assert todo.read_text() == (TODO_TXT + "(B) 2026-03-26 prepare slides due:2026-03-27 est:45m\n")
    listed = iris("todo", "list", *NOW)
    assert listed.stdout.splitlines()[:3] == [
        "1  Call mum: due today, priority 1",
        "2  Write report: due today",
        "3  prepare slides: due tomorrow, priority 2",
    ]
    assert iris("todo", "done", "3", *NOW).returncode == 0
    assert "x 2026-03-26 2026-03-26 prepare slides" in todo.read_text()
    assert iris("undo", *NOW).stdout.startswith("Took back: Marked “prepare slides”")
    assert iris("undo", "1", *NOW).returncode == 0
    assert todo.read_text() == TODO_TXT


def test_each_command_says_in_json_what_became_of_it(iris: RunIris, todo: Path) -> None:
    tried = iris("todo", "done", "Buy", "--json", *NOW)
    assert tried.returncode == 1
    assert len(checked(tried.stdout)["candidates"]) == 2
    done = checked(iris("todo", "done", "milk", "--json", *NOW).stdout)
    assert (done["state"], done["entry"], done["target"]) == ("done", 1, "todo")
    previewed = checked(iris("undo", "--dry-run", "--json", *NOW).stdout)
    assert previewed["state"] == "previewed"
    assert "x 2026-03-26 Buy milk" in todo.read_text()
    listing = json.loads(iris("todo", "list", "--due", "today", "--json", *NOW).stdout)
    assert [row["summary"] for row in listing["todos"]] == ["Call mum", "Write report"]
    assert [row["number"] for row in listing["todos"]] == [1, 2]


def test_a_todo_is_given_another_priority_and_length_and_has_them_taken_off(
    iris: RunIris, todo: Path
) -> None:
    iris("todo", "set", "report", "--priority", "B", "--estimate", "1h30", *NOW)
    assert "(B) Write report" in todo.read_text()
    assert "est:90m" in todo.read_text()
    changed = todo.read_text()
    iris("todo", "set", "report", "--priority", "none", "--estimate", "none", *NOW)
    assert "(B)" not in todo.read_text()
    assert "est:" not in todo.read_text()
    iris("undo", *NOW)
    assert todo.read_text() == changed


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("todo", "done", "buy"), 1, "“buy” fits 2 todos:"),
        (("todo", "done", "mlik"), 1, "No todo fits “mlik”. The nearest:\n  “Buy milk”"),
        (("todo", "done", "7"), 1, "No todo was listed with the number 7"),
        (("todo", "done"), 2, "Missing argument"),
        (("todo", "move", "milk"), 2, "say where to move it"),
        (("todo", "set", "milk"), 2, "say what to set"),
        (("todo", "set", "report", "--priority", "12"), 2, "is no priority"),
        (("todo", "set", "report", "--estimate", "long"), 2, "is no length of time"),
        (("todo", "rename", "milk"), 2, "Missing option '--to'"),
        (("todo", "rename", "report", "--to", " "), 1, "It is not said what it is to be called"),
        (("todo", "add", "x" * 301), 1, "A title of more than 300 letters is not written down"),
        (("todo", "add", "x", "--due", "29 march 2:30 am"), 2, "the clocks go forward over it"),
        (("event", "add", "x", "--at", "2026-03-29T02:30"), 2, "the clocks go forward over it"),
        (("todo", "add", "x", "--due", "flurb"), 2, "'flurb' is no day and no time I know"),
        (("todo", "add", "x", "--due", "31 february"), 2, "there is no “31 february”"),
        (("todo", "add", "x", "--priority", "12"), 2, "is no priority"),
        (("todo", "add", "x", "--estimate", "long"), 2, "is no length of time"),
        (("todo", "add", ""), 1, "It needs a title"),
        (("todo", "add", "x", "--list", "shop"), 1, "There is no todo list called “shop”"),
        (("event", "add", "x", "--at", "tomorrow afternoon"), 2, "is no time of day"),
        (("event", "add", "x"), 2, "Missing option '--at'"),
        (("event", "move", "stand-up", "--to", "next week"), 2, "is more than one day"),
        (("pin", "milk", "--at", "25:00"), 2, "there is no “25:00”"),
        (("pin", "milk", "--at", "tomorrow 3pm"), 2, "is more than a time of day"),
        (("unpin", "milk"), 1, "“Buy milk” is not pinned"),
        (("undo",), 1, "There is nothing to undo"),
        (("undo", "3"), 1, "There is no change 3"),
        (("undo", "x"), 2, "is not a valid integer"),
    ],
)
def test_what_is_not_understood_or_not_done_is_said_and_changes_nothing(
    iris: RunIris, todo: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    result = iris(*arguments, *NOW)
    assert (result.returncode, result.stdout) == (code, "")
    assert said in result.stderr
    assert todo.read_text() == TODO_TXT


def test_events_are_added_moved_and_deleted(iris: RunIris, todo: Path) -> None:
    work = todo.parent / "work.ics"
    before = work.read_bytes()
    add = ("event", "add", "Dentist", "--at", "tomorrow 15:00", "--for", "45m", "--location", "A")
    assert iris(*add, *NOW).returncode == 0
    moved = iris("event", "move", "dentist", "--to", "monday", *NOW)
    assert moved.stdout.startswith(
        "Moved “Dentist” from Fri 27 Mar 15:00 to 15:45 to Mon 30 Mar 15:00 to 15:45."
    )
    assert iris("event", "delete", "dentist", *NOW).returncode == 0
    assert work.read_bytes() == before
    for _ in range(3):
        number = json.loads(iris("history", "--changes", "--json").stdout)["changes"]
        last = next(one for one in number if one["state"] == "done" and one["kind"] != "undo")
        assert iris("undo", str(last["id"])).returncode == 0
    assert work.read_bytes() == before


@pytest.mark.usefixtures("todo")
@pytest.mark.parametrize(
    ("said", "at"), [("11:30", "11:30"), ("9:30", "09:30"), ("3:00", "15:00"), ("11pm", "23:00")]
)
def test_a_time_alone_is_one_of_the_day_of_the_event_and_not_the_next_one_from_now(
    iris: RunIris, said: str, at: str
) -> None:
    late = ("--now", "2026-03-25T20:45", "--dry-run")
    moved = iris("event", "move", "stand-up", "--to", said, *late)
    assert f"to Thu 26 Mar {at} to" in moved.stdout
    asked = iris("ask", f"move my stand-up appointment to {said}", "--now", "2026-03-25T20:45")
    assert f"to Thu 26 Mar {at} to" in asked.stdout, asked.stderr


def test_a_plan_keeps_what_is_pinned_and_leaves_out_what_is_skipped(
    iris: RunIris, todo: Path
) -> None:
    first = iris("plan", *NOW)
    assert iris("plan", *NOW).stdout == first.stdout
    assert iris("pin", "report", "--at", "14:00", *NOW).returncode == 0
    assert iris("skip", "milk", *NOW).returncode == 0
    second = iris("plan", *NOW)
    assert "14:00-16:00  todo: Write report" in second.stdout
    assert second.stdout.split("Changed since the plan shown before\n")[1].splitlines() == [
        "  Buy milk: no time any more, was 12:15-12:45",
    ]
    assert iris("plan", *NOW).stdout == second.stdout
    assert "14:00-16:00  todo: Write report" in iris("ask", "plan my day", *NOW).stdout
    later = iris("plan", *LATER)
    assert "14:00-16:00  todo: Write report" in later.stdout
    assert iris("plan", "--verify", *LATER).returncode == 0
    iris("unpin", "report", *LATER)
    iris("undo", "2")
    assert "Buy milk: new" in iris("plan", *LATER).stdout
    assert todo.read_text() == TODO_TXT


def test_a_pin_without_a_time_keeps_the_block_where_it_was_shown(iris: RunIris, todo: Path) -> None:
    iris("plan", *NOW)
    assert "Thu 26 Mar, 12:15 to 12:45" in iris("pin", "milk", *NOW).stdout
    todo.write_text("(A) New and urgent due:2026-03-26 est:1h\n" + todo.read_text())
    assert "12:15-12:45  todo: Buy milk" in iris("plan", *NOW).stdout


def test_a_plan_of_paths_or_of_the_demonstration_remembers_nothing(
    iris: RunIris, todo: Path
) -> None:
    iris("plan", *NOW)
    iris("pin", "report", "--at", "14:00", *NOW)
    adhoc = iris("plan", "--todo", todo, *NOW)
    assert "14:00" not in adhoc.stdout.split("Timeline")[1].split("free")[0]
    assert "Changed since" not in adhoc.stdout
    demo = iris("plan", "--demo")
    assert iris("plan", "--demo").stdout == demo.stdout


def test_the_blocks_of_a_plan_are_written_to_a_calendar_of_their_own(
    iris: RunIris, todo: Path
) -> None:
    home = todo.parent
    settings = home / ".config" / "iris" / "config.yaml"
    settings.write_text(SETTINGS + "planning: {write_blocks_to: blocks}\n")
    result = iris("plan", *NOW)
    assert "Wrote the blocks of Thu 26 Mar into blocks." in result.stderr
    assert len(list((home / "blocks").glob("*.ics"))) == 4
    assert iris("plan", *NOW).stderr == ""
    iris("todo", "done", "milk", *NOW)
    iris("plan", *NOW)
    assert len(list((home / "blocks").glob("*.ics"))) == 3
    assert "Buy milk" in iris("undo", *NOW).stdout  # and not what the plan wrote by itself


def test_history_tells_what_was_changed_asked_and_planned(iris: RunIris, todo: Path) -> None:
    iris("todo", "done", "milk", *NOW)
    iris("undo")
    iris("ask", "what time is it")
    iris("plan", *NOW)
    lines = [line[18:] for line in iris("history").stdout.splitlines()]
    assert lines[0].startswith("plan of 2026-03-26 (configured)")
    assert lines[1:] == [
        "asked  what time is it",
        "change 2  Took back: Marked “Buy milk” on todo as done",
        "change 1  Marked “Buy milk” on todo as done (undone)",
    ]
    kept = json.loads(iris("history", "--json").stdout)
    assert [one["state"] for one in kept["changes"]] == ["done", "undone"]
    assert kept["changes"][0]["undoes"] == 1
    assert [len(kept[key]) for key in ("turns", "plans")] == [1, 1]
    assert len(iris("history", "--questions").stdout.splitlines()) == 1
    assert todo.read_text() == TODO_TXT


@pytest.mark.parametrize("command", [("plan",), ("history",), ("todo", "add", "x")])
def test_the_next_start_says_how_an_interrupted_change_ended(
    iris: RunIris, todo: Path, command: tuple[str, ...]
) -> None:
    iris("todo", "done", "milk", *NOW)
    connection = sqlite3.connect(database(todo.parent), isolation_level=None)
    connection.execute("UPDATE journal SET state = 'intended', ended_at = NULL")
    connection.close()
    said = "It had been made, and stands; `iris undo 1` takes it back."
    assert said in iris(*command).stderr
    assert said not in iris(*command).stderr
    assert iris("undo", "1").returncode == 0
    assert todo.read_text().startswith(TODO_TXT)


def test_processes_that_change_one_list_at_once_lose_nothing(iris: RunIris, todo: Path) -> None:
    iris("history")
    environment = {"PATH": os.defpath, "HOME": str(todo.parent), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "iris_harness", "todo", "add"]
    running = [
        subprocess.Popen([*command, f"thing {n}"], env=environment, stdout=subprocess.DEVNULL)
        for n in range(4)
    ]
    assert [one.wait(60) for one in running] == [0, 0, 0, 0]
    lines = todo.read_text().splitlines()[4:]
    assert sorted(line.partition(" ")[2] for line in lines) == [f"thing {n}" for n in range(4)]


def test_an_unsure_request_is_not_done_where_nobody_can_be_asked(iris: RunIris, todo: Path) -> None:
    asked = iris("ask", "report is finished", *NOW)
    assert asked.returncode == 1
    assert "Mark “Write report” on todo as done? Say yes or no." in asked.stdout
    assert "nobody could be asked (add --yes)" in asked.stderr
    assert todo.read_text() == TODO_TXT
    done = iris("ask", "report is finished", "--yes", *NOW)
    assert (done.returncode, done.stderr) == (0, "")
    assert "x 2026-03-26 Write report" in todo.read_text()


@pytest.fixture
def terminal(todo: Path) -> Iterator[Terminal]:
    environment = {
        "PATH": os.defpath, "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1",
        "HOME": str(todo.parent),
    }  # fmt: skip
    command = [sys.executable, "-m", "iris_harness", "ask", "report is finished"]
    opened = Terminal(command, environment)
    yield opened
    opened.close()


@pytest.mark.parametrize(("key", "is_done"), [("y", True), ("n", False)])
def test_at_a_terminal_the_user_is_asked(
    terminal: Terminal, todo: Path, key: str, is_done: bool
) -> None:
    terminal.wait_for("Say yes or no.")
    terminal.wait_for("[y/N]")
    terminal.press(f"{key}\n")
    terminal.wait_for("Marked" if is_done else "nothing was changed")
    terminal.program.wait(20)
    assert ("x " in todo.read_text()) == is_done


def test_in_a_conversation_yes_answers_the_question(iris: RunIris, todo: Path) -> None:
    said = "report is finished\nyes\nundo that\nadd 'buy eggs' to my list\n"
    result = iris("chat", *NOW, stdin=said)
    assert result.returncode == 0
    assert [line.partition(":")[0] for line in result.stdout.splitlines() if "“" in line][:1] == [
        "Mark “Write report” on todo as done? Say yes or no."
    ]
    assert "Took back: Marked “Write report” on todo as done." in result.stdout
    assert todo.read_text() == TODO_TXT + "2026-03-26 buy eggs\n"


def test_a_source_that_is_closed_is_not_changed_and_a_new_todo_goes_to_an_open_one(
    iris: RunIris, todo: Path
) -> None:
    settings = todo.parent / ".config" / "iris" / "config.yaml"
    settings.write_text("todos: [{path: ~/todo.txt, write: false}, ~/other.txt]\n")
    (todo.parent / "other.txt").write_text("Sweep\n")
    refused = iris("todo", "done", "milk", *NOW)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "closed to changes in the settings" in refused.stderr
    assert "write: true" in refused.stderr
    added = iris("todo", "add", "dust", *NOW)
    assert added.stdout.startswith("Added “dust” to other.")
    assert todo.read_text() == TODO_TXT


def test_the_demonstration_and_a_home_without_sources_are_not_changed(iris: RunIris) -> None:
    demo = iris("ask", "--demo", "add 'buy eggs' to my list")
    assert demo.returncode == 1
    assert "Only your own calendars and lists can be changed" in demo.stdout
    bare = iris("todo", "add", "x")
    assert bare.returncode == 1
    assert "No todo list is set up" in bare.stderr


def test_a_calendar_of_blocks_that_is_filled_changes_no_byte_of_the_plan(
    iris: RunIris, home: Path, todo: Path
) -> None:
    config = home / ".config" / "iris" / "config.yaml"
    config.write_text(SETTINGS + "planning: {write_blocks_to: blocks}\n")
    plans = [iris("plan", "--json", *NOW) for _ in range(2)]
    assert list((home / "blocks").glob("*.ics"))
    assert "Wrote the blocks" in plans[0].stderr
    assert [plan.returncode for plan in plans] == [0, 0]
    assert plans[0].stdout == plans[1].stdout
    assert todo.read_text() == TODO_TXT


def test_a_range_asked_for_again_keeps_the_pins_of_later_days(iris: RunIris, todo: Path) -> None:
    todo.write_text(TODO_TXT + "Tidy est:3h due:2026-03-27\n")
    assert iris("pin", "Tidy", "--at", "14:00", "--date", "2026-03-27", *NOW).returncode == 0
    plans = [iris("plan", "--to", "2026-03-28", "--json", *NOW) for _ in range(3)]
    blocks = [
        (block["title"], block["start"], block["pinned"])
        for block in json.loads(plans[0].stdout)["days"][1]["blocks"]
    ]
    assert ("Tidy", "2026-03-27T14:00:00+01:00", True) in blocks
    assert plans[0].stdout == plans[1].stdout == plans[2].stdout


def test_a_pin_that_would_go_on_after_midnight_is_refused(iris: RunIris, todo: Path) -> None:
    refused = iris("pin", "report", "--at", "23:00", *NOW)
    assert refused.returncode == 1
    assert "“Write report” would go on after midnight, and pins are of one day" in refused.stderr
    assert iris("pin", "report", "--at", "22:00", *NOW).returncode == 0
    assert todo.read_text() == TODO_TXT


def test_days_in_words_count_from_the_day_that_now_names(iris: RunIris, todo: Path) -> None:
    planned = iris("plan", "--date", "friday", "--json", *NOW)
    assert json.loads(planned.stdout)["date"] == "2026-03-27"
    pinned = iris("pin", "report", "--at", "14:00", "--date", "friday", *NOW)
    assert "Fri 27 Mar" in pinned.stdout
    assert todo.read_text() == TODO_TXT
