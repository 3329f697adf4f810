from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from iris_harness.config.loader import check_config, load_config, read_config
from iris_harness.config.schema import Config
from iris_harness.contracts.day import DayPreferences, TimeSpan
from iris_harness.errors import ConfigError

Write = Callable[[str], Path]
PLACE = "~/.config/iris/config.yaml"


@pytest.mark.usefixtures("home")
def test_without_any_file_every_value_is_its_default() -> None:
    loaded = read_config(environ={})
    assert loaded.config == Config()
    assert loaded.file is None
    assert loaded.config.day_preferences() == DayPreferences()


def test_three_lines_are_a_complete_configuration(home: Path, write_config: Write) -> None:
    write_config("calendars: [~/cal/home]\ntodos: [~/todo.txt]\ntimezone: Europe/Berlin\n")
    config = load_config(environ={})
    assert [(source.name, source.path) for source in config.calendars] == [
        ("home", home / "cal" / "home")
    ]
    assert [(source.name, source.path) for source in config.todos] == [("todo", home / "todo.txt")]
    assert config.timezone == "Europe/Berlin"


def test_command_line_beats_environment_beats_file_beats_default(write_config: Write) -> None:
    write_config("planning: {grid_minutes: 10, default_estimate_minutes: 20}\nlocale: de\n")
    environ = {"IRIS_PLANNING__GRID_MINUTES": "15", "IRIS_LOCALE": "fr"}
    config = load_config(environ=environ, overrides=["locale=en-GB"])
    assert config.planning.default_estimate_minutes == 20
    assert config.planning.grid_minutes == 15
    assert config.locale == "en-GB"
    assert config.planning.fill_with_backlog is True


def test_a_list_in_a_higher_place_replaces_the_lower_one_whole(write_config: Write) -> None:
    write_config("me: [a@example.org, b@example.org, 'not an address']\n")
    loaded = read_config(environ={"IRIS_ME": "[c@example.org]"})
    assert loaded.config.me == ("c@example.org",)
    assert str(loaded.origin(("me", 2))) == "$IRIS_ME"


def test_working_hours_keep_the_days_that_are_not_mentioned(write_config: Write) -> None:
    write_config(
        "working_hours:\n  mon: []\n  sat: [18:00-24:00, '9:30-12:00']\n  sun: 10:00-11:00\n"
    )
    week = load_config(environ={}).working_hours.week()
    assert week[0] == ()
    assert week[1] == (TimeSpan(start=dt.time(9), end=dt.time(17)),)
    assert week[5] == (
        TimeSpan(start=dt.time(9, 30), end=dt.time(12)),
        TimeSpan(start=dt.time(18), end=dt.time(0)),
    )
    assert week[6] == (TimeSpan(start=dt.time(10), end=dt.time(11)),)


def test_a_key_without_a_value_keeps_its_default(write_config: Write) -> None:
    write_config("planning:\n  grid_minutes:\ncalendars:\nstorage:\n")
    assert load_config(environ={}) == Config()


def test_relative_paths_start_at_the_folder_of_the_place_that_names_them(
    tmp_path: Path, write_config: Write
) -> None:
    file = write_config(
        "calendars: [cal/home, {name: x, path: x.ics}]\ncontacts: [people.vcf]\n"
        "storage: {data_dir: data}\n"
    )
    config = load_config(environ={"IRIS_TODOS": "todo.txt"})
    assert [source.path for source in config.calendars] == [
        file.parent / "cal" / "home",
        file.parent / "x.ics",
    ]
    assert config.contacts[0].path == file.parent / "people.vcf"
    assert config.storage.data_dir == file.parent / "data"
    assert config.todos[0].path == tmp_path / "todo.txt"


def test_iris_config_names_another_file(home: Path, write_config: Write) -> None:
    write_config("locale: de\n")
    (home / "other.yaml").write_text("locale: fr\n", encoding="utf-8")
    assert load_config(environ={"IRIS_CONFIG": "~/other.yaml"}).locale == "fr"


MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake["name"] for mistake in MISTAKES])
def test_a_mistake_is_one_message_with_place_key_and_way_out(
    write_config: Write, mistake: dict[str, str]
) -> None:
    write_config(mistake["text"])
    (problem,) = check_config(environ={})
    assert str(problem) == f"{PLACE}:{mistake['message']}"


def test_all_mistakes_are_reported_in_order_and_the_first_is_raised(write_config: Write) -> None:
    write_config(
        "timezone: nowhere/atall\nme: [x]\nlocale: 5\nme: []\nplanning: {grid_minutes: 7}\n"
    )
    problems = check_config(environ={"IRIS_LOCALE": "'?'"}, overrides=["a.b=1", "senseless"])
    places = [(problem.file, problem.line, problem.key) for problem in problems]
    assert places == [
        (PLACE, 1, "timezone"),
        (PLACE, 2, "me.0"),
        (PLACE, 4, "me"),
        (PLACE, 5, "planning.grid_minutes"),
        ("$IRIS_LOCALE", None, "locale"),
        ("command line", None, "senseless"),
        ("command line", None, "a.b"),
    ]
    with pytest.raises(ConfigError) as caught:
        load_config(environ={})
    assert caught.value.key == "timezone"


