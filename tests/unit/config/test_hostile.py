"""Settings that would hold the program up or flood it are refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iris_harness.config.loader import check_config
from iris_harness.config.paths import MAX_FILE_BYTES
from iris_harness.config.write import read_user_tree, write_user_config
from iris_harness.errors import ConfigError

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{here}: &{here} [{', '.join(['*' + before] * 9)}]\n"
    for before, here in zip("abcdefgh", "bcdefghi", strict=True)
)


def problems(text: str, tmp_path: Path) -> list[str]:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return [error.message for error in check_config(file, environ={})]


def test_aliases_that_stand_for_billions_of_values_are_refused(tmp_path: Path) -> None:
    assert problems(BOMB, tmp_path) == ["more than 20000 values"]


def test_a_list_of_many_values_is_read_without_delay(tmp_path: Path) -> None:
    text = "agents:\n  settings:\n    chat:\n" + "".join(f"      k{i}: [1]\n" for i in range(6000))
    assert problems(text, tmp_path) == []


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    said = problems("#" * (MAX_FILE_BYTES + 1), tmp_path)
    assert said == ["cannot be read: is larger than 256 KB"]


@pytest.mark.parametrize("levels", [31, 300, 5000])
def test_depth_is_bounded_in_files_and_on_the_command_line(tmp_path: Path, levels: int) -> None:
    assert problems("a: " + "[" * levels + "]" * levels, tmp_path) == [
        "nested too deep to be settings"
    ]
    (error,) = check_config(environ={}, overrides=[".".join("a" * levels) + "=1"])
    assert error.message == "nested too deep to be settings"


@pytest.mark.parametrize("text", ['timezone: "\\ud800"', '"\\udcff": 1'], ids=["value", "key"])
def test_half_a_character_is_refused(tmp_path: Path, text: str) -> None:
    assert problems(text, tmp_path) == ["the text is no valid Unicode"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (error,) = check_config(tmp_path / "pipe", environ={})
    assert error.message == "cannot be read: is not a regular file"


def test_a_key_in_an_unknown_section_is_led_to_where_it_is_known() -> None:
    (error,) = check_config(environ={}, overrides=["sources.calendars=[]"])
    assert error.nearest == "calendars"


def test_what_setup_keeps_of_old_settings_means_what_it_meant(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("locale: no\nworking_hours: {mon: [12:30-14:00]}\nme: 2026-01-01\n")
    tree = read_user_tree(file)
    assert tree == {"locale": "no", "working_hours": {"mon": ["12:30-14:00"]}, "me": "2026-01-01"}


def test_setup_does_not_wait_for_a_pipe_either(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_user_tree(tmp_path / "pipe") == {}
    with pytest.raises(ConfigError, match="is not a regular file"):
        write_user_config(tmp_path / "pipe", "version: 1\n", replace=True)
