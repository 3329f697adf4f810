"""A day as a page shows it: planned for this minute, kept when there is something new in it."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from iris_harness.bootstrap.setting import DaySetting, configured_setting
from iris_harness.bootstrap.shown import find_shown, show_day
from iris_harness.clock import FixedClock
from iris_harness.config.schema import Config
from iris_harness.config.settings import settings_of

DAY = dt.date(2026, 3, 26)
NOW = dt.datetime(2026, 3, 26, 7, 0, 12, tzinfo=dt.UTC)
TODO_TXT = "Call mum due:2026-03-26\nWrite report due:2026-03-26 est:2h\n"


@pytest.fixture
def todo(tmp_path: Path) -> Path:
    file = tmp_path / "todo.txt"
    file.write_text(TODO_TXT)
    return file


def setting(todo: Path, now: dt.datetime = NOW) -> DaySetting:
    data = {"data_dir": str(todo.parent / "data")}
    config = {"timezone": "Europe/Berlin", "todos": [str(todo)], "storage": data}
    return configured_setting(settings_of(Config.model_validate(config)), clock=FixedClock(now))


def kept(todo: Path) -> int:
    with closing(sqlite3.connect(todo.parent / "data" / "iris.db")) as database:
        (count,) = database.execute("SELECT count(*) FROM plans").fetchone()
        return int(count)


def test_in_one_minute_it_is_one_plan(todo: Path) -> None:
    first = show_day(setting(todo), DAY)
    later = show_day(setting(todo, NOW + dt.timedelta(seconds=47)), DAY)
    assert first.planned == later.planned
    assert kept(todo) == 1


def test_minutes_that_change_nothing_keep_no_plan(todo: Path) -> None:
    first = show_day(setting(todo), DAY)
    for minute in range(1, 40):
        shown = show_day(setting(todo, NOW + dt.timedelta(minutes=minute)), DAY)
        assert shown.plan.now.minute == minute
        assert shown.kept_id == first.kept_id
        assert not shown.moves
    assert kept(todo) == 1


def test_what_is_new_is_kept_and_told_since_any_plan(todo: Path) -> None:
    first = show_day(setting(todo), DAY)
    todo.write_text(TODO_TXT + "Pay rent due:2026-03-26\n")
    second = show_day(setting(todo), DAY, since=first.kept_id)
    assert [move.title for move in second.moves] == ["Pay rent"]
    assert second.kept_id != first.kept_id
    third = show_day(setting(todo), DAY, since=first.kept_id)
    assert third.moves == second.moves
    assert not show_day(setting(todo), DAY, since=second.kept_id).moves
    assert kept(todo) == 2


@pytest.mark.parametrize("since", ["", "f" * 64, "no id", "abc", "\udcff"])
def test_a_plan_that_is_not_kept_compares_with_nothing(todo: Path, since: str) -> None:
    assert not show_day(setting(todo), DAY, since=since).moves
    assert find_shown(setting(todo), since) is None


def test_another_day_is_not_compared(todo: Path) -> None:
    first = show_day(setting(todo), DAY)
    assert not show_day(setting(todo), DAY + dt.timedelta(days=1), since=first.kept_id).moves


def test_the_kept_plan_is_the_one_that_was_shown(todo: Path) -> None:
    shown = show_day(setting(todo), DAY)
    assert find_shown(setting(todo), shown.kept_id) == shown.planned


def test_a_day_is_shown_though_nothing_can_be_kept(todo: Path) -> None:
    (todo.parent / "data").write_text("a file where the folder should be")
    shown = show_day(setting(todo), DAY)
    assert shown.plan.todos
    assert any("the plan was not kept" in note for note in shown.notes)
