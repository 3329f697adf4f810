from __future__ import annotations

import stat
from pathlib import Path

import pytest

from iris_harness.config.checks import check_config_file, check_sources, check_zone
from iris_harness.config.loader import load_config, read_config
from iris_harness.config.write import build_user_config, write_user_config
from iris_harness.config.zone import other_machine_zone
from iris_harness.errors import ConfigError


def test_what_setup_writes_loads_to_what_was_asked_for(home: Path) -> None:
    text = build_user_config(
        timezone="Europe/Berlin",
        working_hours={"fri": ["09:00-13:00"], "sat": []},
        sources={
            "calendars": [("Müller: privat", home / "cal" / "a b"), ("no", Path("/srv/x.ics"))],
            "todos": [("todo", home / "todo.txt")],
            "contacts": [("friends", home / ".contacts")],
        },
        me=["me@example.org"],
    )
    write_user_config(home / ".config" / "iris" / "config.yaml", text)
    config = load_config(environ={})
    assert [(s.name, s.path) for s in config.calendars] == [
        ("Müller: privat", home / "cal" / "a b"),
        ("no", Path("/srv/x.ics")),
    ]
    assert config.todos[0].path == home / "todo.txt"
    assert [(s.name, s.path) for s in config.contacts] == [("friends", home / ".contacts")]
    assert config.me == ("me@example.org",)
    assert len(config.working_hours.fri) == 1
    assert "~/todo.txt" in text


def test_settings_are_private_and_never_overwritten_unasked(home: Path) -> None:
    file = home / "new" / "config.yaml"
    assert write_user_config(file, "locale: de\n") is None
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    with pytest.raises(ConfigError, match="settings already"):
        write_user_config(file, "locale: fr\n")
    kept = write_user_config(file, "locale: fr\n", replace=True)
    assert kept is not None
    assert kept.read_text(encoding="utf-8") == "locale: de\n"
    assert file.read_text(encoding="utf-8") == "locale: fr\n"
    assert sorted(path.name for path in file.parent.iterdir()) == [
        "config.yaml",
        "config.yaml.before-setup",
    ]


def test_a_source_that_is_not_there_is_a_problem_with_a_fix(home: Path) -> None:
    (home / "there.ics").touch()
    config = load_config(environ={}, overrides=["calendars=[~/there.ics, ~/gone]", "todos=~/t.txt"])
    titles = [problem.title for problem in check_sources(config)]
    assert titles == ["calendar gone cannot be read", "todo list t cannot be read"]
    assert all(problem.fix for problem in check_sources(config))


@pytest.mark.parametrize(
    ("mode", "text", "found"),
    [
        (0o600, "agents: {settings: {mail: {password: x}}}", False),
        (0o644, "agents: {settings: {mail: {password: x}}}", True),
        (0o644, "agents: {settings: {mail: {password: {fetch: [pass, x]}}}}", False),
        (0o664, "locale: de", True),
    ],
    ids=["private", "readable secret", "readable fetch", "writable"],
)
def test_settings_that_others_can_misuse_are_a_problem(
    home: Path, mode: int, text: str, found: bool
) -> None:
    file = home / "config.yaml"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    loaded = read_config(file, environ={})
    assert bool(check_config_file(loaded.file, loaded.config)) is found


@pytest.mark.usefixtures("home")
def test_a_zone_that_differs_from_the_machine_is_named() -> None:
    assert other_machine_zone("Europe/Berlin", {"TZ": "Asia/Tokyo"}) == "Asia/Tokyo"
    assert other_machine_zone("Europe/Berlin", {"TZ": "Europe/Berlin"}) == ""


def test_a_zone_that_can_be_told_is_no_problem() -> None:
    assert check_zone(load_config(environ={}), {"TZ": "Asia/Tokyo"}) == ()
