"""Killed in the middle of a change, a full disk, a locked database: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from iris_harness.bootstrap.actions import runner as runner_module
from iris_harness.bootstrap.actions.settling import applier_of
from iris_harness.contracts.actions import Action
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.changes import Change, ChangeApplier, Writers
from iris_harness.errors import StorageError
from iris_harness.storage.records import EntryState
from tests.unit.actions.conftest import NOW, TODO_TXT, VTODO, Home
from tests.unit.actions.killed import Killing

PROJECT = Path(__file__).resolve().parents[3]
DONE: dict[str, Json] = {"kind": "todo.done", "item": "milk"}
ADD: dict[str, Json] = {"kind": "todo.add", "summary": "slides"}
MOVE: dict[str, Json] = {"kind": "todo.move", "item": "bread", "to_list": "shopping"}
UNDO: dict[str, Json] = {"kind": "undo"}


def killed(home: Home, point: str, action: dict[str, Json]) -> int:
    """Do an action in a process that is killed at a point; return how it ended."""
    command = [sys.executable, "-m", "tests.unit.actions.killed", str(home.folder), point]
    done = subprocess.run(
        [*command, json.dumps(action)], cwd=PROJECT, check=False, timeout=60, capture_output=True
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()
    return done.returncode


@pytest.mark.parametrize("action", [DONE, ADD], ids=["done", "add"])
def test_killed_before_the_change_it_was_not_made(home: Home, action: dict[str, Json]) -> None:
    assert killed(home, "before-0", action) == -signal.SIGKILL
    assert home.todo.read_text() == TODO_TXT
    (note,) = home.runner().settle()
    assert note.startswith("Iris was stopped in the middle of a change:")
    assert note.endswith("It was not made.")
    (entry,) = home.runner().history(5)
    assert (entry.state, home.todo.read_text()) == (EntryState.FAILED, TODO_TXT)
    assert home.runner().settle() == ()


@pytest.mark.parametrize("action", [DONE, ADD], ids=["done", "add"])
def test_killed_after_the_change_it_stands_once_and_can_be_undone(
    home: Home, action: dict[str, Json]
) -> None:
    assert killed(home, "after-0", action) == -signal.SIGKILL
    changed = home.todo.read_text()
    assert changed != TODO_TXT
    (note,) = home.runner().settle()
    assert "It had been made, and stands; `iris undo 1` takes it back." in note
    assert home.todo.read_text() == changed
    assert home.runner().history(5)[0].state is EntryState.DONE
    home.do("undo")
    assert home.todo.read_text() == TODO_TXT


def test_killed_between_two_changes_the_first_is_taken_back(home: Home) -> None:
    assert killed(home, "before-1", MOVE) == -signal.SIGKILL
    assert home.shopping.read_bytes() != VTODO.encode()
    (note,) = home.runner().settle()
    assert "It was half made, and was taken back." in note
    assert (home.shopping.read_bytes(), home.todo.read_text()) == (VTODO.encode(), TODO_TXT)
    assert home.runner().history(5)[0].state is EntryState.FAILED


def test_killed_and_changed_by_somebody_else_it_is_left_alone(home: Home) -> None:
    killed(home, "after-0", DONE)
    theirs = home.todo.read_text().replace("Buy milk", "Buy oat milk")
    home.todo.write_text(theirs)
    (note,) = home.runner().settle()
    assert "Somebody has changed it since" in note
    assert home.todo.read_text() == theirs


def test_killed_while_undoing_the_first_change_is_what_it_was(home: Home) -> None:
    home.do("todo.done", item="milk")
    killed(home, "before-0", UNDO)
    home.runner().settle()
    assert [entry.state for entry in home.runner().history(5)] == [
        EntryState.FAILED,
        EntryState.DONE,
    ]
    killed(home, "after-0", UNDO)
    home.runner().settle()
    assert home.todo.read_text() == TODO_TXT
    assert [entry.state for entry in home.runner().history(1)] == [EntryState.DONE]
    assert home.runner().history(5)[-1].state is EntryState.UNDONE


@pytest.mark.parametrize("when", ["before", "after"])
def test_stopped_at_the_keyboard_the_next_change_finds_how_far_it_came(
    home: Home, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    class Stopped(Killing):
        def _at(self, now: str) -> None:
            if now == when:
                raise KeyboardInterrupt

    def stopping(writers: Writers, change: Change) -> ChangeApplier:
        return Stopped(applier_of(writers, change), "")

    with monkeypatch.context() as patched:
        patched.setattr(runner_module, "applier_of", stopping)
        with pytest.raises(KeyboardInterrupt):
            home.do("todo.done", item="milk")
    (note,) = home.do("todo.done", item="bread").notes
    assert ("It had been made" in note) == (when == "after")
    assert ("x 2026-03-26 Buy milk" in home.todo.read_text()) == (when == "after")


def test_the_next_change_says_how_the_interrupted_one_ended(home: Home) -> None:
    killed(home, "after-0", DONE)
    report = home.do("todo.done", item="bread")
    assert len(report.notes) == 1
    assert "It had been made" in report.notes[0]


def test_a_source_that_is_gone_leaves_the_entry_for_later(home: Home) -> None:
    killed(home, "after-0", DONE)
    kept = home.todo.read_bytes()
    home.todo.unlink()
    os.mkfifo(home.todo)
    (note,) = home.runner().settle()
    assert "cannot be told" in note
    home.todo.unlink()
    home.todo.write_bytes(kept)
    (note,) = home.runner().settle()
    assert "It had been made" in note


def test_a_change_of_another_process_is_not_taken_for_a_crash(home: Home) -> None:
    from iris_harness.storage.locks import hold_lock

    killed(home, "before-0", DONE)
    with hold_lock(home.folder / "data" / "changing.lock", patience_seconds=1):
        assert home.runner().settle() == ()
    assert home.runner().history(1)[0].state is EntryState.INTENDED


def test_two_processes_that_change_one_list_lose_nothing(home: Home) -> None:
    command = [sys.executable, "-m", "tests.unit.actions.killed", str(home.folder), "never-0"]
    actions = [json.dumps({"kind": "todo.add", "summary": f"thing {n}"}) for n in range(4)]
    running = [subprocess.Popen([*command, action], cwd=PROJECT) for action in actions]
    assert [one.wait(60) for one in running] == [0, 0, 0, 0]
    lines = home.todo.read_text().splitlines()
    assert sorted(line[11:] for line in lines[4:]) == [f"thing {n}" for n in range(4)]
    assert {entry.state for entry in home.runner().history(9)} == {EntryState.DONE}


def test_a_locked_database_leaves_the_list_as_it_is(home: Home) -> None:
    runner = home.runner()
    prepared = runner.prepare(Action(kind="todo.done", arguments={"item": "milk"}), NOW)
    other = sqlite3.connect(home.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="in use by another process"):
        runner.perform(prepared)
    other.execute("ROLLBACK")
    other.close()
    assert home.todo.read_text() == TODO_TXT


def test_a_full_disk_leaves_the_list_as_it_is(home: Home) -> None:
    """The size that files may have is limited, which to SQLite is a disk that is full."""
    home.runner().history(1)
    size = 8 * 1024  # less than the database has already
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
        "from tests.unit.actions.killed import main; main(*sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(home.folder), "never-0", json.dumps(DONE)],
        cwd=PROJECT, check=False, timeout=60, capture_output=True, text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert "StorageError" in done.stderr
    assert home.todo.read_text() == TODO_TXT
    assert home.runner().settle() == ()
    assert home.runner().history(5) == ()