def test_a_file_that_was_named_must_exist(home: Path) -> None:
    for given in (
        check_config(home / "missing.yaml", environ={}),
        check_config(environ={"IRIS_CONFIG": str(home / "missing.yaml")}),
    ):
        assert [str(problem) for problem in given] == ["~/missing.yaml: there is no such file"]


def test_a_folder_or_bytes_in_place_of_the_file_are_said(home: Path) -> None:
    (home / "binary.yaml").write_bytes(b"me: []\nlocale: \xff\xfe\x00")
    (binary,) = check_config(home / "binary.yaml", environ={})
    assert str(binary) == "~/binary.yaml:2: not text in UTF-8"
    (folder,) = check_config(home, environ={})
    assert "cannot be read" in str(folder)


def test_a_byte_order_mark_and_an_empty_file_are_fine(home: Path) -> None:
    (home / "bom.yaml").write_bytes(b"\xef\xbb\xbflocale: de\n")
    (home / "empty.yaml").write_bytes(b"")
    assert load_config(home / "bom.yaml", environ={}).locale == "de"
    assert load_config(home / "empty.yaml", environ={}) == Config()


@pytest.mark.usefixtures("home")
def test_variables_of_other_programs_are_left_alone_and_near_misses_are_not() -> None:
    foreign = {"IRIS_SOAK": "1", "IRIS_HOSTNAME": "db", "IRISSYS": "/x"}
    assert check_config(environ=foreign) == ()
    assert [str(p) for p in check_config(environ={"IRIS_TIMEZON": "UTC"})] == [
        "$IRIS_TIMEZON: timezon: unknown key; did you mean 'timezone'?"
    ]
    (problem,) = check_config(environ={"IRIS_STORAGE__RETAIN_DAY": "1"})
    assert (problem.file, problem.nearest) == ("$IRIS_STORAGE__RETAIN_DAY", "storage.retain_days")


def test_an_old_name_works_once_more_with_a_warning(write_config: Write) -> None:
    write_config("version: 1\nplan:\n  raster: 15\n")
    loaded = read_config(environ={}, renamed={"plan.raster": "planning.grid_minutes"})
    assert loaded.config.planning.grid_minutes == 15
    (warning,) = loaded.warnings
    assert warning.startswith(f"{PLACE}:3: plan.raster is now planning.grid_minutes;")
    assert str(loaded.origin(("planning", "grid_minutes"))) == f"{PLACE}:3"


def test_a_mistake_under_an_old_name_still_names_its_line(write_config: Write) -> None:
    write_config("plan:\n  raster: 7\n")
    (problem,) = check_config(environ={}, renamed={"plan.raster": "planning.grid_minutes"})
    assert (problem.line, problem.key) == (2, "planning.grid_minutes")


def test_old_and_new_name_together_are_a_mistake(write_config: Write) -> None:
    write_config("raster: 15\nplanning: {grid_minutes: 10}\n")
    (problem,) = check_config(environ={}, renamed={"raster": "planning.grid_minutes"})
    assert (problem.line, problem.key) == (1, "raster")


def test_settings_never_change_after_they_are_loaded(write_config: Write) -> None:
    write_config("locale: de\n")
    config = load_config(environ={})
    with pytest.raises(ValueError, match="frozen"):
        config.locale = "fr"


def test_everything_about_a_day_reaches_the_planner(write_config: Write) -> None:
    write_config(
        "planning:\n"
        "  split_minutes: 30\n"
        "  buffer_before_minutes: 10\n"
        "  buffer_after_minutes: 5\n"
        "  lunch: {window: 12:00-14:00, minutes: 45}\n"
        "  breaks: [{title: Tea, window: 15:00-16:00, minutes: 15}]\n"
        "  energy: {Low: 13:00-15:00, high: [09:00-10:00, 11:00-12:00]}\n"
        "  travel_minutes: {Office: 25, Home: 0}\n"
        "  travel_back: false\n"
    )

    wishes = load_config(environ={}).day_preferences()

    assert (wishes.buffer_before_minutes, wishes.buffer_after_minutes) == (10, 5)
    assert (wishes.chunk_minutes, wishes.travel_back) == (30, False)
    assert [(one.title, one.minutes) for one in wishes.breaks] == [("Lunch", 45), ("Tea", 15)]
    assert [one.energy for one in wishes.energy_windows] == ["high", "low"]
    assert [len(one.spans) for one in wishes.energy_windows] == [2, 1]
    assert [(one.place, one.minutes) for one in wishes.travel] == [("Home", 0), ("Office", 25)]
